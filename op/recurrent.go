package op

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks, as WebNN and ONNX define them.
var recurrentOps = []*Def{lstm, lstmCell, gru, gruCell, rnn}

// recurrentDoc says how the gates are computed.
const recurrentDoc = "Each element of a matrix product starts at +0 and takes one fused multiply-add for each k, in ascending order; " +
	"all other operations are rounded one by one in the order that the parentheses show. Absent biases are +0."

// The directions in which a recurrent network reads its input.
var directions = []string{"forward", "backward", "both"}

// sequenceDoc says what networks have beside the steps of their cells.
const sequenceDoc = "\n\nWith lengths, the sequence of batch item b has lengths[b] steps, bounded by 0 and steps: the final states are those after its " +
	"last step, a backward pass begins there, and what sequence has beyond is 0. " +
	"The functions that activations may name are, each operation rounded: relu max(x, +0); sigmoid; tanh; affine fma(alpha, x, beta); leaky_relu x, alpha·x for x < 0; " +
	"thresholded_relu x, 0 for x < alpha; scaled_tanh alpha·tanh(beta·x); hard_sigmoid max(0, min(1, fma(alpha, x, beta))); elu x, alpha·expm1(x) for x < 0; " +
	"softsign x/(1 + |x|); softplus. Arguments of f₀ and f₁, or of f, are bounded by ±clip if that is not 0; the cell state, argument of f₂, is not (as in ONNX Runtime)."

// gateFunction is a function that a gate may apply, with its parameters.
type gateFunction[T fmath.Float] struct {
	name        string
	f           func(x, alpha, beta T) T
	parameters  int
	alpha, beta T
	clip        T // bound of the argument; 0 for none
}

func (g *gateFunction[T]) of(x T) T {
	if g.clip > 0 {
		x = min(max(x, -g.clip), g.clip)
	}
	return g.f(x, g.alpha, g.beta)
}

// gatesSingle and gatesDouble are the functions with the parameters that they have if none are given.
var gatesSingle, gatesDouble = gateFunctions[float32](), gateFunctions[float64]()

// GateNames are the names of the functions that gates of recurrent networks may apply.
var GateNames = func() (names []string) {
	for _, g := range gatesDouble {
		names = append(names, g.name)
	}
	return names
}()

// GateParameters returns what alpha and beta of a function are if none are given, of those that it has.
func GateParameters(name string) []float64 {
	g := gate[float64](name)
	return []float64{g.alpha, g.beta}[:g.parameters]
}

func gateFunctions[T fmath.Float]() [11]gateFunction[T] {
	return [...]gateFunction[T]{
		{name: "relu", f: func(x, _, _ T) T { return canonical(max(x, 0)) }},
		{name: "sigmoid", f: func(x, _, _ T) T { return fmath.Sigmoid(x) }},
		{name: "tanh", f: func(x, _, _ T) T { return fmath.Tanh(x) }},
		{name: "affine", f: func(x, alpha, beta T) T { return fma(alpha, x, beta) }, parameters: 2, alpha: 1},
		{name: "leaky_relu", f: func(x, alpha, _ T) T { return leaky(x, alpha) }, parameters: 1, alpha: 0.01},
		{name: "thresholded_relu", f: func(x, alpha, _ T) T {
			if x < alpha {
				return 0
			}
			return x
		}, parameters: 1, alpha: 1},
		{name: "scaled_tanh", f: func(x, alpha, beta T) T { return alpha * fmath.Tanh(T(beta*x)) }, parameters: 2, alpha: 1, beta: 1},
		{name: "hard_sigmoid", f: func(x, alpha, beta T) T { return max(min(fma(alpha, x, beta), 1), 0) }, parameters: 2, alpha: 0.2, beta: 0.5},
		{name: "elu", f: func(x, alpha, _ T) T { return elu(x, alpha) }, parameters: 1, alpha: 1},
		{name: "softsign", f: func(x, _, _ T) T { return softsign(x) }},
		{name: "softplus", f: func(x, _, _ T) T { return fmath.Softplus(x) }},
	}
}

