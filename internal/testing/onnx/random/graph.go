package random

import (
	"math/rand/v2"
	"slices"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Graphs of many nodes. What any two right evaluations of a graph may differ by follows from it: of each value is known how great its
// elements can be and of what all of them are multiples. As long as sums of these are within a float's digits, floats are exact, in any
// order of additions, and what jumps (rounding, comparing, sorting, choosing) may read them. Other floats have an error, which what reads
// them hands on; they go to what is continuous.

// wire is a value of a graph.
type wire struct {
	name  string
	d     tensor.DType
	shape []int   // -1 for an extent that elements decide
	most  float64 // no element is greater in magnitude
	step  float64 // all elements are multiples of it, a power of two; 0 if no such number is known
	same  bool    // any two right evaluations give the same elements
	err   float64 // by how much elements of those differ at most
}

// known reports whether the elements do not decide the shape.
func (w *wire) known() bool { return !slices.Contains(w.shape, -1) }

func (w *wire) rank() int { return len(w.shape) }

// grower makes a graph, or one that is an attribute of a node or the body of a function.
type grower struct {
	*maker
	wires []*wire // what nodes may read
	own   int     // how many of them are from outside; those of a function's body are its own
	kind  scope
	depth int       // of graphs in one another
	tape  *[]func() // computes errors, node by node: an iteration runs that of its body again
	made  *forest
}

type scope int

const (
	whole    scope = iota // the graph of the model
	block                 // in an attribute: it has no inputs of its own choice
	function              // has neither inputs nor initializers
)

// forest is what the graphs of a model have in common.
type forest struct {
	functions []*routine
	nodes     int // in all graphs
	most      int // of nodes
}

const (
	mostInGraph   = 800     // elements of a value
	mostMagnitude = 1 << 20 // of an element
	mostError     = 1e-3
	leastGraph    = 11 // opset
)

// Graph returns a graph of some 3 to 25 nodes.
func Graph(seed uint64) *Model {
	random := rand.New(rand.NewPCG(seed, 0x67726170))
	m := newMaker(random)
	m.opset = leastGraph + m.IntN(MostOpset-leastGraph+1)
	g := &grower{maker: m, tape: new([]func()), made: &forest{most: 3 + m.IntN(22)}}
	for range g.between(1, 3) {
		g.operand(g.numbers(), g.extents(g.between(1, 4), 1, 5))
	}
	for tries := 0; g.made.nodes < g.made.most && tries < 200; tries++ {
		g.grow()
	}
	out := &Model{Op: "graph", Seed: seed, Opset: m.opset, Errors: make(map[string]float64)}
	for _, w := range g.ends() {
		g.output(w.name)
	}
	for _, w := range g.wires {
		out.Errors[w.name] = w.err
	}
	out.Proto, out.Inputs = m.model(), m.inputs
	out.Proto.OpsetImport = append(out.Proto.OpsetImport, &proto.OperatorSet{Domain: ownDomain, Version: 1})
	for _, f := range g.made.functions {
		out.Proto.Functions = append(out.Proto.Functions, f.proto(m.opset))
	}
	return out
}

// grow adds a step, if one of those that are tried can be.
func (g *grower) grow() {
	family := one(g.maker, steps...)
	family[g.IntN(len(family))](g)
}

// ends returns the values that the graph yields: among them what the last nodes make, now and then an input.
func (g *grower) ends() []*wire {
	var out []*wire
	n := len(g.wires)
	for i, w := range g.wires {
		fresh := i >= n-2 || g.made.nodes > 0 && g.chance(0.2)
		if _, input := g.inputs[w.name]; input || g.isStored(w.name) {
			fresh = g.chance(0.03)
		}
		if fresh {
			out = append(out, w)
		}
	}
	if len(out) == 0 {
		out = append(out, g.wires[n-1])
	}
	return out
}

func (g *grower) isStored(name string) bool {
	return slices.ContainsFunc(g.graph.Initializer, func(p *proto.Tensor) bool { return p.Name == name })
}

// numbers returns an element type to compute with, the likely ones more often.
func (g *grower) numbers() tensor.DType {
	return one(g.maker, tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float32, tensor.Int64, tensor.Int32, tensor.Float64)
}

// pick returns a value for which ok holds, rather one that was made last, and nil if there is none.
func (g *grower) pick(ok func(w *wire) bool) *wire {
	var list []*wire
	for _, w := range g.wires {
		if ok(w) {
			list = append(list, w)
		}
	}
	switch n := len(list); {
	case n == 0:
		return nil
	case n > 4 && g.chance(0.6):
		return list[n-1-g.IntN(4)]
	default:
		return list[g.IntN(n)]
	}
}

// number returns a value of numbers of known shape with a rank from least to most, made anew if there is none or now and then.
func (g *grower) number(least, most int, ok ...func(w *wire) bool) *wire {
	w := g.pick(func(w *wire) bool {
		return isNumber(w) && w.known() && least <= w.rank() && w.rank() <= most && meets(w, ok)
	})
	if w != nil && g.chance(0.95) {
		return w
	}
	for range 20 {
		w = g.operand(g.numbers(), g.extents(g.between(least, most), 1, 5))
		if meets(w, ok) {
			return w
		}
	}
	return nil
}

// meets reports whether a value is what all of some functions want.
func meets(w *wire, ok []func(w *wire) bool) bool {
	return !slices.ContainsFunc(ok, func(f func(w *wire) bool) bool { return !f(w) })
}

func isNumber(w *wire) bool {
	return w.d == tensor.Float32 || w.d == tensor.Float64 || w.d == tensor.Int32 || w.d == tensor.Int64
}
func isFloat(w *wire) bool  { return w.d == tensor.Float32 || w.d == tensor.Float64 }
func isSingle(w *wire) bool { return w.d == tensor.Float32 }
func isSame(w *wire) bool   { return w.same }

// operand adds a value that nothing computes, of small numbers.
func (g *grower) operand(d tensor.DType, shape []int) *wire {
	w := g.constant(d, shape, 4, g.kind != whole || g.chance(0.35))
	g.wires = append(g.wires, w)
	return w
}

// weights adds a value that the model stores, rather.
func (g *grower) weights(d tensor.DType, shape []int, most float64) *wire {
	return g.constant(d, shape, most, g.kind != whole || g.chance(0.85))
}

func (g *grower) constant(d tensor.DType, shape []int, most float64, stored bool) *wire {
	w := &wire{d: d, shape: slices.Clone(shape), most: most, step: 1, same: true}
	list := make([]float64, tensor.Shape(shape).Len())
	if isFloat(w) {
		w.step = one(g.maker, 1, 1, 0.5, 0.25, 0)
	}
	for i := range list {
		switch {
		case d == tensor.Bool:
			list[i] = float64(g.IntN(2))
		case w.step == 0:
			list[i] = float64(float32((2*g.Float64() - 1) * most))
		default:
			n := int(most / w.step)
			list[i] = float64(g.between(-n, n)) * w.step
		}
	}
	w.name = g.hold(reshape(cast(slice(list), d), shape), stored)
	return w
}

// hold makes a tensor a value of the graph, as the graph can have it.
func (g *grower) hold(x *tensor.Tensor, stored bool) string {
	switch {
	case g.kind == whole:
		return g.place(x, stored)
	case g.kind == function || g.chance(0.3):
		name := g.name()
		p, err := proto.NewTensor("", x)
		if err != nil {
			panic(err)
		}
		g.graph.Node = append(g.graph.Node, &proto.Node{OpType: "Constant", Output: []string{name}, Attribute: []*proto.Attribute{attribute("value", p)}})
		return name
	default:
		p, err := proto.NewTensor(g.name(), x)
		if err != nil {
			panic(err)
		}
		g.graph.Initializer = append(g.graph.Initializer, p)
		return p.Name
	}
}

// list adds an operand of integers.
func (g *grower) list(x ...int) string {
	return g.hold(vector(tensor.Int64, x...), g.kind != whole || g.chance(0.85))
}

// index adds an operand that is one integer.
func (g *grower) index(x int) string {
	return g.hold(scalar(tensor.Int64, float64(x)), g.kind != whole || g.chance(0.85))
}

// attrs are those of a node: names, each with its value.
type attrs []any

// node adds a node and returns the names of its results.
func (g *grower) node(op string, in []string, results int, a attrs) []string {
	n := &proto.Node{OpType: op, Input: in}
	for len(n.Input) > 0 && n.Input[len(n.Input)-1] == "" {
		n.Input = n.Input[:len(n.Input)-1]
	}
	for i := 0; i+1 < len(a); i += 2 {
		n.Attribute = append(n.Attribute, attribute(a[i].(string), a[i+1]))
	}
	for range results {
		n.Output = append(n.Output, g.name())
	}
	g.graph.Node = append(g.graph.Node, n)
	g.made.nodes++
	return n.Output
}

// put adds a node whose result is w, of elements. Its most and step are what exact arithmetic yields; rounds says how many roundings of the
// greatest number there may be on the way, and err what errors of operands lead to. There is none, and put returns nil, if the numbers are
// too great or say too little.
func (g *grower) put(w wire, rounds float64, err func() float64, op string, in []string, a ...any) *wire {
	if !g.settle(&w, rounds, err) {
		return nil
	}
	w.name = g.node(op, in, 1, a)[0]
	g.wires = append(g.wires, &w)
	return &w
}

// wholes are up to where a type has all whole numbers.
var wholes = map[tensor.DType]float64{tensor.Float32: 1 << 24, tensor.Float64: 1 << 53, tensor.Int32: 1 << 31, tensor.Int64: 1 << 63}

// settle works out the error of a value.
func (g *grower) settle(w *wire, rounds float64, err func() float64) bool {
	whole := wholes[w.d]
	if w.most > mostMagnitude || w.known() && product(w.shape) > mostInGraph {
		return false
	}
	if w.step > 0 && (rounds == 0 || w.most/w.step < whole) || w.d == tensor.Bool {
		w.same, w.err = true, 0
		return true
	}
	w.step, w.same = 0, w.same && rounds == 0
	step := func() {
		if w.err = rounds * w.most * 2 / whole; err != nil {
			w.err += err()
		}
	}
	if step(); w.err > mostError {
		return false
	}
	*g.tape = append(*g.tape, step)
	return true
}

// move adds a node whose result has elements of those given, in another place, and no other ones.
func (g *grower) move(shape []int, from []*wire, op string, in []string, a ...any) *wire {
	w := gathered(from...)
	w.shape = shape
	return g.put(w, 0, worst(from...), op, in, a...)
}

// gathered is a value with elements of others.
func gathered(from ...*wire) wire {
	w := *from[0]
	for _, f := range from[1:] {
		w.most, w.step, w.same = max(w.most, f.most), min(w.step, f.step), w.same && f.same
	}
	return w
}

// worst is the greatest error of some values.
func worst(from ...*wire) func() float64 {
	return func() float64 {
		e := 0.0
		for _, f := range from {
			e = max(e, f.err)
		}
		return e
	}
}

// integers adds a node whose results are whole numbers from -most to most.
func (g *grower) integers(d tensor.DType, shape []int, most float64, op string, in []string, a ...any) *wire {
	return g.put(wire{d: d, shape: shape, most: most, step: 1}, 0, nil, op, in, a...)
}

// written returns an axis as models may write it.
func (g *grower) written(axis, rank int) int {
	if g.chance(0.3) {
		return axis - rank
	}
	return axis
}

// axesFrom returns axes as an attribute or, from an opset on, as a further operand.
func (g *grower) axesFrom(opset int, in []string, axes []int) ([]string, attrs) {
	if g.opset >= opset {
		return append(in, g.list(axes...)), nil
	}
	return in, attrs{"axes", axes}
}

// broadcastOf returns the shape that two broadcast to, nil if they do not.
func broadcastOf(a, b []int) []int {
	n := max(len(a), len(b))
	out := make([]int, n)
	for i := range out {
		x, y := 1, 1
		if k := i - n + len(a); k >= 0 {
			x = a[k]
		}
		if k := i - n + len(b); k >= 0 {
			y = b[k]
		}
		if x != y && x != 1 && y != 1 {
			return nil
		}
		out[i] = max(x, y)
		if x == 0 || y == 0 {
			out[i] = 0
		}
	}
	return out
}

// partner returns a second operand of the same type that broadcasts with the first one.
func (g *grower) partner(x *wire, ok ...func(w *wire) bool) *wire {
	y := g.pick(func(w *wire) bool {
		return w.d == x.d && w.known() && meets(w, ok) && broadcastOf(x.shape, w.shape) != nil && product(broadcastOf(x.shape, w.shape)) <= mostInGraph
	})
	if y == nil || y == x && g.chance(0.7) || g.chance(0.2) {
		y = g.weights(x.d, g.broadcast(x.shape), 4)
	}
	return y
}

func namesOf(wires ...*wire) []string {
	var out []string
	for _, w := range wires {
		out = append(out, w.name)
	}
	return out
}

// routine is a function of the model.
type routine struct {
	name    string
	in, out []*wire
	tape    []func()
	nodes   []*proto.Node
	results []string
}

const ownDomain = "random"

func (f *routine) proto(opset int) *proto.Function {
	return &proto.Function{Name: f.name, Domain: ownDomain, Input: namesOf(f.in...), Output: f.results, Node: f.nodes,
		OpsetImport: []*proto.OperatorSet{{Version: int64(opset)}, {Domain: ownDomain, Version: 1}}}
}
