package kernel

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Recurrent networks and cells. A round for the products of the inputs of some steps is followed by the rounds of each of these
// steps, one for each of its phases: products of the state, and what the gates make of them. Blocks of 16 elements of the state make the pieces of a
// round, in panels that have all gates of a phase side by side, of as many blocks as fill one. Working memory that all workers share holds the products
// and two states, of which a step reads one and writes the other.
//
// Where the tier has a routine for it, steps compute products of the inputs of the steps behind them besides, as many as there are numbers of the state
// to take them with: the panels of the state come from the second-level cache, at half of the rate at which they could be multiplied.
func recurrentRows(t *simd.Tier) (rows []Kernel) {
	if t.LSTMRow.Name == "" {
		return nil
	}
	for _, net := range []network{
		{op: "lstm", usual: []string{"sigmoid", "tanh", "tanh"}, bias: 3, peephole: 5, initial: 6, lengths: 8, cell: 1, sequence: 2},
		{op: "lstm_cell", usual: []string{"sigmoid", "tanh", "tanh"}, bias: 5, peephole: 7, initial: 3, cell: 1, sequence: 2},
		{op: "gru", usual: []string{"sigmoid", "tanh"}, bias: 3, initial: 5, lengths: 6, sequence: 1},
		{op: "gru_cell", usual: []string{"sigmoid", "tanh"}, bias: 4, initial: 3, sequence: 1},
		{op: "rnn", usual: []string{"tanh"}, bias: 3, initial: 5, lengths: 6, sequence: 1},
	} {
		rows = append(rows, Kernel{Name: "steps", Op: net.op, In: []op.Types{float32s, float32s, float32s}, Prepare: func(r Region) *Plan { return net.prepare(t, r) }})
	}
	return rows
}

// network is what kernels know of an operator.
type network struct {
	op    string
	usual []string // functions of the gates
	// The positions of operands: of the bias, behind which is the recurrent one; of the peepholes, 0 for none; of the initial state, behind which is that of
	// the cell; of the lengths, 0 for none. And those of results: of the cell state, 0 for none, and of the sequence.
	bias, peephole, initial, lengths, cell, sequence int
}

// stepPhase is a part of a step whose products need all of what the part before it has made.
type stepPhase struct {
	gates             string
	gate              int // the first of these among all gates
	blocks            int // of the state, that a panel has all these gates of
	first, panels     int // among those of all phases
	portion, portions int // panels in a piece, and such pieces
}

// steps is a network that is prepared: its extents, and where working memory lies, in float32 from the beginning of that of a direction.
type steps struct {
	*network
	tier                              *simd.Tier
	row, rows                         *simd.Routine[simd.GatesArgs]
	with                              *simd.Routine[simd.AheadArgs]
	state                             *simd.Routine[simd.StateArgs] // for networks with the usual functions and nothing else; nil for others, see gates
	functions                         []activation                  // of the gates in one direction, or in each
	clip                              float32
	after, coupled, resets            bool // peepholes see the cell's state after the step; the gate f is 1 - i; the gate r applies to products of the state
	add, sub, mul, max, min           simd.Routine[simd.ElementsArgs]
	steps, dirs, batch, input, hidden int
	backward                          bool
	phases                            []stepPhase
	blocks                            int   // of elements of the state
	panel, panels                     int   // elements of a panel in products, and panels of all phases
	offsets                           []int // where each gate begins in weights and biases
	together                          int   // steps of which the inputs are multiplied at once
	ahead                             int   // columns of the input that are multiplied while steps before are computed
	chunk                             int   // of these, those of an item

	weights [2]stepWeights
	open    bool // some weights are not constant

	products, recurrent, biases, cells, states, gates, each int
}

// biasPanel is how many biases a panel has: those of its gates, or besides the state's for a gate that multiplies them.
const biasPanel = 4 * block

// phasesOf returns the gates of the phases of a node.
func (net *network) phasesOf(n *graph.Node) []string {
	switch {
	case net.cell > 0:
		return []string{"iofg"}
	case net.op == "rnn":
		return []string{"h"}
	case n.Attrs.Bool("reset_after"):
		return []string{"zrn"}
	}
	return []string{"zr", "n"}
}

