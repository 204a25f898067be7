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
	{Name: "windows", Op: "max_pool", In: []op.Types{float32s}, Prepare: greatestInWindows},
	{Name: "columns", Op: "gemm", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "columns", Op: "linear", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "columns", Op: "matmul", In: []op.Types{float32s, float32s}, Prepare: multiplyColumns},
	{Name: "groups", Op: "softmax", In: []op.Types{float32s}, Prepare: computeSoftmax},
	{Name: "groups", Op: "layer_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
	{Name: "groups", Op: "instance_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
	{Name: "groups", Op: "rms_normalization", In: []op.Types{float32s}, Prepare: normalizeRows},
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

// convert returns the function that brings a value from one layout to another: 16 elements, which lie planes apart, are together in the other.
func (m *maker) convert(p *engine.ImagePart) int {
	f := m.newFunction(kernelType)
	from, to := p.Call.In[0], p.Call.Out[0]
	shape, into := from.Shape(), p.Out == kernel.Blocked16
	if !into {
		shape = to.Shape()
	}
	size := from.DType().Size()
	plane := shape[2:].Len()
	load, store := map[int]byte{1: 0x2D, 2: 0x2F, 4: 0x28, 8: 0x29}[size], map[int]byte{1: 0x3A, 2: 0x3B, 4: 0x36, 8: 0x37}[size]
	x, y := f.i32(), f.i32()
	m.push(f.Code, from.Bytes())
	f.Set(x)
	m.push(f.Code, to.Bytes())
	f.Set(y)
	blocks := geometry.CeilDiv(shape[1], block)
	some := func(channels, times int) {
		if times == 0 {
			return
		}
		f.loop(times, func() {
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
			if into {
				f.move(x, (channels-1)*plane*size)
			} else {
				f.move(y, (channels-1)*plane*size)
			}
		})
	}
	f.loop(shape[0], func() {
		last := shape[1] - (blocks-1)*block
		if last == block {
			some(block, blocks)
			return
		}
		some(block, blocks-1)
		some(last, 1)
	})
	return m.addFunc("", kernelType, f.Code)
}
