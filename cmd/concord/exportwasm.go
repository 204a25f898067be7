package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm/export"
	"github.com/concord-nn/concord/graph"
)

// writeWASM writes a model as WebAssembly with what loads it.
var writeWASM = target{
	endings: export.Endings,
	files: func(_ *concord.Model, g *graph.Graph, e exported) ([][]byte, error) {
		files, err := export.Files(g, e.base, engine.Limits{})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.path, err)
		}
		contents := make([][]byte, len(export.Endings))
		for _, f := range files {
			contents[slices.Index(export.Endings, strings.TrimPrefix(f.Name, e.base))] = f.Content
		}
		return contents, nil
	},
}
