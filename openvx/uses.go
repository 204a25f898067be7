package openvx

import (
	"math"
	"slices"
	"sort"
)

// position is a parameter of a node.
type position struct {
	node  *Node
	param int
}

// use is a parameter of a node with a region that it refers to.
type use struct {
	position
	region
}

// uses finds among many regions of one storage those that overlap a given one. A graph may write thousands of views of one tensor.
type uses struct {
	list   []use // as they were made
	axis   int   // the dimension by which they are searched: that in which they begin at the most places
	sorted []int // indices of the list by where they begin
	ends   []int // how far those that are sorted so far go
}

// index prepares the list for overlapping.
func (u *uses) index() {
	most := 0
	for axis := range u.list[0].rank {
		places := make(map[int]bool)
		for i := range u.list {
			places[u.list[i].start[axis]] = true
		}
		if len(places) > most {
			u.axis, most = axis, len(places)
		}
	}
	u.sorted, u.ends = make([]int, len(u.list)), make([]int, len(u.list))
	for i := range u.sorted {
		u.sorted[i] = i
	}
	begin := func(i int) int {
		from, _ := u.list[i].along(u.axis)
		return from
	}
	slices.SortFunc(u.sorted, func(i, j int) int { return begin(i) - begin(j) })
	last := 0
	for k, i := range u.sorted {
		_, to := u.list[i].along(u.axis)
		last = max(last, to)
		u.ends[k] = last
	}
}

// overlapping returns the uses that have something in common with a region, as they were made. There are none if u is nil.
func (u *uses) overlapping(r *region) []*use {
	if u == nil {
		return nil
	}
	from, to := r.along(u.axis)
	first := sort.SearchInts(u.ends, from+1)
	var found []int
	for _, i := range u.sorted[first:] {
		if begin, _ := u.list[i].along(u.axis); begin >= to {
			break
		}
		if r.overlaps(&u.list[i].region) {
			found = append(found, i)
		}
	}
	sort.Ints(found)
	list := make([]*use, len(found))
	for k, i := range found {
		list[k] = &u.list[i]
	}
	return list
}

// along returns where a region begins and ends in a dimension.
func (a *region) along(axis int) (from, to int) {
	if axis >= a.rank {
		return 0, math.MaxInt
	}
	return a.start[axis], a.start[axis] + a.dims[axis]
}
