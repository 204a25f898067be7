package openvx

// region is the part of an object's storage that a parameter of a node refers to. Views of one tensor are regions of one storage. Regions are
// equal if they are the same elements.
type region struct {
	root        *object
	rank        int // of tensors, that of the root; 0 for all of an object
	start, dims [MaxTensorDims]int
}

// overlaps reports whether two regions have anything in common.
func (a *region) overlaps(b *region) bool {
	if a.root != b.root {
		return false
	}
	for i := range min(a.rank, b.rank) {
		if a.start[i] >= b.start[i]+b.dims[i] || b.start[i] >= a.start[i]+a.dims[i] {
			return false
		}
	}
	return true
}

// extents returns the dims that there are.
func (a *region) extents() []int { return a.dims[:a.rank] }

// intersect returns what two overlapping regions have in common.
func (a *region) intersect(b *region) region {
	c := region{root: a.root, rank: a.rank}
	for i := range c.rank {
		c.start[i] = max(a.start[i], b.start[i])
		c.dims[i] = min(a.start[i]+a.dims[i], b.start[i]+b.dims[i]) - c.start[i]
	}
	return c
}

// regions returns the storage that an object shows: none for an absent one, several for an array of objects.
func regions(r Reference) []region {
	switch r := r.(type) {
	case nil:
		return nil
	case *Tensor, *Image:
		return []region{contents(r).region()}
	case *ObjectArray:
		var all []region
		for _, item := range r.items {
			all = append(all, regions(item)...)
		}
		return all
	}
	return []region{{root: r.base()}}
}

// region returns the part of its root that a tensor shows.
func (t *Tensor) region() region {
	root := t.root
	r := region{root: &root.object}
	if !root.known() {
		return r
	}
	r.rank = len(root.dims)
	copy(r.start[:], t.start)
	for i := copy(r.dims[:], t.dims); i < r.rank; i++ { // a view may have fewer dimensions than its root
		r.dims[i] = 1
	}
	return r
}
