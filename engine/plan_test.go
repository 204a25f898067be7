package engine

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// checkPlan holds a plan to its promises: buffers in use at the same unit do not overlap and lie aligned in the arena, what lies in another
// value lies within it, every value that a unit reads or writes is in use there, and the totals are right.
func checkPlan(tb testing.TB, p *Program) {
	tb.Helper()
	plan := p.Plan()
	own := make(map[slot]Buffer)
	var sum int64
	for i, b := range plan.Buffers {
		if b.Offset < 0 || b.Offset+b.Size > plan.Arena || b.First > b.Last {
			tb.Fatalf("buffer %+v is out of place in an arena of %d bytes", b, plan.Arena)
		}
		if b.In != nil {
			continue
		}
		sum += aligned(b.Size)
		if b.Offset%tensor.Alignment != 0 {
			tb.Fatalf("buffer %+v is not aligned", b)
		}
		if b.Value != nil && b.Use != UseCopy {
			own[slot{b.Value, b.Layout}] = b
		}
		for _, c := range plan.Buffers[:i] {
			together := b.First <= c.Last && c.First <= b.Last
			if together && c.In == nil && b.Offset < c.Offset+c.Size && c.Offset < b.Offset+b.Size {
				tb.Fatalf("buffers %+v and %+v overlap", b, c)
			}
		}
	}
	inside := make(map[slot]slot)
	for _, b := range plan.Buffers {
		if b.In != nil {
			inside[slot{b.Value, b.Layout}] = slot{b.In, b.Layout}
		}
	}
	for _, b := range plan.Buffers {
		if b.In == nil {
			continue
		}
		root := slot{b.In, b.Layout}
		for inside[root].value != nil {
			root = inside[root]
		}
		around := own[root]
		if b.Offset < around.Offset || b.Offset+b.Size > around.Offset+around.Size {
			tb.Fatalf("%s does not lie in %s", b.Value.Name, root.value.Name)
		}
		own[slot{b.Value, b.Layout}] = around
	}
	inUse := func(s slot, i int) {
		if b := own[s]; s.value != nil && s.value.Const == nil && b.Value != nil && (i < b.First || i > b.Last) {
			tb.Fatalf("unit %d needs %s, which is in use from %d to %d", i, s.value.Name, b.First, b.Last)
		}
	}
	for i, u := range p.Units() {
		for k := range u.parts {
			for _, s := range slices.Concat(u.parts[k].in, u.parts[k].out) {
				inUse(s, i)
			}
		}
	}
	for _, o := range p.Graph().Outputs {
		if o.Value.Producer != nil {
			inUse(slot{value: o.Value}, len(p.Units()))
		}
	}
	if plan.Sum != sum || plan.Peak > plan.Arena || plan.Arena > plan.Sum {
		tb.Fatalf("peak %d, arena %d, sum %d (counted %d) are not in order", plan.Peak, plan.Arena, plan.Sum, sum)
	}
}

func TestPlanReuses(t *testing.T) {
	n := newNet(t)
	v := n.input("x", tensor.Float32, 1000)
	for range 20 {
		v = n.op("softmax", graph.Attrs{{Name: "axes", Value: []int{0}}}, v) // which does not work in place
	}
	n.output("y", v)
	p := n.compile(Options{})
	checkPlan(t, p)
	plan := p.Plan()
	if each := aligned(4000); plan.Arena != 3*each || plan.Peak != 3*each || plan.Sum != 21*each {
		t.Errorf("arena %d, peak %d, sum %d; want 3, 3 and 21 buffers of %d", plan.Arena, plan.Peak, plan.Sum, each)
	}
}

// TestPlanLatest checks that a result takes the memory that was in use until shortly before: of two large ones after a small one, the first takes that of the
// second one before it, and the second that of the first.
func TestPlanLatest(t *testing.T) {
	n := newNet(t)
	v := n.input("x", tensor.Float32, 4, 1)
	var large []string
	for range 3 {
		v = n.op("tile", graph.Attrs{{Name: "repeats", Value: []int{1, 1000}}}, v)
		w := n.op("reverse", graph.Attrs{{Name: "axes", Value: []int{1}}}, v) // which does not work in place
		large = append(large, v.Name, w.Name)
		v = n.op("sum_reduce", graph.Attrs{{Name: "axes", Value: []int{1}}}, w)
	}
	n.output("y", v)
	p := n.compile(Options{})
	checkPlan(t, p)
	at := make(map[string]int64)
	for _, b := range p.Plan().Buffers {
		if b.Value != nil {
			at[b.Value.Name] = b.Offset
		}
	}
	for i, name := range large[2:] {
		if before := large[i/2*2+1-i%2]; at[name] != at[before] {
			t.Errorf("%s lies at %d; want %d, where %s was", name, at[name], at[before], before)
		}
	}
}

