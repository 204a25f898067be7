package export_test

import (
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/openvx/export"
	"github.com/concord-nn/concord/tensor"
)

// run returns the outputs of a graph.
func run(t testing.TB, g *graph.Graph, in map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	out, err := p.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// built makes a network in a context of its own, and verifies it.
func built(t testing.TB, n *export.Network) *export.Built {
	t.Helper()
	ctx, err := openvx.NewContext(openvx.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := n.Build(ctx)
	if err == nil {
		err = b.Graph.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// runs returns the outputs of a network, in the types and shapes of its graph.
func runs(t testing.TB, n *export.Network, in map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	out, err := built(t, n).Run(n, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
