package kernel

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// chain is a sequence of steps on the elements of float32 results, each of which works on what the one before it yields. A run of elements
// goes through all steps while it is in the nearest cache.
type chain struct {
	extents []int // of the result, in the order in which it lies in memory; what can be taken together is one dimension
	run     int   // the last one
	fill    bool  // whether runs are so short that operands are spread out before

	operands []operand
	steps    []step
	truths   simd.Routine[simd.IntegersArgs] // makes float32 of bools
	rest     int                             // where in scratch are the last elements that are cast
	scratch  int                             // bytes: what steps yield, and operands that are spread out or repeated
}

// step computes elements by a routine of [simd.Tier].Elements.
type step struct {
	routine    simd.Routine[simd.ElementsArgs]
	in         [4]int // operands of the chain, or previous, or none
	a, b, c, d float32

	any             func(x float32) float32 // what the routine computes only of numbers between -below and below
	below           float32
	greatest, least simd.Routine[simd.FoldArgs]

	cast     simd.Routine[simd.IntegersArgs] // in place of the routine
	from, to int                             // bytes of an element that is cast, and of what it becomes
}

const (
	previous = -1 // what the step before yields
	none     = -2
)

// operand is what steps read beside what they yield.
type operand struct {
	from    int                            // operand of the call; -1 for a number
	number  float32                        // in all elements
	prepare func(c *op.Call, to []float32) // what yields it before all steps, in working memory from place on; nil for most
	place   int
	extent  int  // elements
	truth   bool // whether they are bools, which are read as 1 and 0

	stride   []int // between neighbours of each dimension
	way      way
	channels int // of those that are read by blocks
	scratch  int // where it is spread or repeated
	period   int // after how many elements it repeats
}

// way is how an operand is read.
type way uint8

const (
	whole    way = iota // it has the elements of the result
	once                // one element
	repeated            // one for a run
	blocks              // a block of channels for a run
	along               // a run of its own
	filled              // spread out
)

// chainRun is how many elements go through all steps at a time: few enough that four operands are in the nearest cache, and enough that calls cost nothing.
const chainRun = 2048

// shortRun is below how many elements a run is too short for calls of its own.
const shortRun = 256

// builder of chains.
type chainBuilder struct {
	chain
	tier   *simd.Tier
	region Region
	shape  tensor.Shape
	layout Layout
	in     []Layout
	nanos  int // for sixteen elements
	ok     bool
}

// elementwise prepares a region of element-wise nodes alone.
func elementwise(t *simd.Tier) func(Region) *Plan {
	return func(r Region) *Plan {
		out := r.Nodes[len(r.Nodes)-1].Out[0].Type
		if out.Shape.Len() == 0 {
			return nil
		}
		b, first := newChain(t, r, out.Shape), 0
		for i, joined := 0, b.gelu(); i < len(r.Nodes); i++ {
			if i >= joined && !b.node(r.Nodes[i], first) {
				return nil
			}
			first += b.outside(r.Nodes[i])
		}
		return b.plan()
	}
}

// newChain returns what a chain for results of a shape begins with.
func newChain(t *simd.Tier, r Region, shape tensor.Shape) *chainBuilder {
	b := &chainBuilder{tier: t, region: r, shape: shape, nanos: 1, ok: true}
	b.truths = t.Integers["from_uint8"]
	b.layout = b.choose()
	if b.layout == Blocked16 {
		s := blocked(b.shape)
		b.extents = []int{s[0], s[1], s[2:].Len()}
	} else {
		b.extents = slices.Clone([]int(b.shape))
	}
	return b
}

// choose returns the layout of the result: that in which all operands of its shape are there, if it is one and the others allow it.
func (b *chainBuilder) choose() Layout {
	seen := false
	for _, v := range b.region.outside() {
		switch {
		case v == nil || v.Type.Shape.Len() == 1:
		case v.Type.Shape.Equal(b.shape):
			if b.region.Layouts[v] != Blocked16 {
				return Plain
			}
			seen = true
		case !b.perChannel(v.Type.Shape):
			return Plain
		}
	}
	for _, n := range b.region.Nodes {
		if f := elementFormulas[n.Op]; f.channels != "" && n.Attrs.Int(f.channels) != 1 {
			return Plain
		}
	}
	if !seen || !Blockable(op.Type{DType: tensor.Float32, Shape: b.shape}) || b.shape[1] <= FewChannels && b.shape[2:].Len() > 1 {
		return Plain
	}
	return Blocked16
}