// gate returns the function of that name; the zero value if there is none.
func gate[T fmath.Float](name string) (none gateFunction[T]) {
	list, ok := any(&gatesSingle).(*[11]gateFunction[T])
	if !ok {
		list = any(&gatesDouble).(*[11]gateFunction[T])
	}
	for i := range list {
		if list[i].name == name {
			return list[i]
		}
	}
	return none
}

// gatesOf returns the functions of a direction, n of them.
func gatesOf[T fmath.Float](c *Call, dir, n int) (list [3]gateFunction[T]) {
	names, alpha, beta := c.Strings("activations"), c.Floats("activation_alpha"), c.Floats("activation_beta")
	first := dir * n
	if len(names) == n {
		first = 0
	}
	for i := range n {
		list[i] = gate[T](names[first+i])
		if i < 2 { // f₂ takes the cell state
			list[i].clip = T(c.Float("clip"))
		}
		if len(alpha) > 0 {
			list[i].alpha = T(alpha[first+i])
		}
		if len(beta) > 0 {
			list[i].beta = T(beta[first+i])
		}
	}
	return list
}

// recurrentDef completes the definition of a network (rank 3) or cell (rank 2) with that many gates and states, whose
// kernel needs that many vectors of working memory.
func recurrentDef(rank, gates, states, vectors int, single, double Kernel, d *Def) *Def {
	for i := range d.In {
		o := &d.In[i]
		o.Types, o.Rank = Floats, Rank(rank)
		if i > 0 {
			o.Like = "input"
		}
		switch o.Name {
		case "bias", "recurrent_bias", "peephole_weight":
			o.Rank = Rank(rank - 1)
		case "lengths":
			o.Types, o.Like, o.Rank = indexTypes, "", Rank(1)
		}
	}
	d.Shape = recurrentShape(gates, states)
	d.Ref = Reference{Kernels: floatKernels(single, double), Pieces: perSequence, Scratch: recurrentScratch(vectors)}
	d.Work = recurrentWork(gates)
	d.Lane = recurrentLane
	d.Generate = func(r *Rand) Case { return r.recurrentCase(d, gates) }
	if d.index(lengthsOperand.Name) >= 0 {
		d.Further = func(r *Rand) Case { return lengthened(d, r) }
	}
	return d
}

// cellBody writes what the gates of a cell have in common in NNEF: for each gate, named by its letter, where it begins in
// one or the other layout, and its parts of both products and both biases. Absent biases stay absent.
func cellBody(layouts []string) string {
	body := "input_all = matmul(input, weight, transposeB = true); state_all = matmul(hidden_state, recurrent_weight, transposeB = true);\n"
	for k, gate := range layouts[0] {
		other := strings.IndexRune(layouts[1], gate)
		body += strings.NewReplacer("@", string(gate), "#", strconv.Itoa(k), "$", strconv.Itoa(other), "~", layouts[0]).Replace(
			"begin_@ = hidden_size * (# if layout == '~' else $);\n" +
				"input_@ = slice(input_all, axes = [1], begin = [begin_@], end = [begin_@ + hidden_size]);\n" +
				"state_@ = slice(state_all, axes = [1], begin = [begin_@], end = [begin_@ + hidden_size]);\n" +
				"bias_@ = unsqueeze(slice(bias, axes = [0], begin = [begin_@], end = [begin_@ + hidden_size]), axes = [0]);\n" +
				"recurrent_bias_@ = unsqueeze(slice(recurrent_bias, axes = [0], begin = [begin_@], end = [begin_@ + hidden_size]), axes = [0]);\n")
	}
	return body
}

// bodySum writes the sum of the parts of a gate in NNEF.
func bodySum(gate string) string {
	return strings.ReplaceAll("(bias_@ + recurrent_bias_@) + (input_@ + state_@)", "@", gate)
}

// bodyFunction writes the application of function k to a value in NNEF.
func bodyFunction(x string, k int) string {
	return fmt.Sprintf("sigmoid(%[1]s) if activations[%[2]d] == 'sigmoid' else tanh(%[1]s) if activations[%[2]d] == 'tanh' else max(%[1]s, 0.0)", x, k)
}

// cellFunctions are those that the gates of cells may apply (WebNN).
var cellFunctions = []string{"relu", "sigmoid", "tanh"}

