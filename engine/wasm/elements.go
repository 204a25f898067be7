package wasm

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/wasmobj"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Element-wise operators on float32, alone or several in a row: a run of elements goes through the loops of all of them, which internal/wasmobj/gen has
// made of the operators' references, while it is in the nearest cache.

// loop is one of the loops of an operator.
type loop struct {
	name    string
	texts   map[string]string // what attributes must be
	numbers []string          // the attributes that it is given
}

// loops returns those of all operators, by their names.
var loops = sync.OnceValue(func() map[string][]loop {
	list := make(map[string][]loop)
	o, err := compiled()
	if err != nil { // Without this references that cannot be read would be a panic, not an error of the module.
		return nil
	}
	for _, name := range naming.Sorted(o.Names) {
		words := strings.Fields(name)
		if words[0] != "loop" {
			continue
		}
		l := loop{name: name, texts: make(map[string]string)}
		for _, w := range words[2:] {
			if text, value, ok := strings.Cut(w, "="); ok {
				l.texts[text] = value
			} else {
				l.numbers = append(l.numbers, w)
			}
		}
		list[words[1]] = append(list[words[1]], l)
	}
	return list
})

// loopOf returns the loop of an operator with attributes, and the numbers that it is given; nil if there is none.
func loopOf(name string, attrs graph.Attrs) (found *loop, numbers []float32) {
	for i := range loops()[name] {
		l := &loops()[name][i]
		fits := true
		for text, value := range l.texts {
			fits = fits && attrs.String(text) == value
		}
		if !fits {
			continue
		}
		for _, a := range l.numbers {
			numbers = append(numbers, float32(attrs.Float(a)))
		}
		return l, numbers
	}
	return nil, nil
}

// chunk is how many elements go through all loops at a time.
const chunk = 2048

// chain is a row of loops.
type chain struct {
	shape    tensor.Shape
	layout   kernel.Layout
	extents  []int // of the result as it lies in memory, with dimensions taken together
	operands []chainOperand
	steps    []chainStep
	truths   bool // whether the result is of bools
	scratch  int
}

type chainStep struct {
	*loop
	numbers []float32
	in      []int                                  // operands of the chain, or previous
	by      func(f *function, to int, in []func()) // what it computes, where it is no loop of an operator
}

const (
	previous = -1 // what the step before yields
	absent   = -2
)

// chainOperand is what a step reads: a constant list, or an operand of the call.
type chainOperand struct {
	from   int
	list   []float32
	stride []int // elements between neighbours of each dimension of the chain
	period int   // bytes after which it begins again within a run, a power of two; 0 for one that does not
	slot   int   // in working memory, of one element four times, for a run that has one
}

func computeElements(r kernel.Region) *kernel.Plan {
	last := r.Nodes[len(r.Nodes)-1].Out[0]
	c := &chain{shape: last.Type.Shape, truths: last.Type.DType == tensor.Bool}
	c.choose(r)
	in := 0
	p := &kernel.Plan{In: make([]kernel.Layout, len(r.Operands())), Out: []kernel.Layout{c.layout}}
	for _, n := range r.Nodes {
		var list []int
		for i, v := range n.In {
			switch {
			case n.Op == normalizing && i > 0: // Without this its parameters would be read, too, which are factors of the channels.
				in++
				continue
			case v != nil && v.Producer != nil && v != last && slices.Contains(r.Nodes, v.Producer):
				list = append(list, previous)
				continue
			case v == nil:
				list = append(list, absent)
			case v.Type.DType != tensor.Float32: // beside a truth value
				return nil
			default:
				list = append(list, len(c.operands))
				c.operands = append(c.operands, c.operand(v, in))
				if c.layout != kernel.Plain && v.Type.Shape.Equal(c.shape) {
					p.In[in] = c.layout
				}
			}
			in++
		}
		if !c.step(n, list) {
			return nil
		}
	}
	if !c.arrange() { // Without this there would be a call for few elements each.
		return nil
	}
	p.Pieces, p.Scratch = c.rows()*c.chunks(), c.scratch
	p.Code = makes(c.make)
	return p
}

// step adds what a node computes.
func (c *chain) step(n *graph.Node, in []int) bool {
	add := func(name string, in ...int) bool {
		l, numbers := loopOf(name, n.Attrs)
		c.steps = append(c.steps, chainStep{loop: l, numbers: numbers, in: in})
		return l != nil
	}
	if n.Op == normalizing { // Without this references would compute it.
		return c.normalize(n, in)
	}
	if n.Op != "clamp" {
		return !slices.Contains(n.In, nil) && add(n.Op, in...)
	}
	before, x := len(c.steps), in[0]
	bound := func(i int, name string) bool { // max(min(x, b), a)
		if len(n.In) <= i || n.In[i] == nil {
			return true
		}
		at := x
		x = previous
		return add(name, at, in[i])
	}
	return bound(2, "min") && bound(1, "max") && len(c.steps) > before
}

