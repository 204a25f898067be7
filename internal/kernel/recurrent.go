package kernel

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks with constant weights and the usual functions. A round for the products of the inputs of some steps is followed by a round for
// each of these steps: the products of the state, and the gates. Blocks of 16 elements of the state make the pieces of a round, in panels that have all
// gates of a block side by side. Working memory that all workers share holds the products and two states, of which a step reads one and writes the other.
//
// Where the tier has a routine for it, steps compute products of the inputs of the steps behind them besides, as many as there are numbers of the state
// to take them with: the panels of the state come from the second-level cache, at half of the rate at which they could be multiplied.
func recurrentRows(t *simd.Tier) []Kernel {
	if t.LSTMRow.Name == "" {
		return nil
	}
	lstm := network{tier: t, gates: "iofg", row: &t.LSTMRow, rows: &t.LSTMRows, with: &t.LSTMAhead, state: &t.LSTMState,
		functions: []string{"sigmoid", "tanh", "tanh"}, bias: 3, initial: 6, lengths: 8, cell: 1, sequence: 2}
	gru := network{tier: t, gates: "zrn", row: &t.GRURow, rows: &t.GRURows, with: &t.GRUAhead, state: &t.GRUState,
		functions: []string{"sigmoid", "tanh"}, bias: 3, initial: 5, lengths: 6, sequence: 1}
	single := []op.Types{float32s, float32s, float32s}
	return []Kernel{
		{Name: "steps", Op: "lstm", In: single, Prepare: lstm.prepare},
		{Name: "steps", Op: "gru", In: single, Prepare: gru.prepare},
	}
}

// network is what kernels know of an operator.
type network struct {
	tier      *simd.Tier
	gates     string // in the order of panels
	row, rows *simd.Routine[simd.GatesArgs]
	with      *simd.Routine[simd.AheadArgs]
	state     *simd.Routine[simd.StateArgs]
	functions []string
	// The positions of operands: of the bias, behind which is the recurrent one; of the initial state, behind which is that of the cell; of the
	// lengths. And those of results: of the cell state, 0 for none, and of the sequence.
	bias, initial, lengths, cell, sequence int
}

// steps is a network that is prepared: its extents, and where working memory lies, in float32 from the beginning of that of a direction.
type steps struct {
	*network
	steps, dirs, batch, input, hidden int
	backward                          bool
	blocks                            int   // of elements of the state
	panel                             int   // elements of a block in products: 16 for each gate
	portion, portions                 int   // blocks in a piece of a step, and such pieces
	offsets                           []int // where each gate begins in weights and biases
	together                          int   // steps of which the inputs are multiplied at once
	ahead                             int   // columns of the input that are multiplied while steps before are computed
	chunk                             int   // of these, those of an item

	products, recurrent, biases, cells, states, each int
}

// biasVectors is how many vectors of biases a block has.
const biasVectors = 4

