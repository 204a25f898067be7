package kernel

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators on quantized numbers of 8 bits, codes, with one scale and one zero point: in any layout, one element after the other.

// codeRows returns the rows of a tier that has routines on codes.
func codeRows(t *simd.Tier) []Kernel {
	if t.Quantize.Name == "" {
		return nil
	}
	row := func(name string, prepare func(t *simd.Tier, r Region) *codeElements, types ...op.Types) Kernel {
		return Kernel{Name: "elements", Op: name, In: types, Prepare: func(r Region) *Plan {
			if e := prepare(t, r); e != nil && r.Root().Out[0].Type.Shape.Len() > 0 {
				return e.plan(r)
			}
			return nil
		}}
	}
	sums := row("add", addCodes, float32s, float32s)
	sums.Sources = true
	whole := row("add", addBounded, wider, wider)
	whole.Sources = true
	planes := Kernel{Name: "elements", Op: "sum_reduce", In: []op.Types{op.TypeSet(tensor.Int16, tensor.Int32, tensor.Int64)}, Sources: true,
		Prepare: func(r Region) *Plan { return sumPlanes(t, r) }}
	return []Kernel{
		row("quantize_linear", quantizeCodes, float32s, float32s, bits8),
		row("dequantize_linear", dequantizeCodes, bits8, float32s, bits8),
		row("lookup", lookUpCodes, bits8, bits8),
		sums, whole, planes,
	}
}

// codeElements is the evaluation of element-wise operators on codes.
type codeElements struct {
	routine *simd.Routine[simd.CodesArgs]
	group   int // elements at a time
	args    simd.CodesArgs
	a, b    int    // the operands of the call; b is -1 if there is none
	sizes   [3]int // of elements of a, b and the result, in bytes; that of b is 0 if all elements of the result need all of it
	values  []*graph.Value
}

// The parts of the working memory, which have a group of elements each.
const codesPart = 16 * 4

// plan returns the plan of the elements of a region.
func (e *codeElements) plan(r Region) *Plan {
	out := r.Nodes[len(r.Nodes)-1].Out[0].Type
	layout := Plain
	for _, v := range e.values {
		if r.Layouts[v] == Blocked16 {
			layout = Blocked16
		}
	}
	n := layout.Shape(out.Shape).Len()
	p := evenly(n, nil)
	if n%64 == 0 {
		p.Pieces = n / 64
	}
	each := n / p.Pieces
	p.In, p.Out, p.Scratch = make([]Layout, len(r.Operands())), []Layout{layout}, 3*codesPart
	if p.In[e.a] = layout; e.sizes[1] > 0 {
		p.In[e.b] = layout
	}
	p.Nanos = int64(n)/4 + 1
	p.Run = func(c *op.Call, lo, hi int) { e.run(c, lo*each, hi*each) }
	return p
}

// groupsMost is how many groups a call of a routine has at most.
const groupsMost = 1 << 11

// run computes the elements from…to-1. Those behind the last group go by way of the working memory.
func (e *codeElements) run(c *op.Call, from, to int) {
	args := e.args
	var data [3][]byte
	data[0], data[2] = c.In[e.a].Bytes(), c.Out[0].Bytes()
	if e.b >= 0 {
		data[1] = c.In[e.b].Bytes()
		args.B = simd.At(data[1], 0)
	}
	at := func(i, element int) uintptr { return simd.At(data[i], element*e.sizes[i]) }
	for from < to {
		n := min((to-from)/e.group, groupsMost)
		if n == 0 {
			break
		}
		args.A, args.Out, args.N = at(0, from), at(2, from), n
		if e.sizes[1] > 0 {
			args.B = at(1, from)
		}
		e.routine.Run(&args)
		from += n * e.group
	}
	if from == to {
		return
	}
	rest := func(i int) []byte { return data[i][from*e.sizes[i] : to*e.sizes[i]] }
	part := func(i int) []byte { return c.Scratch[i*codesPart:][:codesPart] }
	clear(part(0))
	copy(part(0), rest(0))
	args.A, args.Out, args.N = simd.At(part(0), 0), simd.At(part(2), 0), 1
	if e.sizes[1] > 0 {
		clear(part(1))
		copy(part(1), rest(1))
		args.B = simd.At(part(1), 0)
	}
	e.routine.Run(&args)
	copy(rest(2), part(2))
}

// bounds sets between which codes the result is, the zero point and whether codes are signed.
func (e *codeElements) bounds(d tensor.DType, zero int64) {
	least, most := d.IntRange()
	e.args.Least, e.args.Most, e.args.Zero = float32(least-zero), float32(int64(most)-zero), int32(zero)
}

// signs says whether the codes that are read are signed.
func (e *codeElements) signs(d tensor.DType) {
	if d.IsSigned() {
		e.args.Signed = 1
	}
}

