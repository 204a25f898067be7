package wasm

import (
	"encoding/binary"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// makes is what Plan.Code holds: it adds a function of kernelType.
type makes func(m *maker, c *op.Call) (int, error)

// tail is what becomes of sums in blocks of channels before they are written: a bias, then the nodes of a region behind its first one.
type tail struct {
	nodes   []tailNode
	tensors []int // the operands of the call that have the shape of the result
}

// tailNode is a step: its operator is applied to the vector of sums and operands.
type tailNode struct {
	op       string
	operands []operand // those that the vector is not, in order
	first    bool      // whether the vector is the first operand
	channel  []int     // data with the operands by channel
}

// operand is one of a step beside the sums: a number, a list by channel, or a tensor of the shape of the result.
type operand struct {
	list []float32
	in   int // the operand of the call, if it is a tensor
}

// vectorOps are the operators that a step may be, on vectors: what is pushed by functions.
var vectorOps = map[string]struct {
	operands int
	emit     func(f *function, a, b func())
}{
	"add":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Add) }},
	"sub":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Sub) }},
	"mul":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Mul) }},
	"div":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Div) }},
	"max":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Max) }},
	"min":  {2, func(f *function, a, b func()) { a(); b(); f.SIMD(f32x4Min) }},
	"relu": {1, func(f *function, a, _ func()) { a(); f.vector(0); f.SIMD(f32x4Max) }},
	"abs":  {1, func(f *function, a, _ func()) { a(); f.SIMD(f32x4Abs) }},
	"sqrt": {1, func(f *function, a, _ func()) { a(); f.SIMD(f32x4Sqrt) }},
}

// tailOf returns the tail of a region whose first node has that operand as bias, and false if a node is none that vectors have.
func tailOf(r kernel.Region, bias int) (*tail, bool) {
	root := r.Root()
	shape := root.Out[0].Type.Shape
	t := &tail{}
	if bias < len(root.In) && root.In[bias] != nil {
		list := listOf(root.In[bias], graph.Type{DType: tensor.Float32, Shape: tensor.Shape{shape[1]}}, 0)
		if list == nil {
			return nil, false
		}
		t.nodes = append(t.nodes, tailNode{op: "add", first: true, operands: []operand{{list: list}}})
	}
	last, in := root.Out[0], len(root.In)
	for _, n := range r.Nodes[1:] {
		if n.Op == normalizing { // Without this references would compute it.
			k := factors(n, 1)
			if n.In[0] != last || k == nil {
				return nil, false
			}
			t.nodes = append(t.nodes, tailNode{op: n.Op, first: true, operands: []operand{{list: k[0]}, {list: k[1]}, {list: k[2]}}})
			last, in = n.Out[0], in+len(n.In)-1
			continue
		}
		s := tailNode{op: n.Op}
		known := vectorOps[n.Op]
		limit := n.Op == "clamp"
		if known.operands != len(n.In) && !limit || n.Out[0].Type.DType != tensor.Float32 {
			return nil, false
		}
		for i, v := range n.In {
			if v == last {
				s.first = i == 0
				continue
			}
			o := operand{in: in}
			in++
			switch {
			case v == nil: // which only a clamp has
				s.operands = append(s.operands, operand{in: -1})
				continue
			case v.Type.Shape.Equal(shape) && v.Const == nil:
				t.tensors = append(t.tensors, o.in)
			default:
				if o.list = listOf(v, n.Out[0].Type, 1); o.list == nil {
					return nil, false
				}
			}
			s.operands = append(s.operands, o)
		}
		if limit && !s.first {
			return nil, false
		}
		t.nodes = append(t.nodes, s)
		last = n.Out[0]
	}
	return t, true
}

const normalizing = "batch_normalization"

// factors returns what a batch normalization of the channels of an axis with constant parameters computes with, fma(x - mean, k, offset): lists of as many
// numbers, of mean, k and offset; nil for another.
func factors(n *graph.Node, axis int) (list [][]float32) {
	shape := n.In[0].Type.Shape
	if n.Attrs.Int("axis") != axis || len(shape) <= axis {
		return nil
	}
	by := [][]float32{{0}, {0}, {0}, {1}} // mean, variance, offset, scale
	for i, v := range n.In[1:] {
		switch {
		case v == nil:
		case v.Const == nil || v.Type.DType != tensor.Float32:
			return nil
		default:
			by[i] = tensor.Data[float32](v.Const.Contiguous())
		}
	}
	of := func(i, c int) float32 { return by[i][min(c, len(by[i])-1)] }
	list = make([][]float32, 3)
	epsilon := float32(n.Attrs.Float("epsilon"))
	for c := range shape[axis] {
		k := fmath.Rsqrt(of(1, c)+epsilon) * of(3, c)
		list[0], list[1], list[2] = append(list[0], of(0, c)), append(list[1], k), append(list[2], of(2, c))
	}
	return list
}