// normalize adds a batch normalization.
func (c *chain) normalize(n *graph.Node, in []int) bool {
	axis := n.Attrs.Int("axis")
	lists := factors(n, axis)
	if lists == nil || c.layout != kernel.Plain && axis != 1 {
		return false
	}
	step := chainStep{loop: &loop{name: normalizing}, in: []int{in[0]}, by: func(f *function, to int, in []func()) { f.normalize(to, in[0], in[1], in[2], in[3]) }}
	for _, list := range lists {
		o := chainOperand{list: list, stride: make([]int, len(c.extents))}
		if o.stride[axis] = 1; c.layout != kernel.Plain {
			o.stride[axis], o.period = block, 4*block
		}
		step.in = append(step.in, len(c.operands))
		c.operands = append(c.operands, o)
	}
	c.steps = append(c.steps, step)
	return true
}

// choose takes the layout of the operands of the shape of the result, if it is one and the others allow it.
func (c *chain) choose(r kernel.Region) {
	c.extents = slices.Clone([]int(c.shape))
	seen := false
	for _, n := range r.Nodes {
		for i, v := range n.In {
			switch {
			case v == nil || v.Type.Shape.Len() == 1 || v.Producer != nil && slices.Contains(r.Nodes, v.Producer): // Without this what is in blocks would be brought into rows.
			case n.Op == normalizing && i > 0: // Without this what is in blocks would be brought into rows.
			case v.Type.Shape.Equal(c.shape):
				if r.Layouts[v] != kernel.Blocked16 {
					return
				}
				seen = true
			case !c.perChannel(v.Type.Shape):
				return
			}
		}
	}
	// Without this what is in blocks would be brought into rows.
	if seen && !c.truths && kernel.Blockable(graph.Type{DType: tensor.Float32, Shape: c.shape}) && c.shape[1] > kernel.FewChannels {
		c.layout = kernel.Blocked16
		c.extents = []int{c.shape[0], geometry.CeilDiv(c.shape[1], block), c.shape[2:].Len() * block}
	}
}

// perChannel reports whether a shape has only elements for each index of dimension 1 of the result.
func (c *chain) perChannel(s tensor.Shape) bool {
	along := 1 - (len(c.shape) - len(s))
	return len(c.shape) > 1 && along >= 0 && s.Len() == s[along] && s[along] == c.shape[1]
}

// operand returns how a value is read, which is an operand of the call.
func (c *chain) operand(v *graph.Value, from int) chainOperand {
	o := chainOperand{from: from, stride: make([]int, len(c.extents))}
	s := v.Type.Shape
	if v.Const != nil && (s.Len() == 1 || c.layout != kernel.Plain) { // Without this numbers would be read from memory.
		o.list = tensor.Data[float32](v.Const.Contiguous())
	}
	switch n := 1; {
	case s.Len() == 1: // Without this its strides would be found to be 0.
	case s.Equal(c.shape):
		o.list = nil
		for d := len(c.extents) - 1; d >= 0; d-- {
			o.stride[d] = n
			n *= c.extents[d]
		}
	case c.layout != kernel.Plain:
		o.stride[1], o.period = block, 4*block
	default:
		for d := len(s) - 1; d >= 0; d-- {
			if s[d] > 1 {
				o.stride[len(c.shape)-len(s)+d] = n
			}
			n *= s[d]
		}
	}
	return o
}

// arrange takes dimensions together and divides working memory. It returns false if runs are too short.
func (c *chain) arrange() bool {
	c.join()
	c.repeat()
	k := len(c.extents) - 1
	if len(c.steps) > 1 {
		c.scratch = 4 * min(c.extents[k], chunk)
	}
	for i := range c.operands {
		if o := &c.operands[i]; o.stride[k] == 0 && o.period == 0 && len(o.list) != 1 {
			c.scratch = (c.scratch + 15) &^ 15
			o.slot = c.scratch
			c.scratch += 16
		}
	}
	return c.extents[k] >= leastRun || c.rows() == 1
}

// leastRun is from how many elements on a run is worth calls of its own.
const leastRun = 8

// join takes dimensions together that all operands walk through in one go.
func (c *chain) join() {
	if len(c.extents) == 0 {
		c.extents = []int{1}
		for i := range c.operands {
			c.operands[i].stride = []int{0}
		}
	}
	strides := make([]*[]int, len(c.operands))
	for i := range c.operands {
		strides[i] = &c.operands[i].stride
	}
	c.extents = kernel.Join(c.extents, strides)
}

// repeat makes one run of rows in which some operands are the same, where their length is a power of two.
func (c *chain) repeat() {
	if len(c.extents) != 2 || c.layout != kernel.Plain {
		return
	}
	n := c.extents[1]
	apart := n&(n-1) != 0 || n < 4 || slices.ContainsFunc(c.operands, func(o chainOperand) bool {
		return o.stride[1] == 0 && o.stride[0] != 0
	})
	if apart {
		return
	}
	for i := range c.operands {
		o := &c.operands[i]
		if o.stride[1] != 0 && o.stride[0] == 0 {
			o.period, o.stride[1] = 4*n, 0
		}
		o.stride = o.stride[1:]
	}
	c.extents = []int{c.extents[0] * n}
}

