package onnx_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
)

// many is a number of turns beyond that of graphs that may stand in one another.
const many = 300

// trips returns the number of turns of a loop: as a constant, so that the loop is unrolled when its graph is made, or as an input, so that
// each turn waits for the run to say whether there is one.
func trips(g *proto.Graph, known bool, n int64) (*proto.Graph, model.Values) {
	in := model.Values{"x": two["x"]}
	if known {
		return stored(g, "m", nil, n), in
	}
	g.Input = append(g.Input, infos("m: int64[]")...)
	in["m"] = array(nil, n)
	return g, in
}

// inParts reports whether a model has no single graph.
func inParts(t *testing.T, m *proto.Model) bool {
	t.Helper()
	n, err := network(t, m)
	if err != nil {
		t.Fatal(err)
	}
	_, err = n.Graph(nil)
	return errors.As(err, new(*model.PartsError))
}

// TestLongLoops: loops whose bodies cannot be blocks may take many turns, as turns do not stand in one another.
func TestLongLoops(t *testing.T) {
	for _, known := range []bool{true, false} {
		growing, in := trips(graphOf("x: float[2] -> last, sums", node("Loop", "m, , x -> last, sums", "body",
			graphOf("i, c, v -> c, w, s", node("Concat", "v, x -> w", "axis", 0), node("ReduceSum", "w -> s", "keepdims", 0)))), known, many)
		m := modelOf(13, growing)
		if inParts(t, m) == known {
			t.Errorf("with %v known turns the model is in parts, or should be", known)
		}
		sums := make([]float32, many)
		for i := range sums {
			sums[i] = 3 * float32(i+2)
		}
		expect(t, m, in, "last", []int{2 * (many + 1)}, slices.Repeat([]float32{1, 2}, many+1)...)
		expect(t, m, in, "sums", []int{many}, sums...)

		listing, in := trips(graphOf("x: float[2] -> y", node("SequenceEmpty", "-> none"),
			node("Loop", "m, , none -> all", "body", graphOf("i, c, q -> c, r", node("Cast", "i -> f", "to", int(proto.Float)), node("Mul", "f, x -> p"),
				node("SequenceInsert", "q, p -> r"))),
			node("ConcatFromSequence", "all -> y", "axis", 0)), known, many)
		want := make([]float32, 0, 2*many)
		for i := range many {
			want = append(want, float32(i), 2*float32(i))
		}
		expect(t, modelOf(13, listing), in, "y", []int{2 * many}, want...)
	}
}

// TestLongSequences: what a turn costs does not depend on how many there were. Two sequences that begin alike stay apart.
func TestLongSequences(t *testing.T) {
	const turns = int64(10_000)
	g, in := trips(graphOf("x: float[2] -> n, y", node("SequenceEmpty", "-> none", "dtype", int(proto.Int64)),
		node("Loop", "m, , none -> all", "body", graphOf("i, c, q -> c, r", node("Neg", "i -> n"), node("SequenceInsert", "q, n -> r"))),
		node("SequenceLength", "all -> n"), node("Neg", "n -> less"), node("SequenceInsert", "all, n -> longer"), node("SequenceErase", "longer -> again"),
		node("SequenceInsert", "again, less -> other"), node("SequenceAt", "longer, n -> a"), node("SequenceAt", "other, n -> b"), node("Sub", "a, b -> y")), true, turns)
	m := modelOf(13, g)
	expect(t, m, in, "n", nil, turns)
	expect(t, m, in, "y", nil, 2*turns)
}

// TestEndlessLoop: how often a loop turns whose end only its elements know is counted, and what that takes is linear in it.
func TestEndlessLoop(t *testing.T) {
	const turns = 20_000
	body := graphOf("i, go, v -> go2, w, s", node("Add", "v, one -> w"), node("Less", "w, most -> go2"), node("Mul", "w, x -> s"))
	g := stored(stored(graphOf("x: float[1], most: float, m: int64, start: bool -> last, y", node("Loop", "m, start, zero -> last, y", "body", body)), "one", nil, float32(1)),
		"zero", nil, float32(0))
	m := modelOf(13, g)
	y := make([]float32, turns)
	for i := range y {
		y[i] = -float32(i + 1)
	}
	in := model.Values{"x": array(s(1), float32(-1)), "most": array(nil, float32(turns)), "m": array(nil, int64(math.MaxInt64)), "start": array(nil, true)}
	expect(t, m, in, "last", nil, float32(turns))
	expect(t, m, in, "y", s(turns, 1), y...)
	in["m"] = array(nil, int64(3))
	expect(t, m, in, "y", s(3, 1), y[:3]...)
	in["start"] = array(nil, false)
	expect(t, m, in, "y", s(0, 1), y[:0]...)
}

