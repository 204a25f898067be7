package openvx

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestUses compares what the index finds with a search of all regions.
func TestUses(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	root, other := &object{}, &object{}
	for range 300 {
		some := func(root *object) region {
			r := region{root: root, rank: 2}
			for i := range r.rank {
				start := random.IntN(9)
				r.start[i], r.dims[i] = start, 1+random.IntN(10-start)
			}
			return r
		}
		u := &uses{}
		for i := range 1 + random.IntN(20) {
			u.list = append(u.list, use{position{nil, i}, some(root)})
		}
		u.index()
		for _, r := range []region{some(root), some(root), some(other), {root: root}} {
			var want, got []int
			for i := range u.list {
				if r.overlaps(&u.list[i].region) {
					want = append(want, i)
				}
			}
			for _, w := range u.overlapping(&r) {
				got = append(got, w.param)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v overlaps %v of %v, want %v", r, got, u.list, want)
			}
		}
	}
	whole := &uses{list: []use{{region: region{root: root}}, {region: region{root: root}}}}
	whole.index()
	if n := len(whole.overlapping(&region{root: root})); n != 2 {
		t.Errorf("%d of 2 uses of an object without extents are found", n)
	}
	if none := (*uses)(nil); none.overlapping(&region{root: root}) != nil {
		t.Error("something is found where there is nothing")
	}
}
