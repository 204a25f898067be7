package op

import (
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/tensor"
)

var rnn = recurrentDef(3, 1, 1, rnnVectors, rnnKernel[float32], rnnKernel[float64], &Def{
	Name: "rnn",
	Doc: "Rnn runs a simple recurrent network over a sequence (ONNX, RNN). D is the number of directions, B the batch size, I the input size." +
		"\n\nOne step makes of the state h the state f((b + rb) + (x·Wᵀ + h·Rᵀ)). " + recurrentDoc + sequenceDoc,
	In: []Operand{
		{Name: "input", Doc: "(steps, B, I)"},
		{Name: "weight", Doc: "weights W of the input (D, H, I)"},
		{Name: "recurrent_weight", Doc: "weights R of the state (D, H, H)"},
		{Name: "bias", Optional: true, Doc: "biases b (D, H)"},
		{Name: "recurrent_bias", Optional: true, Doc: "biases rb (D, H)"},
		{Name: "initial_hidden_state", Optional: true, Doc: "state h before the first step (D, B, H); 0 if absent"},
		lengthsOperand,
	},
	Out: []Result{
		{Name: "output", Like: "input", Doc: "state after the last step (D, B, H)"},
		{Name: "sequence", Like: "input", Variadic: true, Doc: "with return_sequence, the states after each step (steps, D, B, H)"},
	},
	Attrs: networkAttrs(activationsAttr("the function f", "tanh"), stepsAttr, hiddenSizeAttr, sequenceAttr, directionAttr),
})

// rnnVectors is how many vectors of the hidden size a step needs: two products.
const rnnVectors = 2

// rnnKernel makes each batch item of each direction a piece. The state lives in the result.
func rnnKernel[T fmath.Float](c *Call, lo, hi int) {
	v := recurrentSize(c.In[0].Shape(), c.Attrs)
	x, n := tensor.Data[T](c.In[0]), v.hidden
	watch := c.Watch()
	for piece := lo; piece < hi; piece++ {
		dir, item := piece/v.batch, piece%v.batch
		w, r := vector[T](c, 1, dir, n*v.input), vector[T](c, 2, dir, n*n)
		b, rb := vector[T](c, 3, dir, n), vector[T](c, 4, dir, n)
		f, work := gatesOf[T](c, dir, 1), scratchOf[T](&v, c, rnnVectors)
		products, recurrent := work[:n], work[n:]
		h := stateOf[T](&v, c, 0, 5, piece)
		length := v.length(c, 6, item)
		blank[T](&v, c, 1, length, piece)
		for t := range length {
			if watch.Stops(len(w) + len(r)) {
				return
			}
			now := v.step(c, dir, t, length)
			vectorProduct(products, w, x[(now*v.batch+item)*v.input:][:v.input])
			vectorProduct(recurrent, r, h)
			for j := range h {
				h[j] = canonical(f[0].of((elementOr0(b, j) + elementOr0(rb, j)) + (products[j] + recurrent[j])))
			}
			keep(&v, c, 1, now, piece, h)
		}
	}
}