// perChannel reports whether a shape has only elements for each index of dimension 1 of the result.
func (b *chainBuilder) perChannel(s tensor.Shape) bool {
	return len(b.shape) > 1 && s.Len() == b.shape[1] && (len(s) == 1 || len(s) == len(b.shape) && s[1] == b.shape[1])
}

// outside returns the operands of a region that come from outside, node by node.
func (r Region) outside() []*graph.Value {
	var list []*graph.Value
	for i, n := range r.Nodes {
		for _, v := range n.In {
			if i == 0 || v != r.Nodes[i-1].Out[0] {
				list = append(list, v)
			}
		}
	}
	return list
}

// outside returns how many operands of a node come from outside.
func (b *chainBuilder) outside(n *graph.Node) int {
	k := 0
	for _, v := range n.In {
		if !b.inside(v) {
			k++
		}
	}
	return k
}

// inside reports whether a value is what a node of the region yields for the next one.
func (b *chainBuilder) inside(v *graph.Value) bool {
	return v != nil && v.Producer != nil && v != b.last().Out[0] && slices.Contains(b.region.Nodes, v.Producer)
}

// last returns the last node of the region.
func (b *chainBuilder) last() *graph.Node { return b.region.Nodes[len(b.region.Nodes)-1] }

// node adds the steps of a node, of which the first operand from outside has the given number.
func (b *chainBuilder) node(n *graph.Node, first int) bool {
	if !inChain(n.Out[0]) && (n != b.last() && n.Out[0].Type.DType != tensor.Float16 || n.Op != "cast") || !n.Out[0].Type.Shape.Equal(b.shape) {
		return false
	}
	f, ok := elementFormulas[n.Op]
	if !ok {
		return false
	}
	in := make([]int, len(n.In))
	for i, v := range n.In {
		switch {
		case b.inside(v):
			in[i] = previous
			continue
		case v == nil:
			in[i] = none
		case !inChain(v) && n.Op != "cast":
			return false
		default:
			in[i] = b.read(operand{from: first, truth: v.Type.DType == tensor.Bool && n.Op != "cast"}, v.Type.Shape, f.axis(n))
		}
		first++
	}
	f.steps(b, n, in)
	return b.ok
}

// read adds an operand of the call, in the layout in which it is read.
func (b *chainBuilder) read(o operand, s tensor.Shape, axis int) int {
	if s.Equal(b.shape) {
		b.lies(o.from)
	}
	return b.operand(o, s, axis)
}

// lies notes that an operand of the call, of the result's shape, lies in the result's layout.
func (b *chainBuilder) lies(from int) {
	if b.layout == Blocked16 {
		b.in = append(b.in, slices.Repeat([]Layout{Plain}, from+1-len(b.in))...)
		b.in[from] = Blocked16
	}
}

// gelu adds the step that computes the first nodes of the region at once, if they are one of GELU, and returns how many they are.
func (b *chainBuilder) gelu() int {
	p, ok := isGeluByErf(b.region.Nodes)
	if _, has := b.tier.Elements["gelu_by_erf"]; !ok || !has {
		return 0
	}
	b.step("gelu_by_erf", []int{b.read(operand{}, b.shape, 0)}, p...)
	b.lies(geluAgain)
	return len(geluByErf)
}

// inChain reports whether steps work on a value: on float32, or on truths, which are 1 and 0 between steps.
func inChain(v *graph.Value) bool {
	return v.Type.DType == tensor.Float32 || v.Type.DType == tensor.Bool
}

// step adds a step, whose parameters are attributes or numbers.
func (b *chainBuilder) step(routine string, in []int, p ...float32) {
	r, ok := b.tier.Elements[routine]
	if !ok {
		b.ok = false
		return
	}
	s := step{routine: r, in: [4]int{none, none, none, none}}
	copy(s.in[:], in)
	b.nanos += 1 + slow[routine]
	for i, to := range []*float32{&s.a, &s.b, &s.c, &s.d}[:len(p)] {
		*to = p[i]
	}
	b.steps = append(b.steps, s)
}

