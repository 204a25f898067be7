package openvx_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// bench is a graph with one node of a user kernel, an input and an output.
type bench struct {
	c       *openvx.Context
	k       *openvx.Kernel
	g       *openvx.Graph
	n       *openvx.Node
	in, out *openvx.Tensor
}

// newBench makes a bench whose kernel copies the format of its input.
func newBench(t *testing.T, k openvx.UserKernel) *bench {
	b := &bench{c: context(t)}
	if k.Run == nil {
		k.Run = nothing.Run
	}
	if k.Validate == nil {
		k.Validate = func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			return metas[1].FromReference(params[0])
		}
	}
	b.k = addKernel(t, b.c, "org.example.bench", 2, k)
	b.g = must(b.c.CreateGraph())
	b.n = must(b.g.CreateGenericNode(b.k))
	b.in, b.out = must(b.c.CreateTensor([]int{2}, openvx.TypeUint8, 0)), must(b.c.CreateTensor([]int{2}, openvx.TypeUint8, 0))
	status(t, b.n.SetParameter(0, b.in), openvx.Success)
	status(t, b.n.SetParameter(1, b.out), openvx.Success)
	return b
}

func (b *bench) release(t *testing.T) {
	t.Helper()
	for _, r := range []openvx.Reference{b.n, b.g, b.in, b.out} {
		if r.Count() > 0 {
			status(t, r.Release(), openvx.Success)
		}
	}
	if b.k.Count() > 0 {
		status(t, b.k.Remove(), openvx.Success)
	}
}

func TestNodeAnswers(t *testing.T) {
	b := newBench(t, nothing)
	defer b.release(t)
	n := b.n
	if n.Kernel() != b.k || n.Graph() != b.g || n.NumParameters() != 2 || n.Status() != openvx.Success || n.IsReplicated() || n.Replicated() != nil ||
		n.Performance() != (openvx.Performance{}) || n.Border().Mode != openvx.BorderUndefined || n.Callback() != nil || n.LocalDataSize() != 0 {
		t.Error("a new node is not empty")
	}
	if n.ParameterReference(0) != openvx.Reference(b.in) || n.ParameterReference(-1) != nil || n.ParameterReference(2) != nil {
		t.Error("the parameters are not those that were set")
	}
	border := openvx.BorderValue{Mode: openvx.BorderReplicate}
	status(t, n.SetBorder(border), openvx.Success)
	status(t, n.SetBorder(openvx.BorderValue{Mode: 1}), openvx.ErrorInvalidValue)
	if n.Border() != border {
		t.Error(n.Border())
	}
	status(t, n.SetTarget(openvx.TargetString, "Any"), openvx.Success)
	status(t, n.SetTarget(openvx.TargetString, "gpu"), openvx.ErrorNotSupported)
	f := func(*openvx.Node) openvx.Action { return openvx.ActionContinue }
	status(t, n.SetCallback(f), openvx.Success)
	status(t, n.SetCallback(f), openvx.ErrorNotSupported)
	if n.Callback() == nil {
		t.Error("there is no callback")
	}
	status(t, n.SetCallback(nil), openvx.Success)
	status(t, n.SetCallback(nil), openvx.Success)
}

