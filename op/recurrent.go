package op

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks, as WebNN defines them.
var recurrentOps = []*Def{lstm, lstmCell, gru, gruCell}

// recurrentDoc says how the gates are computed.
const recurrentDoc = "Each element of a matrix product starts at +0 and takes one fused multiply-add for each k, in ascending order; " +
	"all other operations are rounded one by one in the order that the parentheses show. Absent biases are +0."

// The directions in which a recurrent network reads its input.
var directions = []string{"forward", "backward", "both"}

// gateFunctions are the functions that a gate may apply.
var gateFunctions = map[string]func(float32) float32{
	"relu":    func(x float32) float32 { return canonical(max(x, 0)) },
	"sigmoid": fmath.Sigmoid[float32],
	"tanh":    fmath.Tanh[float32],
}

// recurrentDef completes the definition of a network (rank 3) or cell (rank 2) with that many gates and states, whose
// kernel needs that many vectors of working memory.
func recurrentDef(rank, gates, states, vectors int, kernel Kernel, d *Def) *Def {
	for i := range d.In {
		o := &d.In[i]
		o.Types, o.Rank = Floats, Rank(rank)
		if i > 0 {
			o.Like = "input"
		}
		if o.Name == "bias" || o.Name == "recurrent_bias" || o.Name == "peephole_weight" {
			o.Rank = Rank(rank - 1)
		}
	}
	d.Shape = recurrentShape(gates, states)
	d.Ref = Reference{Kernels: floatKernel(kernel), Pieces: perSequence, Scratch: recurrentScratch(vectors)}
	d.Work = recurrentWork(gates)
	d.Generate = func(r *Rand) Case { return r.recurrentCase(d, gates, states) }
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

// activationsAttr is the attribute with the functions of the gates.
func activationsAttr(doc string, functions ...string) Attr {
	return Attr{Name: "activations", Kind: graph.KindStrings, Default: functions, Enum: []string{"relu", "sigmoid", "tanh"}, Doc: doc}
}

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
		if n := len(s.Strings("activations")); n != states+1 {
			return nil, s.Errorf("activations", "%d functions; there must be %d", n, states+1)
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
		return int(times(min(v.batch, 1), n, v.hidden, tensor.Float32.Size()))
	}
}

// scratch returns the scratch memory as n vectors of the hidden size.
func (v *recurrent) scratch(c *Call, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(c.Scratch))), n*v.hidden)
}

// step returns the time step that direction dir reads as number t.
func (v *recurrent) step(c *Call, dir, t int) int {
	if dir == 1 || c.String("direction") == "backward" {
		return v.steps - 1 - t
	}
	return t
}

// vector returns the part of optional operand k that belongs to index i, where each index has n elements; nil if it is
// absent.
func vector(c *Call, k, i, n int) []float32 {
	if !c.Has(k) {
		return nil
	}
	return c.optionalFloats(k)[i*n:][:n]
}

// elementOr0 returns v[i], or +0 if v is nil.
func elementOr0(v []float32, i int) float32 {
	if v == nil {
		return 0
	}
	return v[i]
}

// state returns the part of result k that belongs to a piece, set to the state before the first step: that of operand
// initial, if it is given, or zeros.
func (v *recurrent) state(c *Call, k, initial, piece int) []float32 {
	h := tensor.Data[float32](c.Out[k])[piece*v.hidden:][:v.hidden]
	clear(h)
	copy(h, vector(c, initial, piece, v.hidden))
	return h
}

// keep stores the state after a step in result k, the sequence, if it is wanted.
func (v *recurrent) keep(c *Call, k, step, piece int, h []float32) {
	if k < len(c.Out) {
		copy(tensor.Data[float32](c.Out[k])[(step*v.dirs*v.batch+piece)*v.hidden:], h)
	}
}

// vectorProduct sets y to the product of the matrix w, one row of len(x) elements for each element of y, and x.
func vectorProduct(y, w, x []float32) {
	fmath.RowProduct(y, len(x), x, 1, w, 1, len(x))
}

// gateOffsets returns where in a layout each of the named gates begins, in elements.
func gateOffsets(layout, gates string, hidden int) (at [4]int) {
	for i := range len(gates) {
		at[i] = strings.IndexByte(layout, gates[i]) * hidden
	}
	return at
}

// recurrentCase returns a case of d, a network or cell with that many gates and states.
func (r *Rand) recurrentCase(d *Def, gates, states int) Case {
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
	functions := make([]string, states+1)
	for i := range functions {
		functions[i] = Pick(r, []string{"relu", "sigmoid", "tanh"})
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
		if !o.Optional || r.Bool() {
			x = r.Uniform(t, v.operand(o.Name, gates), -1, 1)
		}
		c.In = append(c.In, x)
	}
	return c
}
