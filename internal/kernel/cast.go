package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// castRows are conversions between element types, for each type to convert from.
func castRows(t *simd.Tier) []Kernel {
	if !t.CastToFloat16.Exists() {
		return nil
	}
	table := map[tensor.DType]map[tensor.DType]*simd.Routine[simd.CastArgs]{
		tensor.Float16:  {tensor.Float32: &t.CastFromFloat16},
		tensor.BFloat16: {tensor.Float32: &t.CastFromBFloat16},
		tensor.Int8: {tensor.Float32: &t.CastFromInt8, tensor.Int16: &t.CastInt8ToInt16, tensor.Uint16: &t.CastInt8ToInt16,
			tensor.Int32: &t.CastInt8ToInt32, tensor.Uint32: &t.CastInt8ToInt32},
		tensor.Uint8: {tensor.Float32: &t.CastFromUint8, tensor.Int16: &t.CastUint8ToInt16, tensor.Uint16: &t.CastUint8ToInt16,
			tensor.Int32: &t.CastUint8ToInt32, tensor.Uint32: &t.CastUint8ToInt32},
		tensor.Int16:   {tensor.Int32: &t.CastInt16ToInt32, tensor.Uint32: &t.CastInt16ToInt32},
		tensor.Uint16:  {tensor.Int32: &t.CastUint16ToInt32, tensor.Uint32: &t.CastUint16ToInt32},
		tensor.Bool:    {tensor.Float32: &t.CastFromUint8, tensor.Int32: &t.CastUint8ToInt32},
		tensor.Int32:   {tensor.Float32: &t.CastFromInt32},
		tensor.Float32: {tensor.Float16: &t.CastToFloat16, tensor.BFloat16: &t.CastToBFloat16},
	}
	var rows []Kernel
	for _, from := range tensor.DTypes() {
		if to := table[from]; to != nil {
			rows = append(rows, Kernel{Name: "elements", Op: "cast", In: []op.Types{op.TypeSet(from)}, Prepare: func(r Region) *Plan {
				return castBy(t.Lanes, to[r.Root().Out[0].Type.DType], r)
			}})
		}
	}
	return rows
}

// castCall is how many elements a call of a routine converts at most.
const castCall = 1 << 14

// castBy prepares a conversion by a routine whose vectors have so many lanes, in the layout in which the operand is there; nil if there is none.
func castBy(lanes int, routine *simd.Routine[simd.CastArgs], r Region) *Plan {
	n := r.Root()
	from, to := n.In[0].Type.DType, n.Out[0].Type.DType
	l := r.Layouts[n.In[0]]
	count := l.Shape(n.Out[0].Type.Shape).Len()
	if routine == nil || len(r.Nodes) > 1 || count < lanes {
		return nil
	}
	p := evenly(count, func(c *op.Call, lo, hi int) {
		// A vector needs as many elements as it has: where a part has fewer, those around it are converted, too, to other memory.
		x, y, watch := c.In[0].Bytes(), c.Out[0].Bytes(), c.Watch()
		for lo < hi && !watch.Stops(castCall) {
			some := min(hi-lo, castCall)
			if some >= lanes {
				routine.Run(&simd.CastArgs{From: simd.At(x, lo*from.Size()), To: simd.At(y, lo*to.Size()), Count: some})
			} else {
				first := min(lo, count-lanes)
				routine.Run(&simd.CastArgs{From: simd.At(x, first*from.Size()), To: simd.At(c.Scratch, 0), Count: lanes})
				copy(y[lo*to.Size():(lo+some)*to.Size()], c.Scratch[(lo-first)*to.Size():])
			}
			lo += some
		}
	})
	p.In, p.Out, p.Scratch = []Layout{l}, []Layout{l}, lanes*to.Size()
	return p
}
