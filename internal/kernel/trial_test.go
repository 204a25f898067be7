package kernel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// trial is a plan with operands and results in memory, and the results that it must give.
type trial struct {
	*testing.T
	r    *op.Rand
	of   op.Case
	plan *kernel.Plan
	call op.Call
	want []*tensor.Tensor

	placed  []place  // of operands and results
	scratch [][]byte // by worker
	regions []region
	inPlace bool // whether the result may take the place of an operand
}

// place is where a tensor lies in memory of which it is a part, and the hashes of what is around what may change.
type place struct {
	mem           []byte
	begin, end    int
	before, after uint64
}

// evaluations are those of references, as tiers try the same cases.
var evaluations sync.Map

// evaluated returns what the reference makes of operands.
func evaluated(name string, in []*tensor.Tensor, attrs graph.Attrs) []*tensor.Tensor {
	key := fmt.Sprint(name, attrs)
	for _, x := range in {
		if x != nil {
			key += fmt.Sprint(x.DType(), x.Shape(), maphash.Bytes(hashes, x.Contiguous().Bytes()))
		}
		key += ","
	}
	if out, ok := evaluations.Load(key); ok {
		return out.([]*tensor.Tensor)
	}
	out := must(op.Eval(found(op.Lookup(name)), in, attrs))
	evaluations.Store(key, out)
	return out
}

var hashes = maphash.MakeSeed()

