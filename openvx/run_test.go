package openvx_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/concord-nn/concord/openvx"
)

func (y *yard) write(x *openvx.Tensor, data ...uint8) {
	y.t.Helper()
	status(y.t, x.Write(data), openvx.Success)
}

func (y *yard) expect(x *openvx.Tensor, want ...uint8) {
	y.t.Helper()
	got := make([]uint8, len(want))
	status(y.t, x.Read(got), openvx.Success)
	if !slices.Equal(got, want) {
		y.t.Errorf("got %v, want %v", got, want)
	}
}

// plusOne is a kernel that adds 1 to each of three bytes.
var plusOne = openvx.UserKernel{
	Run: func(_ *openvx.Node, params []openvx.Reference) error {
		data := make([]uint8, 3)
		if err := params[0].(*openvx.Tensor).Read(data); err != nil {
			return err
		}
		for i := range data {
			data[i]++
		}
		return params[1].(*openvx.Tensor).Write(data)
	},
	Validate: func(_ *openvx.Node, params []openvx.Reference, metas []*openvx.MetaFormat) error {
		return metas[1].FromReference(params[0])
	},
}

// TestDataBetweenLayers lets a kernel of the application stand between layers: virtual tensors can be accessed by it, and by nobody else.
func TestDataBetweenLayers(t *testing.T) {
	y := newYard(t)
	in, out, a, b := y.tensor(3), y.tensor(3), y.open(), y.open()
	y.relu(b, out)
	y.user("org.example.plus", a, b, plusOne)
	y.relu(in, a)
	y.write(in, 1, 2, 3)
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 2, 3, 4)
	status(t, a.Read(make([]uint8, 3)), openvx.ErrorOptimizedAway)
	_, err := b.MapPatch(nil, nil, openvx.ReadOnly)
	status(t, err, openvx.ErrorOptimizedAway)
}

// TestFusedAway asks a callback for a virtual tensor that no memory has ever had: it must not get zeros.
func TestFusedAway(t *testing.T) {
	y := newYard(t)
	in, out, a, b := y.tensor(3), y.tensor(3), y.open(), y.open()
	y.relu(in, a)
	y.relu(a, b)
	last := y.relu(b, out)
	y.write(in, 1, 2, 3)
	var hidden, shown error
	data := make([]uint8, 3)
	status(t, last.SetCallback(func(*openvx.Node) openvx.Action {
		hidden, shown = a.Read(data), b.Read(data)
		return openvx.ActionContinue
	}), openvx.Success)
	status(t, y.g.Process(), openvx.Success)
	status(t, hidden, openvx.ErrorOptimizedAway)
	status(t, shown, openvx.Success)
	if !slices.Equal(data, []uint8{1, 2, 3}) {
		t.Error(data)
	}
}

// TestAbandon ends a run by a callback, and one by a kernel that fails.
func TestAbandon(t *testing.T) {
	y := newYard(t)
	in, between, out := y.tensor(3), y.tensor(3), y.tensor(3)
	first := y.relu(in, between)
	fail := false
	second := y.user("org.example.fails", between, out, openvx.UserKernel{Run: func(n *openvx.Node, params []openvx.Reference) error {
		if fail {
			return &openvx.Error{Status: openvx.ErrorNoResources, Msg: "none left"}
		}
		return plusOne.Run(n, params)
	}})
	y.write(in, 1, 2, 3)
	action := openvx.ActionAbandon
	status(t, first.SetCallback(func(n *openvx.Node) openvx.Action {
		if n != first {
			t.Error("another node")
		}
		return action
	}), openvx.Success)
	status(t, y.g.Process(), openvx.ErrorGraphAbandoned)
	y.expect(between, 1, 2, 3)
	y.expect(out, 0, 0, 0)
	if y.g.State() != openvx.GraphStateAbandoned || !y.g.IsVerified() {
		t.Error(y.g.State())
	}
	action, fail = openvx.ActionContinue, true
	status(t, y.g.Process(), openvx.ErrorNoResources)
	if first.Status() != openvx.Success || second.Status() != openvx.ErrorNoResources {
		t.Error(first.Status(), second.Status())
	}
	fail = false
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 2, 3, 4)
	if y.g.State() != openvx.GraphStateCompleted || second.Status() != openvx.Success {
		t.Error(y.g.State(), second.Status())
	}
}

