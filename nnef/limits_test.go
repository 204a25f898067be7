package nnef_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// refused checks that a document is refused with a code, or accepted if the code is 0.
func refused(t *testing.T, what string, err error, code syntax.Code) {
	t.Helper()
	var list syntax.Diagnostics
	switch {
	case code == 0 && err != nil:
		t.Errorf("%s: %v", what, err)
	case code != 0 && (!errors.As(err, &list) || list[0].Code != code):
		t.Errorf("%s: got %v; want code %d", what, err, code)
	}
}

func operators(g *graph.Graph) []string {
	var list []string
	for _, n := range g.Nodes {
		list = append(list, n.Op)
	}
	return list
}

// TestNodesAreBounded makes nodes by one statement: as many as all statements allow, and one more.
func TestNodesAreBounded(t *testing.T) {
	testdata.Exhaustive(t, "it makes millions of nodes")
	const most = limits.NNEFNodes + 2*limits.NNEFStatement
	for _, n := range []int64{most, most + 1} {
		text := fmt.Sprintf("%sgraph net( x ) -> ( y )\n{\n x = external(shape = [1]);\n y = add_n([x] * %d);\n}\n", version, n+1)
		g, err := nnef.Parse("doc", []byte(text), nnef.Options{})
		if n == most {
			refused(t, "as many nodes as are allowed", err, 0)
			if len(g.Nodes) != int(n) {
				t.Errorf("there are %d nodes; want %d", len(g.Nodes), n)
			}
			continue
		}
		refused(t, "one node more", err, eval.CodeLimit)
	}
}

// TestMistakesAreBounded ends the making of a graph where as many mistakes are found as shall be told.
func TestMistakesAreBounded(t *testing.T) {
	body := "x = external(shape = [2]);\na = variable(shape = [2], label = 'missing');\nb = variable(shape = [2], label = 'missing');\ny = add(a, b);\n"
	for _, most := range []int{1, 2, 3} {
		opts := nnef.Options{Variables: zeros}
		opts.Limits.Eval.Errors = most
		_, err := nnef.Parse("doc", []byte(document(body)), opts)
		var list syntax.Diagnostics
		if !errors.As(err, &list) || len(list) != min(most, 2) {
			t.Errorf("of 2 mistakes, %d are told: %v", most, err)
		}
	}
}

// TestFillsAreBounded repeats values in memory up to both bounds, and beyond them leaves it to a run.
func TestFillsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills as much memory as it may")
	}
	const one, all = limits.NNEFFill, limits.NNEFFills / limits.NNEFFill
	var b strings.Builder
	b.WriteString("version 1.0;\ngraph net( x ) -> ( y )\n{\n x = external(shape = [1]);\n")
	names := []string{"x"}
	fill := func(n int) {
		name := fmt.Sprintf("k%d", len(names))
		fmt.Fprintf(&b, " %s = constant(shape = [%d], value = [0.5]);\n", name, n)
		names = append(names, name)
	}
	fill(one + 1)
	for range all - 1 {
		fill(one)
	}
	fill(one - 2) // all but two of the elements are taken
	fill(3)
	fill(2)
	fmt.Fprintf(&b, " y = copy(x);\n}\n")
	text := strings.Replace(b.String(), "( y )", "( y, "+strings.Join(names[1:], ", ")+" )", 1)
	g, err := nnef.Parse("doc", []byte(text), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range g.Outputs[1:] {
		beyond := i == 0 || i == all+1
		if made := o.Value.Const != nil; made == beyond {
			t.Errorf("constant %d of %v: made %v", i, o.Value.Type, made)
		}
	}
}

// TestSlidesAreBounded has numbers of windows of which products would not fit.
func TestSlidesAreBounded(t *testing.T) {
	testdata.Wide(t)
	const most = limits.NNEFSlide
	for _, c := range []struct{ body, want string }{
		{"x = external(shape = [1,1,4]);\n y = max_pool(x, size = [1,1,%d], border = 'ignore', padding = []);", "size: %d is out of range"},
		{"x = external(shape = [1,1,4]);\n y = max_pool(x, size = [1,1,1], stride = [1,1,%d], border = 'ignore', padding = []);", "stride: %d is out of range"},
		{"x = external(shape = [1,1,4]);\n y = max_pool(x, size = [1,1,1], dilation = [1,1,%d], border = 'ignore', padding = []);", "dilation: %d is out of range"},
		{"x = external(shape = [1,1,%d]);\n w = variable(shape = [1,1,1], label = 'w_1_1_1');\n y = deconv(x, w);", "the extent %d is too large"},
	} {
		for _, n := range []int64{most, most + 1} {
			text := "version 1.0;\ngraph net( x ) -> ( y )\n{\n " + fmt.Sprintf(c.body, n) + "\n}\n"
			_, err := nnef.Parse("doc", []byte(text), nnef.Options{Variables: zeros})
			if got := err != nil && strings.Contains(err.Error(), fmt.Sprintf(c.want, n)); got != (n > most) {
				t.Errorf("%s: got %v", text, err)
			}
		}
	}
}

