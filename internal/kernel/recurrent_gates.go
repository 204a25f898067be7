package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// What recurrent networks make of products where there is no routine for the whole of it, as for other functions than the usual ones: operations on
// vectors, one after the other, in the order of the references.

// activation is a function of gates with its parameters.
type activation struct {
	routine simd.Routine[simd.ElementsArgs]
	a, b    float32
	scaled  bool // a·f(b·x)
}

// setFunctions finds the functions of a node's gates, and a routine for the whole if there is one. It returns false if the tier has not all functions.
func (s *steps) setFunctions(n *graph.Node) bool {
	names, alpha, beta := n.Attrs.Strings("activations"), n.Attrs.Floats("activation_alpha"), n.Attrs.Floats("activation_beta")
	for i, name := range names {
		f := activation{routine: s.tier.Elements[name], scaled: name == "scaled_tanh"}
		if f.scaled {
			f.routine = s.tier.Elements["tanh"]
		}
		if !f.routine.Exists() {
			return false
		}
		for k, v := range op.GateParameters(name) {
			given, to := alpha, &f.a
			if k > 0 {
				given, to = beta, &f.b
			}
			if len(given) > 0 {
				v = given[i]
			}
			*to = float32(v)
		}
		s.functions = append(s.functions, f)
	}
	if len(names) == len(s.usual) && s.dirs > 1 {
		s.functions = append(s.functions, s.functions...)
	}
	s.add, s.sub, s.mul, s.max, s.min = s.tier.Elements["add"], s.tier.Elements["sub"], s.tier.Elements["mul"], s.tier.Elements["max"], s.tier.Elements["min"]
	usual := slices.Equal(names, s.usual) || slices.Equal(names, slices.Repeat(s.usual, 2))
	if usual && s.clip == 0 && !s.coupled && (s.peephole == 0 || s.peephole >= len(n.In) || n.In[s.peephole] == nil) {
		switch {
		case s.cell > 0:
			s.state = &s.tier.LSTMState
		case s.resets:
			s.state = &s.tier.GRUState
		}
	}
	return true
}

// gateVectors is how many vectors of the size of the state a batch item has: one for each gate, and a spare one.
const gateVectors = 5

// gates is a phase of a step for some panels of a batch item: addresses of what belongs to these.
type gates struct {
	*steps
	c       *op.Call
	phase   *stepPhase
	dir     int
	element int // of the state, the first one
	panels  int
	n       int // elements

	inputs, products, biases uintptr // in panels
	cell, before, next       uintptr
	vectors                  uintptr
}

// of returns the vector of a gate, spare that behind those of all.
func (g *gates) of(gate int) uintptr { return g.vectors + uintptr(4*gate*g.blocks*block) }

func (g *gates) spare() uintptr { return g.of(gateVectors - 1) }

// do applies a function to the elements of two vectors.
func (g *gates) do(r *simd.Routine[simd.ElementsArgs], z, x, y uintptr) { elementsOf(r, g.n, z, x, y) }

// addPanels adds what panels have for a gate, which are so many elements apart, to another address of such panels or, for 0, to the gate's vector, which
// the sum becomes.
func (g *gates) addPanels(gate int, x uintptr, apart int, y uintptr) {
	z, n := g.of(gate), g.phase.blocks*block
	at := uintptr(4 * (gate - g.phase.gate) * n)
	for i := range g.panels {
		with := z
		if y != 0 {
			with = y + at + uintptr(4*i*g.panel)
		}
		elementsOf(&g.add, n, z, x+at+uintptr(4*i*apart), with)
		z += uintptr(4 * n)
	}
}

// sum sets the vector of a gate to biases + (products of the input + products of the state).
func (g *gates) sum(gate int) {
	g.addPanels(gate, g.inputs, g.panel, g.products)
	g.addPanels(gate, g.biases, biasPanel, 0)
}

// activate sets a vector to function k of a gate's one.
func (g *gates) activate(k int, z uintptr, gate int) {
	x := g.of(gate)
	if g.clip > 0 {
		g.by(&g.max, x, x, -g.clip)
		g.by(&g.min, x, x, g.clip)
	}
	g.apply(k, z, x)
}

