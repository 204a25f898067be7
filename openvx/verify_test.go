package openvx_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/openvx"
)

// yard is a context with a graph, for tests that make nodes of it and a few tensors.
type yard struct {
	t       *testing.T
	c       *openvx.Context
	g       *openvx.Graph
	made    []openvx.Reference
	kernels []*openvx.Kernel
}

func newYard(t *testing.T) *yard {
	c := context(t)
	y := &yard{t: t, c: c, g: must(c.CreateGraph())}
	t.Cleanup(y.release) // before the context's
	return y
}

func (y *yard) release() {
	for _, r := range append(y.made, y.g) {
		if r.Count() > 0 {
			status(y.t, r.Release(), openvx.Success)
		}
	}
	for _, k := range y.kernels {
		status(y.t, k.Remove(), openvx.Success)
	}
	y.made, y.kernels = nil, nil
}

func (y *yard) keep(r openvx.Reference) { y.made = append(y.made, r) }

// tensor makes a tensor of bytes.
func (y *yard) tensor(dims ...int) *openvx.Tensor {
	x := must(y.c.CreateTensor(dims, openvx.TypeUint8, 0))
	y.keep(x)
	return x
}

// open makes a virtual tensor of which nothing is known.
func (y *yard) open() *openvx.Tensor {
	x := must(y.g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0))
	y.keep(x)
	return x
}

func (y *yard) view(of *openvx.Tensor, start, end int) *openvx.Tensor {
	x := must(of.CreateView([]int{start}, []int{end}))
	y.keep(x)
	return x
}

// relu adds a node that reads in and writes out.
func (y *yard) relu(in, out *openvx.Tensor) *openvx.Node {
	n := must(y.g.ActivationLayer(in, openvx.ActivationRelu, 0, 0, out))
	y.keep(n)
	return n
}

func (y *yard) add(a, b, out *openvx.Tensor) *openvx.Node {
	n := must(y.g.TensorAddNode(a, b, openvx.ConvertPolicyWrap, out))
	y.keep(n)
	return n
}

// user adds a node of a kernel of the application with the given functions.
func (y *yard) user(name string, in, out *openvx.Tensor, k openvx.UserKernel) *openvx.Node {
	if k.Run == nil {
		k.Run = nothing.Run
	}
	if k.Validate == nil {
		k.Validate = nothing.Validate
	}
	kernel := addKernel(y.t, y.c, name, 2, k)
	y.kernels = append(y.kernels, kernel)
	n := must(y.g.CreateGenericNode(kernel))
	y.keep(n)
	status(y.t, n.SetParameter(0, in), openvx.Success)
	status(y.t, n.SetParameter(1, out), openvx.Success)
	return n
}

var errMine = errors.New("mine")