// TestRanksAreBounded asks for dimensions by an axis. Up to the bound the operand gets them, and then they are too many for a tensor.
func TestRanksAreBounded(t *testing.T) {
	for _, n := range []int{limits.NNEFRank, limits.NNEFRank + 1, math.MaxInt32} {
		_, err := nnef.Parse("doc", provisionalText(fmt.Sprintf("x = external(shape = [2])\ny = sum_reduce(x, axes = [%d])", n-1)), nnef.Options{})
		if err == nil || strings.Contains(err.Error(), "would have rank") != (n <= limits.NNEFRank) {
			t.Errorf("rank %d: %v", n, err)
		}
	}
}

// TestTractLimits holds operations of tract to their bounds.
func TestTractLimits(t *testing.T) {
	testdata.Wide(t)
	for _, c := range []struct {
		x, body string // with the number
		most    int
		code    syntax.Code // 0 if more is left to a run
	}{
		{"[1]", "out = x + tract_core_range(0, %d, 1);", limits.TractRange, 0},
		{"[1]", "out = x + tract_core_range(0, %d, 1);", limits.TractCount, eval.CodeAttribute},
		{"[1]", "out = tract_core_one_hot(x, axis = 0, dim = %d);", limits.TractCount, eval.CodeAttribute},
	} {
		text := func(n int) string {
			return tractText(strings.Replace(c.x, "%d", strconv.Itoa(n), 1), "", strings.Replace(c.body, "%d", strconv.Itoa(n), 1))
		}
		at, err := parseTract(text(c.most), nil)
		refused(t, text(c.most), err, 0)
		beyond, err := parseTract(text(c.most+1), nil)
		refused(t, text(c.most+1), err, c.code)
		if c.most == limits.TractRange {
			if slices.Contains(operators(at), "cumulative_sum") || !slices.Contains(operators(beyond), "cumulative_sum") {
				t.Errorf("the numbers are made by %v, and one more by %v", operators(at), operators(beyond))
			}
		}
	}
}

// TestBlocksAreBounded nests blocks as deep as they may be, and deeper.
func TestBlocksAreBounded(t *testing.T) {
	for _, n := range []int{limits.NNEFBlocks, limits.NNEFBlocks + 1} {
		var b strings.Builder
		b.WriteString("version 1.0;\nextension concord_operators;\nextension KHR_enable_fragment_definitions;\n")
		b.WriteString("fragment f0( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n y = relu(x);\n}\n")
		for i := range n - 1 {
			fmt.Fprintf(&b, "fragment f%d( x: tensor<scalar> ) -> ( y: tensor<scalar> )\n{\n [y] = _if(true, [x], then = 'f%d', _else = 'f0');\n}\n", i+1, i)
		}
		fmt.Fprintf(&b, "graph g( x ) -> ( y )\n{\n x = external<scalar>(shape = [1]);\n [y] = _if(true, [x], then = 'f%d', _else = 'f0');\n}\n", n-1)
		_, err := nnef.Parse("doc", []byte(b.String()), nnef.Options{})
		refused(t, fmt.Sprintf("%d blocks in one another", n), err, map[bool]syntax.Code{true: eval.CodeLimit}[n > limits.NNEFBlocks])
	}
}