func (c *chain) run() int    { return c.extents[len(c.extents)-1] }
func (c *chain) chunks() int { return geometry.CeilDiv(c.run(), chunk) }
func (c *chain) rows() int   { return tensor.Shape(c.extents[:len(c.extents)-1]).Len() }

// make adds the function that computes the chain. A piece is a chunk of a run.
func (c *chain) make(m *maker, call *op.Call) (int, error) {
	f := m.newFunction(kernelType)
	f.pieces(func(piece int) {
		row, part := f.divided(piece, c.chunks())
		n := f.i32()
		f.chunkOf(n, part, c.run(), chunk)
		index := make([]int, len(c.extents)-1) // of the run in each dimension
		for d, rest := len(index)-1, row; d >= 0; d-- {
			if d == 0 { // Without this it would be divided once more.
				index[d] = rest
				break
			}
			rest, index[d] = f.divided(rest, c.extents[d])
		}
		out, size := f.i32(), 4
		if c.truths {
			size = 1
		}
		f.address(out, func() { m.push(f.Code, call.Out[0]) }, term{row, size * c.run()}, term{part, size * chunk})
		at, masks := make([]int, len(c.operands)), make([]int, len(c.operands))
		for i := range c.operands {
			at[i] = f.i32()
			masks[i] = c.operands[i].locate(f, call, at[i], index, part)
		}
		for i, s := range c.steps {
			to := func() { m.pushScratch(f.Code, call.Scratch) }
			if i == len(c.steps)-1 {
				to = func() { f.Get(out) }
			}
			to()
			f.Get(n)
			for _, in := range s.in {
				if in == previous {
					m.pushScratch(f.Code, call.Scratch)
					f.I32(-1)
				} else {
					f.Get(at[in])
					f.I32(int32(masks[in]))
				}
			}
			for _, x := range s.numbers {
				f.F32(x)
			}
			if s.by == nil {
				f.call(s.name)
			} else {
				f.Ref(wasmobj.ToFunc, m.loop(s.name, len(s.in), s.by), 0)
			}
		}
	})
	return m.addFunc("", kernelType, f.Code), nil
}

// chunkOf sets a local to how many elements a chunk has of so many, of which the number is in a local.
func (f *function) chunkOf(to, part, of, each int) {
	f.I32(int32(min(of, each)))
	if rest := of % each; rest > 0 && of > each {
		f.I32(int32(rest))
		f.Get(part)
		f.I32(int32(of / each))
		f.Op(i32Ne, opSelect)
	}
	f.Set(to)
}

// locate sets a local to where an operand begins for a chunk of a run, and returns the mask of offsets.
func (o *chainOperand) locate(f *function, call *op.Call, at int, index []int, part int) (mask int) {
	k := len(index)
	var terms []term
	for d, i := range index {
		if o.stride[d] != 0 {
			terms = append(terms, term{i, 4 * o.stride[d]})
		}
	}
	base := func() { f.m.push(f.Code, call.In[o.from]) }
	if o.list != nil {
		d := newMemory(4 * max(4, block*geometry.CeilDiv(len(o.list), block)))
		for i := range len(d.Bytes) / 4 {
			binary.LittleEndian.PutUint32(d.Bytes[4*i:], math.Float32bits(o.list[min(i, len(o.list)-1)]))
		}
		list := f.m.add(d)
		base = func() { f.Ref(wasmobj.ToData, list, 0) }
	}
	switch {
	case len(o.list) == 1:
		f.address(at, base)
	case o.period > 0:
		f.address(at, base, terms...)
	case o.stride[k] == 0:
		f.address(at, base, terms...)
		one := f.v128()
		f.splat(at, 0)
		f.Set(one)
		f.address(at, func() { f.m.pushScratch(f.Code, call.Scratch[o.slot:]) })
		f.store(at, 0, one)
	default:
		f.address(at, base, append(terms, term{part, 4 * chunk})...)
		return -1
	}
	return max(o.period-1, 0)
}

// loop returns a function like the loops of operators, of what is computed of vectors.
func (m *maker) loop(name string, operands int, compute func(f *function, to int, in []func())) int {
	return m.shared("loop "+name, words(2+2*operands), func(f *function) {
		z, n, at, v := 0, 1, f.i32(), f.v128()
		var in []func()
		for i := range operands {
			in = append(in, func() {
				f.Get(2 + 2*i)
				f.Get(at)
				f.Get(3 + 2*i)
				f.Op(i32And, i32Add)
				f.SIMD(v128Load, vectorMemory, 0)
			})
		}
		f.fours(n, func() {
			compute(f, v, in)
			f.canonical(v)
			f.storeSome(z, v, n)
			f.move(z, 16)
			f.move(at, 16)
		})
	})
}

// call adds a call of a function of the references.
func (f *function) call(name string) {
	e := f.m.o.Names[name]
	if f.m.names {
		f.m.o.Funcs[e.Func].Name = name
	}
	f.Ref(wasmobj.ToFunc, e.Func, 0)
}
