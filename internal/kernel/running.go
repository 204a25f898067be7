package kernel

import (
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// runningRows are running sums and products along another axis than the last: each row is that of an element-wise operator on the one before it.
func runningRows(t *simd.Tier) []Kernel {
	if t.Elements == nil {
		return nil
	}
	row := func(name, routine string, start float32) Kernel {
		return Kernel{Name: "rows", Op: name, In: []op.Types{float32s}, Prepare: alone(func(a *application) *Plan { return running(a, t.Elements[routine], start) })}
	}
	return []Kernel{row("cumulative_sum", "add", 0), row("cumulative_product", "mul", 1)}
}

// runningWidth is how many elements of a row a piece has at most.
const runningWidth = 1 << 10

func running(a *application, f simd.Routine[simd.ElementsArgs], start float32) *Plan {
	in, axis, exclusive, reversed := a.in[0].Shape, a.Int("axis"), a.Bool("exclusive"), a.Bool("reversed")
	rows, inner := in[axis], in[axis+1:].Len()
	if inner < block {
		return nil
	}
	parts := geometry.CeilDiv(inner, runningWidth)
	return &Plan{Pieces: in[:axis].Len() * parts, Nanos: int64(in.Len()) / 2, Run: func(c *op.Call, lo, hi int) {
		x, y, watch := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.Out[0]), c.Watch()
		for p := lo; p < hi; p++ {
			first := p % parts * runningWidth
			n, at, step := min(runningWidth, inner-first), p/parts*rows*inner+first, inner
			if reversed {
				at, step = at+(rows-1)*inner, -inner
			}
			splat(y[at:][:n], start)
			before := at
			for i := range rows {
				if watch.Stops(n) {
					return
				}
				switch {
				case !exclusive:
					elementsOf(&f, n, simd.At(y, at), simd.At(y, before), simd.At(x, at))
				case i > 0:
					elementsOf(&f, n, simd.At(y, at), simd.At(y, before), simd.At(x, before))
				}
				before, at = at, at+step
			}
		}
	}}
}