func (net *network) prepare(r Region) *Plan {
	n := r.Root()
	in := n.In
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || in[1].Const == nil || in[2].Const == nil || !slices.Equal(n.Attrs.Strings("activations"), net.functions) ||
		n.Attrs.Float("clip") != 0 || len(in) > net.lengths && in[net.lengths] != nil {
		return nil
	}
	if net.cell > 0 && (len(in) > 5 && in[5] != nil || n.Attrs.Bool("coupled")) || net.cell == 0 && !n.Attrs.Bool("reset_after") {
		return nil
	}
	x, weight := in[0].Type.Shape, in[1].Type.Shape
	s := &steps{network: net, steps: x[0], dirs: weight[0], batch: x[1], input: x[2], hidden: n.Attrs.Int("hidden_size"), backward: n.Attrs.String("direction") == "backward"}
	if s.input == 0 {
		return nil
	}
	s.blocks, s.panel = (s.hidden+block-1)/block, block*len(net.gates)
	for _, g := range net.gates {
		s.offsets = append(s.offsets, strings.IndexRune(n.Attrs.String("layout"), g)*s.hidden)
	}
	s.portion = min(s.blocks, max(1, stepWork/(s.hidden*s.panel*s.batch)))
	s.portions = (s.blocks + s.portion - 1) / s.portion
	s.together = together
	s.chunk = min(s.hidden/simd.AheadNumbers, columnsAtOnce)
	if net.with.Exists() && s.chunk >= leastAhead && s.steps > togetherAhead {
		most := min(s.hidden/(simd.AheadNumbers*s.chunk), aheadItems) // of a step
		s.together, s.ahead = togetherAhead, min(s.input, most*simd.AheadRows/len(net.gates)*s.chunk)
	}
	at := 0
	take := func(n int) int {
		at += n
		return at - n
	}
	s.products = take(s.multiplied())
	if s.ahead > 0 {
		take(s.multiplied())
	}
	s.recurrent = take(s.batch * s.blocks * s.panel)
	s.biases = take(s.blocks * biasVectors * block)
	s.cells = take(s.batch * s.blocks * block)
	s.states = take(2 * s.batch * s.blocks * block)
	s.each = at
	p := &Plan{Shared: 4 * s.dirs * s.each, Scratch: aheadItems * int(unsafe.Sizeof(simd.AheadItem{})), Run: s.run}
	for t := range s.steps {
		if t%s.together == 0 {
			p.Rounds = append(p.Rounds, s.dirs*s.blocks)
		}
		p.Rounds = append(p.Rounds, s.dirs*s.portions)
	}
	for _, n := range p.Rounds {
		p.Pieces += n
	}
	p.Nanos = int64(s.dirs*s.steps*s.batch) * int64(s.hidden*len(net.gates)) * int64(s.input+s.hidden) / macsPerNano
	p.Pack = []Pack{s.pack(in[1].Const, s.input), s.pack(in[2].Const, s.hidden)}
	return p
}

const (
	columnsAtOnce = 64      // of the input: their weights stay in the nearest cache
	together      = 128     // steps of which the inputs are multiplied at once
	togetherAhead = 16      // the same where steps multiply those of later ones
	leastAhead    = 16      // columns of the input in an item that are worth it
	aheadItems    = 16      // at most that a step has with each panel
	stepWork      = 1 << 17 // multiply-adds of a step that are worth a piece of their own
	macsPerNano   = 40
)

// multiplied returns how many products of inputs there are of the steps that are multiplied together.
func (s *steps) multiplied() int { return min(s.steps, s.together) * s.batch * s.blocks * s.panel }

// productsOf returns where the products are of the steps that begin with a given one and are multiplied together. While steps compute those of the
// next ones they read others.
func (s *steps) productsOf(first int) int {
	if s.ahead > 0 && first/s.together%2 == 1 {
		return s.products + s.multiplied()
	}
	return s.products
}

// pack returns the panels of weights with k columns: (D, blocks, k, gates, 16).
func (s *steps) pack(w *tensor.Tensor, k int) Pack {
	rows := s.dirs * s.blocks
	return Pack{From: w, Form: "panels " + s.gates, Size: 4 * rows * k * s.panel, Fill: func(dst []byte, part, parts int) {
		from, to := tensor.Data[float32](w), floatsOf(dst)
		for p := rows * part / parts; p < rows*(part+1)/parts; p++ {
			dir, first := p/s.blocks, p%s.blocks*block
			for g, offset := range s.offsets {
				for lane := range min(block, s.hidden-first) {
					row := from[(dir*len(s.offsets)*s.hidden+offset+first+lane)*k:][:k]
					for i, v := range row {
						to[(p*k+i)*s.panel+g*block+lane] = v
					}
				}
			}
		}
	}}
}

// run computes pieces: panels of the products of the inputs of some steps, and portions of these steps.
func (s *steps) run(c *op.Call, lo, hi int) {
	watch := c.Watch()
	panels := s.dirs * s.blocks
	group := panels + s.together*s.dirs*s.portions
	for lo < hi {
		first, i := lo/group*s.together, lo%group
		if i < panels {
			if watch.Stops(min(s.steps-first, s.together) * s.batch * s.input * s.panel) {
				return
			}
			s.multiply(c, first, i/s.blocks, i%s.blocks)
			lo++
			continue
		}
		i -= panels
		portion := i % s.portions
		n := min(s.portions-portion, hi-lo)
		if watch.Stops(n * s.batch * s.portion * s.hidden * s.panel) {
			return
		}
		s.step(c, first, first+i/(s.dirs*s.portions), i/s.portions%s.dirs, portion*s.portion, n*s.portion)
		lo += n
	}
}