// cast adds the step that casts elements of one type to another, of which one is float32.
func (b *chainBuilder) cast(x int, from, to tensor.DType) {
	name := "from_" + from.String()
	switch from {
	case tensor.Bool:
		name = "from_uint8"
	case tensor.Float32:
		name = "to_" + to.String()
	}
	r, ok := b.tier.Integers[name]
	if !ok || (from == tensor.Float32) == (to == tensor.Float32) || x != previous && b.operands[x].from < 0 {
		b.ok = false
	}
	b.steps = append(b.steps, step{cast: r, in: [4]int{x, none, none, none}, from: from.Size(), to: to.Size()})
}

// number returns an operand of which all elements are one number.
func (b *chainBuilder) number(x float32) int {
	return b.operand(operand{from: -1, number: x}, nil, 0)
}

// operand adds an operand of a shape that broadcasts to the result's, or has the extent of an axis of it.
func (b *chainBuilder) operand(o operand, s tensor.Shape, axis int) int {
	o.stride, o.extent = make([]int, len(b.extents)), s.Len()
	switch {
	case o.extent == 1:
		o.way = once
	case s.Equal(b.shape):
		o.way = whole
		n := 1
		for d := len(b.extents) - 1; d >= 0; d-- {
			o.stride[d] = n
			n *= b.extents[d]
		}
	case b.layout == Blocked16:
		o.way, o.stride[1], o.channels = blocks, block, b.shape[1]
	case len(s) < len(b.shape): // the channels of an axis
		o.way, o.stride[axis] = along, 1
	default:
		o.way = along
		n := 1
		for d := len(s) - 1; d >= 0; d-- {
			if s[d] > 1 {
				o.stride[d] = n
			}
			n *= s[d]
		}
	}
	b.operands = append(b.operands, o)
	return len(b.operands) - 1
}

// plan finishes the chain.
func (b *chainBuilder) plan() *Plan {
	b.join()
	k := len(b.extents) - 1
	b.run = b.extents[k]
	n := tensor.Shape(b.extents).Len()
	if b.last().Out[0].Type.DType == tensor.Bool {
		b.steps = append(b.steps, step{cast: b.tier.Integers["to_uint8"], in: [4]int{previous, none, none, none}, from: 4, to: 1})
	}
	b.fill = b.run < shortRun && b.run < n && slices.ContainsFunc(b.operands, func(o operand) bool { return o.way > once })
	if len(b.steps) > 1 {
		b.scratch = 4 * min(n, chainRun)
	}
	for i := range b.operands {
		o := &b.operands[i]
		switch {
		case o.way <= once || o.way == blocks && !b.fill:
		case b.fill:
			o.way = filled
		case o.stride[k] == 0:
			o.way = repeated
		}
		o.period = 1
		for d, s := range o.stride {
			if s > 0 || o.period > 1 {
				o.period *= b.extents[d]
			}
		}
		if o.channels > 0 {
			o.period = n
		}
		o.scratch = b.scratch
		switch o.way {
		case once, repeated, blocks:
			b.scratch += 4 * block
		default:
			if o.way == filled || o.truth {
				b.scratch += 4 * min(n, chainRun)
			}
		}
		if o.prepare != nil {
			o.place = b.scratch
			b.scratch += 4 * o.extent
		}
	}
	if slices.ContainsFunc(b.steps, func(s step) bool { return s.from > 0 || s.any != nil }) || slices.ContainsFunc(b.operands, func(o operand) bool { return o.truth }) {
		b.rest = b.scratch
		b.scratch += 2 * 4 * block
	}
	p := &Plan{In: b.in, Pieces: n / largestDivisor(n), Even: true, Scratch: b.scratch, Nanos: int64(n) * int64(b.nanos) / 16}
	if b.layout == Blocked16 {
		p.Out, p.Pieces = []Layout{Blocked16}, n/block
	}
	p.Run = b.evaluate(n / p.Pieces)
	return p
}

// largestDivisor returns the largest power of two up to 64 that divides n: as many elements fill a line of a cache, or several.
func largestDivisor(n int) int { return min(n&-n, 64) }

// join takes dimensions together that all operands walk through in one go.
func (b *chainBuilder) join() {
	if len(b.extents) == 0 {
		b.extents = []int{1}
		for i := range b.operands {
			b.operands[i].stride = []int{0}
		}
	}
	strides := make([]*[]int, len(b.operands))
	for i := range b.operands {
		strides[i] = &b.operands[i].stride
	}
	b.extents = Join(b.extents, strides)
}

