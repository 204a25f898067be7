package op

import (
	"cmp"
	"fmt"
	"math"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Operators that own graphs, their blocks, and say which of them to evaluate, how often and on what.
var controlOps = []*Def{ifDef, loopDef, scanDef}

// Block declares a graph that a node of an operator owns.
type Block struct {
	Name string
	Doc  string
}

// BlockRunner evaluates the blocks of one node. Whoever implements it gives the inputs that are captures their elements.
type BlockRunner interface {
	// In returns input i of a block, to be filled before Run.
	In(block, i int) *tensor.Tensor
	// Out returns what the last Run has left in output i of a block. It shares no memory with an input.
	Out(block, i int) *tensor.Tensor
	// Run evaluates a block.
	Run(block int) error
}

// TurnsError says that a loop would take more turns than it may.
type TurnsError struct{ Most int }

// Error says how many are allowed.
func (e *TurnsError) Error() string {
	e = cmp.Or(e, new(TurnsError))
	return fmt.Sprintf("loop: it would take more than %d turns", e.Most)
}

var ifDef = &Def{
	Name: "if",
	Doc: "If evaluates one of two blocks: then if the condition holds, and else otherwise. " +
		"Both take the values, and yield results of equal types.",
	In: []Operand{
		{Name: "condition", Types: Bools, Rank: Rank(0), Doc: "which block to evaluate"},
		{Name: "values", Types: Stored, Rank: AnyRank, Optional: true, Variadic: true, Doc: "the inputs of both blocks"},
	},
	Out: []Result{{Name: "results", Variadic: true, Doc: "the outputs of the block that was evaluated"}},
	Blocks: []Block{
		{Name: "then", Doc: "(values…) → (results…), evaluated if the condition holds"},
		{Name: "else", Doc: "(values…) → (results…), evaluated if it does not"},
	},
	BlockInputs: func(s *Sig, _ int) ([]Type, error) { return s.In[1:], nil },
	Captures:    func(s *Sig, _ int) (input, operand, n int) { return 0, 1, len(s.In) - 1 },
	Results: func(s *Sig) ([]Type, error) {
		yes, no := outputTypes(s.Blocks[0]), outputTypes(s.Blocks[1])
		if len(yes) != len(no) {
			return nil, s.Errorf("else", "it has %d outputs; it must have %d, as the block then", len(no), len(yes))
		}
		for i, t := range no {
			if !t.Equal(yes[i]) {
				return nil, s.Errorf("else", "output %d is %v; in the block then it is %v: only a condition that is known beforehand may decide about types",
					i, t, yes[i])
			}
		}
		return yes, nil
	},
	Control: func(c *Call, b BlockRunner) error {
		block := 1
		if tensor.Data[bool](c.In[0])[0] {
			block = 0
		}
		if err := b.Run(block); err != nil {
			return err
		}
		for i, out := range c.Out {
			copy(out.Bytes(), b.Out(block, i).Bytes())
		}
		return nil
	},
	Inline: inlineIf,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		yes, no := blockWork(s.Blocks[0]), blockWork(s.Blocks[1])
		if limits.Add(yes.MACs, yes.Ops) < limits.Add(no.MACs, no.Ops) {
			return no
		}
		return yes
	},
	Generate: func(r *Rand) Case {
		values := r.values(r.IntN(4))
		results := r.types(r.Between(1, 3))
		return Case{
			In:     append([]*tensor.Tensor{r.Tensor(tensor.Bool, tensor.Shape{})}, values...),
			Blocks: []*graph.Graph{r.block("then", typesOf(values), results), r.block("else", typesOf(values), results)},
		}
	},
}