// span returns where the steps that begin with a given one and are multiplied together lie in the input, and how many they are.
func (s *steps) span(first, dir int) (at, n int) {
	n = min(s.steps-first, s.together)
	if s.backward || dir == 1 {
		return s.steps - first - n, n
	}
	return first, n
}

// multiply computes a block of the products of the inputs of the steps from the first on, without those that steps before have computed, and before all
// others begins the states of the block.
func (s *steps) multiply(c *op.Call, first, dir, b int) {
	work := floatsOf(c.Shared)[dir*s.each:][:s.each]
	begin, n := s.span(first, dir)
	x, rows, at := tensor.Data[float32](c.In[0])[begin*s.batch*s.input:], n*s.batch, s.tier.RecurrentRows()
	args := simd.GatesArgs{XRow: 4 * s.input, YRow: 4 * s.blocks * s.panel, First: 1, Panels: 1}
	for k := 0; k < s.input; k += args.K {
		done, end := 0, s.input // rows that are there already, of columns up to an end
		if k < s.ahead {
			if end = s.ahead; first > 0 {
				done = rows / simd.AheadRows * simd.AheadRows
			}
		}
		args.K, args.W = min(columnsAtOnce, end-k), simd.At(floatsOf(c.Packed[0]), ((dir*s.blocks+b)*s.input+k)*s.panel)
		for i := done; i < rows; {
			args.X, args.Y = simd.At(x, i*s.input+k), simd.At(work, s.productsOf(first)+(i*s.blocks+b)*s.panel)
			if i+at <= rows {
				s.rows.Run(&args)
				i += at
			} else {
				s.row.Run(&args)
				i++
			}
		}
		args.First = 0
	}
	if first == 0 {
		s.begin(c, work, dir, b)
	}
}

// begin sets the biases and the states before the first step, of a block.
func (s *steps) begin(c *op.Call, work []float32, dir, b int) {
	n := min(block, s.hidden-b*block)
	of := func(operand, offset int) []float32 {
		if !c.Has(operand) {
			return zeros[:n]
		}
		return tensor.Data[float32](c.In[operand])[dir*len(s.offsets)*s.hidden+offset+b*block:][:n]
	}
	biases := work[s.biases+b*biasVectors*block:][:biasVectors*block]
	clear(biases)
	for g, offset := range s.offsets {
		own, recurrent, to := of(s.bias, offset), of(s.bias+1, offset), biases[g*block:]
		if s.cell == 0 && g == 2 { // the state's bias is multiplied by a gate
			copy(to, own)
			copy(biases[3*block:], recurrent)
			continue
		}
		for i, v := range own {
			to[i] = v + recurrent[i]
		}
	}
	s.start(c, work[s.states:], s.initial, dir, b)
	if s.cell > 0 {
		s.start(c, work[s.cells:], s.initial+1, dir, b)
	}
}

var zeros [block]float32

// start sets a block of a state of all batch items to an operand, or to zeros where it is absent.
func (s *steps) start(c *op.Call, state []float32, operand, dir, b int) {
	for item := range s.batch {
		to := state[(item*s.blocks+b)*block:][:block]
		clear(to)
		if c.Has(operand) {
			copy(to, tensor.Data[float32](c.In[operand])[(dir*s.batch+item)*s.hidden+b*block:][:min(block, s.hidden-b*block)])
		}
	}
}

