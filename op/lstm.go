package op

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

// lstmDoc is the definition of one step. Its parentheses are those of WebNN's lstmCell.
const lstmDoc = "\n\nThe gates i, o and f are f₀(c·p + ((b + rb) + (x·Wᵀ + h·Rᵀ))) and g is f₁((b + rb) + (x·Wᵀ + h·Rᵀ)), with the rows of weights and biases that " +
	"layout gives them. The new states are c' = f·c + i·g and h' = o · f₂(c'). Without peepholes p the term c·p is left out. " + recurrentDoc

// lstmOptions says what only the network has.
const lstmOptions = " With peephole_output = 'after' the gate o takes c' in place of c (ONNX, LSTM); with coupled the gate f is 1 - i."

const lstmLayoutDoc = "order of the gates input, output, forget and cell (g) in weights and biases"

var (
	lstmLayouts     = []string{"iofg", "ifgo"}
	lstmActivations = activationsAttr("functions f₀ of the gates i, o and f, f₁ of the gate g, and f₂ of the cell state", "sigmoid", "tanh", "tanh")
)

var lstm = recurrentDef(3, 4, 2, lstmVectors, lstmKernel[float32], lstmKernel[float64], &Def{
	Name: "lstm",
	Doc: "Lstm runs a long short-term memory network over a sequence, lstm_cell step by step (WebNN, lstm). " +
		"D is the number of directions, B the batch size, I the input size." + lstmDoc + lstmOptions + sequenceDoc,
	Spec: Spec{WebNN: "lstm"},
	In: []Operand{
		{Name: "input", Doc: "(steps, B, I)"},
		{Name: "weight", Doc: "weights W of the input (D, 4·H, I)"},
		{Name: "recurrent_weight", Doc: "weights R of the hidden state (D, 4·H, H)"},
		{Name: "bias", Optional: true, Doc: "biases b (D, 4·H)"},
		{Name: "recurrent_bias", Optional: true, Doc: "biases rb (D, 4·H)"},
		{Name: "peephole_weight", Optional: true, Doc: "weights p of the cell state (D, 3·H), for the gates i, o and f in this order"},
		{Name: "initial_hidden_state", Optional: true, Doc: "state h before the first step (D, B, H); 0 if absent"},
		{Name: "initial_cell_state", Optional: true, Doc: "state c before the first step (D, B, H); 0 if absent"},
		lengthsOperand,
	},
	Out: []Result{
		{Name: "output_hidden", Like: "input", Doc: "hidden state after the last step (D, B, H)"},
		{Name: "output_cell", Like: "input", Doc: "cell state after the last step (D, B, H)"},
		{Name: "sequence", Like: "input", Variadic: true, Doc: "with return_sequence, the hidden states after each step (steps, D, B, H)"},
	},
	Attrs: append(networkAttrs(lstmActivations, stepsAttr, hiddenSizeAttr, sequenceAttr, directionAttr, layoutAttr(lstmLayouts, lstmLayoutDoc)),
		Attr{Name: "peephole_output", Kind: graph.KindString, Default: "before", Enum: []string{"before", "after"},
			Doc: "whether the peephole of the gate o sees the cell state before the step or after it"},
		Attr{Name: "coupled", Kind: graph.KindBool, Default: false, Doc: "whether the gate f is 1 - i"}),
})

var lstmCell = recurrentDef(2, 4, 2, lstmVectors, lstmCellKernel[float32], lstmCellKernel[float64], &Def{
	Name: "lstm_cell",
	Doc: "Lstm_cell makes one step of a long short-term memory network (WebNN, lstmCell). " +
		"B is the batch size, I the input size." + lstmDoc,
	Spec: Spec{WebNN: "lstmCell"},
	In: []Operand{
		{Name: "input", Doc: "(B, I)"},
		{Name: "weight", Doc: "weights W of the input (4·H, I)"},
		{Name: "recurrent_weight", Doc: "weights R of the hidden state (4·H, H)"},
		{Name: "hidden_state", Doc: "state h (B, H)"},
		{Name: "cell_state", Doc: "state c (B, H)"},
		{Name: "bias", Optional: true, Doc: "biases b (4·H)"},
		{Name: "recurrent_bias", Optional: true, Doc: "biases rb (4·H)"},
		{Name: "peephole_weight", Optional: true, Doc: "weights p of the cell state (3·H), for the gates i, o and f in this order"},
	},
	Out: []Result{
		{Name: "output_hidden", Like: "input", Doc: "hidden state after the step (B, H)"},
		{Name: "output_cell", Like: "input", Doc: "cell state after the step (B, H)"},
	},
	Attrs: []Attr{hiddenSizeAttr, layoutAttr(lstmLayouts, lstmLayoutDoc), lstmActivations},
	Body: cellBody(lstmLayouts) +
		"i = " + peepholeTerm(0) + " + (" + bodySum("i") + "); it = " + bodyFunction("i", 0) + ";\n" +
		"o = " + peepholeTerm(1) + " + (" + bodySum("o") + "); ot = " + bodyFunction("o", 0) + ";\n" +
		"f = " + peepholeTerm(2) + " + (" + bodySum("f") + "); ft = " + bodyFunction("f", 0) + ";\n" +
		"g = " + bodySum("g") + "; gt = " + bodyFunction("g", 1) + ";\n" +
		"output_cell = ft * cell_state + it * gt;\n" +
		"output_hidden = ot * (" + bodyFunction("output_cell", 2) + ");",
})