// activationsAttr is the attribute of a cell with the functions of the gates.
func activationsAttr(doc string, functions ...string) Attr {
	return Attr{Name: "activations", Kind: graph.KindStrings, Default: functions, Enum: cellFunctions, Doc: doc}
}

// networkAttrs adds to the attributes of a network those of its functions, which are all that its cell has and more.
func networkAttrs(cell Attr, attrs ...Attr) []Attr {
	cell.Enum, cell.Doc = GateNames, cell.Doc+"; of both directions, or of each, one after the other"
	parameter := func(name string) Attr {
		return Attr{Name: name, Kind: graph.KindFloats, Default: []float64{}, Doc: "parameter of each of the activations; empty for those of ONNX's operators of their names, and 1 for scaled_tanh"}
	}
	return append(attrs, cell, parameter("activation_alpha"), parameter("activation_beta"),
		Attr{Name: "clip", Kind: graph.KindFloat, Default: 0.0, Range: [2]float64{0, math.MaxFloat32}, Doc: "bound of the arguments of activations; 0 for none"})
}

var lengthsOperand = Operand{Name: "lengths", Optional: true, Doc: "number of steps of each batch item (B); all if absent"}

func layoutAttr(layouts []string, doc string) Attr {
	return Attr{Name: "layout", Kind: graph.KindString, Default: layouts[0], Enum: layouts, Doc: doc}
}

var (
	hiddenSizeAttr = Attr{Name: "hidden_size", Kind: graph.KindInt, Range: [2]float64{1, tensor.MaxElements}, Doc: "number H of elements of the state"}
	stepsAttr      = Attr{Name: "steps", Kind: graph.KindInt, Range: [2]float64{1, tensor.MaxElements}, Doc: "number of time steps, the first extent of input"}
	sequenceAttr   = Attr{Name: "return_sequence", Kind: graph.KindBool, Default: false, Doc: "whether sequence is returned"}
	directionAttr  = Attr{Name: "direction", Kind: graph.KindString, Default: "forward", Enum: directions,
		Doc: "order in which the steps are read; both makes D = 2 independent passes, the second one backward, others D = 1"}
)

// recurrent is the size of one evaluation.
type recurrent struct {
	steps, dirs, batch, input, hidden int
	cell                              bool // one step, no dimensions for steps and directions
}

// recurrentSize returns the size for operands and attributes; hidden must have been checked.
func recurrentSize(in tensor.Shape, attrs graph.Attrs) recurrent {
	v := recurrent{steps: 1, dirs: 1, hidden: attrs.Int("hidden_size")}
	if v.cell = len(in) == 2; !v.cell {
		v.steps = in[0]
		if attrs.String("direction") == "both" {
			v.dirs = 2
		}
	}
	v.batch, v.input = in[len(in)-2], in[len(in)-1]
	return v
}

// operand returns the shape that the operand of that name must have, where there are that many gates.
func (v *recurrent) operand(name string, gates int) tensor.Shape {
	switch name {
	case "input":
		if v.cell {
			return tensor.Shape{v.batch, v.input}
		}
		return tensor.Shape{v.steps, v.batch, v.input}
	case "weight":
		return v.shape(gates*v.hidden, v.input)
	case "recurrent_weight":
		return v.shape(gates*v.hidden, v.hidden)
	case "bias", "recurrent_bias":
		return v.shape(gates * v.hidden)
	case "peephole_weight":
		return v.shape(3 * v.hidden)
	case "lengths":
		return tensor.Shape{v.batch}
	}
	return v.shape(v.batch, v.hidden) // the states
}

// shape returns the extents, for a network after the number of directions.
func (v *recurrent) shape(extents ...int) tensor.Shape {
	if v.cell {
		return extents
	}
	return append(tensor.Shape{v.dirs}, extents...)
}

// GateFunctions returns how many functions the gates of a network, in each direction, or cell apply; 0 for other operators.
func (d *Def) GateFunctions() int {
	for _, a := range d.Attrs {
		if a.Name == "activations" {
			return len(a.Default.([]string))
		}
	}
	return 0
}