func TestSetParameter(t *testing.T) {
	b, other := newBench(t, nothing), context(t)
	defer b.release(t)
	k := must(b.c.AddKernel("org.example.many", 5000, 4, nothing))
	for i, p := range []struct {
		kind  openvx.Type
		state openvx.ParameterState
	}{
		{openvx.TypeFloat32, openvx.ParameterStateRequired}, {openvx.TypeReference, openvx.ParameterStateOptional},
		{openvx.TypeScalar, openvx.ParameterStateRequired}, {openvx.TypeDelay, openvx.ParameterStateRequired},
	} {
		status(t, k.AddParameter(i, openvx.Input, p.kind, p.state), openvx.Success)
	}
	status(t, k.Finalize(), openvx.Success)
	n := must(b.g.CreateGenericNode(k))
	second := must(b.c.CreateGraph())
	float, whole := must(b.c.CreateScalar(openvx.TypeFloat32, 1.0)), must(b.c.CreateScalar(openvx.TypeInt32, 1))
	mine, theirs := must(b.g.CreateVirtualScalar(openvx.TypeFloat32)), must(second.CreateVirtualScalar(openvx.TypeFloat32))
	foreign := must(other.CreateScalar(openvx.TypeFloat32, 1.0))
	gone := must(b.c.CreateScalar(openvx.TypeFloat32, 1.0))
	status(t, gone.Release(), openvx.Success)
	d := must(b.c.CreateDelay(whole, 2))
	for _, test := range []struct {
		i    int
		r    openvx.Reference
		want openvx.Status
	}{
		{-1, float, openvx.ErrorInvalidValue}, {4, float, openvx.ErrorInvalidValue},
		{0, float, openvx.Success}, {0, mine, openvx.Success}, {0, whole, openvx.ErrorInvalidType}, {0, b.in, openvx.ErrorInvalidType},
		{0, nil, openvx.ErrorInvalidReference}, {0, (*openvx.Scalar)(nil), openvx.ErrorInvalidReference}, {0, gone, openvx.ErrorInvalidReference},
		{0, foreign, openvx.ErrorInvalidReference}, {0, theirs, openvx.ErrorInvalidScope},
		{1, b.in, openvx.Success}, {1, whole, openvx.Success}, {1, nil, openvx.Success}, {1, (*openvx.Scalar)(nil), openvx.Success},
		{1, b.g, openvx.ErrorInvalidType}, {1, gone, openvx.ErrorInvalidReference},
		{2, float, openvx.Success}, {2, whole, openvx.Success}, {2, b.in, openvx.ErrorInvalidType}, {2, must(d.Reference(-1)), openvx.Success},
		{3, d, openvx.Success}, {3, must(d.Reference(0)), openvx.ErrorInvalidType},
	} {
		before := openvx.Reference(nil)
		if test.i >= 0 && test.i < 4 {
			before = n.ParameterReference(test.i)
		}
		status(t, n.SetParameter(test.i, test.r), test.want)
		if test.want != openvx.Success && n.ParameterReference(test.i) != before {
			t.Errorf("a refused object is parameter %d", test.i)
		}
	}
	if n.ParameterReference(1) != nil || n.ParameterReference(0) != openvx.Reference(mine) {
		t.Error("nil does not clear an optional parameter")
	}

	// A parameter lives as long as the node.
	status(t, mine.Release(), openvx.Success)
	status(t, mine.Release(), openvx.ErrorInvalidReference)
	p := must(n.Parameter(0))
	if p.Index() != 0 || p.Kind() != openvx.TypeFloat32 || p.Direction() != openvx.Input {
		t.Error(p.Index(), p.Kind(), p.Direction())
	}
	if got := p.Reference(); got != openvx.Reference(mine) || mine.Count() != 1 {
		t.Error("the parameter's reference is not that of the node")
	}
	status(t, mine.Release(), openvx.Success)
	status(t, p.Set(float), openvx.Success)
	status(t, p.Set(nil), openvx.ErrorInvalidReference)
	if mine.Retain() == nil {
		t.Error("what nobody refers to is still there")
	}
	_, err := n.Parameter(4)
	status(t, err, openvx.ErrorInvalidParameters)
	for _, r := range []openvx.Reference{p, n, float, whole, theirs, second, foreign, d, b.n, b.g, k} {
		status(t, r.Release(), openvx.Success)
	}
	status(t, must(b.c.KernelByName("org.example.many")).Remove(), openvx.Success)
}

// TestScalarsOfLayers gives layers scalars of other types than they declare.
func TestScalarsOfLayers(t *testing.T) {
	c := context(t)
	g := must(c.CreateGraph())
	integer, wrong := must(c.CreateScalar(openvx.TypeInt32, 1)), must(c.CreateScalar(openvx.TypeNNDeconvolutionParams, nil))
	_, err := g.TensorMultiplyNode(nil, nil, integer, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, nil)
	status(t, err, openvx.ErrorInvalidType)
	layer := must(g.ConvolutionLayer(nil, nil, nil, openvx.ConvolutionParams{}, nil))
	status(t, layer.SetParameter(3, wrong), openvx.ErrorInvalidType)
	for _, r := range []openvx.Reference{g, integer, wrong} {
		status(t, r.Release(), openvx.Success)
	}
}