// TestSchedule runs a graph behind the application's back, and refuses changes meanwhile.
func TestSchedule(t *testing.T) {
	y := newYard(t)
	in, out := y.tensor(3), y.tensor(3)
	started, proceed := make(chan struct{}), make(chan struct{})
	n := y.user("org.example.waits", in, out, openvx.UserKernel{Run: func(n *openvx.Node, params []openvx.Reference) error {
		started <- struct{}{}
		<-proceed
		return plusOne.Run(n, params)
	}})
	status(t, y.g.Wait(), openvx.Failure)
	status(t, y.g.Schedule(), openvx.Success)
	<-started
	if y.g.State() != openvx.GraphStateRunning {
		t.Error(y.g.State())
	}
	_, err := in.SwapHandle(make([]byte, 3))
	for _, err := range []error{
		y.g.Schedule(), y.g.Process(), y.g.Verify(), n.SetParameter(0, y.tensor(3)), n.Remove(), n.SetCallback(nil), err,
	} {
		status(t, err, openvx.ErrorGraphScheduled)
	}
	_, err = y.g.ActivationLayer(in, openvx.ActivationRelu, 0, 0, nil)
	status(t, err, openvx.ErrorGraphScheduled)
	proceed <- struct{}{}
	status(t, y.g.Wait(), openvx.Success)
	y.expect(out, 1, 1, 1)
	status(t, y.g.Wait(), openvx.Failure)

	// A graph that is released ends its run.
	status(t, y.g.Schedule(), openvx.Success)
	<-started
	status(t, n.Release(), openvx.Success)
	status(t, y.g.Release(), openvx.Success)
	proceed <- struct{}{}
	for y.kernels[0].Remove() != nil { // until the node has gone
	}
	y.kernels = nil
}

// TestGraphParameters exchanges tensors between runs. The graph stays verified, whether they are related to other parameters or not.
func TestGraphParameters(t *testing.T) {
	y := newYard(t)
	a, b, out, other := y.tensor(3), y.tensor(3), y.tensor(3), y.tensor(3)
	between := y.open()
	sum := y.add(a, b, between)
	last := y.relu(between, out)
	for _, p := range []struct {
		n     *openvx.Node
		index int
	}{{sum, 0}, {last, 4}} {
		q := must(p.n.Parameter(p.index))
		status(t, y.g.AddParameter(q), openvx.Success)
		status(t, q.Release(), openvx.Success)
	}
	y.write(a, 1, 2, 3)
	y.write(b, 10, 20, 30)
	y.write(other, 100, 100, 100)
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 11, 22, 33)

	status(t, y.g.SetParameter(0, other), openvx.Success)
	if !y.g.IsVerified() || y.g.NumParameters() != 2 {
		t.Error("not verified any more")
	}
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 110, 120, 130)

	status(t, y.g.SetParameter(0, b), openvx.Success) // both operands are one tensor
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 20, 40, 60)

	result := y.tensor(3)
	status(t, y.g.SetParameter(1, result), openvx.Success)
	status(t, y.g.SetParameter(0, a), openvx.Success)
	if !y.g.IsVerified() {
		t.Error("not verified any more")
	}
	status(t, y.g.Process(), openvx.Success)
	y.expect(result, 11, 22, 33)
	y.expect(out, 20, 40, 60)

	status(t, y.g.SetParameter(1, b), openvx.Success) // what is written is read
	status(t, y.g.Process(), openvx.ErrorInvalidGraph)
	status(t, y.g.SetParameter(1, result), openvx.Success)
	status(t, y.g.Process(), openvx.Success)
	status(t, y.g.SetParameter(2, b), openvx.ErrorInvalidParameters)
	status(t, y.g.SetParameter(0, y.tensor(4)), openvx.Success)
	if y.g.IsVerified() {
		t.Error("verified for extents that it has never seen")
	}
	p := must(y.g.Parameter(1))
	if r := p.Reference(); r != openvx.Reference(result) {
		t.Error(r)
	}
	status(t, result.Release(), openvx.Success)
	status(t, p.Release(), openvx.Success)
	status(t, last.Remove(), openvx.Success)
	_, err := y.g.Parameter(1)
	status(t, err, openvx.ErrorInvalidParameters)
}