// apply sets a vector to function k of another.
func (g *gates) apply(k int, z, x uintptr) {
	f := &g.functions[g.dir*len(g.functions)/g.dirs+k]
	if f.scaled {
		g.by(&g.mul, z, x, f.b)
		x = z
	}
	f.routine.Run(&simd.ElementsArgs{N: g.n, Z: z, X: x, A: f.a, B: f.b})
	if f.scaled {
		g.by(&g.mul, z, z, f.a)
	}
}

// by applies a function of two operands to the elements of a vector and a number.
func (g *gates) by(r *simd.Routine[simd.ElementsArgs], z, x uintptr, number float32) {
	all := floatsOf(g.c.Scratch)[:block]
	splat(all, number)
	elementsBy(r, g.n, z, x, simd.At(all, 0))
}

var ones = func() (list [block]float32) {
	splat(list[:], 1)
	return list
}()

// oneLess sets a vector to 1 - x.
func (g *gates) oneLess(z, x uintptr) {
	g.sub.Run(&simd.ElementsArgs{N: g.n, Z: z, X: simd.At(ones[:], 0), XMask: 4*block - 1, Y: x, YMask: -1})
}

// make makes the next state, or what the products of the next phase are of.
func (g *gates) make() {
	switch g.op {
	case "rnn":
		g.sum(0)
		g.activate(0, g.next, 0)
	case "gru", "gru_cell":
		g.gru()
	default:
		g.lstm()
	}
}

func (g *gates) gru() {
	const z, r, n = 0, 1, 2
	update, reset, fresh := g.of(z), g.of(r), g.of(n)
	if g.phase.gate == z {
		for gate := range n {
			g.sum(gate)
			g.activate(0, g.of(gate), gate)
		}
		if !g.resets {
			g.do(&g.mul, reset, reset, g.before)
			return // before the products of that
		}
		g.addPanels(n, g.biases+4*block, biasPanel, g.products)
		g.do(&g.mul, fresh, reset, fresh)
		g.addPanels(n, g.inputs, g.panel, 0)
		g.addPanels(n, g.biases, biasPanel, 0)
	} else {
		g.sum(n)
	}
	g.activate(1, fresh, n)
	g.do(&g.mul, g.spare(), update, g.before)
	g.oneLess(update, update)
	g.do(&g.mul, fresh, fresh, update)
	g.do(&g.add, g.next, g.spare(), fresh)
}

func (g *gates) lstm() {
	const i, o, f, cell = 0, 1, 2, 3
	for gate := range g.offsets {
		g.sum(gate)
	}
	g.peepholes(i)
	g.activate(0, g.of(i), i)
	if g.coupled {
		g.oneLess(g.of(f), g.of(i))
	} else {
		g.peepholes(f)
		g.activate(0, g.of(f), f)
	}
	g.activate(1, g.of(cell), cell)
	if !g.after {
		g.peepholes(o)
	}
	g.do(&g.mul, g.of(f), g.of(f), g.cell)
	g.do(&g.mul, g.of(i), g.of(i), g.of(cell))
	g.do(&g.add, g.cell, g.of(f), g.of(i))
	if g.after {
		g.peepholes(o)
	}
	g.activate(0, g.of(o), o)
	g.apply(2, g.spare(), g.cell)
	g.do(&g.mul, g.next, g.of(o), g.spare())
}

// peepholes adds products of the state of the cell and weights to the sums of a gate.
func (g *gates) peepholes(gate int) {
	n := min(g.n, g.hidden-g.element)
	if g.peephole == 0 || !g.c.Has(g.peephole) || n <= 0 {
		return
	}
	weights := tensor.Data[float32](g.c.In[g.peephole])
	elementsOf(&g.mul, n, g.spare(), g.cell, simd.At(weights, (3*g.dir+gate)*g.hidden+g.element))
	elementsOf(&g.add, n, g.of(gate), g.spare(), g.of(gate))
}
