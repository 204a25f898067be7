package openvx_test

import (
	"testing"

	"github.com/concord-nn/concord/openvx"
)

// planes adds a node of a user kernel of two images, which are not set.
func (y *yard) planes(run func(n *openvx.Node, params []openvx.Reference) error) *openvx.Node {
	k := must(y.c.AddKernel("org.example.planes", must(y.c.AllocateKernelID()), 2, openvx.UserKernel{Run: run, Validate: nothing.Validate}))
	y.kernels = append(y.kernels, k)
	for i, d := range []openvx.Direction{openvx.Input, openvx.Output} {
		status(y.t, k.AddParameter(i, d, openvx.TypeImage, openvx.ParameterStateRequired), openvx.Success)
	}
	status(y.t, k.Finalize(), openvx.Success)
	n := must(y.g.CreateGenericNode(k))
	y.keep(n)
	return n
}

// TestReplicate runs a kernel once for each plane of a tensor.
func TestReplicate(t *testing.T) {
	y := newYard(t)
	from, to := y.tensor(2, 1, 3), y.tensor(2, 1, 3)
	rect := openvx.Rectangle{EndX: 2, EndY: 1}
	in := must(from.CreateImageObjectArray(rect, 3, 2, openvx.DFImageU8))
	out := must(to.CreateImageObjectArray(rect, 3, 2, openvx.DFImageU8))
	few := must(to.CreateImageObjectArray(rect, 2, 2, openvx.DFImageU8))
	for _, a := range []*openvx.ObjectArray{in, out, few} {
		y.keep(a)
	}
	item := func(a *openvx.ObjectArray, i int) openvx.Reference {
		r := must(a.Item(i))
		y.keep(r)
		return r
	}
	runs := 0
	n := y.planes(func(_ *openvx.Node, params []openvx.Reference) error {
		if params[0] != item(in, runs) || params[1] != item(out, runs) {
			t.Errorf("run %d has other items", runs)
		}
		runs++
		return nil
	})
	status(t, n.SetParameter(0, item(in, 0)), openvx.Success)
	status(t, n.SetParameter(1, item(few, 0)), openvx.Success)

	all := []bool{true, true}
	status(t, y.g.ReplicateNode(nil, all), openvx.ErrorInvalidReference)
	status(t, y.g.ReplicateNode(n, all[:1]), openvx.ErrorInvalidParameters)
	status(t, y.g.ReplicateNode(n, []bool{true, false}), openvx.Failure)
	status(t, y.g.ReplicateNode(n, all), openvx.Failure) // three and two items
	status(t, n.SetParameter(1, item(out, 1)), openvx.Success)
	status(t, y.g.ReplicateNode(n, all), openvx.ErrorNotCompatible)
	status(t, n.SetParameter(1, item(out, 0)), openvx.Success)
	other := must(y.c.CreateGraph())
	y.keep(other)
	status(t, other.ReplicateNode(n, all), openvx.Failure)
	if n.IsReplicated() {
		t.Error("replicated by a call that failed")
	}
	status(t, y.g.ReplicateNode(n, all), openvx.Success)
	if !n.IsReplicated() || len(n.Replicated()) != 2 {
		t.Error(n.Replicated())
	}
	status(t, y.g.Process(), openvx.Success)
	if runs != 3 {
		t.Error(runs, "runs")
	}
}

// TestReplicateWhatIsReleased has the graph keep the arrays of a replicated node, those given before and after it was replicated.
func TestReplicateWhatIsReleased(t *testing.T) {
	y := newYard(t)
	runs := 0
	n := y.planes(func(_ *openvx.Node, params []openvx.Reference) error {
		for i, r := range params {
			if width := r.(*openvx.Image).Width(); width != 2 {
				t.Errorf("parameter %d of run %d has the width %d", i, runs, width)
			}
		}
		runs++
		return nil
	})
	planes := [2]*openvx.Tensor{y.tensor(2, 1, 3), y.tensor(2, 1, 3)}
	set := func(i int) func() {
		a := must(planes[i].CreateImageObjectArray(openvx.Rectangle{EndX: 2, EndY: 1}, 3, 2, openvx.DFImageU8))
		item := must(a.Item(0))
		status(t, n.SetParameter(i, item), openvx.Success)
		status(t, item.Release(), openvx.Success)
		return func() { status(t, a.Release(), openvx.Success) }
	}
	first, second := set(0), set(1)
	status(t, y.g.ReplicateNode(n, []bool{true, true}), openvx.Success)
	first()
	second()
	set(1)()
	status(t, y.g.Process(), openvx.Success)
	if runs != 3 {
		t.Error(runs, "runs")
	}
}