// TestLoopsInParts: what the graphs of loops in parts read from around them, some levels up, is there in each turn, whatever that turn waits for.
func TestLoopsInParts(t *testing.T) {
	const turns = 5
	// Turn i: u is v with the numbers of x' that are greater than i behind it, where x' = |x| is computed outside; if there are more than i of v, which only the
	// run knows, then x' again, else c, which is stored outside; and then i times, in a loop within, x' and its own copy of what is carried.
	body := graphOf("i, go, v -> go, w, n",
		node("Cast", "i -> f", "to", int(proto.Float)),
		node("Greater", "a, f -> mask"), node("Compress", "a, mask -> some", "axis", 0), node("Concat", "v, some -> u", "axis", 0),
		node("Size", "u -> n"), node("Greater", "n, four -> more"),
		node("If", "more -> t", "then_branch", graphOf("-> t", node("Concat", "u, a -> t", "axis", 0)),
			"else_branch", graphOf("-> t", node("Concat", "u, c, some -> t", "axis", 0))),
		node("Loop", "i, , t -> w", "body", graphOf("k, go, s -> go, z", node("Cast", "k -> kf", "to", int(proto.Float)), node("Add", "kf, f -> sum"),
			node("Greater", "a, sum -> m"), node("Compress", "a, m -> few", "axis", 0), node("Concat", "s, few, c -> z", "axis", 0))))
	g, in := trips(stored(stored(graphOf("x: float[N] -> last, sizes, a", node("Abs", "x -> a"), node("Loop", "m, , a -> last, sizes", "body", body)),
		"c", []int{1}, float32(-7)), "four", nil, int64(6)), false, turns)
	in["x"] = array([]int{3}, float32(-1), 2, 6)
	a := []float32{1, 2, 6}
	above := func(x float32) []float32 {
		return slices.DeleteFunc(slices.Clone(a), func(y float32) bool { return y <= x })
	}
	v, sizes := slices.Clone(a), []int64(nil)
	for i := range turns {
		u := append(v, above(float32(i))...)
		sizes = append(sizes, int64(len(u)))
		if len(u) > 6 {
			v = append(u, a...)
		} else {
			v = append(append(u, -7), above(float32(i))...)
		}
		for k := range i {
			v = append(append(v, above(float32(i+k))...), -7)
		}
	}
	m := modelOf(13, g)
	expect(t, m, in, "last", []int{len(v)}, v...)
	expect(t, m, in, "sizes", []int{turns}, sizes...)
	expect(t, m, in, "a", []int{3}, a...)
}

// TestLoopsInFunctions: the names of a function that is called in turns are its own in each.
func TestLoopsInFunctions(t *testing.T) {
	grow := &proto.Function{Name: "Grow", Domain: "own", Input: []string{"a", "m"}, Output: []string{"b"}, OpsetImport: []*proto.OperatorSet{{Version: 13}},
		Node: []*proto.Node{node("Abs", "a -> x"), node("Loop", "m, , a -> b", "body", graphOf("i, c, v -> c, w", node("Concat", "v, x -> w", "axis", 0)))}}
	g, in := trips(graphOf("x: float[2] -> y", node("Neg", "x -> n"),
		node("Loop", "m, , n -> y", "body", graphOf("i, c, v -> c, w", node("own.Grow", "v, i -> u"), node("Concat", "u, x -> w", "axis", 0)))), false, 3)
	want := []float32{-1, -2} // turn 0 calls for no turn
	for i := range 3 {
		before := slices.Clone(want)
		for k := range before {
			before[k] = max(before[k], -before[k])
		}
		want = append(append(want, slices.Repeat(before, i)...), 1, 2)
	}
	expect(t, modelOf(13, g, grow), in, "y", []int{len(want)}, want...)
}

// TestLoopsInLoops: loops in one another whose turns only a run counts are within the limits if the run is.
func TestLoopsInLoops(t *testing.T) {
	add := graphOf("i: int64[], c: bool[], v: float[2] -> c, w", node("Add", "v, x -> w"))
	inner := graphOf("i: int64[], c: bool[], v: float[2] -> c, w", node("Loop", "m, , v -> w", "body", add))
	g, in := trips(graphOf("x: float[2] -> y", node("Loop", "m, , x -> y", "body", inner)), false, 3)
	expect(t, modelOf(13, g), in, "y", []int{2}, float32(10), 20)
}

// TestNoTurn: what turns would yield that could not be taken has the shape that the graph declares.
func TestNoTurn(t *testing.T) {
	for name, c := range map[string]struct {
		m    *proto.Model
		want []int // nil if nothing says the shapes
	}{
		"gather": {modelOf(13, stored(graphOf("x: float[n,4] -> y", node("Shape", "x -> s"), node("Gather", "s, zero -> m"), node("Loop", "m, -> y", "body",
			graphOf("i, c -> c, o: float[4]", node("Gather", "x, i -> r"), node("Neg", "r -> o")))), "zero", nil, int64(0))), []int{0, 4}},
		"sequence": {modelOf(13, graphOf("x: float[n,4] -> y", node("SplitToSequence", "x -> q"), node("SequenceLength", "q -> m"), node("Loop", "m, -> y", "body",
			graphOf("i, c -> c, o: float[1,k]", node("SequenceAt", "q, i -> r"), node("Neg", "r -> o"))))), []int{0, 1, 0}},
		"the greatest of none": {modelOf(13, stored(graphOf("x: float[n,4] -> y", node("Shape", "x -> s"), node("Gather", "s, zero -> m"), node("Loop", "m, -> y", "body",
			graphOf("i, c -> c, o: float", node("ArgMax", "x -> a", "axis", 0), node("Cast", "a -> o", "to", int(proto.Float))))), "zero", nil, int64(0))), []int{0}},
		"untyped": {modelOf(13, stored(graphOf("x: float[n,4] -> y", node("Shape", "x -> s"), node("Gather", "s, zero -> m"), node("Loop", "m, -> y", "body",
			graphOf("i, c -> c, o", node("Gather", "x, i -> o")))), "zero", nil, int64(0))), nil},
	} {
		t.Run(name, func(t *testing.T) {
			in := model.Values{"x": array[float32]([]int{0, 4})}
			if c.want != nil {
				expect(t, c.m, in, "y", c.want, []float32{}...)
			} else if _, err := eval(t, c.m, in); err == nil || !strings.Contains(err.Error(), "the loop takes no turn, and the shapes of its outputs are not known") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}