func newTrial(t *testing.T, r *op.Rand, name string, c op.Case, p *kernel.Plan) *trial {
	t.Helper()
	d, want := found(op.Lookup(name)), evaluated(name, c.In, c.Attrs)
	types := make([]op.Type, len(c.In))
	for i, in := range c.In {
		if in != nil {
			types[i] = graph.TypeOf(in)
		}
	}
	sig, _, err := d.Bind(types, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	x := trialOf(t, r, c, p, want)
	x.call.Attrs, x.call.In = sig.Attrs, append(x.call.In, make([]*tensor.Tensor, max(len(d.In)-len(c.In), 0))...)
	x.inPlace = d.Traits.Has(op.Elementwise)
	return x
}

// trialOf is newTrial for a plan of any region, with the operands of all its nodes that come from outside.
func trialOf(t *testing.T, r *op.Rand, c op.Case, p *kernel.Plan, want []*tensor.Tensor) *trial {
	x := &trial{T: t, r: r, of: c, plan: p, want: want}
	for _, pack := range p.Pack {
		packed, parts := x.aligned(pack.Size), r.Between(1, 3)
		clear(packed)
		if interpreting != nil {
			interpreting.pack(packed)
		}
		for _, i := range r.Perm(parts) {
			pack.Fill(packed, i, parts)
		}
		x.call.Packed = append(x.call.Packed, packed)
	}
	for _, pack := range p.Pack { // of which nothing but the packed form may be read
		pack.From.Discard()
	}
	for i, in := range c.In {
		if in != nil {
			l := layoutOf(p.In, i)
			in = x.place(in.DType(), l.Shape(in.Shape()), x.laidOut(in.Contiguous(), l))
		}
		x.call.In = append(x.call.In, in)
	}
	for i, out := range want {
		x.call.Out = append(x.call.Out, x.place(out.DType(), layoutOf(p.Out, i).Shape(out.Shape()), nil))
	}
	x.call.Shared = x.shared()
	return x
}

func layoutOf(list []kernel.Layout, i int) kernel.Layout {
	if i < len(list) {
		return list[i]
	}
	return kernel.Plain
}

// laidOut returns the elements of a tensor in a layout, and rubbish where the layout has more.
func (x *trial) laidOut(t *tensor.Tensor, l kernel.Layout) []byte {
	if l == kernel.Plain {
		return t.Bytes()
	}
	size, shape, data := t.DType().Size(), t.Shape(), t.Bytes()
	mem := make([]byte, l.Shape(shape).Len()*size)
	if t.DType() != tensor.Bool && shape[1]%block != 0 { // of truth not all bytes are elements
		x.spoil(mem)
	}
	inner, blocks := shape[2:].Len(), (shape[1]+block-1)/block
	for part := range shape[0] * shape[1] {
		channel := part % shape[1]
		to := mem[((part/shape[1]*blocks+channel/block)*inner*block+channel%block)*size:]
		for pos := range inner {
			copy(to[pos*block*size:][:size], data[(part*inner+pos)*size:])
		}
	}
	return mem
}

// elementAt returns which element of a value of the given shape lies at a place of the layout; -1 for none.
func elementAt(l kernel.Layout, shape tensor.Shape, at int) int {
	if l == kernel.Plain {
		return at
	}
	inner, blocks := shape[2:].Len(), (shape[1]+block-1)/block
	lane, pos, part := at%block, at/block%inner, at/block/inner
	if channel := part%blocks*block + lane; channel < shape[1] {
		return (part/blocks*shape[1]+channel)*inner + pos
	}
	return -1
}

// differs returns the first place from lo up to hi of a result in a layout at which it has not the element that it must have; -1 if there is none.
func differs(y, want *tensor.Tensor, l kernel.Layout, lo, hi int) int {
	size := y.DType().Size()
	if l == kernel.Plain && bytes.Equal(y.Bytes()[lo*size:hi*size], want.Bytes()[lo*size:hi*size]) {
		return -1
	}
	for at := lo; at < hi; at++ {
		if i := elementAt(l, want.Shape(), at); i >= 0 && !bytes.Equal(y.Bytes()[at*size:][:size], want.Bytes()[i*size:][:size]) {
			return at
		}
	}
	return -1
}

// memory returns n bytes of any content. The page behind them, if atEnd is set, or else the one before them may not be touched.
func (x *trial) memory(n int, atEnd bool) []byte {
	if n == 0 || n > mostGuarded {
		return tensor.AlignedBytes(n)
	}
	r := spare.take(n)
	x.regions = append(x.regions, r)
	if atEnd {
		return r[len(r)-n:]
	}
	return r[:n:n]
}

// mostGuarded is from how many bytes on memory has no guards, as it would be much.
const mostGuarded = 1 << 26

// aligned is memory that begins at a multiple of [tensor.Alignment].
func (x *trial) aligned(n int) []byte {
	return x.memory((n+tensor.Alignment-1)/tensor.Alignment*tensor.Alignment, x.r.Bool())[:n:n]
}

// release lets other trials have the memory of this one.
func (x *trial) release() {
	for _, r := range x.regions {
		spare.give(r)
	}
	x.regions = nil
}

// margin is how many bytes around a tensor must stay as they are.
const margin = 64

// place returns a tensor that begins anywhere in memory where its elements are aligned: an operand, or for a result one of rubbish. Often it
// reaches to a page that may not be touched.
func (x *trial) place(d tensor.DType, shape tensor.Shape, operand []byte) *tensor.Tensor {
	size := shape.Len() * d.Size()
	begin, behind, guard := margin+d.Size()*x.r.IntN(64/d.Size()), margin, x.r.IntN(3)
	switch guard {
	case 1:
		begin = 0
	case 2:
		behind = 0
	}
	end := begin + size
	mem := x.memory(end+behind, guard == 2)
	x.spoil(mem[:begin])
	x.spoil(mem[end:])
	switch {
	case len(operand) > 0:
		copy(mem[begin:end], operand)
		end = begin // nothing may change
	case d == tensor.Bool:
		clear(mem[begin:end])
	default:
		x.spoil(mem[begin:end])
	}
	x.placed = append(x.placed, place{mem, begin, end, maphash.Bytes(hashes, mem[:begin]), maphash.Bytes(hashes, mem[end:])})
	return must(tensor.FromBytes(d, shape, mem[begin:begin+size:begin+size]))
}

func (x *trial) spoil(b []byte) {
	first := b[:min(len(b), 8<<10)] // of long memory the rest repeats it
	for rest := first; len(rest) > 0; rest = rest[min(len(rest), 8):] {
		var word [8]byte
		binary.NativeEndian.PutUint64(word[:], x.r.Uint64())
		copy(rest, word[:])
	}
	for n := len(first); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// check computes the results in pieces, one after the other and at the same time, and compares.
func (x *trial) check() {
	x.Helper()
	defer x.release()
	rounds := x.divide()
	if n := x.lastRound(); n <= 0 || x.plan.Even && x.call.Out[0].Len()%n != 0 {
		x.Fatalf("%v: %d pieces of %v", x, n, x.want)
	}
	for _, chunks := range rounds {
		for _, c := range chunks {
			x.run(c)
		}
	}
	x.compare("one after the other")
	if interpreting == nil {
		x.checkTogether(rounds)
	}
	if x.plan.Even {
		x.checkEven(rounds)
	}
	if x.inPlace {
		x.checkInPlace(rounds)
	}
}

// checkTogether computes pieces at the same time.
func (x *trial) checkTogether(rounds [][][2]int) {
	x.Helper()
	x.call.Shared = x.shared()
	for _, chunks := range rounds {
		var workers sync.WaitGroup
		for w := range 3 {
			call := x.worker(w)
			workers.Go(func() {
				for i := w; i < len(chunks); i += 3 {
					x.compute(&call, chunks[i])
				}
			})
		}
		workers.Wait()
	}
	x.compare("at the same time")
}

// divide returns random portions of the pieces in random order, round by round.
func (x *trial) divide() (rounds [][][2]int) {
	sizes, lo := x.plan.Rounds, 0
	if sizes == nil {
		sizes = []int{x.plan.Pieces}
	}
	for _, size := range sizes {
		var chunks [][2]int
		for end := lo + size; lo < end; {
			hi := min(end, lo+1+x.r.IntN(size))
			chunks = append(chunks, [2]int{lo, hi})
			lo = hi
		}
		x.r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
		rounds = append(rounds, chunks)
	}
	if lo != x.plan.Pieces {
		x.Fatalf("rounds of %d pieces, and %d pieces", lo, x.plan.Pieces)
	}
	return rounds
}

// shared returns working memory for an evaluation, full of rubbish.
func (x *trial) shared() []byte {
	mem := x.aligned(x.plan.Shared)
	x.spoil(mem)
	return mem
}

// worker returns the call of worker w with working memory of its own, full of rubbish.
func (x *trial) worker(w int) op.Call {
	call := x.call
	for len(x.scratch) <= w {
		x.scratch = append(x.scratch, x.aligned(x.plan.Scratch))
	}
	call.Scratch = x.scratch[w]
	x.spoil(call.Scratch)
	if interpreting != nil {
		interpreting.enter(&call)
	}
	return call
}

func (x *trial) run(chunk [2]int) {
	call := x.worker(0)
	x.compute(&call, chunk)
}

// compute computes pieces, and tells of a panic and of a page that may not be touched.
func (x *trial) compute(call *op.Call, chunk [2]int) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if err := recover(); err != nil {
			x.Errorf("%s: %v %v, pieces %v: %v\n%s", x.plan.Kernel, x.of.In, x.of.Attrs, chunk, err, debug.Stack())
		}
	}()
	x.plan.Run(call, chunk[0], chunk[1])
}