// TestWrongGraphs holds what Verify finds against the status that the standard names, and the words that its message and the log have.
func TestWrongGraphs(t *testing.T) {
	for _, test := range []struct {
		name  string
		make  func(y *yard)
		want  openvx.Status
		words string
	}{
		{"nothing", func(*yard) {}, openvx.ErrorInvalidGraph, "no nodes"},
		{"parameter not set", func(y *yard) { y.relu(y.tensor(3), nil) }, openvx.ErrorNotSufficient, "node 0 (activation_layer), parameter 4 (outputs)"},
		{"two writers", func(y *yard) {
			out := y.tensor(3)
			y.relu(y.tensor(3), out)
			y.relu(y.tensor(3), out)
		}, openvx.ErrorMultipleWriters, "node 1"},
		{"overlapping writers", func(y *yard) {
			out := y.tensor(4)
			y.relu(y.tensor(3), y.view(out, 0, 3))
			y.relu(y.tensor(2), y.view(out, 2, 4))
		}, openvx.ErrorMultipleWriters, "views"},
		{"disjoint writers", func(y *yard) {
			out := y.tensor(4)
			y.relu(y.tensor(3), y.view(out, 0, 3))
			y.relu(y.tensor(1), y.view(out, 3, 4))
		}, openvx.Success, ""},
		{"cycle", func(y *yard) {
			a, b := y.tensor(3), y.tensor(3)
			y.relu(a, b)
			y.relu(b, a)
		}, openvx.ErrorInvalidGraph, "cycle: node 0 (activation_layer) → node 1 (activation_layer) → node 0"},
		{"in place", func(y *yard) {
			a := y.tensor(3)
			y.relu(a, a)
		}, openvx.ErrorInvalidGraph, "cycle"},
		{"cycle through views", func(y *yard) {
			a, b := y.tensor(4), y.tensor(4)
			y.relu(y.view(a, 0, 2), y.view(b, 0, 2))
			y.relu(y.view(b, 1, 3), y.view(a, 1, 3))
		}, openvx.ErrorInvalidGraph, "cycle"},
		{"virtual object that nobody writes", func(y *yard) { y.relu(y.open(), y.tensor(3)) }, openvx.ErrorInvalidGraph, "no node writes"},
		{"result of another size", func(y *yard) { y.relu(y.tensor(3), y.tensor(4)) }, openvx.ErrorInvalidDimension, "[4]"},
		{"result of another rank", func(y *yard) { y.relu(y.tensor(3), y.tensor(3, 1)) }, openvx.ErrorInvalidDimension, "[3 1]"},
		{"value out of range", func(y *yard) {
			y.keep(must(y.g.PoolingLayer(y.tensor(3, 3, 1), 7, 2, 2, 0, 0, openvx.SizeRoundingFloor, y.open())))
		}, openvx.ErrorInvalidValue, "pooling_type"},
		{"kernel that refuses", func(y *yard) {
			y.user("org.example.refuses", y.tensor(1), y.tensor(1), openvx.UserKernel{
				Validate: func(*openvx.Node, []openvx.Reference, []*openvx.MetaFormat) error {
					return &openvx.Error{Status: openvx.ErrorInvalidFormat, Msg: "not for me"}
				},
			})
		}, openvx.ErrorInvalidFormat, "node 0 (refuses): the kernel failed to validate"},
		{"kernel that cannot begin", func(y *yard) {
			y.user("org.example.hesitates", y.tensor(1), y.tensor(1), openvx.UserKernel{
				Initialize: func(*openvx.Node, []openvx.Reference) error { return errMine },
			})
		}, openvx.Failure, "mine"},
		{"kernel that panics", func(y *yard) {
			y.user("org.example.panics", y.tensor(1), y.tensor(1), openvx.UserKernel{
				Initialize: func(*openvx.Node, []openvx.Reference) error { panic("ouch") },
			})
		}, openvx.Failure, "ouch"},
		{"kernel that does not say what it yields", func(y *yard) {
			y.user("org.example.silent", y.tensor(1), y.open(), openvx.UserKernel{})
		}, openvx.ErrorInvalidFormat, "does not say"},
		{"kernel with another result", func(y *yard) {
			y.user("org.example.other", y.tensor(1), y.tensor(2), openvx.UserKernel{
				Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
					return metas[1].FromReference(params[0])
				},
			})
		}, openvx.ErrorInvalidDimension, "[1]"},
		{"kernel with another type", func(y *yard) {
			y.user("org.example.type", y.tensor(1), y.tensor(1), openvx.UserKernel{
				Validate: func(_ *openvx.Node, _ []openvx.Reference, metas []*openvx.MetaFormat) error {
					return metas[1].SetTensor([]int{1}, openvx.TypeInt16, 8)
				},
			})
		}, openvx.ErrorInvalidFormat, "INT16"},
		{"weights without memory", func(y *yard) {
			weights := must(y.c.CreateTensorFromHandle([]int{3, 2}, openvx.TypeUint8, 0, []int{1, 3}, nil))
			y.keep(weights)
			y.keep(must(y.g.FullyConnectedLayer(y.tensor(3), weights, nil, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, y.tensor(2))))
		}, openvx.ErrorNotAllocated, "SwapHandle"},
	} {
		t.Run(test.name, func(t *testing.T) {
			y := newYard(t)
			test.make(y)
			var log []string
			y.c.RegisterLogCallback(func(_ *openvx.Context, _ openvx.Reference, s openvx.Status, message string) {
				log = append(log, s.String()+" "+message)
			}, true)
			err := y.g.Verify()
			status(t, err, test.want)
			if verified := y.g.IsVerified(); verified != (err == nil) {
				t.Error("verified:", verified)
			}
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), test.words) {
				t.Errorf("%q lacks %q", err, test.words)
			}
			if len(log) != 1 || !strings.Contains(log[0], test.words) || !strings.Contains(log[0], test.want.String()) {
				t.Errorf("the log is %q", log)
			}
			status(t, y.g.Process(), test.want)
			status(t, y.g.Schedule(), test.want)
			status(t, y.g.Wait(), openvx.Failure)
			if s := y.g.State(); s != openvx.GraphStateUnverified {
				t.Error(s)
			}
		})
	}
}