// Join takes neighbouring dimensions together that all operands, of which these are the strides, walk through in one go.
func Join(extents []int, strides []*[]int) []int {
	for d := len(extents) - 2; d >= 0; d-- {
		inner := d + 1
		if extents[inner] == 1 {
			inner = d
		} else if extents[d] != 1 && slices.ContainsFunc(strides, func(s *[]int) bool { return (*s)[d] != (*s)[d+1]*extents[d+1] }) {
			continue
		}
		for _, s := range strides {
			(*s)[d] = (*s)[inner]
			*s = slices.Delete(*s, d+1, d+2)
		}
		extents[d] *= extents[d+1]
		extents = slices.Delete(extents, d+1, d+2)
	}
	return extents
}

// evaluate returns the kernel of which a piece has so many elements.
func (h chain) evaluate(each int) op.Kernel {
	return func(c *op.Call, lo, hi int) {
		watch := c.Watch()
		h.begin(c)
		for at, end := lo*each, hi*each; at < end; {
			n := min(end-at, chainRun)
			if !h.fill {
				n = min(n, h.run-at%h.run)
			}
			h.elements(c, at, n)
			at += n
			if watch.Stops(n * len(h.steps)) {
				return
			}
		}
	}
}

// begin prepares what is the same for all elements.
func (h *chain) begin(c *op.Call) {
	for i := range h.operands {
		o := &h.operands[i]
		if o.prepare != nil {
			o.prepare(c, floatsOf(c.Scratch[o.place:]))
		}
		if o.way == once {
			splat(floatsOf(c.Scratch[o.scratch:])[:block], o.element(c, 0))
		}
	}
}

func splat[T any](to []T, x T) {
	for i := range to[:min(len(to), block)] {
		to[i] = x
	}
	for n := block; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}

// element returns an element of an operand.
func (o *operand) element(c *op.Call, i int) float32 {
	if data := o.data(c); data != nil {
		return data[i]
	}
	if o.truth {
		return truthOf(tensor.Data[bool](c.In[o.from])[i])
	}
	return o.number
}

func truthOf(x bool) float32 {
	if x {
		return 1
	}
	return 0
}

// data returns the elements of an operand that are float32; nil for a number.
func (o *operand) data(c *op.Call) []float32 {
	switch {
	case o.prepare != nil:
		return floatsOf(c.Scratch[o.place:])
	case o.from < 0 || o.truth:
		return nil
	}
	return tensor.Data[float32](c.In[o.from])
}

// elements takes the elements from at on through all steps.
func (h *chain) elements(c *op.Call, at, n int) {
	var args simd.ElementsArgs
	args.N = n
	for i := range h.steps {
		s := &h.steps[i]
		if s.from > 0 {
			h.cast(c, s, at, n, i == len(h.steps)-1)
			continue
		}
		last := simd.At(c.Scratch, 0)
		if args.Z = last; i == len(h.steps)-1 {
			args.Z = simd.At(tensor.Data[float32](c.Out[0]), at)
		}
		for k, address := range [...]*uintptr{&args.X, &args.Y, &args.V, &args.W} {
			mask := [...]*int{&args.XMask, &args.YMask, &args.VMask, &args.WMask}[k]
			switch *mask = -1; s.in[k] {
			case none:
			case previous:
				*address = last
			default:
				*address, *mask = h.locate(c, &h.operands[s.in[k]], at, n)
			}
		}
		args.A, args.B, args.C, args.D = s.a, s.b, s.c, s.d
		if s.any == nil || s.isBelow(c.Scratch[h.rest:], args.X, n) {
			s.routine.Run(&args)
			continue
		}
		from, to := h.operand(c, s.in[0], at, n), floatsOf(c.Scratch)
		if i == len(h.steps)-1 {
			to = tensor.Data[float32](c.Out[0])[at:]
		}
		for k, x := range from {
			to[k] = s.any(x)
		}
	}
}

// cast takes elements through a step that casts: sixteen at a time, the last ones in working memory.
func (h *chain) cast(c *op.Call, s *step, at, n int, last bool) {
	from, to := c.Scratch, c.Scratch
	if k := s.in[0]; k != previous {
		from = c.In[h.operands[k].from].Bytes()[at*s.from:]
	}
	if last {
		to = c.Out[0].Bytes()[at*s.to:]
	}
	convertBy(&s.cast, from[:n*s.from], to[:n*s.to], n, c.Scratch[h.rest:])
}

