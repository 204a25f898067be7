//go:build cgo

package main

import (
	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/openvx"
)

// importers make kernels of models.
var importers = map[string]openvx.Importer{"nnef": concord.ImportNNEF}
