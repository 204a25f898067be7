package op

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// gruDoc is the definition of one step. Its parentheses are those of WebNN's gruCell.
const gruDoc = "\n\nThe gates z and r are f₀((b + rb) + (x·Wᵀ + h·Rᵀ)), with the rows of weights and biases that layout gives them. " +
	"With reset_after, n is f₁(b + (x·Wᵀ + r · (rb + h·Rᵀ))), else f₁((b + rb) + (x·Wᵀ + (r·h)·Rᵀ)). " +
	"The new state is h' = z·h + n · (1 - z). " + recurrentDoc

var (
	gruLayouts     = []string{"zrn", "rzn"}
	gruActivations = activationsAttr("functions f₀ of the gates z and r, and f₁ of the gate n", "sigmoid", "tanh")
	gruLayout      = layoutAttr(gruLayouts, "order of the gates update (z), reset and new in weights and biases")
	resetAfterAttr = Attr{Name: "reset_after", Kind: graph.KindBool, Default: true, Doc: "whether the reset gate applies to the product of the state, not to the state"}
)

var gru = recurrentDef(3, 3, 1, gruVectors, gruKernel[float32], gruKernel[float64], &Def{
	Name: "gru",
	Doc: "Gru runs a gated recurrent unit over a sequence, gru_cell step by step (WebNN, gru). " +
		"D is the number of directions, B the batch size, I the input size." + gruDoc + sequenceDoc,
	Spec: Spec{WebNN: "gru"},
	In: []Operand{
		{Name: "input", Doc: "(steps, B, I)"},
		{Name: "weight", Doc: "weights W of the input (D, 3·H, I)"},
		{Name: "recurrent_weight", Doc: "weights R of the state (D, 3·H, H)"},
		{Name: "bias", Optional: true, Doc: "biases b (D, 3·H)"},
		{Name: "recurrent_bias", Optional: true, Doc: "biases rb (D, 3·H)"},
		{Name: "initial_hidden_state", Optional: true, Doc: "state h before the first step (D, B, H); 0 if absent"},
		lengthsOperand,
	},
	Out: []Result{
		{Name: "output", Like: "input", Doc: "state after the last step (D, B, H)"},
		{Name: "sequence", Like: "input", Variadic: true, Doc: "with return_sequence, the states after each step (steps, D, B, H)"},
	},
	Attrs: networkAttrs(gruActivations, stepsAttr, hiddenSizeAttr, resetAfterAttr, sequenceAttr, directionAttr, gruLayout),
})

var gruCell = recurrentDef(2, 3, 1, gruVectors, gruCellKernel[float32], gruCellKernel[float64], &Def{
	Name: "gru_cell",
	Doc: "Gru_cell makes one step of a gated recurrent unit (WebNN, gruCell). " +
		"B is the batch size, I the input size." + gruDoc,
	Spec: Spec{WebNN: "gruCell"},
	In: []Operand{
		{Name: "input", Doc: "(B, I)"},
		{Name: "weight", Doc: "weights W of the input (3·H, I)"},
		{Name: "recurrent_weight", Doc: "weights R of the state (3·H, H)"},
		{Name: "hidden_state", Doc: "state h (B, H)"},
		{Name: "bias", Optional: true, Doc: "biases b (3·H)"},
		{Name: "recurrent_bias", Optional: true, Doc: "biases rb (3·H)"},
	},
	Out:   []Result{{Name: "output", Like: "input", Doc: "state after the step (B, H)"}},
	Attrs: []Attr{hiddenSizeAttr, resetAfterAttr, gruLayout, gruActivations},
	Body: cellBody(gruLayouts) +
		"r = " + bodySum("r") + "; rt = " + bodyFunction("r", 0) + ";\n" +
		"z = " + bodySum("z") + "; zt = " + bodyFunction("z", 0) + ";\n" +
		"n = bias_n + (input_n + rt * (recurrent_bias_n + state_n)) if reset_after else\n" +
		"    (bias_n + recurrent_bias_n) + (input_n + slice(matmul(rt * hidden_state, recurrent_weight, transposeB = true),\n" +
		"        axes = [1], begin = [begin_n], end = [begin_n + hidden_size]));\n" +
		"nt = " + bodyFunction("n", 1) + ";\n" +
		"output = zt * hidden_state + nt * (1.0 - zt);",
})