// recurrentShape returns the shape rule of a network or cell with that many gates and states.
func recurrentShape(gates, states int) func(s *Sig) ([]tensor.Shape, error) {
	return func(s *Sig) ([]tensor.Shape, error) {
		v := recurrentSize(s.In[0].Shape, s.Attrs)
		if v.hidden > tensor.MaxElements/(2*gates) {
			return nil, s.Errorf("hidden_size", "%d is too large", v.hidden)
		}
		if n := s.Int("steps"); !v.cell && n != v.steps {
			return nil, s.Errorf("steps", "%d steps; input %v has %d", n, s.In[0].Shape, v.steps)
		}
		n, want := len(s.Strings("activations")), s.Def.GateFunctions()
		if n != want && n != v.dirs*want {
			return nil, s.Errorf("activations", "%d functions; there must be %d", n, want)
		}
		for _, name := range []string{"activation_alpha", "activation_beta"} {
			if k := len(s.Floats(name)); k != 0 && k != n {
				return nil, s.Errorf(name, "%d parameters; there must be %d, one for each of the activations, or none", k, n)
			}
		}
		for i := 1; i < len(s.In); i++ {
			name := s.Def.In[i].Name
			if want := v.operand(name, gates); s.Has(i) && !s.In[i].Shape.Equal(want) {
				return nil, s.Errorf(name, "shape %v; it must be %v for input %v and hidden_size %d", s.In[i].Shape, want, s.In[0].Shape, v.hidden)
			}
		}
		out := slices.Repeat([]tensor.Shape{v.shape(v.batch, v.hidden)}, states)
		if s.Bool("return_sequence") {
			out = append(out, tensor.Shape{v.steps, v.dirs, v.batch, v.hidden})
		}
		return out, nil
	}
}

// recurrentWork counts the matrix products and the activations.
func recurrentWork(gates int) func(s *Sig, out []tensor.Shape) Work {
	return func(s *Sig, _ []tensor.Shape) Work {
		v := recurrentSize(s.In[0].Shape, s.Attrs)
		elements := []int{v.steps, v.dirs, v.batch, gates, v.hidden}
		return Work{MACs: times(append(elements, v.input+v.hidden)...), Ops: times(append(elements, 6)...)}
	}
}

// perSequence makes each batch item of each direction a piece.
func perSequence(s *Sig, _ []Type) int {
	v := recurrentSize(s.In[0].Shape, s.Attrs)
	return v.dirs * v.batch
}

// recurrentScratch asks for n vectors of the hidden size.
func recurrentScratch(n int) func(s *Sig, out []Type) int {
	return func(s *Sig, _ []Type) int {
		v := recurrentSize(s.In[0].Shape, s.Attrs)
		return int(times(min(v.batch, 1), n, v.hidden, max(s.In[0].DType.Size(), tensor.Float32.Size())))
	}
}

// scratchOf returns the scratch memory as n vectors of the hidden size.
func scratchOf[T fmath.Float](v *recurrent, c *Call, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), n*v.hidden)
}

// step returns the time step that direction dir reads as number t of n.
func (v *recurrent) step(c *Call, dir, t, n int) int {
	if dir == 1 || c.String("direction") == "backward" {
		return n - 1 - t
	}
	return t
}

// length returns the number of steps of a batch item: all, unless operand k is given.
func (v *recurrent) length(c *Call, k, item int) int {
	if !c.Has(k) {
		return v.steps
	}
	lengths := geometry.IndicesOf(c.In[k])
	return lengths.Among(item, v.steps+1)
}

// vector returns the part of optional operand k that belongs to index i, where each index has n elements; nil if it is
// absent.
func vector[T fmath.Float](c *Call, k, i, n int) []T {
	if !c.Has(k) {
		return nil
	}
	return optional[T](c, k)[i*n:][:n]
}

// elementOr0 returns v[i], or +0 if v is nil.
func elementOr0[T fmath.Float](v []T, i int) T {
	if v == nil {
		return 0
	}
	return v[i]
}

// stateOf returns the part of result k that belongs to a piece, set to the state before the first step: that of operand
// initial, if it is given, or zeros.
func stateOf[T fmath.Float](v *recurrent, c *Call, k, initial, piece int) []T {
	h := tensor.Data[T](c.Out[k])[piece*v.hidden:][:v.hidden]
	clear(h)
	copy(h, vector[T](c, initial, piece, v.hidden))
	return h
}

