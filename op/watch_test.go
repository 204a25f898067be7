package op_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/long"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestWatchAsks holds the watch to its bound: not asked before so many operations, asked at them, and done once the answer is yes.
func TestWatchAsks(t *testing.T) {
	asked, answer := 0, false
	c := &op.Call{Stop: func() bool { asked++; return answer }}
	w := c.Watch()
	for round := range 3 {
		if w.Stops(limits.OpWatch-1) || asked != round {
			t.Fatalf("round %d: asked %d times before the bound", round, asked)
		}
		if w.Stops(1) || asked != round+1 {
			t.Fatalf("round %d: asked %d times at the bound", round, asked)
		}
	}
	if answer = true; !w.Stops(limits.OpWatch) || !w.Stops(1) {
		t.Error("the watch goes on after the answer was yes")
	}
	if unwatched := (&op.Call{}).Watch(); unwatched.Stops(10 * limits.OpWatch) {
		t.Error("a call without Stop stops")
	}
}

// TestCopyStops copies as much as may pass between two looks, and no more if nobody waits.
func TestCopyStops(t *testing.T) {
	from := bytes.Repeat([]byte{1}, 3*limits.OpWatch)
	for _, stop := range []bool{false, true} {
		w, to, want := (&op.Call{Stop: func() bool { return stop }}).Watch(), make([]byte, len(from)), len(from)
		if stop {
			want = limits.OpWatch
		}
		if over := w.Copy(to, from); over != stop || bytes.Count(to, []byte{1}) != want {
			t.Errorf("stop %t: over %t, %d bytes are copied; want %d", stop, over, bytes.Count(to, []byte{1}), want)
		}
	}
}

// TestKernelsStop evaluates long pieces of each kernel that watches. If nobody stops it, it computes what an evaluation without a watch
// does; if the first answer is yes, it asks no more and leaves the rest as it is.
func TestKernelsStop(t *testing.T) {
	cases := long.Cases()
	cases["non_max_suppression"] = long.Case{Op: "non_max_suppression", In: long.Boxes(1000)}
	shape := func(extents ...int) tensor.Shape { return extents }
	floats := func(shapes ...tensor.Shape) []*tensor.Tensor { return long.Rising(tensor.Float32, shapes...) }
	cases["resize"] = long.Case{Op: "resize", In: floats(shape(8 * limits.OpWatch)),
		Attrs: graph.AttrsOf("mode", "linear", "antialias", true, "sizes", []int{4}), Parts: true}
	cases["top_k, few"] = long.Case{Op: "top_k", In: long.Rising(tensor.Int32, shape(3*limits.OpWatch)), Attrs: graph.AttrsOf("axis", 0, "k", 1), Parts: true}
	cases["top_k, all but one"] = long.Case{Op: "top_k", In: long.Rising(tensor.Int32, shape(3*limits.OpWatch)), Attrs: graph.AttrsOf("axis", 0, "k", 3*limits.OpWatch-1), Parts: true}
	cases["top_k, all as they stand"] = long.Case{Op: "top_k", In: long.Rising(tensor.Int32, shape(3*limits.OpWatch)),
		Attrs: graph.AttrsOf("axis", 0, "k", 3*limits.OpWatch, "sorted", false), Parts: true}
	cases["dft, turns"] = long.Case{Op: "dft", In: floats(shape(1<<14, 1)), Attrs: graph.AttrsOf("axis", 0), Parts: true}
	cases["grid_sample"] = long.Case{Op: "grid_sample", In: floats(shape(1, 1, 8, 8), shape(1, 400, 400, 2)), Attrs: graph.AttrsOf("mode", "cubic"), Parts: true}
	cases["deform_conv"] = long.Case{Op: "deform_conv", In: floats(shape(1, 16, 40, 40), shape(16, 16, 3, 3), shape(1, 18, 38, 38)),
		Attrs: graph.AttrsOf("padding", []int{0, 0, 0, 0}), Parts: true}
	cases["roi_align"] = long.Case{Op: "roi_align", In: append(floats(shape(1, 1, 64, 64), shape(64, 4)), long.Rising(tensor.Int32, shape(64))...),
		Attrs: graph.AttrsOf("output_size", []int{8, 8}, "sampling_ratio", 16), Parts: true}
	cases["dft"] = long.Case{Op: "dft", In: floats(shape(4099, 1)), Attrs: graph.AttrsOf("axis", 0), Parts: true}
	for name := range cases { // long for kernels: references take no longer than their results are large, or have shorter cases
		if name == "resample, nearest" || name == "resize, nearest" || name == "conv float32, depthwise" || strings.HasSuffix(name, ", planes") && !strings.HasPrefix(name, "conv") {
			delete(cases, name)
		}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			asked := 0
			some := watched(t, c.Op, c.Attrs, c.In, func() bool { asked++; return true }).Out
			if asked != 1 {
				t.Errorf("the kernel asks %d times though the first answer is yes", asked)
			}
			last := some[len(some)-1].Bytes()
			if c.Parts && last[len(last)-1] != rubbish {
				t.Error("the kernel writes to the end though nobody waits")
			}
			if testdata.Cases(0, 1) == 0 {
				return // evaluations to the end are for the exhaustive test
			}
			want := watched(t, c.Op, c.Attrs, c.In, nil).Out
			if bytes.Equal(last, want[len(want)-1].Bytes()) {
				t.Error("the kernel computes everything though nobody waits")
			}
			got := watched(t, c.Op, c.Attrs, c.In, func() bool { return false }).Out
			for i := range want {
				if !bytes.Equal(got[i].Bytes(), want[i].Bytes()) {
					t.Errorf("result %d changes since it is watched", i)
				}
			}
		})
	}
}

// TestSortStops sorts more boxes than may pass between two looks: the order of the best ones is left as it was then.
func TestSortStops(t *testing.T) {
	attrs, in := graph.Attrs{{Name: "top_k", Value: 1}}, long.Boxes(30000)
	want := watched(t, "non_max_suppression", attrs, in, nil)
	asked := 0
	got := watched(t, "non_max_suppression", attrs, in, func() bool { asked++; return true })
	if asked != 1 || bytes.Equal(got.Scratch, want.Scratch) {
		t.Errorf("asked %d times; the boxes must not be sorted", asked)
	}
}

// rubbish is what memory holds of which nothing is known.
const rubbish = 0xA5

// watched evaluates an operator over memory full of rubbish, by one call of its kernel for all pieces.
func watched(t *testing.T, name string, attrs graph.Attrs, in []*tensor.Tensor, stop func() bool) *op.Call {
	t.Helper()
	d, _ := op.Lookup(name)
	types := make([]op.Type, len(in))
	for i, x := range in {
		types[i] = op.Type{DType: x.DType(), Shape: x.Shape()}
	}
	s, out, err := d.Bind(types, attrs)
	if err != nil {
		t.Fatal(err)
	}
	c := &op.Call{In: make([]*tensor.Tensor, len(s.In)), Attrs: s.Attrs, Stop: stop}
	copy(c.In, in)
	fill := func(b []byte) []byte {
		for i := range b {
			b[i] = rubbish
		}
		return b
	}
	for _, o := range out {
		x := must(tensor.New(o.DType, o.Shape))
		fill(x.Bytes())
		c.Out = append(c.Out, x)
	}
	if d.Ref.Scratch != nil {
		c.Scratch = fill(tensor.AlignedBytes(d.Ref.Scratch(s, out)))
	}
	d.Kernel(s)(c, 0, d.Pieces(s, out))
	return c
}