var loopDef = &Def{
	Name: "loop",
	Doc: "Loop evaluates its block again and again, while a condition holds. " +
		"There is a turn as long as fewer than trips were taken and the condition holds: the operand before the first turn, and then what the last turn has yielded. " +
		"Each turn takes the carried values that the one before it has left. The parts that the turns yield stand one after the other along dimension 0 of the last results, " +
		"with zeros for turns that were not taken. A loop that would take more than most turns is an error.",
	In: []Operand{
		{Name: "trips", Types: TypeSet(tensor.Int64), Rank: Rank(0), Optional: true, Doc: "the number of turns, none if negative; without it only the condition ends the loop"},
		{Name: "condition", Types: Bools, Rank: Rank(0), Optional: true, Doc: "whether there is a first turn; absent for true"},
		{Name: "values", Types: Stored, Rank: AnyRank, Optional: true, Variadic: true,
			Doc: "the carried values before the first turn, and then values that every turn takes"},
	},
	Out: []Result{
		{Name: "count", Type: tensor.Int64, Doc: "the number of turns taken"},
		{Name: "results", Variadic: true, Doc: "the carried values after the last turn, and then the parts of all turns, joined"},
	},
	Attrs: []Attr{
		{Name: "carried", Kind: graph.KindInt, Range: [2]float64{0, maxResults}, Doc: "how many of the values are carried from turn to turn"},
		{Name: "most", Kind: graph.KindInt, Range: [2]float64{0, math.MaxInt32}, Doc: "the greatest number of turns; 2147483647 if only the run knows"},
	},
	Blocks: []Block{{Name: "body", Doc: "(iteration: int64, carried…, other values…) → (condition: bool, carried…, parts…), evaluated in each turn; iterations count from 0"}},
	BlockInputs: func(s *Sig, _ int) ([]Type, error) {
		if n := len(s.In) - 2; s.Int("carried") > n {
			return nil, s.Errorf("carried", "it is %d; there are %d values", s.Int("carried"), n)
		}
		return append([]Type{{DType: tensor.Int64}}, s.In[2:]...), nil
	},
	Captures: func(s *Sig, _ int) (input, operand, n int) {
		carried := s.Int("carried")
		return 1 + carried, 2 + carried, len(s.In) - 2 - carried
	},
	Results: func(s *Sig) ([]Type, error) {
		carried := s.Int("carried")
		left := append([]Type{{DType: tensor.Bool}}, s.In[2:2+carried]...)
		out, err := s.outputs(left)
		if err != nil {
			return nil, err
		}
		out[0].DType = tensor.Int64
		for i, t := range out[1+carried:] {
			if len(t.Shape) == 0 {
				return nil, s.Errorf("body", "output %d is %v; parts are joined along dimension 0, which it does not have", 1+carried+i, t)
			}
			if out[1+carried+i], err = s.joined(t, 0, s.Int("most")); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
	Control: runLoop,
	Inline:  inlineLoop,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		turns := s.Int("most")
		if turns == math.MaxInt32 {
			turns = 1 // who runs it counts the others
		}
		return turnsWork(s.Blocks[0], turns)
	},
	Generate: func(r *Rand) Case {
		most := r.Between(1, 6)
		carried, others := r.values(r.IntN(3)), r.values(r.IntN(3))
		c := Case{
			In:    append(make([]*tensor.Tensor, 2), append(carried, others...)...),
			Attrs: graph.Attrs{{Name: "carried", Value: len(carried)}, {Name: "most", Value: most}},
		}
		if r.Bool() {
			c.In[0] = tensor.Scalar(int64(r.Between(-1, most+1)))
		}
		if r.IntN(3) == 0 {
			c.In[1] = r.Tensor(tensor.Bool, tensor.Shape{})
		}
		results := append([]Type{{DType: tensor.Bool}}, typesOf(carried)...)
		for _, t := range r.types(r.IntN(3)) {
			results = append(results, Type{DType: t.DType, Shape: append(tensor.Shape{r.Extent()}, t.Shape...)})
		}
		c.Blocks = []*graph.Graph{r.body(append([]Type{{DType: tensor.Int64}}, typesOf(c.In[2:])...), results, most)}
		return c
	},
}

// runLoop is the meaning of loop.
func runLoop(c *Call, b BlockRunner) error {
	carried, most := c.Int("carried"), c.Int("most")
	parts := c.Out[1+carried:]
	trips, more := int64(math.MaxInt64), true
	if c.Has(0) {
		trips = tensor.Data[int64](c.In[0])[0]
	}
	if c.Has(1) {
		more = tensor.Data[bool](c.In[1])[0]
	}
	for i := range carried {
		copy(b.In(0, 1+i).Bytes(), c.In[2+i].Bytes())
	}
	for _, p := range parts {
		clear(p.Bytes())
	}
	turn := 0
	for ; more && int64(turn) < trips; turn++ {
		if turn == most {
			return &TurnsError{most}
		}
		tensor.Data[int64](b.In(0, 0))[0] = int64(turn)
		if err := b.Run(0); err != nil {
			return err
		}
		more = tensor.Data[bool](b.Out(0, 0))[0]
		for i := range carried {
			copy(b.In(0, 1+i).Bytes(), b.Out(0, 1+i).Bytes())
		}
		for i, p := range parts {
			part := b.Out(0, 1+carried+i).Bytes()
			copy(p.Bytes()[turn*len(part):], part)
		}
	}
	tensor.Data[int64](c.Out[0])[0] = int64(turn)
	for i := range carried {
		copy(c.Out[1+i].Bytes(), b.In(0, 1+i).Bytes())
	}
	return nil
}

var scanDef = &Def{
	Name: "scan",
	Doc: "Scan evaluates its block once for each part of the scanned tensors, in order, and carries states from turn to turn. " +
		"A scanned tensor of n elements along its axis has n / |chunk| parts, which must be as many for each; with a negative chunk they are taken from the end, " +
		"each in its own order. The parts that the turns yield are joined along an axis, with direction -1 the first one last.",
	In: []Operand{{Name: "values", Types: Stored, Rank: AnyRank, Variadic: true,
		Doc: "the states before the first turn, then the scanned tensors, and then values that every turn takes"}},
	Out: []Result{{Name: "results", Variadic: true, Doc: "the states after the last turn, and then the parts of all turns, joined"}},
	Attrs: []Attr{
		{Name: "states", Kind: graph.KindInt, Range: [2]float64{0, maxResults}, Doc: "how many of the values are states"},
		{Name: "scanned", Kind: graph.KindInt, Range: [2]float64{1, maxResults}, Doc: "how many of the values are scanned"},
		{Name: "axes", Kind: graph.KindInts, Default: []int{}, Doc: "the dimension along which each scanned tensor is cut; empty for 0 everywhere"},
		{Name: "chunks", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{-tensor.MaxElements, tensor.MaxElements},
			Doc: "how many elements of each scanned tensor a turn takes along the axis, not 0; negative to begin at the end; empty for 1 everywhere"},
		{Name: "out_axes", Kind: graph.KindInts, Default: []int{}, Doc: "the dimension along which the parts of each result are joined; empty for 0 everywhere"},
		{Name: "out_directions", Kind: graph.KindInts, Default: []int{}, Range: [2]float64{-1, 1},
			Doc: "1 to join the parts of a result in the order of the turns, -1 in the reverse order; empty for 1 everywhere"},
	},
	Blocks: []Block{{Name: "body", Doc: "(states…, parts of the scanned tensors…, other values…) → (states…, parts of the results…), evaluated in each turn"}},
	BlockInputs: func(s *Sig, _ int) ([]Type, error) {
		if _, err := s.turns(); err != nil {
			return nil, err
		}
		in, states := append([]Type(nil), s.In...), s.Int("states")
		for i := range s.Int("scanned") {
			shape := in[states+i].Shape.Clone()
			shape[itemOr(s.Ints("axes"), i, 0)] = max(itemOr(s.Ints("chunks"), i, 1), -itemOr(s.Ints("chunks"), i, 1))
			in[states+i].Shape = shape
		}
		return in, nil
	},
	Captures: func(s *Sig, _ int) (input, operand, n int) {
		first := s.Int("states") + s.Int("scanned")
		return first, first, len(s.In) - first
	},
	Results: func(s *Sig) ([]Type, error) {
		states := s.Int("states")
		out, err := s.outputs(s.In[:states])
		if err != nil {
			return nil, err
		}
		turns, err := s.turns()
		if err != nil {
			return nil, err
		}
		for _, attr := range []string{"out_axes", "out_directions"} {
			if n := len(s.Ints(attr)); n != 0 && n != len(out)-states {
				return nil, s.Errorf(attr, "the number of items is %d; it must be %d, one for each part that the block yields", n, len(out)-states)
			}
		}
		for i, t := range out[states:] {
			axis := itemOr(s.Ints("out_axes"), i, 0)
			if axis < 0 || axis >= len(t.Shape) {
				return nil, s.noAxis("out_axes", axis, t.Shape)
			}
			if itemOr(s.Ints("out_directions"), i, 1) == 0 {
				return nil, s.Errorf("out_directions", "item %d is 0; it must be 1 or -1", i)
			}
			if out[states+i], err = s.joined(t, axis, turns); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
	Control: runScan,
	Inline:  inlineScan,
	Work: func(s *Sig, _ []tensor.Shape) Work {
		turns, _ := s.turns() // Results has refused what is wrong
		return turnsWork(s.Blocks[0], turns)
	},
	Generate: func(r *Rand) Case {
		turns := r.IntN(5)
		states, others := r.values(r.IntN(3)), r.values(r.IntN(3))
		in := typesOf(states)
		var scanned []*tensor.Tensor
		var axes, chunks, outAxes, directions []int
		for range r.Between(1, 2) {
			shape := r.Shape(1, 3)
			axis, chunk := r.IntN(len(shape)), r.Between(1, 2)
			shape[axis] = chunk
			d := r.DType(AnyType)
			in = append(in, Type{DType: d, Shape: shape.Clone()})
			shape[axis] *= turns
			scanned = append(scanned, r.Tensor(d, shape))
			axes, chunks = append(axes, axis), append(chunks, chunk*Pick(r, []int{1, -1}))
		}
		results := typesOf(states)
		for range r.Between(1, 2) {
			shape := r.Shape(1, 3)
			results = append(results, Type{DType: r.DType(AnyType), Shape: shape})
			outAxes, directions = append(outAxes, r.IntN(len(shape))), append(directions, Pick(r, []int{1, -1}))
		}
		return Case{
			In: append(append(states, scanned...), others...),
			Attrs: graph.AttrsOf("states", len(states), "scanned", len(scanned), "axes", axes, "chunks", chunks,
				"out_axes", outAxes, "out_directions", directions),
			Blocks: []*graph.Graph{r.block("body", append(in, typesOf(others)...), results)},
		}
	},
}

// turns checks how the tensors of a scan are cut, and returns how many turns that makes.
func (s *Sig) turns() (int, error) {
	states, scanned := s.Int("states"), s.Int("scanned")
	if n := len(s.In); states+scanned > n {
		return 0, s.Errorf("scanned", "%d states and %d scanned tensors are asked for; there are %d values", states, scanned, n)
	}
	for _, attr := range []string{"axes", "chunks"} {
		if n := len(s.Ints(attr)); n != 0 && n != scanned {
			return 0, s.Errorf(attr, "the number of items is %d; it must be %d, one for each scanned tensor", n, scanned)
		}
	}
	turns := 0
	for i, t := range s.In[states : states+scanned] {
		axis, chunk := itemOr(s.Ints("axes"), i, 0), itemOr(s.Ints("chunks"), i, 1)
		if axis < 0 || axis >= len(t.Shape) {
			return 0, s.noAxis("axes", axis, t.Shape)
		}
		if chunk == 0 {
			return 0, s.Errorf("chunks", "item %d is 0; a turn must take elements", i)
		}
		if t.DType.IsPacked() {
			return 0, s.Errorf("values", "a tensor of type %v cannot be scanned: several elements share a byte", t.DType)
		}
		extent := t.Shape[axis]
		if extent%chunk != 0 {
			return 0, s.Misfit("chunks", "item %d, %d, does not divide the extent %d of dimension %d of %v", i, chunk, extent, axis, t)
		}
		n := max(extent/chunk, -(extent / chunk))
		if i > 0 && n != turns {
			return 0, s.Misfit("chunks", "scanned tensor %d, %v, has %d parts; the one before it has %d", i, t, n, turns)
		}
		turns = n
	}
	return turns, nil
}

// runScan is the meaning of scan.
func runScan(c *Call, b BlockRunner) error {
	states, scanned := c.Int("states"), c.Int("scanned")
	axes, chunks, outAxes, directions := c.Ints("axes"), c.Ints("chunks"), c.Ints("out_axes"), c.Ints("out_directions")
	turns := c.In[states].Shape()[itemOr(axes, 0, 0)] / itemOr(chunks, 0, 1)
	turns = max(turns, -turns)
	place := func(turn, direction int) int {
		if direction < 0 {
			return turns - 1 - turn
		}
		return turn
	}
	for i := range states {
		copy(b.In(0, i).Bytes(), c.In[i].Bytes())
	}
	for turn := range turns {
		for i, x := range c.In[states : states+scanned] {
			movePart(x, b.In(0, states+i), itemOr(axes, i, 0), place(turn, itemOr(chunks, i, 1)), true)
		}
		if err := b.Run(0); err != nil {
			return err
		}
		for i := range states {
			copy(b.In(0, i).Bytes(), b.Out(0, i).Bytes())
		}
		for i, x := range c.Out[states:] {
			movePart(x, b.Out(0, states+i), itemOr(outAxes, i, 0), place(turn, itemOr(directions, i, 1)), false)
		}
	}
	for i := range states {
		copy(c.Out[i].Bytes(), b.In(0, i).Bytes())
	}
	return nil
}

// movePart copies part number at of whole along an axis to the tensor of one part or, if it is not to be taken, from there.
func movePart(whole, part *tensor.Tensor, axis, at int, take bool) {
	if part.Len() == 0 {
		return // the other extents may be any numbers
	}
	size := whole.DType().Size()
	row, chunk := whole.Shape()[axis:].Len()*size, part.Shape()[axis:].Len()*size
	for r := range whole.Shape()[:axis].Len() {
		a, b := whole.Bytes()[r*row+at*chunk:][:chunk], part.Bytes()[r*chunk:][:chunk]
		if take {
			copy(b, a)
		} else {
			copy(a, b)
		}
	}
}

// itemOr returns item i of a list, or what an empty list stands for.
func itemOr(list []int, i, empty int) int {
	if len(list) == 0 {
		return empty
	}
	return list[i]
}

// joined returns the type of n parts that the block yields, joined along an axis. An extent beyond all bounds stays so.
func (s *Sig) joined(t Type, axis, n int) (Type, error) {
	if t.DType.IsPacked() {
		return Type{}, s.Errorf("body", "parts of type %v cannot be joined: several elements share a byte", t.DType)
	}
	shape := t.Shape.Clone()
	shape[axis] = int(min(times(shape[axis], n), math.MaxInt))
	return Type{DType: t.DType, Shape: shape}, nil
}

// outputs returns the types of the outputs of the only block, after checking that the first ones are what the next turn takes.
func (s *Sig) outputs(first []Type) ([]Type, error) {
	out := outputTypes(s.Blocks[0])
	if len(out) < max(len(first), 1) {
		return nil, s.Errorf("body", "it has %d outputs; it must have %d or more", len(out), max(len(first), 1))
	}
	for i, t := range first {
		if !out[i].Equal(t) {
			return nil, s.Errorf("body", "output %d is %v; it must be %v", i, out[i], t)
		}
	}
	return out, nil
}

// outputTypes returns the types of the outputs of a block.
func outputTypes(b *graph.Graph) []Type {
	out := make([]Type, len(b.Outputs))
	for i, o := range b.Outputs {
		out[i] = o.Value.Type
	}
	return out
}

// blockWork is the arithmetic of one evaluation of a block, and one operation for each node.
func blockWork(b *graph.Graph) Work {
	w := Work{Ops: int64(len(b.Nodes))}
	for _, n := range b.Nodes {
		if c, err := NodeCost(n); err == nil {
			w.MACs, w.Ops = limits.Add(w.MACs, c.MACs), limits.Add(w.Ops, c.Ops)
		}
	}
	return w
}

// turnsWork is the arithmetic of so many evaluations, and one operation for each.
func turnsWork(b *graph.Graph, turns int) Work {
	w := blockWork(b)
	return Work{MACs: limits.Times(w.MACs, int64(turns)), Ops: limits.Times(limits.Add(w.Ops, 1), int64(turns))}
}