// gruVectors is how many vectors of the hidden size a step needs: two products for each gate, and the reset state.
const gruVectors = 7

// gruStep is what the steps of one direction have in common. Absent vectors are nil.
type gruStep[T fmath.Float] struct {
	hidden                     int
	gate                       [4]int // where the gates z, r and n begin in weights and biases
	w, r, b, rb                []T
	f                          [3]gateFunction[T]
	resetAfter                 bool
	products, recurrent, reset []T
}

func newGRUStep[T fmath.Float](c *Call, hidden int) gruStep[T] {
	return gruStep[T]{hidden: hidden, gate: gateOffsets(c.String("layout"), "zrn", hidden), f: gatesOf[T](c, 0, 2), resetAfter: c.Bool("reset_after")}
}

// work gives the step its working memory.
func (s *gruStep[T]) work(memory []T) {
	n := s.hidden
	s.products, s.recurrent, s.reset = memory[:3*n], memory[3*n:6*n], memory[6*n:]
}

// sum returns the argument of the function of a gate that begins at j.
func (s *gruStep[T]) sum(j int) T {
	return (elementOr0(s.b, j) + elementOr0(s.rb, j)) + (s.products[j] + s.recurrent[j])
}

// run makes one step for one batch item, from the state h to next, which may be the same memory.
func (s *gruStep[T]) run(x, h, next []T) {
	n := s.hidden
	z, r, fresh := s.gate[0], s.gate[1], s.gate[2]
	vectorProduct(s.products, s.w, x)
	vectorProduct(s.recurrent, s.r, h)
	if !s.resetAfter {
		for j, v := range h {
			s.reset[j] = s.f[0].of(s.sum(r+j)) * v
		}
		vectorProduct(s.recurrent[fresh:][:n], s.r[fresh*n:][:n*n], s.reset)
	}
	for j, v := range h {
		var sum T
		if k := fresh + j; s.resetAfter {
			reset := T(s.f[0].of(s.sum(r+j)) * (elementOr0(s.rb, k) + s.recurrent[k]))
			sum = elementOr0(s.b, k) + (s.products[k] + reset)
		} else {
			sum = s.sum(k)
		}
		update := s.f[0].of(s.sum(z + j))
		next[j] = canonical(T(update*v) + T(s.f[1].of(sum)*(1-update)))
	}
}

// gruKernel makes each batch item of each direction a piece. The state lives in the result.
func gruKernel[T fmath.Float](c *Call, lo, hi int) {
	v := recurrentSize(c.In[0].Shape(), c.Attrs)
	x, n := tensor.Data[T](c.In[0]), v.hidden
	s := newGRUStep[T](c, n)
	watch := c.Watch()
	for piece := lo; piece < hi; piece++ {
		dir, item := piece/v.batch, piece%v.batch
		s.w, s.r = vector[T](c, 1, dir, 3*n*v.input), vector[T](c, 2, dir, 3*n*n)
		s.b, s.rb = vector[T](c, 3, dir, 3*n), vector[T](c, 4, dir, 3*n)
		s.f = gatesOf[T](c, dir, 2)
		s.work(scratchOf[T](&v, c, gruVectors))
		h := stateOf[T](&v, c, 0, 5, piece)
		length := v.length(c, 6, item)
		blank[T](&v, c, 1, length, piece)
		for t := range length {
			if watch.Stops(len(s.w) + len(s.r)) {
				return
			}
			now := v.step(c, dir, t, length)
			s.run(x[(now*v.batch+item)*v.input:][:v.input], h, h)
			keep(&v, c, 1, now, piece, h)
		}
	}
}

func gruCellKernel[T fmath.Float](c *Call, lo, hi int) {
	v := recurrentSize(c.In[0].Shape(), c.Attrs)
	n := v.hidden
	s := newGRUStep[T](c, n)
	s.w, s.r = vector[T](c, 1, 0, 3*n*v.input), vector[T](c, 2, 0, 3*n*n)
	s.b, s.rb = vector[T](c, 4, 0, 3*n), vector[T](c, 5, 0, 3*n)
	watch := c.Watch()
	for item := lo; item < hi && !watch.Stops(len(s.w)+len(s.r)); item++ {
		s.work(scratchOf[T](&v, c, gruVectors))
		s.run(vector[T](c, 0, item, v.input), vector[T](c, 3, item, n), tensor.Data[T](c.Out[0])[item*n:][:n])
	}
}