// step computes n blocks of step t, or less at the end, whose input is among those multiplied with that of the given step.
func (s *steps) step(c *op.Call, with, t, dir, first, n int) {
	work := floatsOf(c.Shared)[dir*s.each:][:s.each]
	n = min(n, s.blocks-first)
	size := s.batch * s.blocks * block
	begin, _ := s.span(with, dir)
	now := t
	if s.backward || dir == 1 {
		now = s.steps - 1 - t
	}
	before, after := work[s.states+t%2*size:][:size], work[s.states+(t+1)%2*size:][:size]
	weights := floatsOf(c.Packed[1])
	for item := range s.batch {
		state, at := (item*s.blocks)*block, (item*s.blocks+first)*s.panel
		products := simd.At(work, s.recurrent+at)
		args := simd.GatesArgs{X: simd.At(before, state), W: simd.At(weights, (dir*s.blocks+first)*s.hidden*s.panel), Y: products, K: s.hidden, First: 1, Panels: n}
		reversed := (t+item)%2 == 1 // from the last panel to the first: those that were read last are still near
		if reversed {
			args.W += uintptr(4 * (n - 1) * s.hidden * s.panel)
			args.Y += uintptr(4 * (n - 1) * s.panel)
			args.WNext, args.YNext = -8*s.hidden*s.panel, -8*s.panel
		}
		if s.ahead == 0 || with+s.together >= s.steps || !s.both(c, work, &args, with, (t-with)*s.batch+item, dir, first, reversed) {
			s.row.Run(&args)
		}
		state += first * block
		s.state.Run(&simd.StateArgs{
			X: simd.At(work, s.productsOf(with)+(now-begin)*s.batch*s.blocks*s.panel+at), R: products, B: simd.At(work, s.biases+first*biasVectors*block),
			C: simd.At(work, s.cells+state), H: simd.At(before, state), Next: simd.At(after, state), Blocks: n,
		})
		s.yield(c, work, after, now, t == s.steps-1, dir, item, first, n)
	}
}

// both computes a row and, with each panel, its share of products of the inputs of the steps that are multiplied together next: that of the given one of
// the rows of all steps that come before these. It returns false if there is nothing.
func (s *steps) both(c *op.Call, work []float32, row *simd.GatesArgs, with, number, dir, first int, reversed bool) bool {
	next := with + s.together
	begin, n := s.span(next, dir)
	few := n * s.batch / simd.AheadRows // of several rows each
	gates := len(s.gates)
	all := geometry.CeilDiv(s.ahead, s.chunk) * gates * few
	each := s.together * s.batch
	lo, hi := number*all/each, (number+1)*all/each
	if lo == hi {
		return false
	}
	panel, step := first, 1
	if reversed {
		panel, step = first+row.Panels-1, -1
	}
	items := unsafe.Slice((*simd.AheadItem)(unsafe.Pointer(&c.Scratch[0])), hi-lo)
	args := simd.AheadArgs{X: row.X, W: row.W, Y: row.Y, K: row.K, Panels: row.Panels, WNext: row.WNext, YNext: row.YNext, Items: simd.At(c.Scratch, 0),
		Count: hi - lo, XRow: 4 * s.input, YRow: 4 * s.blocks * s.panel, WStep: 4 * step * s.input * s.panel, YStep: 4 * step * s.panel}
	x := tensor.Data[float32](c.In[0])
	for i := range items {
		column, gate, r := (lo+i)/few/gates*s.chunk, (lo+i)/few%gates*block, (lo+i)%few*simd.AheadRows
		items[i] = simd.AheadItem{
			X: simd.At(x, (begin*s.batch+r)*s.input+column),
			W: simd.At(floatsOf(c.Packed[0]), ((dir*s.blocks+panel)*s.input+column)*s.panel+gate),
			Y: simd.At(work, s.productsOf(next)+(r*s.blocks+panel)*s.panel+gate),
			K: min(s.chunk, s.ahead-column),
		}
		if column == 0 {
			items[i].First = 1
		}
		args.K -= simd.AheadNumbers * items[i].K
	}
	s.with.Run(&args)
	return true
}

// yield copies the new state of blocks of a batch item into the results.
func (s *steps) yield(c *op.Call, work, state []float32, now int, last bool, dir, item, first, n int) {
	from, size := first*block, min(n*block, s.hidden-first*block)
	own := (item*s.blocks)*block + from
	at := (dir*s.batch+item)*s.hidden + from
	if s.sequence < len(c.Out) {
		copy(tensor.Data[float32](c.Out[s.sequence])[now*s.dirs*s.batch*s.hidden+at:][:size], state[own:])
	}
	if last {
		copy(tensor.Data[float32](c.Out[0])[at:][:size], state[own:])
		if s.cell > 0 {
			copy(tensor.Data[float32](c.Out[s.cell])[at:][:size], work[s.cells+own:])
		}
	}
}