func (net *network) prepare(t *simd.Tier, r Region) *Plan {
	n := r.Root()
	in, x, weight := n.In, n.In[0].Type.Shape, n.In[1].Type.Shape
	if len(r.Nodes) > 1 || n.Out[0].Type.Shape.Len() == 0 || x.Len() == 0 {
		return nil
	}
	if len(x) == 2 { // a cell
		x, weight = append(tensor.Shape{1}, x...), append(tensor.Shape{1}, weight...)
	}
	s := &steps{network: net, tier: t, row: &t.LSTMRow, rows: &t.LSTMRows, with: &t.LSTMAhead, panel: 4 * block, clip: float32(n.Attrs.Float("clip")),
		after: n.Attrs.String("peephole_output") == "after", coupled: n.Attrs.Bool("coupled"), resets: net.op != "rnn" && n.Attrs.Bool("reset_after"),
		steps: x[0], dirs: weight[0], batch: x[1], input: x[2], hidden: n.Attrs.Int("hidden_size"), backward: n.Attrs.String("direction") == "backward"}
	if max(s.steps, s.batch, s.input) > mostExtent || !s.setFunctions(n) {
		return nil
	}
	if s.resets {
		s.row, s.rows, s.with, s.panel = &t.GRURow, &t.GRURows, &t.GRUAhead, 3*block
	}
	phases := net.phasesOf(n)
	most := s.panel / block / len(phases[len(phases)-1]) // blocks of the state that a panel of a phase has at most
	s.blocks = geometry.CeilDiv(s.hidden, most*block) * most
	layout := n.Attrs.String("layout")
	for _, gates := range phases {
		p := stepPhase{gates: gates, gate: len(s.offsets), blocks: s.panel / block / len(gates), first: s.panels}
		p.panels = s.blocks / p.blocks
		p.portion = min(p.panels, max(1, stepWork/(s.hidden*s.panel*s.batch)))
		p.portions = geometry.CeilDiv(p.panels, p.portion)
		for _, g := range gates {
			s.offsets = append(s.offsets, max(strings.IndexRune(layout, g), 0)*s.hidden)
		}
		s.panels += p.panels
		s.phases = append(s.phases, p)
	}
	s.together = max(1, min(together, mostProducts/(s.batch*s.panels*s.panel)))
	s.chunk = min(s.hidden/simd.AheadNumbers, columnsAtOnce)
	if s.with.Exists() && s.chunk >= leastAhead && s.steps > togetherAhead && s.together >= togetherAhead && s.batch < t.RecurrentRows() {
		most := min(s.hidden/(simd.AheadNumbers*s.chunk), aheadItems) // of a step
		s.together, s.ahead = togetherAhead, min(s.input, most*simd.AheadRows/(s.panel/block)*s.chunk)
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
	items := s.batch
	if s.several() {
		items = max(items, t.RecurrentRows())
	}
	s.recurrent = take(items * s.panels * s.panel)
	s.biases = take(s.panels * biasPanel)
	s.cells = take(s.batch * s.blocks * block)
	s.states = take(2 * s.batch * s.blocks * block)
	if s.state == nil {
		s.gates = take(s.batch * gateVectors * s.blocks * block)
	}
	take((items - s.batch) * gateVectors * s.blocks * block) // is multiplied with them, for nothing
	s.each = at
	form := fmt.Sprintf("panels %v %s", phases, layout)
	p := &Plan{}
	at *= s.dirs
	for i, k := range []int{s.input, s.hidden} {
		w := &s.weights[i]
		if w.columns = k; in[1+i].Const != nil {
			w.packed = len(p.Pack)
			p.Pack = append(p.Pack, s.pack(in[1+i].Const, k, form))
			continue
		}
		w.packed, w.at, s.open = -1, take(s.dirs*s.panels*k*s.panel), true
	}
	if at > mostShared {
		return nil
	}
	p.Shared, p.Scratch, p.Run = 4*at, aheadItems*int(unsafe.Sizeof(simd.AheadItem{})), s.run
	if s.open {
		p.Rounds = append(p.Rounds, s.dirs*s.panels)
	}
	for t := range s.steps {
		if t%s.together == 0 {
			p.Rounds = append(p.Rounds, s.dirs*s.panels)
		}
		for i := range s.phases {
			p.Rounds = append(p.Rounds, s.dirs*s.phases[i].portions)
		}
	}
	for _, n := range p.Rounds {
		p.Pieces += n
	}
	p.Nanos = int64(s.dirs*s.steps*s.batch) * int64(s.hidden*len(s.offsets)) * int64(s.input+s.hidden) / macsPerNano
	return p
}

const (
	columnsAtOnce = 64      // of the input: their weights stay in the nearest cache
	together      = 128     // steps of which the inputs are multiplied at once
	togetherAhead = 16      // the same where steps multiply those of later ones
	mostProducts  = 1 << 22 // of inputs that are multiplied at once, if they are not of a single step
	mostExtent    = 1 << 20 // steps, each of which is a round, items, or columns of the input: no product of extents overflows
	mostShared    = 1 << 27 // numbers in memory that workers share: states of one element take the room of 64
	leastAhead    = 16      // columns of the input in an item that are worth it
	aheadItems    = 16      // at most that a step has with each panel
	stepWork      = 1 << 17 // multiply-adds of a step that are worth a piece of their own
	mostWork      = 1 << 26 // the same of several pieces between two questions whether anybody waits
	macsPerNano   = 40
)

// multiplied returns how many products of inputs there are of the steps that are multiplied together.
func (s *steps) multiplied() int { return min(s.steps, s.together) * s.batch * s.panels * s.panel }

// productsOf returns where the products are of the steps that begin with a given one and are multiplied together. While steps compute those of the
// next ones they read others.
func (s *steps) productsOf(first int) int {
	if s.ahead > 0 && first/s.together%2 == 1 {
		return s.products + s.multiplied()
	}
	return s.products
}

// phaseOf returns the phase that a panel is of.
func (s *steps) phaseOf(panel int) *stepPhase {
	i := len(s.phases) - 1
	for panel < s.phases[i].first {
		i--
	}
	return &s.phases[i]
}

// sixteen returns of which gate the elements are that a panel has from 16·i on, with which element of the state they begin, and how many there are.
func (s *steps) sixteen(panel, i int) (gate, first, n int) {
	p := s.phaseOf(panel)
	first = ((panel-p.first)*p.blocks + i%p.blocks) * block
	return p.gate + i/p.blocks, first, max(0, min(block, s.hidden-first))
}

// stepWeights are those of the input or of the state in panels: (D, panels, columns, elements of a panel).
type stepWeights struct {
	columns int
	packed  int // which one of the packed constants it is, or -1 for what each run brings into panels
	at      int // where that is in shared memory
}

// weightsOf returns those of the input, 0, or of the state, 1.
func (s *steps) weightsOf(c *op.Call, i int) []float32 {
	w := &s.weights[i]
	if w.packed >= 0 {
		return floatsOf(c.Packed[w.packed])
	}
	return floatsOf(c.Shared)[w.at:]
}

// pack returns weights that are constant.
func (s *steps) pack(w *tensor.Tensor, k int, form string) Pack {
	rows := s.dirs * s.panels
	return Pack{From: w, Form: form, Size: 4 * rows * k * s.panel, Fill: func(dst []byte, part, parts int) {
		for p := rows * part / parts; p < rows*(part+1)/parts; p++ {
			s.copyPanel(floatsOf(dst), tensor.Data[float32](w), k, p)
		}
	}}
}

// copyPanel brings a panel of weights together. What no weights are for stays as it is.
func (s *steps) copyPanel(to, from []float32, k, p int) {
	for j := range s.panel / block {
		gate, first, n := s.sixteen(p%s.panels, j)
		for lane := range n {
			row := from[(p/s.panels*len(s.offsets)*s.hidden+s.offsets[gate]+first+lane)*k:][:k]
			to := to[p*k*s.panel+j*block+lane:]
			for i, v := range row {
				to[i*s.panel] = v
			}
		}
	}
}

// run computes pieces: panels of the products of the inputs of some steps, and portions of the phases of these steps.
func (s *steps) run(c *op.Call, lo, hi int) {
	watch := c.Watch()
	panels, each := s.dirs*s.panels, 0
	for i := range s.phases {
		each += s.dirs * s.phases[i].portions
	}
	group := panels + s.together*each
	skip := 0 // pieces of a round that is before all
	if s.open {
		skip = panels
	}
	for ; lo < min(hi, skip); lo++ {
		for i := range s.weights {
			w := &s.weights[i]
			if w.packed >= 0 {
				continue
			}
			if watch.Stops(w.columns * s.panel) {
				return
			}
			to := s.weightsOf(c, i)
			clear(to[lo*w.columns*s.panel:][:w.columns*s.panel])
			s.copyPanel(to, tensor.Data[float32](c.In[1+i]), w.columns, lo)
		}
	}
	for lo, hi = lo-skip, hi-skip; lo < hi; {
		first, i := lo/group*s.together, lo%group
		if i < panels {
			if !s.multiply(c, &watch, first, i/s.panels, i%s.panels) {
				return
			}
			lo++
			continue
		}
		t, k := first+(i-panels)/each, 0
		i = (i - panels) % each
		for ; i >= s.dirs*s.phases[k].portions; k++ {
			i -= s.dirs * s.phases[k].portions
		}
		p := &s.phases[k]
		portion := i % p.portions
		work := s.batch * p.portion * s.hidden * s.panel
		n := min(p.portions-portion, hi-lo, max(1, mostWork/work))
		if watch.Stops(n * work) {
			return
		}
		s.step(c, first, t, i/p.portions, k, portion*p.portion, n*p.portion)
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

// multiply computes a panel of the products of the inputs of the steps from the first on, without those that steps before have computed, and before all
// others sets the biases of the panel and begins the states of its blocks. It returns false if nobody waits.
func (s *steps) multiply(c *op.Call, watch *op.Watch, first, dir, panel int) bool {
	work := floatsOf(c.Shared)[dir*s.each:][:s.each]
	begin, n := s.span(first, dir)
	x, rows, at := tensor.Data[float32](c.In[0])[begin*s.batch*s.input:], n*s.batch, s.tier.RecurrentRows()
	args := simd.GatesArgs{XRow: 4 * s.input, YRow: 4 * s.panels * s.panel, First: 1, Panels: 1}
	for k := 0; k < s.input; k += args.K {
		done, end := 0, s.input // rows that are there already, of columns up to an end
		if k < s.ahead {
			if end = s.ahead; first > 0 {
				done = rows / simd.AheadRows * simd.AheadRows
			}
		}
		args.K, args.W = min(columnsAtOnce, end-k), simd.At(s.weightsOf(c, 0), ((dir*s.panels+panel)*s.input+k)*s.panel)
		if watch.Stops((rows - done) * args.K * s.panel) {
			return false
		}
		for i := done; i < rows; {
			args.X, args.Y = simd.At(x, i*s.input+k), simd.At(work, s.productsOf(first)+(i*s.panels+panel)*s.panel)
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
		s.begin(c, work, dir, panel)
	}
	return true
}

// begin sets the biases of a panel, and, of the first phase, the states of its blocks before the first step.
func (s *steps) begin(c *op.Call, work []float32, dir, panel int) {
	biases := work[s.biases+panel*biasPanel:][:biasPanel]
	clear(biases)
	for i := range s.panel / block {
		gate, first, n := s.sixteen(panel, i)
		if n == 0 {
			continue
		}
		of := func(operand int) []float32 {
			if !c.Has(operand) {
				return zeros[:n]
			}
			return tensor.Data[float32](c.In[operand])[dir*len(s.offsets)*s.hidden+s.offsets[gate]+first:][:n]
		}
		own, recurrent, to := of(s.bias), of(s.bias+1), biases[i*block:]
		if s.resets && gate == 2 { // the state's bias is multiplied by a gate
			copy(to, own)
			copy(biases[3*block:], recurrent)
			continue
		}
		for k, v := range own {
			to[k] = v + recurrent[k]
		}
	}
	p := &s.phases[0]
	for b := panel * p.blocks; panel < p.panels && b < (panel+1)*p.blocks; b++ {
		s.start(c, work[s.states:], s.initial, dir, b)
		if s.cell > 0 {
			s.start(c, work[s.cells:], s.initial+1, dir, b)
		}
	}
}

var zeros [block]float32

// start sets a block of a state of all batch items to an operand, or to zeros where it is absent.
func (s *steps) start(c *op.Call, state []float32, operand, dir, b int) {
	n := max(0, min(block, s.hidden-b*block))
	for item := range s.batch {
		to := state[(item*s.blocks+b)*block:][:block]
		clear(to)
		if n > 0 && c.Has(operand) {
			copy(to, tensor.Data[float32](c.In[operand])[(dir*s.batch+item)*s.hidden+b*block:][:n])
		}
	}
}

// step computes n panels of phase k of step t, or less at the end, whose input is among those multiplied with that of the given step.
func (s *steps) step(c *op.Call, with, t, dir, k, first, n int) {
	p, last := &s.phases[k], k == len(s.phases)-1
	work := floatsOf(c.Shared)[dir*s.each:][:s.each]
	n = min(n, p.panels-first)
	width := s.blocks * block
	size := s.batch * width
	begin, _ := s.span(with, dir)
	now := t
	if s.backward || dir == 1 {
		now = s.steps - 1 - t
	}
	before, after := work[s.states+t%2*size:][:size], work[s.states+(t+1)%2*size:][:size]
	from, apart := s.states+t%2*size, width // what is multiplied
	if k > 0 {                              // the state that the phase before has reset, in the place of the gate r
		from, apart = s.gates+width, gateVectors*width
	}
	panel := p.first + first
	several := s.several()
	if several {
		s.itemsTogether(c, work, work[from:], apart, dir, panel, n)
	}
	for item := range s.batch {
		at := (item*s.panels + panel) * s.panel
		products := simd.At(work, s.recurrent+at)
		if !several {
			args := simd.GatesArgs{X: simd.At(work, from+item*apart), W: simd.At(s.weightsOf(c, 1), (dir*s.panels+panel)*s.hidden*s.panel), Y: products, K: s.hidden, First: 1, Panels: n}
			reversed := (t+item)%2 == 1 // from the last panel to the first: those that were read last are still near
			if reversed {
				args.W += uintptr(4 * (n - 1) * s.hidden * s.panel)
				args.Y += uintptr(4 * (n - 1) * s.panel)
				args.WNext, args.YNext = -8*s.hidden*s.panel, -8*s.panel
			}
			if s.ahead == 0 || with+s.together >= s.steps || !s.both(c, work, &args, with, (t-with)*s.batch+item, dir, panel, reversed) {
				s.row.Run(&args)
			}
		}
		element := first * p.blocks * block
		state := item*width + element
		inputs, biases := simd.At(work, s.productsOf(with)+(now-begin)*s.batch*s.panels*s.panel+at), simd.At(work, s.biases+panel*biasPanel)
		idle := s.idle(c, item, now)
		switch {
		case idle && last:
			copy(after[state:][:n*p.blocks*block], before[state:])
		case idle:
		case s.state != nil:
			s.state.Run(&simd.StateArgs{X: inputs, R: products, B: biases, C: simd.At(work, s.cells+state), H: simd.At(before, state), Next: simd.At(after, state), Blocks: n})
		default:
			g := gates{steps: s, c: c, phase: p, dir: dir, element: element, panels: n, n: n * p.blocks * block, inputs: inputs, products: products, biases: biases,
				cell: simd.At(work, s.cells+state), before: simd.At(before, state), next: simd.At(after, state),
				vectors: simd.At(work, s.gates+item*gateVectors*width+element)}
			g.make()
		}
		if last {
			s.yield(c, work, after, now, t == s.steps-1, idle, dir, item, element, n*p.blocks*block)
		}
	}
}

// idle reports whether the sequence of a batch item has ended before a place of the input: its state stays what it is.
func (s *steps) idle(c *op.Call, item, now int) bool {
	if s.lengths == 0 || !c.Has(s.lengths) {
		return false
	}
	if l := c.In[s.lengths]; l.DType() == tensor.Int32 {
		return int64(now) >= int64(tensor.Data[int32](l)[item])
	} else {
		return int64(now) >= tensor.Data[int64](l)[item]
	}
}

// several reports whether the states of several batch items are multiplied at a time, if need be with memory behind them in the place of more items.
func (s *steps) several() bool {
	rows := s.tier.RecurrentRows()
	return s.batch >= rows || s.ahead == 0 && 2*s.batch > rows
}

// itemsTogether computes n panels of the products of the states of all batch items, so many elements apart, several at a time: the last ones of these again where they are fewer.
func (s *steps) itemsTogether(c *op.Call, work, states []float32, apart, dir, first, n int) {
	at, weights := s.tier.RecurrentRows(), s.weightsOf(c, 1)
	args := simd.GatesArgs{XRow: 4 * apart, YRow: 4 * s.panels * s.panel, K: s.hidden, First: 1, Panels: 1}
	for panel := first; panel < first+n; panel++ {
		args.W = simd.At(weights, (dir*s.panels+panel)*s.hidden*s.panel)
		for item := 0; item < s.batch; item += at {
			i := max(0, min(item, s.batch-at))
			args.X, args.Y = simd.At(states, i*apart), simd.At(work, s.recurrent+(i*s.panels+panel)*s.panel)
			s.rows.Run(&args)
		}
	}
}

// both computes a row and, with each panel, its share of products of the inputs of the steps that are multiplied together next: that of the given one of
// the rows of all steps that come before these. It returns false if there is nothing.
func (s *steps) both(c *op.Call, work []float32, row *simd.GatesArgs, with, number, dir, first int, reversed bool) bool {
	next := with + s.together
	begin, n := s.span(next, dir)
	few := n * s.batch / simd.AheadRows // of several rows each
	sixteens := s.panel / block
	all := geometry.CeilDiv(s.ahead, s.chunk) * sixteens * few
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
		Count: hi - lo, XRow: 4 * s.input, YRow: 4 * s.panels * s.panel, WStep: 4 * step * s.input * s.panel, YStep: 4 * step * s.panel}
	x := tensor.Data[float32](c.In[0])
	for i := range items {
		column, lane, r := (lo+i)/few/sixteens*s.chunk, (lo+i)/few%sixteens*block, (lo+i)%few*simd.AheadRows
		items[i] = simd.AheadItem{
			X: simd.At(x, (begin*s.batch+r)*s.input+column),
			W: simd.At(s.weightsOf(c, 0), ((dir*s.panels+panel)*s.input+column)*s.panel+lane),
			Y: simd.At(work, s.productsOf(next)+(r*s.panels+panel)*s.panel+lane),
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

// yield copies the new state of a batch item, or what its sequence has instead when it has ended, from an element on into the results.
func (s *steps) yield(c *op.Call, work, state []float32, now int, last, idle bool, dir, item, from, n int) {
	size := min(n, s.hidden-from)
	if size <= 0 {
		return
	}
	own := item*s.blocks*block + from
	at := (dir*s.batch+item)*s.hidden + from
	if s.sequence < len(c.Out) {
		to := tensor.Data[float32](c.Out[s.sequence])[now*s.dirs*s.batch*s.hidden+at:][:size]
		if copy(to, state[own:]); idle {
			clear(to)
		}
	}
	if last {
		copy(tensor.Data[float32](c.Out[0])[at:][:size], state[own:])
		if s.cell > 0 {
			copy(tensor.Data[float32](c.Out[s.cell])[at:][:size], work[s.cells+own:])
		}
	}
}
