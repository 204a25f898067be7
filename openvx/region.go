package openvx

import "slices"

// region is the part of an object's storage that a parameter of a node refers to. Views of one tensor are regions of one storage.
type region struct {
	root  *object
	start []int // of tensors, in the dimensions of the root; nil for all of an object
	dims  []int
}

// overlaps reports whether two regions have anything in common.
func (a *region) overlaps(b *region) bool {
	if a.root != b.root {
		return false
	}
	for i := range min(len(a.start), len(b.start)) {
		if a.start[i] >= b.start[i]+b.dims[i] || b.start[i] >= a.start[i]+a.dims[i] {
			return false
		}
	}
	return true
}

// box is a tensor's region that can be compared.
type box struct {
	root        *object
	start, dims [MaxTensorDims]int
}

func (a *region) box() box {
	b := box{root: a.root}
	copy(b.start[:], a.start)
	copy(b.dims[:], a.dims)
	return b
}

// equals reports whether two regions are the same elements.
func (a *region) equals(b *region) bool {
	return a.root == b.root && slices.Equal(a.start, b.start) && slices.Equal(a.dims, b.dims)
}

// intersect returns what two overlapping regions have in common.
func (a *region) intersect(b *region) region {
	c := region{root: a.root, start: make([]int, len(a.start)), dims: make([]int, len(a.start))}
	for i := range c.start {
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
	switch {
	case !root.known():
	case t == root:
		r.start, r.dims = make([]int, len(t.dims)), slices.Clone(t.dims)
	default: // a view may have fewer dimensions than its root
		r.start, r.dims = slices.Clone(t.start), append(slices.Clone(t.dims), slices.Repeat([]int{1}, len(root.dims)-len(t.dims))...)
	}
	return r
}