// TestPlanOverwrites checks which results take the memory of an operand.
func TestPlanOverwrites(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 2, 8)
	a := n.op("neg", nil, x)                                                                          // not that of an input
	b := n.op("abs", nil, a)                                                                          // not that of a, which is read again
	c := n.op("add", nil, a, b)                                                                       // that of a
	d := n.op("mul", nil, n.op("reshape", reshapeTo(1, 16), c), n.op("reshape", reshapeTo(1, 16), b)) // that of c
	k := n.input("k", tensor.Int32, 2, 8)
	e := n.op("not", nil, n.op("lt", nil, k, n.op("neg", nil, k))) // that of the comparison, which has a type of its own
	row := n.op("slice", graph.Attrs{{Name: "axes", Value: []int{1}}, {Name: "begin", Value: []int{0}}, {Name: "end", Value: []int{1}}}, d)
	n.output("e", e)
	n.output("sum", n.op("add", nil, row, d)) // not that of d, in which the row lies, too
	p := n.compile(Options{})
	checkPlan(t, p)
	got := make(map[string]string)
	for _, b := range p.Plan().Buffers {
		if b.In != nil {
			got[b.Value.Name] = b.In.Name
		}
	}
	want := map[string]string{"add1": "neg1", "reshape1": "neg1", "reshape2": "abs1", "mul1": "neg1", "not1": "lt1", "slice1": "neg1"}
	if !maps.Equal(got, want) {
		t.Errorf("memory is taken over as %v; want %v", got, want)
	}
	for _, o := range n.compile(Options{NoOptimize: true}).Plan().Buffers {
		if o.In != nil {
			t.Errorf("without optimisation, %s lies on %s", o.Value.Name, o.In.Name)
		}
	}
}

// TestPlanViews checks which results share memory with their operands.
func TestPlanViews(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 4, 8)
	a := n.op("reshape", reshapeTo(8, 4), x)
	b := n.op("add", nil, a, a)
	c := n.op("reshape", reshapeTo(32), b)
	d := n.op("mul", nil, c, c)
	n.output("view", n.op("unsqueeze", graph.Attrs{{Name: "axes", Value: []int{0}}}, d))
	n.output("input", n.op("reshape", reshapeTo(2, 16), x))
	p := n.compile(Options{})
	checkPlan(t, p)
	views := 0
	for _, b := range p.Plan().Buffers {
		if b.In != nil {
			views++
		}
	}
	if plan := p.Plan(); views != 4 || plan.Sum != 3*128 {
		t.Errorf("%d views and %d bytes; want 4, the product among them, as only the input, the returned view of it and the sum have "+
			"memory of their own, and 384", views, plan.Sum)
	}
	var names []string
	for _, u := range p.Units() {
		for _, n := range u.Nodes {
			names = append(names, n.Out[0].Name)
		}
	}
	if want := []string{"add1", "mul1", "reshape3"}; !slices.Equal(names, want) {
		t.Errorf("%v are computed; want %v", names, want)
	}
	if total := p.Cost(); total.Ops != 96 || total.Written != 3*128 {
		t.Errorf("the total is %+v", total)
	}
}

// TestPlanPacks holds the plan to find the best packing where a small buffer fits into the gap that a large one leaves.
func TestPlanPacks(t *testing.T) {
	n := newNet(t)
	x := n.input("x", tensor.Float32, 16)
	one := n.op("add", nil, x, x)
	tall := n.op("tile", graph.Attrs{{Name: "repeats", Value: []int{16}}}, one)
	half := n.op("slice", graph.Attrs{{Name: "axes", Value: []int{0}}, {Name: "begin", Value: []int{0}}, {Name: "end", Value: []int{128}}}, tall)
	n.output("y", n.op("mul", nil, half, half))
	n.output("one", one)
	p := n.compile(Options{})
	checkPlan(t, p)
	if plan := p.Plan(); plan.Arena != plan.Peak {
		t.Errorf("the arena has %d bytes; %d would do", plan.Arena, plan.Peak)
	}
}

func TestUseString(t *testing.T) {
	for use, want := range map[Use]string{UseInput: "input", UseState: "state", UseResult: "result", UseCopy: "copy", 9: "unknown"} {
		if got := use.String(); got != want {
			t.Errorf("use %d is %q; want %q", use, got, want)
		}
	}
}

// TestOccupancy compares what the tree finds with a search through all buffers.
func TestOccupancy(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		end := r.IntN(100)
		buffers := make([]Buffer, r.IntN(200))
		use := newOccupancy(buffers, end)
		for i := range buffers {
			first := r.IntN(end + 1)
			buffers[i] = Buffer{Offset: int64(i), First: first, Last: first + r.IntN(end+1-first)}
			use.add(i, 1, 0, end)
		}
		first := r.IntN(end + 1)
		last := first + r.IntN(end+1-first)
		var want []*Buffer
		for i := range buffers {
			if b := &buffers[i]; b.First <= last && first <= b.Last {
				want = append(want, b)
			}
		}
		if got, ok := use.during(first, last, len(buffers)); !ok || !slices.Equal(got, want) {
			t.Fatalf("%d buffers are found from %d to %d; want %d", len(got), first, last, len(want))
		}
		if _, ok := use.during(first, last, len(want)-1); ok && len(want) > 0 {
			t.Fatal("more buffers are found than may be")
		}
	}
}