// TestConstants changes weights, a scalar and a table between runs.
func TestConstants(t *testing.T) {
	y := newYard(t)
	in, weights, biases, out := y.tensor(2), y.tensor(2, 1), y.tensor(1), y.tensor(1)
	n := must(y.g.FullyConnectedLayer(in, weights, biases, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, out))
	y.keep(n)
	table := must(y.c.CreateLUT(openvx.TypeUint8, 256))
	y.keep(table)
	looked := y.tensor(1)
	y.keep(must(y.g.TensorTableLookupNode(out, table, looked)))
	y.write(in, 1, 2)
	y.write(weights, 3, 4)
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 11)
	y.expect(looked, 0)

	y.write(weights, 5, 6)
	y.write(biases, 100)
	entries := make([]byte, 256)
	entries[117] = 7
	status(t, table.Copy(entries, openvx.WriteOnly), openvx.Success)
	if !y.g.IsVerified() {
		t.Error("not verified any more")
	}
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 117)
	y.expect(looked, 7)

	p := must(weights.MapPatch(nil, nil, openvx.WriteOnly))
	p.Data[0] = 255
	status(t, weights.UnmapPatch(p.ID), openvx.Success)
	policy := must(n.Parameter(3))
	scalar := policy.Reference().(*openvx.Scalar)
	status(t, scalar.Set(openvx.Enum(openvx.ConvertPolicySaturate)), openvx.Success)
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 255)
	status(t, scalar.Set(openvx.Enum(5)), openvx.Success)
	status(t, y.g.Process(), openvx.ErrorInvalidValue)
	status(t, scalar.Set(openvx.Enum(openvx.ConvertPolicyWrap)), openvx.Success)
	status(t, y.g.Process(), openvx.Success)
	y.expect(out, 111) // 255 + 12 + 100 - 256
	status(t, scalar.Release(), openvx.Success)
	status(t, policy.Release(), openvx.Success)
}

// TestExchangedAndCompiledAnew has a node read what another wrote before its result was exchanged: those are two tensors now.
func TestExchangedAndCompiledAnew(t *testing.T) {
	y := newYard(t)
	in, a, b, read, weights, out := y.tensor(2), y.tensor(2), y.tensor(2), y.tensor(2), y.tensor(2, 1), y.tensor(1)
	writer := y.relu(in, a)
	reader := must(y.g.FullyConnectedLayer(read, weights, nil, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, out))
	y.keep(reader)
	status(t, y.g.Verify(), openvx.Success)
	status(t, writer.SetParameter(4, b), openvx.Success)
	status(t, reader.SetParameter(0, a), openvx.Success)
	y.write(weights, 1, 1)
	y.write(in, 1, 2)
	y.write(a, 3, 4)
	status(t, y.g.Process(), openvx.Success)
	y.expect(b, 1, 2)
	y.expect(out, 7)
}

// TestWrittenOperands lets kernels of the application write weights and a table that layers of the same graph read.
func TestWrittenOperands(t *testing.T) {
	y := newYard(t)
	in, source, weights, out := y.tensor(3), y.tensor(3), y.tensor(3), y.tensor(1)
	shaped := must(weights.CreateView([]int{0}, []int{3}))
	y.keep(shaped)
	matrix := y.tensor(3, 1)
	y.keep(must(y.g.FullyConnectedLayer(in, matrix, nil, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, out)))
	row := must(matrix.CreateView([]int{0}, []int{3}))
	y.keep(row)
	y.user("org.example.weights", source, row, plusOne)
	y.write(in, 1, 1, 1)
	for i := range uint8(3) {
		y.write(source, i, i, i)
		status(t, y.g.Process(), openvx.Success)
		y.expect(out, 3*(i+1))
	}
}

