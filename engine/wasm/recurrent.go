package wasm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks with constant weights. The inputs of some steps are multiplied at once, then each step multiplies the state and applies the loops
// that its gates are made of. A direction is a piece. The states lie in the results.

// recurrent is such a network.
type recurrent struct {
	n                                  *graph.Node
	gates                              string // in the order of offset
	offset                             []int  // where each gate begins among those of a row of products, in bytes
	steps, dirs, batch, inputs, hidden int
	together                           int // steps of which the inputs are multiplied at once
	bias, initial, states              int // positions of operands, and how many results are states
	functions                          int

	// Where working memory has the products of inputs, those of the state, the sums of biases, the state that GRU resets, and its length.
	ofInputs, ofState, biases, reset, room int
}

// gateLoops are the functions of gates that are loops of operators without parameters.
var gateLoops = []string{"relu", "sigmoid", "tanh", "softsign", "softplus"}

const (
	mostTogether = 64      // steps of which the inputs are multiplied at once,
	mostProducts = 1 << 20 // and how many products that may yield
)

func computeLSTM(r kernel.Region) *kernel.Plan {
	n := r.Root()
	if len(n.In) > 5 && n.In[5] != nil || n.Attrs.Bool("coupled") {
		return nil
	}
	return (&recurrent{gates: "iofg", bias: 3, initial: 6, states: 2, functions: 3}).plan(r, 8)
}

func computeGRU(r kernel.Region) *kernel.Plan {
	return (&recurrent{gates: "zrn", bias: 3, initial: 5, states: 1, functions: 2}).plan(r, 6)
}

func computeRNN(r kernel.Region) *kernel.Plan {
	return (&recurrent{gates: "h", bias: 3, initial: 5, states: 1, functions: 1}).plan(r, 6)
}

// plan completes a plan, of a network that has that operand as lengths.
func (v *recurrent) plan(r kernel.Region, lengths int) *kernel.Plan {
	n := r.Root()
	v.n = n
	x, w := n.In[0].Type.Shape, n.In[1].Type.Shape
	if len(r.Nodes) > 1 || n.In[1].Const == nil || n.In[2].Const == nil || len(n.In) > lengths && n.In[lengths] != nil || n.Attrs.Float("clip") != 0 ||
		len(n.Attrs.Floats("activation_alpha"))+len(n.Attrs.Floats("activation_beta")) > 0 || x.Len() == 0 || n.Out[0].Type.Shape.Len() == 0 {
		return nil
	}
	for _, name := range n.Attrs.Strings("activations") {
		if !slices.Contains(gateLoops, name) {
			return nil
		}
	}
	v.steps, v.dirs, v.batch, v.inputs, v.hidden = x[0], w[0], x[1], x[2], n.Attrs.Int("hidden_size")
	for _, g := range v.gates {
		v.offset = append(v.offset, 4*v.hidden*max(strings.IndexRune(n.Attrs.String("layout"), g), 0))
	}
	v.together = max(min(v.steps, mostTogether, mostProducts/(v.batch*v.wide())), 1)
	at := 0
	take := func(n int) int {
		at += (4*n + 15) &^ 15
		return at - (4*n+15)&^15
	}
	v.ofInputs, v.ofState, v.biases, v.reset = take(v.together*v.batch*v.wide()), take(v.batch*v.wide()), take(v.wide()), take(v.batch*v.hidden)
	v.room = at
	return &kernel.Plan{Pieces: v.dirs, Scratch: at, Code: makes(v.make)}
}

// wide is how many products a step has for an item.
func (v *recurrent) wide() int { return len(v.gates) * v.hidden }

// timesKey is what a product of a recurrent operator is of.
type timesKey struct {
	weights                   *graph.Value
	dir, first, columns, rows int
}

// times returns the product of so many rows and weights of a direction, from a row on.
func (v *recurrent) times(m *maker, rows int, weights *graph.Value, dir, first, columns int) (fn, packed int) {
	shape := weights.Type.Shape
	k := shape[2]
	part := tensor.Data[float32](weights.Const.Contiguous())[(dir*shape[1]+first)*k:][:columns*k]
	p := &product{n: v.n, rows: rows, batches: 1, packed: true, wide: m.level == Emulated, least: leastOf(part), Product: geometry.Product{M: rows, K: k, N: columns, ARow: k, AK: 1, BK: 1, BCol: k}}
	return p.all(m), p.held(m, timesKey{weights, dir, first, columns, rows}, part)
}