// convertBy converts n elements: sixteen at a time, the last ones in working memory.
func convertBy(r *simd.Routine[simd.IntegersArgs], from, to []byte, n int, work []byte) {
	if n >= block {
		r.Run(&simd.IntegersArgs{X: simd.At(from, 0), Out: simd.At(to, 0), N: n / block})
	}
	if rest := n % block; rest > 0 {
		x, y := work[:4*block], work[4*block:][:4*block]
		copy(x, from[len(from)/n*(n-rest):])
		r.Run(&simd.IntegersArgs{X: simd.At(x, 0), Out: simd.At(y, 0), N: 1})
		copy(to[len(to)/n*(n-rest):], y)
	}
}

// isBelow reports whether n numbers are between -below and below. NaN is not.
func (s *step) isBelow(work []byte, x uintptr, n int) bool {
	acc := floatsOf(work)[:block]
	bound := func(r *simd.Routine[simd.FoldArgs]) float32 {
		r.Run(&simd.FoldArgs{X: x, Acc: simd.At(acc, 0), N: n, First: 1, Join: 1})
		return acc[0]
	}
	return bound(&s.greatest) < s.below && bound(&s.least) > -s.below
}

// operand returns the elements of an operand that is as large as the result.
func (h *chain) operand(c *op.Call, k, at, n int) []float32 {
	if k == previous {
		return floatsOf(c.Scratch)[:n]
	}
	if o := &h.operands[k]; o.way == whole {
		return o.data(c)[at:][:n]
	}
	return floatsOf(c.Scratch[h.operands[k].scratch:])[:n]
}

// locate returns where an operand's elements from at on lie, and the mask with which they are read.
func (h *chain) locate(c *op.Call, o *operand, at, n int) (uintptr, int) {
	const repeats = 4*block - 1
	switch o.way {
	case whole, along:
		first := at
		if o.way == along {
			first = h.position(o, at)
		}
		if !o.truth {
			return simd.At(o.data(c), first), -1
		}
		to := c.Scratch[o.scratch:][:4*n]
		convertBy(&h.truths, c.In[o.from].Bytes()[first:][:n], to, n, c.Scratch[h.rest:])
		return simd.At(to, 0), -1
	}
	to := floatsOf(c.Scratch[o.scratch:])
	switch o.way {
	case repeated:
		splat(to[:block], o.element(c, h.position(o, at)))
	case blocks:
		first := h.position(o, at)
		for i := range min(block, o.channels-first) {
			to[i] = o.element(c, first+i)
		}
	case filled:
		h.spreadOut(c, o, to[:n], at)
		return simd.At(to, 0), -1
	}
	return simd.At(to, 0), repeats
}

// position returns which element of an operand belongs to an element of the result.
func (h *chain) position(o *operand, at int) int {
	p := 0
	for d := len(h.extents) - 1; d >= 0; d-- {
		p += at % h.extents[d] * o.stride[d]
		at /= h.extents[d]
	}
	return p
}

// spreadOut writes those elements of an operand that belong to the ones of the result from at on: one after the other, until they repeat.
func (h *chain) spreadOut(c *op.Call, o *operand, to []float32, at int) {
	data, known := o.data(c), min(o.period, len(to))
	var truths []bool
	if o.truth {
		truths = tensor.Data[bool](c.In[o.from])
	}
	element := func(p int) float32 {
		if data != nil {
			return data[p]
		}
		return truthOf(truths[p])
	}
	last := len(o.stride) - 1
	for i := 0; i < known; {
		p, begun, rows := h.position(o, at+i), (at+i)%h.run, 1
		if begun == 0 && last > 0 { // of rows one behind the other the first one tells where the others are
			rows = h.extents[last-1] - (at+i)/h.run%h.extents[last-1]
		}
		for ; rows > 0 && i < known; rows-- {
			part := to[i:min(known, i+h.run-begun)]
			switch stride := o.stride[last]; {
			case o.channels > 0:
				for k := range part {
					part[k] = element(min(p+(at+i+k)%block, o.channels-1)) // behind the last channel there may be anything
				}
			case stride == 0:
				splat(part, element(p))
			case stride == 1 && data != nil:
				copy(part, data[p:])
			default:
				for k := range part {
					part[k] = element(p + k*stride)
				}
			}
			i += len(part)
			if last > 0 {
				p += o.stride[last-1]
			}
		}
	}
	for known < len(to) {
		known += copy(to[known:], to[:known])
	}
}
