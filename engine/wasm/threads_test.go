package wasm_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// crowd is a module with an instance for each of some threads, which share a memory.
type crowd struct {
	*wasm.Module
	instances []api.Module
}

// sharedMemory returns a module that exports a shared memory of so many pages.
func sharedMemory(pages int) []byte {
	var size []byte
	for x := uint(pages); ; x >>= 7 {
		if x < 0x80 {
			size = append(size, byte(x))
			break
		}
		size = append(size, byte(x)|0x80)
	}
	limits := append(append([]byte{1, 3}, size...), size...)
	b := append([]byte("\x00asm\x01\x00\x00\x00\x05"), byte(len(limits)))
	return append(append(b, limits...), "\x07\x0a\x01\x06memory\x02\x00"...)
}

func gather(t *testing.T, m *wasm.Module) *crowd {
	t.Helper()
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesThreads))
	t.Cleanup(func() { _ = r.Close(ctx) })
	if _, err := r.InstantiateWithConfig(ctx, sharedMemory(m.Pages), wazero.NewModuleConfig().WithName("env")); err != nil {
		t.Fatal(err)
	}
	code, err := r.CompileModule(ctx, m.Code)
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{Module: m}
	for range m.Threads {
		i, err := r.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			t.Fatal(err)
		}
		c.instances = append(c.instances, i)
	}
	if !c.instances[0].Memory().Write(uint32(m.WeightsAt), testdata.Written(t, m.WriteWeights)) {
		t.Fatal("the weights do not fit")
	}
	return c
}

// run computes with so many helpers.
func (c *crowd) run(t *testing.T, helpers int, inputs ...[]byte) ([][]byte, error) {
	t.Helper()
	call := func(i int, name string, args ...uint64) error {
		_, err := c.instances[i].ExportedFunction(name).Call(t.Context(), args...)
		return err
	}
	memory := c.instances[0].Memory()
	for i, in := range c.Inputs {
		if !memory.Write(uint32(in.At), inputs[i]) {
			t.Fatal("an input does not fit")
		}
	}
	if err := call(0, "begin", 1); err != nil {
		t.Fatal(err)
	}
	var helping sync.WaitGroup
	for i := range helpers {
		helping.Go(func() {
			if err := call(1+i, "help", uint64(1+i)); err != nil {
				_ = call(1+i, "fail")
			}
		})
	}
	err := call(0, "run")
	if err != nil {
		if err := call(0, "fail"); err != nil {
			t.Error(err)
		}
	}
	var outputs [][]byte
	for _, o := range c.Outputs {
		y, _ := memory.Read(uint32(o.At), uint32(o.Type.Bytes()))
		outputs = append(outputs, bytes.Clone(y))
	}
	helping.Wait()
	return outputs, err
}

// branching returns a network with units that are divided, some of which depend on others, one with working memory, and a loop of at most two turns
// whose number is an input.
func branching(t *testing.T) *graph.Graph {
	t.Helper()
	body := &network{Builder: graph.NewBuilder(op.Rules, "turn"), Rand: op.NewRand(3, 1), t: t, inputs: map[string]*tensor.Tensor{}}
	must(body.Input("turn", graph.Type{DType: tensor.Int64}))(t)
	state := must(body.Input("state", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 24, 12, 10}}))(t)
	yes := must(body.Constant("yes", "", tensor.Scalar(true)))(t)
	check(t, body.Output("more", yes))
	check(t, body.Output("next", body.node("tanh", nil, state)))
	turn, err := body.Build()
	check(t, err)

	n := newNetwork(t, 1)
	conv := func(x *graph.Value, out int) *graph.Value {
		attrs := graph.AttrsOf("padding", []int{1, 1, 1, 1}, "stride", []int{1, 1}, "dilation", []int{1, 1}, "groups", 1)
		return n.node("conv", attrs, x, n.constant(out, x.Type.Shape[1], 3, 3))
	}
	x := must(n.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{1, 3, 12, 10}}))(t)
	trips := must(n.Input("trips", graph.Type{DType: tensor.Int64}))(t)
	y := conv(x, 24)
	a := n.node("relu", nil, conv(y, 24))
	sum := n.node("add", nil, a, n.node("exp", nil, y))
	looped, err := n.Add(graph.Node{Op: "loop", In: []*graph.Value{trips, nil, n.node("softmax", graph.AttrsOf("axes", []int{1}), sum)},
		Attrs: graph.AttrsOf("carried", 1, "most", 2), Blocks: []*graph.Graph{turn}})
	check(t, err)
	check(t, n.Output("looped", conv(looped[1], 9)))
	check(t, n.Output("sum", conv(sum, 7)))
	g, err := n.Build()
	check(t, err)
	return g
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestThreads computes with any number of threads, and compares the bits, also after runs that fail.
func TestThreads(t *testing.T) {
	const threads = 3
	g := branching(t)
	inputs := map[string]*tensor.Tensor{
		"x":     op.NewRand(2, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 12, 10}, -1, 1),
		"trips": tensor.Scalar(int64(2)),
	}
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	check(t, err)
	m, err := wasm.Compile(g, wasm.Options{Threads: threads})
	check(t, err)
	if m.Threads != threads {
		t.Fatalf("the module is for %d threads", m.Threads)
	}
	c := gather(t, m)
	trips := []byte{2, 0, 0, 0, 0, 0, 0, 0}
	for i := range 3 * threads {
		fails := i%4 == 3
		if trips[0] = 2; fails {
			trips[0] = 3
		}
		y, err := c.run(t, i%threads, tensor.Raw(inputs["x"]), trips)
		if fails != (err != nil) {
			t.Fatalf("run %d: %v", i, err)
		}
		for k, o := range m.Outputs {
			if !fails && !bytes.Equal(y[k], tensor.Raw(want[o.Name])) {
				t.Fatalf("run %d: with %d helpers output %s has other bits", i, i%threads, o.Name)
			}
		}
	}
	// Who says that there are no helpers any more does not wait for one that has ended in a run that failed: here one fails that is in no run.
	for _, call := range []struct {
		instance int
		name     string
		args     []uint64
	}{{1, "help", []uint64{1}}, {1, "fail", nil}, {0, "begin", []uint64{1 + 2}}, {0, "run", nil}} {
		_, err := c.instances[call.instance].ExportedFunction(call.name).Call(t.Context(), call.args...)
		check(t, err)
	}
	one, err := wasm.Compile(g, wasm.Options{})
	check(t, err)
	if !bytes.Equal(testdata.Written(t, one.WriteWeights), testdata.Written(t, m.WriteWeights)) {
		t.Error("the module for one thread has other weights")
	}
}