func (v *recurrent) make(m *maker, c *op.Call) (int, error) {
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		for dir := range v.dirs {
			f.Get(piece)
			f.I32(int32(dir))
			f.Op(i32Eq, opIf, noResult)
			v.direction(f, c, dir)
			f.Op(opEnd)
		}
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// scratch pushes an address of working memory.
func scratch(f *function, c *op.Call, at int) func() {
	return func() { f.m.pushScratch(f.Code, c.Scratch[at:]) }
}

// direction computes all steps of a direction.
func (v *recurrent) direction(f *function, c *op.Call, dir int) {
	m := f.m
	size := 4 * v.batch * v.hidden // bytes of a state
	var states [2]int
	for i := range v.states {
		states[i] = f.sum(func() { m.pushFrom(f.Code, c.Out[i], dir*size) })
		f.Get(states[i])
		if k := v.initial + i; k < len(c.In) && c.In[k] != nil {
			m.pushFrom(f.Code, c.In[k], dir*size)
			f.I32(int32(size))
			f.Op(opMemory, memoryCopy, 0, 0)
		} else {
			f.I32(0)
			f.I32(int32(size))
			f.Op(opMemory, memoryFill, 0)
		}
	}
	zero := m.add(newMemory(16))
	bias := func(i int) func() { // own and recurrent ones, each with its mask
		return func() {
			if k := v.bias + i; k < len(c.In) && c.In[k] != nil {
				m.pushFrom(f.Code, c.In[k], 4*dir*v.wide())
				f.I32(-1)
			} else {
				f.Ref(wasmobj.ToData, zero, 0)
				f.I32(0)
			}
		}
	}
	f.apply("add", scratch(f, c, v.biases), func() { f.I32(int32(v.wide())) }, bias(0), bias(1))

	back := dir == 1 || v.n.Attrs.String("direction") == "backward"
	x, out := f.i32(), f.i32() // of the steps that are multiplied together, and of a step in the sequence
	begin, stride := 0, 1
	if back {
		begin, stride = v.steps, -1
	}
	each := 4 * v.batch * v.inputs
	f.address(x, func() { m.push(f.Code, c.In[0]); f.I32(int32(begin * each)); f.Op(i32Add) })
	sequence := len(c.Out) > v.states
	if sequence {
		far := v.dirs * size
		f.address(out, func() {
			m.push(f.Code, c.Out[v.states])
			f.I32(int32(dir*size + (begin-truth(back))*far))
			f.Op(i32Add)
		})
	}
	step, recurrent := v.step(m, dir)
	f.runs(v.steps, v.together, func(n int) {
		multiply, weights := v.times(m, n*v.batch, v.n.In[1], dir, 0, v.wide())
		if back {
			f.move(x, -n*each)
		}
		f.Get(x)
		f.Ref(wasmobj.ToData, m.weights, weights)
		scratch(f, c, v.ofInputs)()
		f.Ref(wasmobj.ToFunc, multiply, 0)
		if !back {
			f.move(x, n*each)
		}
		products := f.sum(func() {
			scratch(f, c, v.ofInputs)()
			f.I32(int32(truth(back) * (n - 1) * 4 * v.batch * v.wide()))
			f.Op(i32Add)
		})
		f.loop(n, func() {
			f.Get(products)
			for i := range v.states {
				f.Get(states[i])
			}
			f.Ref(wasmobj.ToData, m.weights, recurrent)
			bias(0)()
			bias(1)()
			scratch(f, c, 0)()
			f.Ref(wasmobj.ToFunc, step, 0)
			f.move(products, stride*4*v.batch*v.wide())
			if sequence {
				f.Get(out)
				f.Get(states[0])
				f.I32(int32(size))
				f.Op(opMemory, memoryCopy, 0, 0)
				f.move(out, stride*v.dirs*size)
			}
		})
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// step returns the function of a step, and where its weights are. It is given the products of the inputs, the states, the weights, the biases, each with
// its mask, and working memory.
func (v *recurrent) step(m *maker, dir int) (fn, weights int) {
	multiply, weights := v.times(m, v.batch, v.n.In[2], dir, 0, v.wide())
	names := v.n.Attrs.Strings("activations")
	if len(names) > v.functions {
		names = names[dir*v.functions:]
	}
	fresh, at := -1, 0 // the function of the gate n of a state that is reset before, and its weights
	if v.n.Op == "gru" && !v.n.Attrs.Bool("reset_after") {
		fresh, at = v.times(m, 1, v.n.In[2], dir, v.offset[2]/4, v.hidden)
	}
	name := fmt.Sprintf("%s of %d and %d, %v %v %d %d", v.n.Op, v.hidden, v.batch, v.offset, names[:v.functions], v.room, at)
	return m.shared(name, words(7+v.states), func(f *function) {
		g := gates{recurrent: v, function: f, products: 0, state: 1, cell: 2, weights: 1 + v.states, own: 2 + v.states, room: 6 + v.states, names: names}
		g.sums = f.sum(func() { f.Get(g.room); f.I32(int32(v.ofState)); f.Op(i32Add) })
		g.bias = f.sum(func() { f.Get(g.room); f.I32(int32(v.biases)); f.Op(i32Add) })
		g.multiply(multiply, g.state, g.weights, g.sums)
		f.loop(v.batch, func() {
			switch v.n.Op {
			case "lstm":
				g.lstm()
			case "gru":
				g.gru(fresh, at)
			default:
				g.argument(0)
				g.do(g.names[0], func() { g.Get(g.state) }, g.in(g.sums, 0))
			}
			for _, local := range []int{g.products, g.sums} {
				f.move(local, 4*v.wide())
			}
			f.move(g.state, 4*v.hidden)
			if v.states == 2 {
				f.move(g.cell, 4*v.hidden)
			}
		})
	}), weights
}

// gates is a step of an item. Its fields are locals.
type gates struct {
	*recurrent
	*function
	products, state, cell, weights, own, room, sums, bias int
	names                                                 []string
}

func (g *gates) multiply(fn, x, weights, to int) {
	g.Get(x)
	g.Get(weights)
	g.Get(to)
	g.Ref(wasmobj.ToFunc, fn, 0)
}

// of returns what pushes the part of a gate, and such an operand of a loop.
func (g *gates) of(local, gate int) func() {
	return func() {
		g.Get(local)
		if at := g.offset[gate]; at > 0 {
			g.I32(int32(at))
			g.Op(i32Add)
		}
	}
}

func (g *gates) in(local, gate int) func() { return func() { g.of(local, gate)(); g.I32(-1) } }

// do applies a loop to as many elements as a state has.
func (g *gates) do(name string, to func(), operands ...func()) {
	g.apply(name, to, func() { g.I32(int32(g.hidden)) }, operands...)
}

// argument makes the sums of a gate the argument of its function: biases + (products of the input + products of the state).
func (g *gates) argument(gate int) {
	g.do("add", g.of(g.sums, gate), g.in(g.products, gate), g.in(g.sums, gate))
	g.do("add", g.of(g.sums, gate), g.in(g.bias, gate), g.in(g.sums, gate))
}

// activate applies a function to the sums of a gate.
func (g *gates) activate(gate, function int) {
	g.do(g.names[function], g.of(g.sums, gate), g.in(g.sums, gate))
}

func (g *gates) lstm() {
	const i, o, f, cell = 0, 1, 2, 3
	for gate := range g.offset {
		g.argument(gate)
		g.activate(gate, truth(gate == cell))
	}
	state, c := func() { g.Get(g.state) }, func() { g.Get(g.cell) }
	g.do("mul", g.of(g.sums, f), g.in(g.sums, f), g.all(g.cell))
	g.do("mul", g.of(g.sums, i), g.in(g.sums, i), g.in(g.sums, cell))
	g.do("add", c, g.in(g.sums, f), g.in(g.sums, i))
	g.do(g.names[2], g.of(g.sums, cell), g.all(g.cell))
	g.do("mul", state, g.in(g.sums, o), g.in(g.sums, cell))
}

// gru computes a step. Without a function for the gate n the gate r applies to products of the state, else to the state, which that multiplies.
func (g *gates) gru(fresh, weights int) {
	const z, r, n = 0, 1, 2
	for gate := range n {
		g.argument(gate)
		g.activate(gate, 0)
	}
	if fresh < 0 {
		bias := func(i int) func() { // of the gate n, with its mask
			return func() {
				g.Get(g.own + 2*i)
				g.I32(int32(g.offset[n]))
				g.Get(g.own + 2*i + 1)
				g.Op(i32And, i32Add)
				g.Get(g.own + 2*i + 1)
			}
		}
		g.do("add", g.of(g.sums, n), bias(1), g.in(g.sums, n))
		g.do("mul", g.of(g.sums, n), g.in(g.sums, r), g.in(g.sums, n))
		g.do("add", g.of(g.sums, n), g.in(g.products, n), g.in(g.sums, n))
		g.do("add", g.of(g.sums, n), bias(0), g.in(g.sums, n))
	} else {
		reset := g.sum(func() { g.Get(g.room); g.I32(int32(g.reset)); g.Op(i32Add) })
		g.do("mul", func() { g.Get(reset) }, g.in(g.sums, r), g.all(g.state))
		g.Get(reset)
		g.Ref(wasmobj.ToData, g.m.weights, weights)
		g.of(g.sums, n)()
		g.Ref(wasmobj.ToFunc, fresh, 0)
		g.argument(n)
	}
	g.activate(n, 1)
	one := newMemory(16)
	for i := range 4 {
		one.word(4*i, int(math.Float32bits(1)))
	}
	number := g.m.add(one)
	g.do("mul", g.of(g.sums, r), g.in(g.sums, z), g.all(g.state))
	g.do("sub", g.of(g.sums, z), func() { g.Ref(wasmobj.ToData, number, 0); g.I32(0) }, g.in(g.sums, z))
	g.do("mul", g.of(g.sums, n), g.in(g.sums, n), g.in(g.sums, z))
	g.do("add", func() { g.Get(g.state) }, g.in(g.sums, r), g.in(g.sums, n))
}