// TestViewsOfAnotherRank reads and writes the same elements as tensors of one and of three dimensions.
func TestViewsOfAnotherRank(t *testing.T) {
	y := newYard(t)
	in, between, wide, flat := y.tensor(3, 1, 1), y.tensor(3, 1, 1), y.tensor(3, 1, 1), y.tensor(3)
	row, line := must(in.CreateView([]int{0}, []int{3})), must(between.CreateView([]int{0}, []int{3}))
	y.keep(row)
	y.keep(line)
	add := func(x, out *openvx.Tensor) { y.keep(must(y.g.TensorAddNode(x, x, openvx.ConvertPolicySaturate, out))) }
	add(in, wide)
	add(row, line)
	add(line, flat)
	y.write(in, 1, 2, 3)
	status(t, y.g.Process(), openvx.Success)
	y.expect(wide, 2, 4, 6)
	y.expect(between, 2, 4, 6)
	y.expect(flat, 4, 8, 12)
}

// scaled multiplies a tensor by itself, with a scale that a kernel of the application behind it sets.
func (y *yard) scaled(a, out *openvx.Tensor, factor func() float32) {
	scale := must(y.c.CreateScalar(openvx.TypeFloat32, float32(1)))
	y.keep(scale)
	k := must(y.c.AddKernel("org.example.scale", must(y.c.AllocateKernelID()), 1, openvx.UserKernel{
		Run:      func(_ *openvx.Node, params []openvx.Reference) error { return params[0].(*openvx.Scalar).Set(factor()) },
		Validate: nothing.Validate,
	}))
	status(y.t, k.AddParameter(0, openvx.Output, openvx.TypeScalar, openvx.ParameterStateRequired), openvx.Success)
	status(y.t, k.Finalize(), openvx.Success)
	y.kernels = append(y.kernels, k)
	y.keep(must(y.g.TensorMultiplyNode(a, a, scale, openvx.ConvertPolicySaturate, openvx.RoundPolicyToZero, out)))
	n := must(y.g.CreateGenericNode(k))
	y.keep(n)
	status(y.t, n.SetParameter(0, scale), openvx.Success)
}

// TestWrittenScalar lets a kernel of the application set the scale of a layer that follows it.
func TestWrittenScalar(t *testing.T) {
	y := newYard(t)
	a, out := y.tensor(3), y.tensor(3)
	factor := float32(1)
	y.scaled(a, out, func() float32 { factor++; return factor })
	y.write(a, 1, 2, 3)
	for i := range uint8(3) {
		status(t, y.g.Process(), openvx.Success)
		y.expect(out, i+2, 4*(i+2), 9*(i+2))
	}
}

// TestWrittenScalarThatCannotBe lets the kernel give the layer a scale that it does not take, and then again one that it does.
func TestWrittenScalarThatCannotBe(t *testing.T) {
	y := newYard(t)
	a, out := y.tensor(3), y.tensor(3)
	factor := float32(1)
	y.scaled(a, out, func() float32 { return factor })
	for i, test := range []struct {
		factor float32
		want   openvx.Status
	}{{2, openvx.Success}, {-1, openvx.ErrorInvalidValue}, {-1, openvx.ErrorInvalidValue}, {2, openvx.Success}, {-1, openvx.ErrorInvalidValue}, {3, openvx.Success}} {
		factor = test.factor
		y.write(a, 1, uint8(i), 3)
		status(t, y.g.Process(), test.want)
		if test.want == openvx.Success {
			y.expect(out, uint8(factor), uint8(factor)*uint8(i*i), 9*uint8(factor))
		}
	}
}

// TestDelay feeds a sum back to itself.
func TestDelay(t *testing.T) {
	y := newYard(t)
	in, out := y.tensor(2), y.tensor(2)
	d := must(y.c.CreateDelay(out, 2))
	y.keep(d)
	now, before := must(d.Reference(0)).(*openvx.Tensor), must(d.Reference(-1)).(*openvx.Tensor)
	y.add(in, before, now)
	y.relu(now, out)
	status(t, y.g.RegisterAutoAging(d), openvx.Success)
	status(t, y.g.RegisterAutoAging(d), openvx.Success)
	y.write(in, 1, 2)
	for i := range uint8(5) {
		status(t, y.g.Process(), openvx.Success)
		y.expect(out, i+1, 2*(i+1))
	}
}