// peepholeTerm writes the product of the cell state and peephole vector k in NNEF. It is absent without peepholes.
func peepholeTerm(k int) string {
	return fmt.Sprintf("mul(cell_state, unsqueeze(slice(peephole_weight, axes = [0], begin = [%d * hidden_size], end = [%d * hidden_size]), axes = [0]))", k, k+1)
}

// lstmVectors is how many vectors of the hidden size a step needs: two products for each gate.
const lstmVectors = 8

// lstmStep is what the steps of one direction have in common. Absent vectors are nil.
type lstmStep[T fmath.Float] struct {
	hidden              int
	gate                [4]int // where the gates i, o, f and g begin in weights and biases
	w, r, b, rb, p      []T
	f                   [3]gateFunction[T]
	after, coupled      bool
	products, recurrent []T // of the gates
}

func newLSTMStep[T fmath.Float](c *Call, hidden int) lstmStep[T] {
	return lstmStep[T]{hidden: hidden, gate: gateOffsets(c.String("layout"), "iofg", hidden), f: gatesOf[T](c, 0, 3),
		after: c.String("peephole_output") == "after", coupled: c.Bool("coupled")}
}

// sum returns the argument of the function of gate k, peepholes left aside.
func (s *lstmStep[T]) sum(k, j int) T {
	j += s.gate[k]
	return (elementOr0(s.b, j) + elementOr0(s.rb, j)) + (s.products[j] + s.recurrent[j])
}

// peephole returns gate k, which is not g, for the cell state c.
func (s *lstmStep[T]) peephole(k, j int, c T) T {
	sum := s.sum(k, j)
	if s.p != nil {
		sum = T(c*s.p[k*s.hidden+j]) + sum
	}
	return s.f[0].of(sum)
}

// run makes one step for one batch item, from the states h and c to nextH and nextC, which may be the same memory.
func (s *lstmStep[T]) run(x, h, c, nextH, nextC []T) {
	vectorProduct(s.products, s.w, x)
	vectorProduct(s.recurrent, s.r, h)
	for j, cell := range c {
		i := s.peephole(0, j, cell)
		f := 1 - i
		if !s.coupled {
			f = s.peephole(2, j, cell)
		}
		g := s.f[1].of(s.sum(3, j))
		next := canonical(T(f*cell) + T(i*g))
		if s.after {
			cell = next
		}
		nextC[j] = next
		nextH[j] = canonical(s.peephole(1, j, cell) * s.f[2].of(next))
	}
}

// lstmKernel makes each batch item of each direction a piece. The states live in the results.
func lstmKernel[T fmath.Float](c *Call, lo, hi int) {
	v := recurrentSize(c.In[0].Shape(), c.Attrs)
	x, n := tensor.Data[T](c.In[0]), v.hidden
	s := newLSTMStep[T](c, n)
	watch := c.Watch()
	for piece := lo; piece < hi; piece++ {
		dir, item := piece/v.batch, piece%v.batch
		s.w, s.r = vector[T](c, 1, dir, 4*n*v.input), vector[T](c, 2, dir, 4*n*n)
		s.b, s.rb, s.p = vector[T](c, 3, dir, 4*n), vector[T](c, 4, dir, 4*n), vector[T](c, 5, dir, 3*n)
		s.f = gatesOf[T](c, dir, 3)
		work := scratchOf[T](&v, c, lstmVectors)
		s.products, s.recurrent = work[:4*n], work[4*n:]
		h, cell := stateOf[T](&v, c, 0, 6, piece), stateOf[T](&v, c, 1, 7, piece)
		length := v.length(c, 8, item)
		blank[T](&v, c, 2, length, piece)
		for t := range length {
			if watch.Stops(len(s.w) + len(s.r)) {
				return
			}
			now := v.step(c, dir, t, length)
			s.run(x[(now*v.batch+item)*v.input:][:v.input], h, cell, h, cell)
			keep(&v, c, 2, now, piece, h)
		}
	}
}

func lstmCellKernel[T fmath.Float](c *Call, lo, hi int) {
	v := recurrentSize(c.In[0].Shape(), c.Attrs)
	n := v.hidden
	s := newLSTMStep[T](c, n)
	s.w, s.r = vector[T](c, 1, 0, 4*n*v.input), vector[T](c, 2, 0, 4*n*n)
	s.b, s.rb, s.p = vector[T](c, 5, 0, 4*n), vector[T](c, 6, 0, 4*n), vector[T](c, 7, 0, 3*n)
	watch := c.Watch()
	for item := lo; item < hi && !watch.Stops(len(s.w)+len(s.r)); item++ {
		work := scratchOf[T](&v, c, lstmVectors)
		s.products, s.recurrent = work[:4*n], work[4*n:]
		s.run(vector[T](c, 0, item, v.input), vector[T](c, 3, item, n), vector[T](c, 4, item, n),
			tensor.Data[T](c.Out[0])[item*n:][:n], tensor.Data[T](c.Out[1])[item*n:][:n])
	}
}