// An application may give a tensor its memory after verification, and other memory for each run.
func TestMemoryAfterVerification(t *testing.T) {
	y := newYard(t)
	x, out := must(y.c.CreateTensorFromHandle([]int{3}, openvx.TypeUint8, 0, []int{1}, nil)), y.tensor(3)
	y.keep(x)
	y.relu(x, out)
	status(t, y.g.Verify(), openvx.Success)
	status(t, y.g.Process(), openvx.ErrorNotAllocated)
	status(t, y.g.Schedule(), openvx.ErrorNotAllocated)
	for _, data := range [][]byte{{1, 2, 3}, {4, 5, 6}} {
		must(x.SwapHandle(data))
		status(t, y.g.Process(), openvx.Success)
		y.expect(out, data...)
	}
	must(x.SwapHandle(nil))
	if !y.g.IsVerified() {
		t.Error("the graph is not verified any more")
	}
	status(t, y.g.Process(), openvx.ErrorNotAllocated)
}

func TestScope(t *testing.T) {
	y, other := newYard(t), newYard(t)
	foreign := must(y.c.CreateGraph())
	y.keep(foreign)
	strange := must(foreign.CreateVirtualTensor([]int{3}, openvx.TypeUint8, 0))
	y.keep(strange)
	_, err := y.g.ActivationLayer(y.tensor(3), openvx.ActivationRelu, 0, 0, strange)
	status(t, err, openvx.ErrorInvalidScope)
	_, err = y.g.ActivationLayer(other.tensor(3), openvx.ActivationRelu, 0, 0, y.tensor(3))
	status(t, err, openvx.ErrorInvalidReference)
	if y.g.Nodes() != 0 {
		t.Error("half a node is there")
	}
}

// TestLimits asks for more than the engine may take.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		limits engine.Limits
		want   openvx.Status
	}{
		{engine.Limits{Memory: 100}, openvx.ErrorNoMemory},
		{engine.Limits{Operations: 100}, openvx.ErrorNoResources},
		{engine.Limits{}, openvx.Success},
	} {
		c := must(openvx.NewContext(openvx.Options{Limits: test.limits}))
		in, out := must(c.CreateTensor([]int{1000}, openvx.TypeInt16, 8)), must(c.CreateTensor([]int{1000}, openvx.TypeInt16, 8))
		g := must(c.CreateGraph())
		must(g.ActivationLayer(in, openvx.ActivationLogistic, 0, 0, out))
		status(t, g.Verify(), test.want)
		status(t, c.Release(), openvx.Success)
	}
}

// TestOpenExtents verifies a graph again after its input has been exchanged for one of another size: virtual tensors follow.
func TestOpenExtents(t *testing.T) {
	y := newYard(t)
	between := y.open()
	first := y.relu(y.tensor(3), between)
	second := y.relu(between, y.tensor(3))
	status(t, y.g.Verify(), openvx.Success)
	if d := between.Dims(); len(d) != 1 || d[0] != 3 {
		t.Error(d)
	}
	status(t, first.SetParameter(0, y.tensor(2, 5)), openvx.Success)
	if y.g.IsVerified() {
		t.Error("a parameter of another format leaves the graph verified")
	}
	status(t, y.g.Verify(), openvx.ErrorInvalidDimension)
	status(t, second.SetParameter(4, y.tensor(2, 5)), openvx.Success)
	status(t, y.g.Verify(), openvx.Success)
	if d := between.Dims(); len(d) != 2 || between.DataType() != openvx.TypeUint8 {
		t.Error(d)
	}
}