// TestDelayClosesCycle has a slot that is read and written in one run.
func TestDelayClosesCycle(t *testing.T) {
	y := newYard(t)
	in, sum := y.tensor(2), y.open()
	d := must(y.c.CreateDelay(in, 1))
	y.keep(d)
	state := must(d.Reference(0)).(*openvx.Tensor)
	y.add(in, state, sum)
	y.relu(sum, state)
	y.write(in, 1, 2)
	for i := range uint8(3) {
		status(t, y.g.Process(), openvx.Success)
		y.expect(state, i+1, 2*(i+1))
	}
}

// TestAgingWhileInUse makes a delay age at the end of one graph's run while another graph works on its slots.
func TestAgingWhileInUse(t *testing.T) {
	y := newYard(t)
	d := must(y.c.CreateDelay(y.tensor(3), 2))
	y.keep(d)
	now, before := must(d.Reference(0)).(*openvx.Tensor), must(d.Reference(-1)).(*openvx.Tensor)
	started, proceed := make(chan struct{}), make(chan struct{})
	y.user("org.example.slow", before, y.tensor(3), openvx.UserKernel{Run: func(*openvx.Node, []openvx.Reference) error {
		started <- struct{}{}
		<-proceed
		return nil
	}})
	other := must(y.c.CreateGraph())
	y.keep(other)
	y.keep(must(other.ActivationLayer(y.tensor(3), openvx.ActivationRelu, 0, 0, now)))
	status(t, other.RegisterAutoAging(d), openvx.Success)
	status(t, y.g.Schedule(), openvx.Success)
	<-started
	status(t, d.Age(), openvx.ErrorGraphScheduled)
	status(t, other.Process(), openvx.Success)
	proceed <- struct{}{}
	status(t, y.g.Wait(), openvx.Success)
	status(t, d.Age(), openvx.Success)
}

// TestAgingWhileWriting makes a delay age between the beginning of a run and the node that writes to one of its slots: a graph that has made a
// constant of the memory that is written must compile again.
func TestAgingWhileWriting(t *testing.T) {
	y := newYard(t)
	in, source, out := y.tensor(2), y.tensor(2, 1), y.tensor(1)
	d := must(y.c.CreateDelay(source, 2))
	y.keep(d)
	now := must(d.Reference(0)).(*openvx.Tensor)
	reader, aging := must(y.c.CreateGraph()), must(y.c.CreateGraph())
	y.keep(reader)
	y.keep(aging)
	y.keep(must(reader.FullyConnectedLayer(in, now, nil, openvx.ConvertPolicyWrap, openvx.RoundPolicyToZero, out)))
	y.keep(must(aging.ActivationLayer(in, openvx.ActivationRelu, 0, 0, y.tensor(2))))
	status(t, aging.RegisterAutoAging(d), openvx.Success)
	y.user("org.example.ages", in, y.tensor(3), openvx.UserKernel{Run: func(*openvx.Node, []openvx.Reference) error { return aging.Process() }})
	y.relu(source, now)
	y.write(in, 1, 1)
	y.write(source, 3, 4)
	status(t, reader.Process(), openvx.Success)
	y.expect(out, 0)
	status(t, y.g.Process(), openvx.Success)
	status(t, d.Age(), openvx.Success) // what was written is in slot 0 again
	y.expect(now, 3, 4)
	status(t, reader.Process(), openvx.Success)
	y.expect(out, 7)
}

// TestObjectsInUse makes a delay age while a kernel of the application works on one of its slots, whatever that is.
func TestObjectsInUse(t *testing.T) {
	c := context(t)
	x := must(c.CreateTensor([]int{2, 2, 3}, openvx.TypeUint8, 0))
	for _, exemplar := range []openvx.Reference{
		x, must(c.CreateLUT(openvx.TypeUint8, 3)), must(c.CreateImage(2, 2, openvx.DFImageU8)),
		must(x.CreateImageObjectArray(openvx.Rectangle{EndX: 2, EndY: 2}, 3, 4, openvx.DFImageU8)),
	} {
		d := must(c.CreateDelay(exemplar, 2))
		k := must(c.AddKernel("org.example.ages", must(c.AllocateKernelID()), 2, openvx.UserKernel{
			Run: func(*openvx.Node, []openvx.Reference) error {
				status(t, d.Age(), openvx.ErrorGraphScheduled)
				return nil
			},
			Validate: func(*openvx.Node, []openvx.Reference, []*openvx.MetaFormat) error { return nil },
		}))
		status(t, k.AddParameter(0, openvx.Input, openvx.TypeReference, openvx.ParameterStateRequired), openvx.Success)
		status(t, k.AddParameter(1, openvx.Input, openvx.TypeReference, openvx.ParameterStateOptional), openvx.Success)
		status(t, k.Finalize(), openvx.Success)
		for _, operand := range []openvx.Reference{d, must(d.Reference(-1))} { // all slots, or one
			g := must(c.CreateGraph())
			n := must(g.CreateGenericNode(k))
			status(t, n.SetParameter(0, operand), openvx.Success)
			status(t, g.Process(), openvx.Success)
			status(t, d.Age(), openvx.Success)
			status(t, g.Release(), openvx.Success)
		}
		status(t, k.Remove(), openvx.Success)
		status(t, d.Release(), openvx.Success)
		status(t, exemplar.Release(), openvx.Success)
	}
}