// TestTractSymbolsAreBounded has numbers whose products would not fit: extents and assertions with them are left open, never computed
// wrongly.
func TestTractSymbolsAreBounded(t *testing.T) {
	const most int64 = limits.TractSymbol
	for _, c := range []struct {
		assertion string
		checked   bool // and then it does not hold
	}{
		{fmt.Sprintf("%d == 1", most), true},
		{fmt.Sprintf("%d == 1", most+1), false},
		{fmt.Sprintf("-%d == 1", most), true},
		{fmt.Sprintf("-%d == 1", most+1), false},
		{fmt.Sprintf("%d + 1 == 1", most-1), true},
		{fmt.Sprintf("%d + 1 == 1", most), false},
		{fmt.Sprintf("1 - %d == 1", most), true},
		{fmt.Sprintf("-1 - %d == 1", most), false},
		{fmt.Sprintf("%d * %d * S == 0", 46340, 46340), true},
		{fmt.Sprintf("%d * %d * S == 1", 1<<16, 1<<15), false},
		{"65536 * 65536 * 65536 * 65536 * S == 1", false}, // 0, if it were computed
	} {
		text := strings.Replace(tractText("[S]", "", "out = neg(x);"), "tract_core;",
			"tract_core;\nextension tract_symbol S;\nextension tract_assert "+c.assertion+";", 1)
		_, err := parseTract(text, map[string]tensor.Shape{"x": {1}})
		if checked := err != nil && strings.Contains(err.Error(), "does not hold"); checked != c.checked || !checked && err != nil {
			t.Errorf("%s: %v", c.assertion, err)
		}
	}
	for _, n := range []int{int(most), int((most + 1) & math.MaxInt)} { // the value of a symbol; an int of 32 bits holds no greater one
		text := strings.Replace(tractText("[S]", "", "out = neg(x);"), "tract_core;", "tract_core;\nextension tract_symbol S;\nextension tract_assert S == 1;", 1)
		_, err := parseTract(text, map[string]tensor.Shape{"x": {n}})
		if checked := err != nil && strings.Contains(err.Error(), "does not hold"); checked != (int64(n) <= most) {
			t.Errorf("S = %d: %v", n, err)
		}
	}
	// k·S with k = 2^64 + 1, which would wrap to 1, does not tell what S is.
	text := strings.Replace(tractText("[(65536 * 65536 * 65536 * 65536 + 1) * S]", "", "out = tract_core_broadcast(x, shape = [S]);"), "tract_core;",
		"tract_core;\nextension tract_symbol S;", 1)
	if g, err := parseTract(text, map[string]tensor.Shape{"x": {5}}); err == nil {
		t.Errorf("S is taken to be what makes the input %v", g.Inputs[0].Type)
	}
}

// TestTractFoldIsBounded has extents that follow from constants of many bytes, or by much work at once.
func TestTractFoldIsBounded(t *testing.T) {
	const elements = limits.TractFolded / 4
	sum := func(n int) string {
		return fmt.Sprintf("out = x + tract_core_range(0, sum_reduce(tract_core_broadcast(1.0, shape = [%d]), axes = [0]), 1);", n)
	}
	_, err := parseTract(tractText("[1]", "", sum(elements)), nil)
	refused(t, "as many bytes as are allowed", err, 0)
	if _, err = parseTract(tractText("[1]", "", sum(elements+1)), nil); err == nil {
		t.Error("an extent follows from a larger constant")
	}
	// A convolution with 2^31 products, which is not tried.
	_, err = parseTract(tractText("[1]", "", `a = tract_core_broadcast(1.0, shape = [1, 1, 98303]); f = tract_core_broadcast(1.0, shape = [1, 1, 65536]);
    out = x + tract_core_range(0, squeeze(sum_reduce(conv(a, f, padding = [(0, 0)], border = 'constant'), axes = [0, 1, 2]), axes = [0, 1]), 1);`), nil)
	if err == nil {
		t.Error("an extent follows from too much work")
	}
}

// TestLoweringStopsAnywhere lowers each operation of tract with as many nodes as it needs, and with all numbers that are fewer: whatever
// step fails, those after it do nothing.
func TestLoweringStopsAnywhere(t *testing.T) {
	stopped := 0
	for _, c := range tractCases {
		text := tractText(c.x, c.y, c.body)
		most, err := 0, errors.New("")
		for ; err != nil && most < 100; most++ {
			_, err = nnef.Parse("doc", []byte(text), nnef.Options{Limits: nnef.Limits{Nodes: most + 1}})
			if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("the graph has more than %d nodes", most+1)) {
				t.Errorf("%s within %d nodes: %v", c.name, most+1, err)
			}
		}
		if err != nil {
			t.Errorf("%s within %d nodes: %v", c.name, most, err)
		}
		stopped += most
	}
	if stopped < len(tractCases) {
		t.Errorf("%d operations were stopped only %d times", len(tractCases), stopped)
	}
}