// listOf returns a constant operand that has one number or one for each index along an axis of the result; else nil.
func listOf(v *graph.Value, of graph.Type, axis int) []float32 {
	if v.Const == nil || v.Type.DType != tensor.Float32 {
		return nil
	}
	x, shape := tensor.Data[float32](v.Const.Contiguous()), v.Type.Shape
	along := axis - (len(of.Shape) - len(shape))
	if len(x) != 1 && (along < 0 || shape[along] != len(x) || len(x) != of.Shape[axis]) {
		return nil
	}
	return x
}

// bind adds the lists by channel to a module.
func (t *tail) bind(m *maker) {
	for i := range t.nodes {
		s := &t.nodes[i]
		s.channel = make([]int, len(s.operands))
		for k, o := range s.operands {
			if len(o.list) > 1 {
				d := newMemory(4 * block * geometry.CeilDiv(len(o.list), block))
				d.Align = 16
				for c, x := range o.list {
					binary.LittleEndian.PutUint32(d.Bytes[4*c:], math.Float32bits(x))
				}
				s.channel[k] = m.add(d)
			}
		}
	}
}

// write performs the steps on sums of pixels, of so many vectors each, and writes them.
// It is given locals with where the result begins and where the first channel lies in lists, and the bytes between pixels.
func (t *tail) write(f *function, c *op.Call, sums []int, vectors int, to [3]int) {
	out, channel, apart := to[0], to[1], to[2]
	beside := make(map[int]int) // where the elements of a tensor lie that belong to the tile
	for _, in := range t.tensors {
		at := f.i32()
		f.Get(out)
		f.m.push(f.Code, c.Out[0])
		f.Op(i32Sub)
		f.m.push(f.Code, c.In[in])
		f.Op(i32Add)
		f.Set(at)
		beside[in] = at
	}
	for _, s := range t.nodes {
		for i := range vectors {
			var pushes []func(pixel int)
			for k, o := range s.operands {
				switch {
				case len(o.list) == 1:
					pushes = append(pushes, func(int) { f.vector(o.list[0]) })
				case o.list != nil:
					v := f.v128()
					f.Ref(wasmobj.ToData, s.channel[k], 0)
					f.Get(channel)
					f.Op(i32Add)
					f.SIMD(v128Load, vectorMemory, uint64(16*i))
					f.Set(v)
					pushes = append(pushes, func(int) { f.Get(v) })
				case o.in < 0:
					pushes = append(pushes, nil)
				default:
					pushes = append(pushes, func(p int) { f.load(beside[o.in], p*apart+16*i) })
				}
			}
			for p := range len(sums) / vectors {
				sum := sums[p*vectors+i]
				f.step(&s, sum, p, pushes)
			}
		}
	}
	for k, sum := range sums {
		f.canonical(sum)
		f.store(out, k/vectors*apart+k%vectors*16, sum)
	}
}

// normalize sets a local to (x - mean)·k + offset.
func (f *function) normalize(to int, x, mean, k, offset func()) {
	centred, sum := f.v128(), f.v128()
	x()
	mean()
	f.SIMD(f32x4Sub)
	f.Set(centred)
	offset()
	f.Set(sum)
	f.madd(sum, func() { f.Get(centred) }, k)
	f.Get(sum)
	f.Set(to)
}

// step applies a step to a local.
func (f *function) step(s *tailNode, sum, p int, pushes []func(int)) {
	own := func() { f.Get(sum) }
	other := func(i int) func() { return func() { pushes[i](p) } }
	switch {
	case s.op == normalizing:
		f.normalize(sum, own, other(0), other(1), other(2))
		return
	case s.op == "clamp": // max(min(x, b), a)
		f.Get(sum)
		if len(pushes) > 1 && pushes[1] != nil {
			pushes[1](p)
			f.SIMD(f32x4Min)
		}
		if pushes[0] != nil {
			pushes[0](p)
			f.SIMD(f32x4Max)
		}
	case s.first:
		vectorOps[s.op].emit(f, own, other(0))
	default:
		vectorOps[s.op].emit(f, other(0), own)
	}
	f.Set(sum)
}