// TestEndedThread has a helper that ends in the middle of what it has taken, and tells nobody: the caller waits for it no longer than it was told to, with and
// without sleeping.
func TestEndedThread(t *testing.T) {
	g := branching(t)
	x := op.NewRand(2, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 12, 10}, -1, 1)
	want, err := op.NewInterpreter(g).RunNamed(t.Context(), map[string]*tensor.Tensor{"x": x, "trips": tensor.Scalar(int64(2))})
	check(t, err)
	m, err := wasm.Compile(g, wasm.Options{Threads: 2})
	check(t, err)
	for how := range uint64(2) {
		c := gather(t, m)
		call := func(instance int, name string, args ...uint64) uint64 {
			y, err := c.instances[instance].ExportedFunction(name).Call(t.Context(), args...)
			if traps := name == "help" || name == "run"; traps != (err != nil) {
				t.Fatalf("%s of thread %d: %v", name, instance, err)
			}
			if len(y) == 0 {
				return 0
			}
			return y[0]
		}
		memory := c.instances[0].Memory()
		memory.Write(uint32(m.Inputs[0].At), tensor.Raw(x))
		memory.Write(uint32(m.Inputs[1].At), []byte{3, 0, 0, 0, 0, 0, 0, 0}) // more turns than the loop may have, which is a trap
		call(0, "begin", how+3*4)
		call(1, "help", 1)
		call(0, "run")
		if call(0, "fail") != 1 || call(0, "begin", how+3*4) != 1 {
			t.Fatal("the caller has not given up")
		}
		memory.Write(uint32(m.Inputs[0].At), tensor.Raw(x))
		memory.Write(uint32(m.Inputs[1].At), []byte{2})
		call(0, "begin", how+2+3*4)
		_, err := c.instances[0].ExportedFunction("run").Call(t.Context())
		check(t, err)
		for _, o := range m.Outputs {
			if y, _ := memory.Read(uint32(o.At), uint32(o.Type.Bytes())); !bytes.Equal(y, tensor.Raw(want[o.Name])) {
				t.Errorf("alone it computes other bits of %s", o.Name)
			}
		}
	}
}

// TestMostThreads asks for more than there may be.
func TestMostThreads(t *testing.T) {
	for _, n := range []int{-1, wasm.MostThreads + 1} {
		if _, err := wasm.Compile(branching(t), wasm.Options{Threads: n}); err == nil {
			t.Errorf("%d threads are allowed", n)
		}
	}
}

// TestThreadedKernels compares networks of what has kernels, computed by three threads, with the references.
func TestThreadedKernels(t *testing.T) {
	divided := 0
	for seed := range uint64(testdata.Cases(5, 1000)) {
		n := &network{Builder: graph.NewBuilder(op.Rules, "net"), Rand: op.NewRand(seed, 7), t: t, inputs: make(map[string]*tensor.Tensor)}
		x := n.input(1, n.Between(24, 40), n.Between(8, 14), n.Between(12, 23))
		for range n.Between(1, 3) {
			x = n.convolution(x)
		}
		shape := x.Type.Shape
		rows := n.node("reshape", graph.AttrsOf("shape", []int{shape[1], shape[2] * shape[3]}), x)
		check(t, n.Output("x", x))
		check(t, n.Output("soft", n.node("softmax", graph.AttrsOf("axes", []int{n.IntN(2)}), rows)))
		check(t, n.Output("product", n.node("matmul", graph.AttrsOf("transposeB", true), rows, rows)))
		check(t, n.Output("dets", n.node("det", nil, n.input(64, 24, 24)))) // of which each thread has working memory
		g, err := n.Build()
		check(t, err)
		want, err := op.NewInterpreter(g).RunNamed(t.Context(), n.inputs)
		check(t, err)
		m, err := wasm.Compile(g, wasm.Options{Threads: 3})
		check(t, err)
		if m.Threads < 3 {
			continue
		}
		divided++
		c := gather(t, m)
		var inputs [][]byte
		for _, in := range m.Inputs {
			inputs = append(inputs, tensor.Raw(n.inputs[in.Name]))
		}
		for range 2 {
			y, err := c.run(t, 2, inputs...)
			check(t, err)
			for k, o := range m.Outputs {
				if !bytes.Equal(y[k], tensor.Raw(want[o.Name])) {
					t.Fatalf("seed %d: output %s has other bits", seed, o.Name)
				}
			}
		}
	}
	if divided == 0 {
		t.Error("nothing was divided")
	}
}
