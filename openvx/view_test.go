package openvx

import (
	"math/rand/v2"
	"testing"
)

// TestRegions compares random views of one tensor with the sets of their elements.
func TestRegions(t *testing.T) {
	c := dataContext(t, Options{})
	other := must(c.CreateTensor([]int{4, 3, 2}, TypeUint8, 0))
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		root := must(c.CreateTensor([]int{4, 3, 2}, TypeUint8, 0))
		views := []*Tensor{root}
		for range 4 {
			v := views[r.IntN(len(views))]
			start, end := randomBox(r, v.Dims())
			views = append(views, must(v.CreateView(start, end)))
		}
		for _, a := range views {
			for _, b := range views {
				inA, inBoth, inB := map[int]bool{}, 0, 0
				marks(a, func(i int) { inA[i] = true })
				marks(b, func(i int) {
					inB++
					if inA[i] {
						inBoth++
					}
				})
				ra, rb := a.region(), b.region()
				overlap := ra.overlaps(&rb)
				if overlap != (inBoth > 0) || (ra == rb) != (inBoth == inB && inB == len(inA)) {
					t.Fatalf("seed %d: %+v and %+v: overlap %v, equal %v; %d elements of %d and %d are shared",
						seed, ra, rb, overlap, (ra == rb), inBoth, len(inA), inB)
				}
				if !overlap {
					continue
				}
				if common := ra.intersect(&rb); product(common.extents()) != inBoth || !common.overlaps(&ra) || !common.overlaps(&rb) {
					t.Fatalf("seed %d: %+v and %+v have %+v in common, which are not %d elements", seed, ra, rb, common, inBoth)
				}
			}
			if ra, ro := a.region(), other.region(); ra.overlaps(&ro) || ra == ro {
				t.Fatal("tensors of other memory overlap")
			}
		}
	}
}

// marks calls f with the position of each element in the memory, of one byte each.
func marks(x *Tensor, f func(int)) {
	begin := x.offset()
	boxes(make([]int, len(x.dims)), x.dims, x.strides, func(_ []int, offset int) { f(begin + offset) })
}

func TestViewsRefused(t *testing.T) {
	c := dataContext(t, Options{})
	x := must(c.CreateTensor([]int{4, 3}, TypeUint8, 0))
	before := c.References()
	for name, box := range map[string][2][]int{
		"no box":            {nil, nil},
		"no end":            {{0, 0}, nil},
		"too many":          {{0, 0, 0}, {1, 1, 1}},
		"an empty one":      {{1, 1}, {1, 2}},
		"a negative start":  {{-1, 0}, {4, 3}},
		"beyond the end":    {{0, 0}, {5, 3}},
		"another dimension": {{0, 0}, {3, 4}},
	} {
		v, err := x.CreateView(box[0], box[1])
		wantStatus(t, name, err, ErrorInvalidParameters)
		if v != nil {
			t.Errorf("%s: a view is returned", name)
		}
	}
	if n := c.References(); n != before {
		t.Errorf("failures leave %d references", n-before)
	}
	wantStatus(t, "release", x.Release(), Success)
	_, err := x.CreateView([]int{0}, []int{1})
	wantStatus(t, "a view of a dead tensor", err, ErrorInvalidReference)
}