func TestNodeRemove(t *testing.T) {
	b := newBench(t, nothing)
	defer b.release(t)
	status(t, b.g.Verify(), openvx.Success)
	p := must(b.n.Parameter(0))
	status(t, b.n.Retain(), openvx.Success)
	status(t, b.k.Remove(), openvx.Failure)
	status(t, b.n.Remove(), openvx.Success)
	if b.g.Nodes() != 0 || b.g.IsVerified() || b.n.Count() != 1 {
		t.Error(b.g.Nodes(), b.g.IsVerified(), b.n.Count())
	}
	for _, err := range []error{b.n.Remove(), b.n.SetParameter(0, b.in), p.Set(b.in), b.n.SetCallback(nil), b.n.SetBorder(openvx.BorderValue{})} {
		status(t, err, openvx.ErrorInvalidReference)
	}
	status(t, b.k.Remove(), openvx.Failure) // there is still a reference to a node that uses it
	status(t, b.n.Release(), openvx.Success)
	status(t, p.Release(), openvx.Success)
	status(t, b.k.Remove(), openvx.Success)
}

// TestGraphTakesItsNodes releases a graph: the application's references to its nodes go with it, but a parameter keeps its node.
func TestGraphTakesItsNodes(t *testing.T) {
	b := newBench(t, nothing)
	defer b.release(t)
	p := must(b.n.Parameter(0))
	status(t, b.g.Release(), openvx.Success)
	if b.n.Count() != 0 {
		t.Errorf("%d references are left to a node of a graph that is gone", b.n.Count())
	}
	for _, err := range []error{b.n.Release(), b.n.SetParameter(0, b.in), p.Set(b.in)} {
		status(t, err, openvx.ErrorInvalidReference)
	}
	if p.Index() != 0 || p.Kind() != openvx.TypeTensor {
		t.Error(p.Index(), p.Kind())
	}
	status(t, b.k.Remove(), openvx.Failure)
	status(t, p.Release(), openvx.Success)
	status(t, b.k.Remove(), openvx.Success)
}

func TestKernelInGraph(t *testing.T) {
	b := newBench(t, nothing)
	defer b.release(t)
	status(t, b.n.Release(), openvx.Success)
	if b.g.Nodes() != 1 {
		t.Error("a node is gone although its graph is there")
	}
	status(t, b.k.Remove(), openvx.Failure)
	status(t, b.g.Release(), openvx.Success)
	status(t, b.k.Remove(), openvx.Success)

	g := must(b.c.CreateGraph())
	_, err := g.CreateGenericNode(b.k)
	status(t, err, openvx.ErrorInvalidReference)
	k := must(b.c.AddKernel("org.example.unfinished", 5000, 0, nothing))
	_, err = g.CreateGenericNode(k)
	status(t, err, openvx.ErrorInvalidParameters)
	status(t, k.Remove(), openvx.Success)
	status(t, g.Release(), openvx.Success)
}

// TestUserKernelLife follows the functions of a kernel through verification, runs and the end of the graph.
func TestUserKernelLife(t *testing.T) {
	var calls []string
	fail := ""
	note := func(what string) error {
		if calls = append(calls, what); what == fail {
			return errors.New(what + " is unwell")
		}
		return nil
	}
	b := newBench(t, openvx.UserKernel{
		Run: func(*openvx.Node, []openvx.Reference) error { return note("run") },
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			_ = metas[1].FromReference(params[0])
			return note("validate")
		},
		Initialize: func(*openvx.Node, []openvx.Reference) error { return note("init") },
		Deinit:     func(*openvx.Node, []openvx.Reference) error { return note("deinit") },
	})
	defer b.release(t)
	expect := func(want ...string) {
		t.Helper()
		if !slices.Equal(calls, want) {
			t.Errorf("called %v, want %v", calls, want)
		}
		calls = nil
	}
	status(t, b.g.Verify(), openvx.Success)
	expect("validate", "init")
	status(t, b.g.Process(), openvx.Success)
	status(t, b.g.Process(), openvx.Success)
	expect("run", "run")
	status(t, b.n.SetBorder(openvx.BorderValue{Mode: openvx.BorderReplicate}), openvx.Success)
	status(t, b.g.Process(), openvx.Success)
	expect("deinit", "validate", "init", "run")
	fail = "run"
	if err := b.g.Process(); err == nil || b.n.Status() != openvx.Failure {
		t.Error(err, b.n.Status())
	}
	expect("run")
	fail = "init"
	if err := b.g.Verify(); err == nil {
		t.Error("a kernel that cannot be initialized is accepted")
	}
	expect("deinit", "validate", "init")
	fail = "validate"
	if err := b.g.Verify(); err == nil {
		t.Error("parameters that the kernel refuses are accepted")
	}
	expect("validate")
	fail = ""
	status(t, b.g.Verify(), openvx.Success)
	expect("validate", "init")
	status(t, b.g.Release(), openvx.Success)
	expect("deinit")
}