// keep stores the state after a step in result k, the sequence, if it is wanted.
func keep[T fmath.Float](v *recurrent, c *Call, k, step, piece int, h []T) {
	if k < len(c.Out) {
		copy(tensor.Data[T](c.Out[k])[(step*v.dirs*v.batch+piece)*v.hidden:], h)
	}
}

// blank makes the states of steps from n on 0 in result k, the sequence, if it is wanted.
func blank[T fmath.Float](v *recurrent, c *Call, k, n, piece int) {
	for step := n; k < len(c.Out) && step < v.steps; step++ {
		clear(tensor.Data[T](c.Out[k])[(step*v.dirs*v.batch+piece)*v.hidden:][:v.hidden])
	}
}

// vectorProduct sets y to the product of the matrix w, one row of len(x) elements for each element of y, and x.
func vectorProduct[T fmath.Float](y, w, x []T) {
	fmath.RowProduct(y, len(x), x, 1, w, 1, len(x))
}

// gateOffsets returns where in a layout each of the named gates begins, in elements.
func gateOffsets(layout, gates string, hidden int) (at [4]int) {
	for i := range len(gates) {
		at[i] = strings.IndexByte(layout, gates[i]) * hidden
	}
	return at
}

// recurrentCase returns a case of d, a network or cell with that many gates.
func (r *Rand) recurrentCase(d *Def, gates int) Case {
	v := recurrent{steps: r.Between(1, 3), dirs: 1, batch: r.Between(1, 3), input: r.Extent(), hidden: r.Extent(), cell: d.In[0].Rank.Max == 2}
	attrs := graph.Attrs{{Name: "hidden_size", Value: v.hidden}}
	if !v.cell {
		direction := Pick(r, directions)
		if direction == "both" {
			v.dirs = 2
		}
		attrs = append(attrs, graph.Attr{Name: "steps", Value: v.steps}, graph.Attr{Name: "direction", Value: direction},
			graph.Attr{Name: "return_sequence", Value: r.Bool()})
	}
	functions := make([]string, d.GateFunctions())
	for i := range functions {
		functions[i] = Pick(r, cellFunctions)
	}
	attrs = append(attrs, graph.Attr{Name: "activations", Value: functions})
	for _, a := range d.Attrs {
		switch a.Name {
		case "layout":
			attrs = append(attrs, graph.Attr{Name: "layout", Value: Pick(r, a.Enum)})
		case "reset_after":
			attrs = append(attrs, graph.Attr{Name: "reset_after", Value: r.Bool()})
		}
	}
	c := Case{Attrs: attrs}
	t := r.DType(Floats)
	for _, o := range d.In {
		var x *tensor.Tensor
		switch {
		case o.Name == lengthsOperand.Name: // see lengthened
		case !o.Optional || r.Bool():
			x = r.Uniform(t, v.operand(o.Name, gates), -1, 1)
		}
		c.In = append(c.In, x)
	}
	return c
}

// lengthened returns a generated case of a network with lengths, and with options that its generator leaves out.
func lengthened(d *Def, r *Rand) Case {
	c := d.Generate(r)
	for c.In[0].DType().IsHalf() { // which are widened: the cases of float32 say all
		c = d.Generate(r)
	}
	c.Attrs = c.Attrs.With("return_sequence", true).With("clip", Pick(r, []float64{0, 0.25}))
	names := make([]string, d.GateFunctions()*Pick(r, []int{1, c.In[1].Shape()[0]}))
	parameters := make([]float64, len(names))
	for i := range names {
		names[i], parameters[i] = Pick(r, GateNames), float64(r.Between(1, 8))/4
	}
	c.Attrs = c.Attrs.With("activations", names)
	if r.Bool() {
		c.Attrs = c.Attrs.With("activation_alpha", parameters).With("activation_beta", parameters)
	}
	if d.Name == "lstm" {
		c.Attrs = c.Attrs.With("peephole_output", Pick(r, []string{"before", "after"})).With("coupled", r.Bool())
	}
	shape := c.In[0].Shape()
	c.In[len(c.In)-1] = r.Integers(r.DType(indexTypes), shape[1:2], 0, shape[0])
	return c
}
