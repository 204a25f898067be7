package geometry

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestBorderIndex follows the worked numbers of the NNEF reference.
func TestBorderIndex(t *testing.T) {
	for _, tt := range []struct {
		rule  Border
		n     int
		pairs [][2]int
	}{
		{BorderReflect, 5, [][2]int{{-1, 1}, {-2, 2}, {5, 3}, {6, 2}, {-4, 4}, {-5, 3}, {9, 1}, {8, 0}, {0, 0}, {4, 4}}},
		{BorderReflectEven, 5, [][2]int{{-1, 0}, {-2, 1}, {5, 4}, {6, 3}, {-6, 4}, {10, 0}}},
		{BorderReplicate, 5, [][2]int{{-3, 0}, {7, 4}, {2, 2}}},
		{BorderConstant, 5, [][2]int{{-1, -1}, {5, -1}, {4, 4}}},
		{BorderIgnore, 5, [][2]int{{-1, -1}, {5, -1}, {0, 0}}},
		{BorderReflect, 1, [][2]int{{-3, 0}, {7, 0}}},
		{BorderReflectEven, 1, [][2]int{{-3, 0}, {7, 0}}},
		{BorderReplicate, 0, [][2]int{{0, -1}}},
	} {
		for _, p := range tt.pairs {
			if got := tt.rule.Index(p[0], tt.n); got != p[1] {
				t.Errorf("%s: index %d of extent %d is %d, want %d", BorderNames[tt.rule], p[0], tt.n, got, p[1])
			}
		}
	}
	for n := 2; n < 5; n++ { // mirrors at both ends
		for i := range 20 {
			for _, tt := range []struct {
				rule              Border
				left, leftEqual   int
				right, rightEqual int
			}{
				{rule: BorderReplicate, left: -i, leftEqual: 0, right: n - 1 + i, rightEqual: n - 1},
				{rule: BorderReflect, left: -i, leftEqual: i, right: n - 1 + i, rightEqual: n - 1 - i},
				{rule: BorderReflectEven, left: -1 - i, leftEqual: i, right: n + i, rightEqual: n - 1 - i},
			} {
				left, right := tt.rule.Index(tt.left, n), tt.rule.Index(tt.right, n)
				if left != tt.rule.Index(tt.leftEqual, n) || right != tt.rule.Index(tt.rightEqual, n) || min(left, right) < 0 || max(left, right) >= n {
					t.Errorf("%s: of extent %d, indices %d and %d are %d and %d", BorderNames[tt.rule], n, tt.left, tt.right, left, right)
				}
			}
		}
	}
}

// TestMeeting compares the search for window positions that meet an element with trying them all.
func TestMeeting(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		d := Slide{In: 1 + r.IntN(4), Out: 1 + r.IntN(5), Size: 1 + r.IntN(8), Stride: 1 + r.IntN(6), Dilation: 1 + r.IntN(5), Before: r.IntN(12) - 3}
		first := r.IntN(d.Out)
		last := first + r.IntN(d.Out-first)
		meets := func(k, o int) bool {
			i, _ := d.Source(o, k)
			return i >= 0 && i < d.In
		}
		k, n := r.IntN(d.Size), 0
		want := k
		for want < d.Size {
			found := false
			for o := first; o <= last; o++ {
				found = found || meets(want, o)
			}
			if found {
				break
			}
			want++
		}
		if got := d.meeting(k, first, last); got != want {
			t.Fatalf("%+v: from position %d results %d to %d meet an element at %d; want %d", d, k, first, last, got, want)
		}
		for k := range d.Size {
			if meets(k, first) {
				n++
			}
		}
		if got := (&Sliding{Rank: 1, Dim: [tensor.MaxRank]Slide{d}}).Counted(0, first); got != n {
			t.Fatalf("%+v: result %d meets %d elements; want %d", d, first, got, n)
		}
	}
}

// TestMet compares the walk over the window positions of a result, and of a row of them, with one over all positions.
func TestMet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var in, out, size, padding, stride, dilation []int
		up := r.IntN(2) == 0
		for range 1 + r.IntN(3) {
			n, f, step, dist, before := 1+r.IntN(4), 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(3), r.IntN(4)-1
			in, size, stride, dilation = append(in, n), append(size, f), append(stride, step), append(dilation, dist)
			out, padding = append(out, 1+r.IntN(6)), append(padding, before, 0)
		}
		a := graph.AttrsOf("border", "ignore", "padding", padding, "stride", stride, "dilation", dilation)
		g := NewSliding(a, in, out, size, up)
		for row := range g.Rows() {
			o, width := g.Row(row), g.Last().Out
			inRow := walked(&g, o, width)
			for range width {
				one := walked(&g, o, 1)
				for n := range g.Volume() {
					if k := g.Position(n); g.Source(&o, &k) >= 0 && (!slices.Contains(one, n) || !slices.Contains(inRow, n)) {
						t.Fatalf("%+v: result %v meets an element at position %d; walks are %v and, for the row, %v", g, o, n, one, inRow)
					}
				}
				g.NextResult(&o)
			}
		}
	}
}

