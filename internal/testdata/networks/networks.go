// Package networks finds graphs for the tests of exporters.
package networks

import (
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
)

// Documents visits the graphs of NNEF documents of the conformance cases, but for those of mistakes, of limits, and of shapes that are left open.
func Documents(t *testing.T, visit func(path string, g *graph.Graph)) {
	t.Helper()
	for _, path := range testdata.Documents(t) {
		n, err := nnef.Load(path, nnef.Options{})
		if err != nil {
			continue
		}
		if p, err := engine.Compile(n.Graph, engine.Options{Threads: 1}); err == nil {
			p.Close()
			visit(path, n.Graph)
		}
		n.Close()
	}
}