// compare holds the results to those of the reference, and fills them with rubbish again. Nothing around them may have changed.
func (x *trial) compare(how string) {
	x.Helper()
	for _, p := range x.placed {
		if maphash.Bytes(hashes, p.mem[:p.begin]) != p.before || maphash.Bytes(hashes, p.mem[p.end:]) != p.after {
			x.Fatalf("%v %v: an operand is changed, or memory around a tensor", x.of.In, x.of.Attrs)
		}
	}
	for i, y := range x.call.Out {
		if at := differs(y, x.want[i], layoutOf(x.plan.Out, i), 0, y.Len()); at >= 0 {
			x.Fatalf("%s: %v %v, computed %s:\n got %v\nwant %v\nin layouts %v %v, first at %d of %d",
				x.plan.Kernel, x.of.In, x.of.Attrs, how, short(y), short(x.want[i]), x.plan.In, x.plan.Out, at, y.Len())
		}
		x.spoil(y.Bytes())
	}
}

// lastRound returns how many pieces the last round has.
func (x *trial) lastRound() int {
	if x.plan.Rounds == nil {
		return x.plan.Pieces
	}
	return x.plan.Rounds[len(x.plan.Rounds)-1]
}

// checkEven holds the pieces of a chunk of the last round to yielding their run of elements and no other, and those of rounds before it to yielding none.
func (x *trial) checkEven(rounds [][][2]int) {
	x.Helper()
	y, n := x.call.Out[0].Bytes(), x.lastRound()
	before, each, size := slices.Clone(y), x.call.Out[0].Len()/n, x.call.Out[0].DType().Size()
	for _, chunks := range rounds[:len(rounds)-1] {
		for _, c := range chunks {
			x.run(c)
		}
	}
	chunk := op.Pick(x.r, rounds[len(rounds)-1])
	x.run(chunk)
	first := x.plan.Pieces - n
	lo, hi := (chunk[0]-first)*each, (chunk[1]-first)*each
	if differs(x.call.Out[0], x.want[0], layoutOf(x.plan.Out, 0), lo, hi) >= 0 || !bytes.Equal(y[:lo*size], before[:lo*size]) || !bytes.Equal(y[hi*size:], before[hi*size:]) {
		x.Fatalf("%v %v: the pieces %v of %d yield not their part, or more", x.of.In, x.of.Attrs, chunk, x.plan.Pieces)
	}
}

// checkInPlace lays the result into the memory of each operand that has its type.
func (x *trial) checkInPlace(rounds [][][2]int) {
	x.Helper()
	in, out := x.call.In, x.call.Out
	for i, operand := range in {
		if operand == nil || operand.DType() != out[0].DType() || !operand.Shape().Equal(out[0].Shape()) {
			continue
		}
		x.call.In = slices.Clone(in)
		x.call.In[i] = operand.Clone()
		x.call.Out = x.call.In[i : i+1]
		for _, chunks := range rounds {
			for _, c := range chunks {
				x.run(c)
			}
		}
		x.compare("in place")
	}
	x.call.In, x.call.Out = in, out
}