func TestDeinitAtTheEnd(t *testing.T) {
	alive := 0
	b := newBench(t, openvx.UserKernel{Deinit: func(n *openvx.Node, params []openvx.Reference) error {
		for _, r := range params {
			if len(r.(*openvx.Tensor).Dims()) == 1 {
				alive++
			}
		}
		return nil
	}})
	status(t, b.g.Verify(), openvx.Success)
	status(t, b.in.Release(), openvx.Success)
	status(t, b.c.Release(), openvx.Success)
	if alive != 2 {
		t.Errorf("%d of 2 parameters were alive in Deinit", alive)
	}
}

// TestRunAtTheEnd lets a graph begin to run when the context has been released, but its end has not come yet: the run keeps it, and all
// memory with it.
func TestRunAtTheEnd(t *testing.T) {
	freed, dead, proceed := 0, make(chan struct{}), make(chan struct{})
	c := must(openvx.NewContext(openvx.Options{
		Memory: func(n int) ([]byte, func(), error) { return tensor.AlignedBytes(n), func() { freed++ }, nil },
		Dead: func(r openvx.Reference) {
			if r.Type() == openvx.TypeContext {
				close(dead)
			}
		},
	}))
	var late *openvx.Graph
	graphOf := func(name string, k openvx.UserKernel) *openvx.Graph {
		k.Validate = nothing.Validate
		g := must(c.CreateGraph())
		n := must(g.CreateGenericNode(addKernel(t, c, name, 2, k)))
		for i := range 2 {
			status(t, n.SetParameter(i, must(c.CreateTensor([]int{3}, openvx.TypeUint8, 0))), openvx.Success)
		}
		status(t, g.Verify(), openvx.Success)
		return g
	}
	graphOf("org.example.first", openvx.UserKernel{
		Run:    nothing.Run,
		Deinit: func(*openvx.Node, []openvx.Reference) error { return late.Schedule() },
	})
	late = graphOf("org.example.late", openvx.UserKernel{Run: func(_ *openvx.Node, params []openvx.Reference) error {
		<-proceed
		return params[0].(*openvx.Tensor).Write(make([]uint8, 3))
	}})
	status(t, c.Release(), openvx.Success)
	if freed > 0 {
		t.Errorf("%d tensors have lost their memory in a run", freed)
	}
	close(proceed)
	<-dead
	if freed != 4 {
		t.Errorf("the memory of %d of 4 tensors has been freed", freed)
	}
	status(t, late.Process(), openvx.ErrorInvalidReference)
}

// TestKernelFunctionsThatPanic makes each function of a kernel panic. The call fails, and the graph can be used afterwards.
func TestKernelFunctionsThatPanic(t *testing.T) {
	in := ""
	call := func(name string) error {
		if in == name {
			panic("in " + name)
		}
		return nil
	}
	b := newBench(t, openvx.UserKernel{
		Run: func(*openvx.Node, []openvx.Reference) error { return call("run") },
		Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
			return errors.Join(call("validate"), metas[1].FromReference(params[0]))
		},
		Initialize: func(*openvx.Node, []openvx.Reference) error { return call("initialize") },
		Deinit:     func(*openvx.Node, []openvx.Reference) error { return call("deinitialize") },
	})
	defer b.release(t)
	var logged []string
	b.c.RegisterLogCallback(func(_ *openvx.Context, _ openvx.Reference, _ openvx.Status, message string) {
		logged = append(logged, message)
	}, true)
	for name, want := range map[string]openvx.Status{
		"validate": openvx.Failure, "initialize": openvx.Failure, "run": openvx.Failure,
		"deinitialize": openvx.Success, // of which only the log tells
	} {
		in, logged = "", nil
		status(t, errors.Join(b.g.Verify(), b.g.Process()), openvx.Success)
		in = name
		err := b.g.Verify()
		if err == nil {
			err = b.g.Process()
		}
		status(t, err, want)
		if len(logged) != 1 || !strings.Contains(logged[0], "panicked in "+name) {
			t.Errorf("%s: the log is %q", name, logged)
		}
	}
	in = ""
}