// walked returns the numbers of the window positions at which so many results from o on meet something, which must ascend.
func walked(g *Sliding, o Position, width int) (numbers []int) {
	for k, more := g.FirstMet(&o, g.Rank, width); more; more = g.NextMet(&k, &o, g.Rank, width) {
		numbers = append(numbers, g.Number(&k))
	}
	if !slices.IsSorted(numbers) {
		return nil
	}
	return numbers
}

// TestFactors compares the places of factors with strides of broadcast tensors.
func TestFactors(t *testing.T) {
	for _, tt := range []struct {
		a, b, out tensor.Shape
		both      bool // transposed
		i         int
		x, y      int
	}{
		{a: tensor.Shape{2, 3}, b: tensor.Shape{3, 5}, out: tensor.Shape{2, 5}, i: 7, x: 3, y: 2},
		{a: tensor.Shape{3, 2}, b: tensor.Shape{5, 3}, out: tensor.Shape{2, 5}, both: true, i: 7, x: 1, y: 6},
		{a: tensor.Shape{1, 4, 2, 3}, b: tensor.Shape{6, 1, 3, 5}, out: tensor.Shape{6, 4, 2, 5}, i: 231, x: 3*6 + 0, y: 5*15 + 1},
	} {
		p := NewProduct(graph.AttrsOf("transposeA", tt.both, "transposeB", tt.both), tt.a, tt.b, tt.out)
		if x, y := p.Factors(tt.i); x != tt.x || y != tt.y {
			t.Errorf("%v times %v: element %d multiplies from %d and %d; want %d and %d", tt.a, tt.b, tt.i, x, y, tt.x, tt.y)
		}
	}
}

// TestWindow compares what windows reach with moving them, and has the numbers of one that nobody has checked.
func TestWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		n := r.IntN(12)
		w := &Window{Size: []int{1 + r.IntN(4)}, Stride: []int{1 + r.IntN(4)}, Dilation: []int{1 + r.IntN(3)}}
		w.Pad([]int{r.IntN(5) - 1, r.IntN(5) - 1})
		count, end := 0, func(i int) int { return i*w.Stride[0] + (w.Size[0]-1)*w.Dilation[0] + 1 - w.Before[0] }
		for end(count) <= n+w.After[0] {
			count++
		}
		if got := w.Count(0, n, false); max(got, 0) != int64(count) {
			t.Fatalf("%+v: %d windows on %d elements, want %d", w, got, n, count)
		}
		if more := count > 0 && end(count-1) < n+w.After[0]; count > 0 && (w.Count(0, n, true) > int64(count)) != more {
			t.Fatalf("%+v: by ceiling there are %d windows on %d elements, of which %d lie within", w, w.Count(0, n, true), n, count)
		}
		if got := w.Reach(0, count+1) - int64(w.Before[0]); got != int64(end(count)) {
			t.Fatalf("%+v: %d windows end at %d, want %d", w, count+1, got, end(count))
		}
		same := *w
		less, more := w.Halves(0, n, int(w.Strides(0, n)))
		same.Before, same.After = []int{int(less)}, []int{int(more)}
		if got := same.Count(0, n, false); n > 0 && w.Size[0] >= w.Stride[0] && got != w.Strides(0, n) || more-less > 1 || less > more {
			t.Fatalf("%+v: with %d and %d there are %d windows on %d elements, want %d", w, less, more, got, n, w.Strides(0, n))
		}
	}
	for _, tt := range []struct {
		a, b int
		want int64
	}{{-1, 3, -3}, {5, 0, 0}, {1 << 30, 1 << 30, 1 << 60}, {math.MaxInt32, math.MaxInt, far}} {
		if got := Times(tt.a, tt.b); got != tt.want && math.MaxInt > math.MaxInt32 {
			t.Errorf("%d times %d is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestPlaces follows Python's slices.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct{ begin, end, step, first, behind int }{
		{1, 3, 1, 1, 3}, {-3, -1, 1, 2, 4}, {-9, 9, 1, 0, 5}, {7, -9, 1, 5, 0}, {4, 0, -1, 4, 0}, {9, -9, -1, 4, -1}, {-9, 9, -1, -1, 4},
	} {
		if first, behind := Places(tt.begin, tt.end, tt.step, 5); first != tt.first || behind != tt.behind {
			t.Errorf("%d:%d:%d of 5 elements is from %d to %d, want %d to %d", tt.begin, tt.end, tt.step, first, behind, tt.first, tt.behind)
		}
	}
}
