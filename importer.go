package concord

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
)

// ImportNNEF loads the NNEF model at a path, or at a URL of the scheme file, as a graph. Its elements are in memory, so that the files may
// change afterwards and there is nothing to close. It is an importer of package openvx:
//
//	openvx.Options{Importers: map[string]openvx.Importer{"nnef": concord.ImportNNEF}}
func ImportNNEF(location string) (*graph.Graph, error) {
	path, err := filePath(location)
	if err != nil {
		return nil, err
	}
	f, err := nnef.Open(path, nnef.Options{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := f.Network()
	if err != nil {
		return nil, err
	}
	g, err := m.Graph(nil)
	if err != nil {
		return nil, err
	}
	for b := range g.Graphs() {
		for v := range b.Constants() { // which nobody else has seen yet
			v.Const = v.Const.Clone()
		}
	}
	for _, s := range g.States {
		s.Init = s.Init.Clone()
	}
	return g, nil
}

// filePath returns the path that a URL of the scheme file means, and what is no URL as it is.
func filePath(location string) (string, error) {
	scheme, _, ok := strings.Cut(location, "://")
	if !ok {
		return location, nil
	}
	u, err := url.Parse(location)
	if err != nil {
		return "", err
	}
	if !strings.EqualFold(scheme, "file") || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%s: only files of this machine can be loaded: a path or file:///path", location)
	}
	return u.Path, nil
}
