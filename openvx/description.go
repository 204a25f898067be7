package openvx

import (
	"fmt"
	"slices"
)

// description is what an application can ask of a data object: what its elements are, and how many. Of what is open, the type is TypeInvalid or
// DFImageVirt, and extents are 0 or are not there.
type description struct {
	of     Type // the kind of object
	format      // a scalar has one element, a table one dimension, an image two and no type but that of its format
	image  ImageFormat
}

// describe returns the description of an object; ok is false for those that have none.
func describe(r Reference) (d description, ok bool) {
	if s, ok := r.(*Scalar); ok {
		return description{TypeScalar, format{dtype: s.dtype, dims: []int{1}}, 0}, true
	}
	t := contents(r)
	if t == nil {
		return d, false
	}
	d.of, d.format = r.base().kind, t.format
	d.dims = slices.Clone(t.dims)
	if i, ok := r.(*Image); ok {
		d.dtype, d.image = TypeInvalid, i.imageFormat
	}
	return d, true
}

// contents returns the tensor that has the elements of an object, nil for objects of other kinds. It is a reference only where the object is a
// tensor.
func contents(r Reference) *Tensor {
	switch r := r.(type) {
	case *Tensor:
		return r
	case *Image:
		return r.pixels
	case *LUT:
		return r.table
	}
	return nil
}

// alike reports whether what has been verified with one object holds for another.
func alike(old, r Reference) bool {
	a, ok := describe(old)
	b, too := describe(r)
	return ok && too && old.base().scope == nil && r.base().scope == nil && a.of == b.of && a.image == b.image && a.equal(b.format)
}

// String describes an object in messages.
func (d description) String() string {
	switch d.of {
	case TypeScalar:
		return "a scalar of " + d.dtype.String()
	case TypeImage:
		return fmt.Sprintf("an image of format %v and extents %v", d.image, d.dims)
	}
	return fmt.Sprintf("a %s of %v and extents %v", d.of.noun(), d.format, d.dims)
}

// adopt makes d the description of r, which is result i or one of its replicas, or checks that it is, as far as d says anything: a virtual object
// is completed.
func (n *Node) adopt(i int, r Reference, d description) {
	is, _ := describe(r)
	want := is
	wrong := func(s Status, what string, yields any) {
		refuse(s, "%s is %v; the node yields %s%v", n.title(i), is, what, yields)
	}
	if want.image == DFImageVirt && d.image != 0 {
		want.image = d.image
	}
	if d.image != 0 && want.image != d.image {
		wrong(ErrorInvalidFormat, "the format ", d.image)
	}
	var status Status
	switch want.format, status = is.completed(d.format); {
	case status == ErrorInvalidDimension:
		wrong(status, "the extents ", d.dims)
	case status != Success && is.of == TypeTensor:
		wrong(ErrorInvalidFormat, "", d.format)
	case status != Success:
		wrong(ErrorInvalidType, "", d.format)
	}
	if len(want.dims) == 0 || slices.Contains(want.dims, 0) || want.image == DFImageVirt || want.image == 0 && want.dtype == TypeInvalid {
		refuse(ErrorInvalidFormat, "%s is %v; the node does not say what it yields", n.title(i), is)
	}
	switch r := r.(type) {
	case *Tensor:
		if want.equal(is.format) {
			return
		}
		r.resolve(want.format)
	case *Image:
		if want.image == is.image && want.equal(is.format) {
			return
		}
		r.resolve(want.dims[0], want.dims[1], want.image)
	default:
		return
	}
	n.graph.resolved = append(n.graph.resolved, r.(reopener))
}