// TestReleaseInValidate makes a kernel release its graph and its context while the graph is verified for a run, which nevertheless takes place.
func TestReleaseInValidate(t *testing.T) {
	freed, ran := 0, false
	c := must(openvx.NewContext(openvx.Options{Memory: func(n int) ([]byte, func(), error) {
		return make([]byte, n), func() { freed++ }, nil
	}}))
	g := must(c.CreateGraph())
	x := must(c.CreateTensor([]int{3}, openvx.TypeUint8, 0))
	n := must(g.CreateGenericNode(addKernel(t, c, "org.example.release", 1, openvx.UserKernel{
		Run: func(_ *openvx.Node, params []openvx.Reference) error {
			ran = true
			return params[0].(*openvx.Tensor).Write([]uint8{1, 2, 3})
		},
		Validate: func(*openvx.Node, []openvx.Reference, []*openvx.MetaFormat) error {
			status(t, g.Release(), openvx.Success)
			status(t, c.Release(), openvx.Success)
			return nil
		},
	})))
	status(t, n.SetParameter(0, x), openvx.Success)
	status(t, g.Process(), openvx.Success)
	if !ran || freed != 1 {
		t.Errorf("ran %v, freed %d blocks", ran, freed)
	}
	status(t, x.SetName("x"), openvx.ErrorInvalidReference)
}

// TestTwoGraphs runs two graphs that share an input and weights, one graph from two goroutines, and changes in between.
func TestTwoGraphs(t *testing.T) {
	c := context(t)
	in := must(c.CreateTensor([]int{8, 8, 2}, openvx.TypeUint8, 0))
	weights := must(c.CreateTensor([]int{3, 3, 2, 2}, openvx.TypeUint8, 0))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 20 {
				g := must(c.CreateGraph())
				between := must(g.CreateVirtualTensor(nil, openvx.TypeInvalid, 0))
				out := must(c.CreateTensor([]int{6, 6, 2}, openvx.TypeUint8, 0))
				p := openvx.ConvolutionParams{OverflowPolicy: openvx.ConvertPolicySaturate, RoundingPolicy: openvx.RoundPolicyToZero, DownScaleSize: openvx.SizeRoundingFloor}
				first := must(g.ConvolutionLayer(in, weights, nil, p, between))
				last := must(g.ActivationLayer(between, openvx.ActivationRelu, 0, 0, out))
				var inner sync.WaitGroup
				for range 2 {
					inner.Go(func() {
						for range 5 {
							if s := openvx.StatusOf(g.Process()); s != openvx.Success && s != openvx.ErrorGraphScheduled {
								t.Error(s)
							}
							_ = g.IsVerified()
							_ = last.Status()
						}
						if s := openvx.StatusOf(g.Schedule()); s == openvx.Success {
							// The other goroutine's call may have waited for this run, too.
							if s := openvx.StatusOf(g.Wait()); s != openvx.Success && s != openvx.Failure {
								t.Error(s)
							}
						}
					})
				}
				inner.Wait()
				for _, r := range []openvx.Reference{first, last, g, between, out} {
					if r.Count() > 0 {
						status(t, r.Release(), openvx.Success)
					}
				}
			}
		})
	}
	wg.Wait()
	status(t, in.Release(), openvx.Success)
	status(t, weights.Release(), openvx.Success)
}