func TestLocalDataOfKernel(t *testing.T) {
	var seen []int
	check := func(n *openvx.Node) error {
		status(t, n.SetLocalDataSize(5), openvx.ErrorNotSupported)
		status(t, n.SetLocalData("mine"), openvx.ErrorNotSupported)
		seen = append(seen, len(n.LocalData().([]byte)), n.LocalDataSize())
		return nil
	}
	b := &bench{c: context(t)}
	b.k = must(b.c.AddKernel("org.example.local", must(b.c.AllocateKernelID()), 0, openvx.UserKernel{
		Run:        func(n *openvx.Node, _ []openvx.Reference) error { return check(n) },
		Validate:   nothing.Validate,
		Initialize: func(n *openvx.Node, _ []openvx.Reference) error { return check(n) },
		Deinit:     func(n *openvx.Node, _ []openvx.Reference) error { return check(n) },
	}))
	status(t, b.k.SetLocalDataSize(64), openvx.Success)
	status(t, b.k.Finalize(), openvx.Success)
	g := must(b.c.CreateGraph())
	n := must(g.CreateGenericNode(b.k))
	if n.LocalDataSize() != 64 {
		t.Error(n.LocalDataSize())
	}
	status(t, g.Process(), openvx.Success)
	for _, r := range []openvx.Reference{n, g} {
		status(t, r.Release(), openvx.Success)
	}
	status(t, b.k.Remove(), openvx.Success)
	if !slices.Equal(seen, []int{64, 64, 64, 64, 64, 64}) {
		t.Error(seen)
	}
}

func TestLocalDataOfNode(t *testing.T) {
	for _, size := range []int{0, 32} {
		var own any = "mine"
		if size > 0 {
			own = nil
		}
		var seen any
		b := newBench(t, openvx.UserKernel{
			Run: func(n *openvx.Node, _ []openvx.Reference) error {
				seen = n.LocalData()
				return nil
			},
			Initialize: func(n *openvx.Node, _ []openvx.Reference) error {
				return first(n.SetLocalDataSize(size), n.SetLocalData(own))
			},
			Deinit: func(n *openvx.Node, _ []openvx.Reference) error {
				if want := map[bool]openvx.Status{true: openvx.ErrorNotSupported, false: openvx.Success}[size > 0]; openvx.StatusOf(n.SetLocalData(nil)) != want {
					t.Errorf("local data of size %d cannot be set as it should", size)
				}
				return nil
			},
		})
		status(t, b.n.SetLocalDataSize(3), openvx.ErrorNotSupported)
		status(t, b.n.SetLocalData(nil), openvx.ErrorNotSupported)
		status(t, b.g.Process(), openvx.Success)
		if memory, _ := seen.([]byte); len(memory) != size || size == 0 && seen != own {
			t.Errorf("the kernel has %v", seen)
		}
		b.release(t)
	}
}

// TestVirtualObjectsInKernels looks into virtual objects: a kernel of their graph can while it runs, nobody else at any time.
func TestVirtualObjectsInKernels(t *testing.T) {
	c := context(t)
	g := must(c.CreateGraph())
	s, l := must(g.CreateVirtualScalar(openvx.TypeInt32)), must(g.CreateVirtualLUT(openvx.TypeUint8, 4))
	data := make([]byte, 4)
	look := func() []error {
		id, _, err := l.Map(openvx.ReadAndWrite)
		if err == nil {
			err = l.Unmap(id)
		}
		return []error{err, l.Copy(data, openvx.WriteOnly), s.Set(7), s.Copy(data, openvx.ReadOnly)}
	}
	k := must(c.AddKernel("org.example.look", must(c.AllocateKernelID()), 2, openvx.UserKernel{
		Validate: nothing.Validate,
		Run: func(*openvx.Node, []openvx.Reference) error {
			for _, err := range look() {
				status(t, err, openvx.Success)
			}
			if s.Value() != int32(7) {
				t.Error(s.Value())
			}
			return nil
		},
	}))
	status(t, k.AddParameter(0, openvx.Output, openvx.TypeInt32, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.AddParameter(1, openvx.Output, openvx.TypeLUT, openvx.ParameterStateRequired), openvx.Success)
	status(t, k.Finalize(), openvx.Success)
	n := must(g.CreateGenericNode(k))
	status(t, n.SetParameter(0, s), openvx.Success)
	status(t, n.SetParameter(1, l), openvx.Success)
	status(t, g.Process(), openvx.Success)
	for _, err := range look() {
		status(t, err, openvx.ErrorOptimizedAway)
	}
	if !s.Virtual() || !l.Virtual() || s.Value() != nil {
		t.Error(s.Virtual(), l.Virtual(), s.Value())
	}
	for _, r := range []openvx.Reference{n, g, s, l} {
		status(t, r.Release(), openvx.Success)
	}
	status(t, k.Remove(), openvx.Success)
}
