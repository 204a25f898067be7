package wasm

import (
	"slices"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

var float32s = op.TypeSet(tensor.Float32)

// vectors is the tier of kernels that modules have. What it does not take, the references compute.
var vectors = kernel.Tier{Name: "wasm", Kernels: append([]kernel.Kernel{
	{Name: "tiles", Op: "conv", In: []op.Types{float32s, float32s}, Prepare: convolveTiles},
	{Name: "dots", Op: "conv", In: []op.Types{bits8, bits8}, Prepare: convolveIntegers},
	{Name: "tiles", Op: "deconv", In: []op.Types{float32s, float32s}, Prepare: convolveUp},
	{Name: "windows", Op: "max_pool", In: []op.Types{float32s}, Prepare: poolWindows},
	{Name: "windows", Op: "box", In: []op.Types{float32s}, Prepare: poolWindows},
	{Name: "windows", Op: "max_pool", In: []op.Types{bits8}, Prepare: greatestBytes},
	{Name: "columns", Op: "gemm", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "columns", Op: "linear", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "columns", Op: "matmul", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "steps", Op: "lstm", In: []op.Types{float32s, float32s, float32s}, Prepare: computeLSTM},
	{Name: "steps", Op: "gru", In: []op.Types{float32s, float32s, float32s}, Prepare: computeGRU},
	{Name: "steps", Op: "rnn", In: []op.Types{float32s, float32s, float32s}, Prepare: computeRNN},
	{Name: "groups", Op: "softmax", In: []op.Types{float32s}, Prepare: computeSoftmax},
	{Name: "groups", Op: "layer_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
	{Name: "groups", Op: "instance_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
	{Name: "groups", Op: "rms_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
	{Name: "dots", Op: "matmul", In: []op.Types{bits8, bits8}, Prepare: multiplyIntegers},
	{Name: "dots", Op: "linear", In: []op.Types{bits8, bits8}, Prepare: multiplyIntegers},
	{Name: "codes", Op: "add", In: []op.Types{float32s, float32s}, Prepare: computeCodes, Sources: true},
	{Name: "codes", Op: "quantize_linear", In: []op.Types{float32s, float32s, bits8}, Prepare: computeCodes},
	{Name: "codes", Op: "dequantize_linear", In: []op.Types{bits8, float32s}, Prepare: computeCodes},
	{Name: "codes", Op: "lookup", In: []op.Types{bits8, bits8}, Prepare: lookUp},
}, moreRows()...)}

// moreRows returns the rows of reductions and element-wise operators.
func moreRows() (rows []kernel.Kernel) {
	for _, d := range op.All() {
		if _, ok := reductions[d.Name]; ok {
			rows = append(rows, kernel.Kernel{Name: "groups", Op: d.Name, In: []op.Types{float32s}, Prepare: reduceGroups})
		}
		if d.Traits.Has(op.Elementwise) && d.In[0].Types&float32s != 0 {
			rows = append(rows, kernel.Kernel{Name: "elements", Op: d.Name, In: []op.Types{float32s}, Prepare: computeElements})
		}
	}
	return rows
}

// conversions returns how many blocks of channels a part without nodes brings into another layout: its pieces.
func conversions(p *engine.ImagePart) (items, channels, blocks int) {
	shape := p.Call.In[0].Shape()
	if p.Out != kernel.Blocked16 {
		shape = p.Call.Out[0].Shape()
	}
	return shape[0], shape[1], geometry.CeilDiv(shape[1], block)
}

// convert returns the function that brings a value from one layout to another: 16 elements, which lie planes apart, are together in the other.
func (m *maker) convert(p *engine.ImagePart) int {
	f := m.newFunction(kernelType)
	from, to := p.Call.In[0], p.Call.Out[0]
	_, channels, blocks := conversions(p)
	into, size := p.Out == kernel.Blocked16, from.DType().Size()
	planar := to
	if into {
		planar = from
	}
	plane := planar.Shape()[2:].Len()
	load, store := map[int]byte{1: 0x2D, 2: 0x2F, 4: 0x28, 8: 0x29}[size], map[int]byte{1: 0x3A, 2: 0x3B, 4: 0x36, 8: 0x37}[size]
	x, y := f.i32(), f.i32()
	some := func(channels int) {
		f.loop(plane, func() {
			for c := range channels {
				apart, near := uint64(c*plane*size), uint64(c*size)
				f.Get(y)
				f.Get(x)
				if into {
					f.Uint(load, 0, apart)
					f.Uint(store, 0, near)
				} else {
					f.Uint(load, 0, near)
					f.Uint(store, 0, apart)
				}
			}
			steps := []int{size, block * size}
			if !into {
				slices.Reverse(steps)
			}
			f.move(x, steps[0])
			f.move(y, steps[1])
		})
	}
	f.pieces(func(piece int) {
		item, at := f.divided(piece, blocks)
		apart, near := []term{{item, channels * plane * size}, {at, block * plane * size}}, []term{{piece, block * plane * size}}
		if !into {
			apart, near = near, apart
		}
		f.address(x, func() { m.push(f.Code, from) }, apart...)
		f.address(y, func() { m.push(f.Code, to) }, near...)
		f.parted(at, channels/block, block, channels%block, some)
	})
	return m.addFunc("", kernelType, f.Code)
}
