package kernel

import (
	"math"
	"slices"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// tail is what becomes of float32 sums before they are written: the addition of a bias, and then the nodes of a region behind its first one. It is
// given to routines as a list of [simd.TailStep].
type tail struct {
	steps    []tailStep
	channels int
	lists    int   // of operands by channel that the steps have
	tensors  []int // which operands of the call have the shape of the result: they must have its layout, too
	numbers  bool  // whether NaNs are canonical after the last step
}

// tailStep is a [simd.TailStep] before it is known where anything lies.
type tailStep struct {
	kind int
	by   [][]float32 // constant operands by channel, with one number for all or one for each
	in   int         // the operand of the call otherwise
	of   []tailStep  // of [simd.TailUsual], the kinds that it may have in their order, of which 0 stands for one that it has not
}

// usual lists the kinds of steps that one step may have, in their order, with the lists of operands by channel that they have.
var usual = []struct{ kind, lists int }{
	{simd.TailAddChannels, 1}, {simd.TailNormalize, 3}, {simd.TailMin, 1}, {simd.TailCanonical, 0}, {simd.TailRelu, 0},
}

// tailOf returns the tail of a region whose channels are along an axis of the result, and whose first node's operand bias, if it has it, is a
// number for all channels or one for each. It returns false if a node is none that routines know.
func tailOf(r Region, axis, bias int) (*tail, bool) {
	root := r.Root()
	shape := root.Out[0].Type.Shape
	t := &tail{channels: shape[axis]}
	before := sourceOperands(r)
	if bias < len(root.In) && root.In[bias] != nil {
		step := tailStep{kind: simd.TailAddChannels, in: bias + before}
		if c := root.In[bias].Const; c != nil {
			step.by = [][]float32{tensor.Data[float32](c)}
		}
		t.add(step)
	}
	last, operand := root.Out[0], len(root.In)+before
	for _, n := range r.Nodes[r.Sources+1:] {
		s := tailNode{tail: t, n: n, shape: shape, axis: axis, operands: make([]int, len(n.In))}
		for i, v := range n.In {
			if v == last {
				s.follows = append(s.follows, i)
			} else {
				s.operands[i] = operand
				operand++
			}
		}
		if step := tailNodes[n.Op]; step == nil || len(s.follows) != 1 || !step(&s) {
			return nil, false
		}
		last = n.Out[0]
	}
	t.canonical()
	t.join()
	return t, last.Type.DType == tensor.Float32
}

// add adds a step, behind which NaNs may be any.
func (t *tail) add(s tailStep) {
	t.steps, t.numbers = append(t.steps, s), false
	switch {
	case s.kind == simd.TailAddTensor:
		t.tensors = append(t.tensors, s.in)
	case s.kind == simd.TailHalf: // it has no operand
	case s.by != nil:
		t.lists += len(s.by)
	default:
		t.lists++
	}
}

// keep adds a step that leaves a NaN as it is.
func (t *tail) keep(s tailStep) {
	numbers := t.numbers
	t.add(s)
	t.numbers = numbers
}

// canonical adds what makes every NaN the canonical one, if there may be another.
func (t *tail) canonical() {
	if !t.numbers {
		t.steps, t.numbers = append(t.steps, tailStep{kind: simd.TailCanonical}), true
	}
}

// join puts the last steps together, as far as one step may have them.
func (t *tail) join() {
	all := tailStep{kind: simd.TailUsual, of: make([]tailStep, len(usual))}
	n := len(t.steps)
	for i := len(usual) - 1; i >= 0 && n > 0; i-- {
		if u := &usual[i]; t.steps[n-1].kind == u.kind {
			n--
			all.kind |= simd.TailUsual << u.kind
			all.of[i] = t.steps[n]
		}
	}
	if n < len(t.steps) {
		t.steps = append(t.steps[:n:n], all)
	}
}

// relu adds max(x, +0).
func (t *tail) relu() {
	t.canonical()
	t.steps = append(t.steps, tailStep{kind: simd.TailRelu})
}

// tailNode is a node of a tail.
type tailNode struct {
	*tail
	n        *graph.Node
	shape    tensor.Shape
	axis     int
	follows  []int // which operands are the result of the node before
	operands []int // which operands of the call the others are
}

// tailNodes lists the operators that a tail may have. Each adds its steps, or returns false.
var tailNodes = map[string]func(s *tailNode) bool{
	"add":                 func(s *tailNode) bool { return s.sum() },
	"sub":                 func(s *tailNode) bool { return s.follows[0] == 0 && s.channelwise(1, simd.TailAddChannels, negated) },
	"mul":                 func(s *tailNode) bool { return s.channelwise(1-s.follows[0], simd.TailMulChannels, nil) },
	"relu":                func(s *tailNode) bool { s.relu(); return true },
	"max":                 func(s *tailNode) bool { return s.atLeast(1 - s.follows[0]) },
	"min":                 func(s *tailNode) bool { return s.atMost(1 - s.follows[0]) },
	"clamp":               (*tailNode).clamp,
	"leaky_relu":          func(s *tailNode) bool { return s.leaky([]float32{float32(s.n.Attrs.Float("alpha"))}) },
	"prelu":               func(s *tailNode) bool { return s.follows[0] == 0 && s.leaky(s.constant(1)) },
	"batch_normalization": (*tailNode).normalize,
	"neg":                 func(s *tailNode) bool { return s.step(simd.TailMulChannels, -1) },
	"hard_swish":          func(s *tailNode) bool { return s.step(simd.TailHardSwish, 0.375, 0.75, 0, 0.125) },
	"affine":              (*tailNode).affine,
	"cast":                (*tailNode).half,
	"hard_sigmoid": func(s *tailNode) bool {
		s.affine()
		s.keep(tailStep{kind: simd.TailMin, by: [][]float32{{1}}})
		s.relu()
		return true
	},
}

// constant returns an operand that is a constant with one number for all channels or one for each; else nil.
func (s *tailNode) constant(i int) []float32 {
	v := s.n.In[i]
	if v == nil || v.Const == nil {
		return nil
	}
	x, shape := tensor.Data[float32](v.Const), v.Type.Shape
	along := s.axis - (len(s.shape) - len(shape)) // the axis among those of the operand
	if len(x) != 1 && (along < 0 || shape[along] != len(x)) {
		return nil
	}
	return x
}

// channelwise adds a step whose operand is an operand of the node, after a change.
func (s *tailNode) channelwise(i, kind int, change func([]float32) []float32) bool {
	x := s.constant(i)
	if x == nil {
		return false
	}
	if change != nil {
		x = change(x)
	}
	s.add(tailStep{kind: kind, by: [][]float32{x}})
	return true
}

func negated(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// step adds a step whose operands are the same for all channels.
func (s *tailNode) step(kind int, operands ...float32) bool {
	step := tailStep{kind: kind}
	for _, x := range operands {
		step.by = append(step.by, []float32{x})
	}
	s.add(step)
	return true
}

// affine adds fma(alpha, x, beta).
func (s *tailNode) affine() bool {
	return s.step(simd.TailNormalize, 0, float32(s.n.Attrs.Float("alpha")), float32(s.n.Attrs.Float("beta")))
}

// half rounds to float16; numbers stay float32, as they are after a cast back.
func (s *tailNode) half() bool {
	from, to := s.n.In[0].Type.DType, s.n.Out[0].Type.DType
	if from == tensor.Float32 && to == tensor.Float16 {
		s.keep(tailStep{kind: simd.TailHalf})
		return true
	}
	return from == tensor.Float16 && to == tensor.Float32
}

func (s *tailNode) sum() bool {
	i := 1 - s.follows[0]
	if s.channelwise(i, simd.TailAddChannels, nil) {
		return true
	}
	if !s.n.In[i].Type.Shape.Equal(s.shape) {
		return false
	}
	s.add(tailStep{kind: simd.TailAddTensor, in: s.operands[i]})
	return true
}

// atLeast adds the maximum with an operand. Of zeros of different sign the greater is +0.
func (s *tailNode) atLeast(i int) bool {
	c := s.constant(i)
	if c == nil || !all(c, func(v float32) bool { return v == v }) {
		return false
	}
	positiveZero := func(v float32) bool { return math.Float32bits(v) == 0 }
	switch {
	case all(c, positiveZero):
		s.relu()
	case all(c, func(v float32) bool { return !positiveZero(v) }):
		s.keep(tailStep{kind: simd.TailMax, by: [][]float32{c}})
	default:
		return false
	}
	return true
}

// atMost adds the minimum with an operand. Of zeros of different sign the lesser is -0.
func (s *tailNode) atMost(i int) bool {
	c := s.constant(i)
	if c == nil || !all(c, func(v float32) bool { return v == v && math.Float32bits(v) != 1<<31 }) {
		return false
	}
	s.keep(tailStep{kind: simd.TailMin, by: [][]float32{c}})
	return true
}

func all(x []float32, f func(float32) bool) bool {
	for _, v := range x {
		if !f(v) {
			return false
		}
	}
	return true
}

func (s *tailNode) clamp() bool {
	bound := func(i int) bool { return len(s.n.In) > i && s.n.In[i] != nil }
	return s.follows[0] == 0 && (!bound(2) || s.atMost(2)) && (!bound(1) || s.atLeast(1))
}

func (s *tailNode) leaky(alpha []float32) bool {
	if alpha != nil {
		s.add(tailStep{kind: simd.TailLeaky, by: [][]float32{alpha, {0}}})
	}
	return alpha != nil
}

// normalize adds fma(x - mean, k, offset), where k is 1/√(variance + epsilon) · scale.
func (s *tailNode) normalize() bool {
	if s.follows[0] != 0 || s.n.Attrs.Int("axis") != s.axis && s.n.Attrs.Int("axis") != s.axis-len(s.shape) {
		return false
	}
	by := [][]float32{nil, nil, {0}, {1}} // mean, variance, offset, scale
	for i := range by {
		if len(s.n.In) <= i+1 || s.n.In[i+1] == nil {
			continue
		}
		c := s.n.In[i+1].Const
		if c == nil {
			return false
		}
		by[i] = tensor.Data[float32](c)
	}
	k, epsilon := make([]float32, s.channels), float32(s.n.Attrs.Float("epsilon"))
	for c := range k {
		k[c] = fmath.Rsqrt(numberOf(by[1], c)+epsilon) * numberOf(by[3], c)
	}
	s.add(tailStep{kind: simd.TailNormalize, by: [][]float32{by[0], k, by[2]}})
	return true
}

// numberOf returns the number for a channel.
func numberOf(list []float32, channel int) float32 {
	if len(list) == 1 {
		return list[0]
	}
	return list[channel]
}

const tailStepSize = int(unsafe.Sizeof(simd.TailStep{}))

// size returns how many bytes of working memory the steps take for so many channels at a time.
func (t *tail) size(channels int) int {
	lists := t.lists
	for _, u := range usual {
		lists += u.lists
	}
	return (len(t.steps)+1)*tailStepSize + lists*channels*4
}

// readyMost is of how many channels the steps are made ready at most, as a plan keeps them.
const readyMost = 1 << 14

// ready returns working memory with the steps for some channels from the first on, as set writes them, if that needs no call; else nil.
func (t *tail) ready(first, channels int) []byte {
	if t.channels > readyMost {
		return nil
	}
	for i := range t.steps {
		if s := &t.steps[i]; !s.constant() || slices.ContainsFunc(s.of, func(s tailStep) bool { return !s.constant() }) {
			return nil
		}
	}
	memory := tensor.AlignedBytes(t.size(channels))
	t.set(nil, memory, first, channels)
	return memory
}

// readyBlocks returns ready for each block of channels; nil if it is for one, as it then is for all.
func (t *tail) readyBlocks() (list [][]byte) {
	for first := 0; first < t.channels; first += block {
		ready := t.ready(first, block)
		if ready == nil {
			return nil
		}
		list = append(list, ready)
	}
	return list
}

// constant reports whether the step needs no call.
func (s *tailStep) constant() bool { return s.in == 0 || s.by != nil || s.kind == simd.TailAddTensor }

// at returns the address of the steps for some channels: of those that are ready, or else in the working memory of the call.
func (t *tail) at(c *op.Call, ready []byte, first, channels int) uintptr {
	if ready == nil {
		return t.set(c, c.Scratch, first, channels)
	}
	if len(t.tensors) == 0 {
		return simd.At(ready, 0)
	}
	copy(stepsIn(c.Scratch, len(t.steps)+1), stepsIn(ready, len(t.steps)+1))
	simd.At(ready, 0) // which the steps lead to
	t.place(c, c.Scratch)
	return simd.At(c.Scratch, 0)
}

// stepsIn returns the steps at the beginning of working memory.
func stepsIn(memory []byte, n int) []simd.TailStep {
	return unsafe.Slice((*simd.TailStep)(unsafe.Pointer(unsafe.SliceData(memory))), n)
}

// place sets where the tensors lie that steps add.
func (t *tail) place(c *op.Call, memory []byte) {
	steps := stepsIn(memory, len(t.steps))
	for i := range steps {
		if s := &t.steps[i]; s.kind == simd.TailAddTensor {
			steps[i].At = simd.At(c.In[s.in].Bytes(), 0) - simd.At(c.Out[0].Bytes(), 0)
		}
	}
}

// set writes the steps for some channels from the first on to working memory and returns their address. The channels may be more than there are.
// Without a call tensors have no place.
func (t *tail) set(c *op.Call, memory []byte, first, channels int) uintptr {
	steps := stepsIn(memory, len(t.steps)+1)
	rest := memory[len(steps)*tailStepSize:]
	for i := range t.steps {
		s, to := &t.steps[i], &steps[i]
		to.Kind, to.At = s.kind, simd.At(rest, 0)
		rest = s.operands(c, rest, first, channels, t.channels)
		for k := range s.of {
			behind := rest[usual[k].lists*channels*4:]
			s.of[k].operands(c, rest, first, channels, t.channels)
			rest = behind
		}
	}
	steps[len(t.steps)].Kind = simd.TailEnd
	if c != nil {
		t.place(c, memory)
	}
	return simd.At(memory, 0)
}

// operands writes those by channel that a step has, for some channels of so many, and returns the memory behind them.
func (s *tailStep) operands(c *op.Call, memory []byte, first, channels, of int) []byte {
	list := func(from []float32) {
		fillChannels(unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(memory))), channels), from, first, of)
		memory = memory[channels*4:]
	}
	switch {
	case s.kind == simd.TailAddTensor:
	case s.by != nil:
		for _, x := range s.by {
			list(x)
		}
	case s.in > 0:
		list(tensor.Data[float32](c.In[s.in]))
	}
	return memory
}

// fillChannels sets to to the numbers of channels from the first on, and to 0 behind the last one.
func fillChannels(to, from []float32, first, channels int) {
	if len(from) == 1 {
		for i := range to {
			to[i] = from[0]
		}
		return
	}
	n := copy(to, from[first:channels])
	clear(to[n:])
}