// known returns the only element of a constant float32.
func known(v *graph.Value) (float32, bool) {
	if v == nil || v.Const == nil || v.Const.Len() != 1 || v.Type.DType != tensor.Float32 {
		return 0, false
	}
	return tensor.Data[float32](v.Const)[0], true
}

// knownInteger returns the only element of a constant integer.
func knownInteger(v *graph.Value) (int64, bool) {
	if v == nil || v.Const == nil || v.Const.Len() != 1 {
		return 0, false
	}
	return integerAt(v.Const, 0), true
}

// moderate reports whether products with codes, and sums of some, are finite.
func moderate(scale float32) bool { return float32(math.Abs(float64(scale))) < 1e30 }

func quantizeCodes(t *simd.Tier, r Region) *codeElements {
	n := r.Root()
	scale, ok := known(n.In[1])
	zero, ok2 := knownInteger(n.In[2])
	if !ok || !ok2 {
		return nil
	}
	e := &codeElements{routine: &t.Quantize, group: 16, b: -1, sizes: [3]int{4, 0, 1}, values: n.In[:1]}
	e.args.Scale = scale
	e.bounds(n.In[2].Type.DType, zero)
	if !e.clamp(r.Nodes) {
		return nil
	}
	return e
}

// clamp narrows the bounds by the nodes behind the first, which must be ones of known bounds. What is NaN becomes 0, which must be within them.
func (e *codeElements) clamp(nodes []*graph.Node) bool {
	if len(nodes) == 1 {
		return true
	}
	zero := int64(e.args.Zero)
	v, rest := boundsBehind(nodes, interval{int64(e.args.Least) + zero, int64(e.args.Most) + zero})
	e.args.Least, e.args.Most = float32(v.from-zero), float32(v.to-zero)
	return len(rest) == 1 && v.from <= 0 && v.to >= 0
}

func dequantizeCodes(t *simd.Tier, r Region) *codeElements {
	n := r.Root()
	scale, ok := known(n.In[1])
	zero, ok2 := knownInteger(n.In[2])
	if len(r.Nodes) > 1 || !ok || !ok2 || !moderate(scale) || n.Out[0].Type.DType != tensor.Float32 {
		return nil
	}
	e := &codeElements{routine: &t.Dequantize, group: 16, b: -1, sizes: [3]int{1, 0, 4}, values: n.In[:1]}
	e.args.Scale, e.args.Zero = scale, int32(zero)
	e.signs(n.In[0].Type.DType)
	return e
}

func lookUpCodes(t *simd.Tier, r Region) *codeElements {
	n := r.Root()
	least, _ := n.In[0].Type.DType.IntRange()
	if len(r.Nodes) > 1 || n.Out[0].Type.DType.Size() != 1 || n.In[1].Type.Shape.Len() != 256 || n.Attrs.Int("offset") != int(-least) {
		return nil
	}
	e := &codeElements{routine: &t.LookUp, group: 64, b: 1, sizes: [3]int{1, 0, 1}, values: n.In[:1]}
	e.signs(n.In[0].Type.DType)
	return e
}

// addCodes is for the sum of two dequantizations, to one of which a number is added before, that is quantized: see docs/numerics.md, Quantised
// networks.
func addCodes(t *simd.Tier, r Region) *codeElements {
	if r.Sources != 2 || len(r.Nodes) < 5 {
		return nil
	}
	x, y, shifted, sum, q := r.Nodes[0], r.Nodes[1], r.Nodes[2], r.Nodes[3], r.Nodes[4]
	a, b := x.In[0].Type, y.In[0].Type
	offset := other(shifted, x.Out[0])
	if x.Op != "dequantize_linear" || y.Op != x.Op || sum.Op != "add" || q.Op != "quantize_linear" || offset == nil || other(sum, shifted.Out[0]) != y.Out[0] ||
		!a.Equal(b) || !a.Shape.Equal(q.Out[0].Type.Shape) || !bits8.Has(q.Out[0].Type.DType) || q.In[0] != sum.Out[0] {
		return nil
	}
	scales := [4]float32{}
	for i, v := range []*graph.Value{x.In[1], y.In[1], offset, q.In[1]} {
		var ok bool
		if scales[i], ok = known(v); !ok || !moderate(scales[i]) {
			return nil
		}
	}
	zeros := [3]int64{}
	for i, v := range []*graph.Value{x.In[2], y.In[2], q.In[2]} {
		var ok bool
		if zeros[i], ok = knownInteger(v); !ok {
			return nil
		}
	}
	if zeros[0] != 0 || zeros[1] != 0 || scales[3] != 1 {
		return nil
	}
	var most float64 // of magnitudes of sums
	for i, of := range []float64{255, 255, 1} {
		most += float64(of * math.Abs(float64(scales[i])))
	}
	if most > 1<<30 {
		return nil
	}
	e := &codeElements{routine: &t.AddCodes, group: 16, a: 0, b: 3, sizes: [3]int{1, 1, 1}, values: []*graph.Value{x.In[0], y.In[0]}}
	e.args.Scale, e.args.BScale, e.args.Offset = scales[0], scales[1], scales[2]
	e.signs(a.DType)
	e.bounds(q.Out[0].Type.DType, zeros[2])
	if !e.clamp(r.Nodes[4:]) {
		return nil
	}
	e.args.From, e.args.To = int32(e.args.Least)+e.args.Zero, int32(e.args.Most)+e.args.Zero
	return e
}

