package layout

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

func place(t *testing.T, boxes []Box, edges []Edge) *Picture {
	t.Helper()
	p, err := Place(boxes, edges)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func boxes(n int) []Box {
	list := make([]Box, n)
	for i := range list {
		list[i] = Box{100, 40}
	}
	return list
}

// middle is that of a box.
func (p *Picture) middle(i int) float64 { return p.Boxes[i].X + 50 }

// TestResidual keeps the chain of a residual block straight, and lets the edge beside it pass it.
func TestResidual(t *testing.T) {
	p := place(t, boxes(6), []Edge{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {1, 4}, {4, 5}})
	for i := range 6 {
		if math.Abs(p.middle(i)-p.middle(0)) > 8 {
			t.Errorf("box %d is at %v, far from the chain at %v", i, p.middle(i), p.middle(0))
		}
		if want := float64(i) * (40 + between); p.Boxes[i].Y != want {
			t.Errorf("box %d is in the height %v; want %v", i, p.Boxes[i].Y, want)
		}
	}
	skip := p.Edges[4]
	if len(skip) != 6 {
		t.Fatalf("the edge beside passes %v", skip)
	}
	for _, q := range skip[1:5] {
		if q.X != skip[1].X || q.X > p.Boxes[2].X && q.X < p.Boxes[2].X+100 {
			t.Errorf("the edge beside passes %v", skip)
		}
	}
}

// TestCrossings exchanges boxes so that no edges cross.
func TestCrossings(t *testing.T) {
	p := place(t, boxes(7), []Edge{{0, 1}, {0, 2}, {0, 3}, {1, 6}, {2, 5}, {3, 4}})
	for i := range 3 {
		if p.middle(1+i) != p.middle(6-i) {
			t.Errorf("boxes %d and %d are at %v and %v", 1+i, 6-i, p.middle(1+i), p.middle(6-i))
		}
	}
	list := []int{3, 1, 2, 0, 2}
	if n := inversions(list, make([]int, 5)); n != 6 || !reflect.DeepEqual(list, []int{0, 1, 2, 2, 3}) {
		t.Errorf("%d inversions, %v", n, list)
	}
}

// TestSources places what nothing leads to in front of what it leads to.
func TestSources(t *testing.T) {
	p := place(t, boxes(4), []Edge{{0, 1}, {1, 3}, {2, 3}})
	if p.Boxes[2].Y != p.Boxes[1].Y {
		t.Errorf("the second source is in the height %v", p.Boxes[2].Y)
	}
	if p := place(t, nil, nil); p.Width != 0 || p.Height != 0 {
		t.Errorf("no box takes %v×%v", p.Width, p.Height)
	}
	if p := place(t, boxes(2), nil); p.Width != 200+besides || p.Height != 40 {
		t.Errorf("two boxes take %v×%v", p.Width, p.Height)
	}
}

// TestRandom holds for any graph: no boxes overlap, edges go down, all is in the picture, and the same graph has the same places.
func TestRandom(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]Box, 1+r.IntN(40))
		for i := range list {
			list[i] = Box{20 + 100*r.Float64(), 20 + 30*r.Float64()}
		}
		var edges []Edge
		for i := 1; i < len(list); i++ {
			for range r.IntN(3) {
				edges = append(edges, Edge{r.IntN(i), i})
			}
		}
		p := place(t, list, edges)
		if again := place(t, list, edges); !reflect.DeepEqual(p, again) {
			t.Errorf("seed %d: the places change", seed)
		}
		for i, a := range p.Boxes {
			if a.X < -1e-6 || a.Y < 0 || a.X+list[i].Width > p.Width+1e-6 || a.Y+list[i].Height > p.Height+1e-6 {
				t.Errorf("seed %d: box %d is outside", seed, i)
			}
			for k, b := range p.Boxes[:i] {
				if a.X+list[i].Width > b.X+1e-6 && b.X+list[k].Width > a.X+1e-6 && a.Y+list[i].Height > b.Y && b.Y+list[k].Height > a.Y {
					t.Errorf("seed %d: boxes %d and %d overlap", seed, k, i)
				}
			}
		}
		for i, e := range p.Edges {
			for k := range e[1:] {
				if e[k+1].Y < e[k].Y {
					t.Errorf("seed %d: edge %d goes up", seed, i)
				}
			}
		}
	}
}

// TestPoints refuses a graph whose edges pass more layers than can be drawn, before it has taken the memory.
func TestPoints(t *testing.T) {
	chain := func(n int) []Edge {
		edges := make([]Edge, 0, 2*n)
		for i := 1; i < n; i++ {
			edges = append(edges, Edge{i - 1, i})
		}
		return edges
	}
	const n = 2000
	edges := chain(n)
	left := limits.DrawPoints - len(edges)
	for left > 0 {
		reach := min(left, n-1)
		edges, left = append(edges, Edge{0, reach}), left-reach
	}
	if err := bounded(edges, layersOf(n, edges)); err != nil {
		t.Error(err)
	}
	if _, err := Place(boxes(n), append(edges, Edge{0, 1})); err == nil {
		t.Error("a graph beyond the limit is drawn")
	}
}