// wider are the types in which sums of two integers of 8 bits are exact.
var wider = op.TypeSet(tensor.Int16, tensor.Int32)

// addBounded is for the sum of two casts of bytes that is bounded and cast back.
func addBounded(t *simd.Tier, r Region) *codeElements {
	if r.Sources != 2 {
		return nil
	}
	x, y, sum := r.Nodes[0], r.Nodes[1], r.Root()
	a, b := x.In[0].Type, y.In[0].Type
	if x.Op != "cast" || y.Op != "cast" || !a.Equal(b) || other(sum, x.Out[0]) != y.Out[0] || !a.Shape.Equal(sum.Out[0].Type.Shape) {
		return nil
	}
	v := rangeOf(a.DType)
	v, rest := boundsBehind(r.Nodes[2:], interval{2 * v.from, 2 * v.to})
	if len(rest) != 2 || rest[1].Op != "cast" || !bits8.Has(rest[1].Out[0].Type.DType) {
		return nil
	}
	if to := rangeOf(rest[1].Out[0].Type.DType); v.from < to.from || v.to > to.to {
		return nil
	}
	e := &codeElements{routine: &t.AddBounded, group: 16, a: 0, b: 1, sizes: [3]int{1, 1, 1}, values: []*graph.Value{x.In[0], y.In[0]}}
	e.args.From, e.args.To = int32(v.from), int32(v.to)
	e.signs(a.DType)
	return e
}

// other returns the operand of an addition besides the given one.
func other(n *graph.Node, v *graph.Value) *graph.Value {
	switch i := slices.Index(n.In, v); {
	case i < 0 || n.Op != "add":
		return nil
	default:
		return n.In[1-i]
	}
}

// sumPlanes prepares the sums over all dimensions behind the channels of codes in blocks, which are cast to wider integers and of which a number may be
// subtracted. The result is plain. A block of channels is a piece.
func sumPlanes(t *simd.Tier, r Region) *Plan {
	switch r.Root().Out[0].Type.DType {
	case tensor.Int16:
		return sumPlanesIn[int16](t, r)
	case tensor.Int32:
		return sumPlanesIn[int32](t, r)
	}
	return sumPlanesIn[int64](t, r)
}

func sumPlanesIn[T int16 | int32 | int64](t *simd.Tier, r Region) *Plan {
	cast, n := r.Nodes[0], r.Root()
	x, zero := cast.In[0], int64(0)
	switch {
	case cast.Op != "cast" || len(r.Nodes) != r.Sources+1:
		return nil
	case r.Sources == 2:
		sub := r.Nodes[1]
		v, ok := knownInteger(sub.In[1])
		if sub.Op != "sub" || sub.In[0] != cast.Out[0] || !ok {
			return nil
		}
		zero = v
	case r.Sources > 2:
		return nil
	}
	shape := x.Type.Shape
	pixels := shape[min(2, len(shape)):].Len()
	if r.Layouts[x] != Blocked16 || pixels > planeMost || pixels == 0 || n.Attrs.Bool("normalize") || !behindChannels(n.Attrs.Ints("axes"), len(shape)) {
		return nil
	}
	args := simd.CodesArgs{N: pixels}
	if x.Type.DType.IsSigned() {
		args.Signed = 1
	}
	blocks, channels, zeros := blocked(shape)[1], shape[1], int64(pixels)*zero
	run := func(c *op.Call, lo, hi int) {
		from, y, watch, args := c.In[0].Bytes(), tensor.Data[T](c.Out[0]), c.Watch(), args
		sums := scratch[int32](c)[:block]
		for ; lo < hi && !watch.Stops(pixels); lo++ {
			args.A, args.Out = simd.At(from, lo*pixels*block), simd.At(sums, 0)
			t.SumCodes.Run(&args)
			first := lo % blocks * block
			to := y[lo/blocks*channels+first:][:min(block, channels-first)]
			for k := range to {
				to[k] = T(int64(sums[k]) - zeros) // which wraps as sums in fewer bits do
			}
		}
	}
	in := make([]Layout, len(r.Operands()))
	in[0] = Blocked16
	return &Plan{In: in, Pieces: shape[0] * blocks, Scratch: 4 * block, Nanos: int64(shape[0]*blocks*pixels)/2 + 1, Run: run}
}

// planeMost is the greatest number of pixels in a plane that is summed in one go.
const planeMost = 1 << 16
