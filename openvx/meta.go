package openvx

import "slices"

// MetaFormat describes what a node's output will be (vx_meta_format). It exists while the kernel's Validate runs, or describes a parameter
// of an imported kernel.
type MetaFormat struct {
	object
	description // TypeReference as long as the kind is open
}

// newMeta makes a description of an object, which belongs to the caller, who holds the lock and must drop it.
func (c *Context) newMeta(of Type) *MetaFormat {
	m := &MetaFormat{description: description{of: of}}
	c.register(&m.object, m, TypeMetaFormat)
	m.intern()
	return m
}

// set runs f for a description of an object of the kind of.
func (m *MetaFormat) set(call string, of Type, f func()) error {
	return do(m, call, func() {
		if m.of != of && m.of != TypeReference && of != TypeReference {
			refuse(ErrorInvalidType, "the output is a %s, not a %s", m.of.noun(), of.noun())
		}
		f()
		m.of = of
	})
}

// said returns the description of an object of the kind of, and nothing if it is one of another.
func (m *MetaFormat) said(of Type) description {
	return query(m, func() (d description) {
		if m.of == of {
			d = m.description
		}
		return d
	})
}

// SetTensor describes a tensor as for [Graph.CreateVirtualTensor]: no dims, extents of 0 and TypeInvalid are what the object decides. A type
// that tensors cannot have is ErrorInvalidType, extents that they cannot have ErrorInvalidDimension. A description of another kind of object
// is ErrorInvalidType, here and in the other methods.
func (m *MetaFormat) SetTensor(dims []int, dtype Type, fixed int8) error {
	return m.set(".SetTensor", TypeTensor, func() {
		f := format{dtype, fixed, slices.Clone(dims)}
		if dtype != TypeInvalid {
			f.checkType(false)
		}
		m.ctx.checkFormat(f, true)
		m.format = f
	})
}

// Tensor returns what is described of a tensor. What is open is nil, 0 and TypeInvalid.
func (m *MetaFormat) Tensor() (dims []int, dtype Type, fixed int8) {
	f := m.said(TypeTensor)
	return slices.Clone(f.dims), f.dtype, f.fixed
}

// SetScalarType sets the type of a scalar (VX_SCALAR_TYPE); one that scalars cannot have is ErrorInvalidType.
func (m *MetaFormat) SetScalarType(kind Type) error {
	return m.set(".SetScalarType", TypeScalar, func() {
		m.ctx.zeros(kind)
		m.dtype = kind
	})
}

// ScalarType returns the type of a scalar, TypeInvalid if it has not been set.
func (m *MetaFormat) ScalarType() Type { return m.said(TypeScalar).dtype }

// SetLUT describes a table by the type and the number of its elements; TypeInvalid and 0 are open. A type that tables cannot have is
// ErrorInvalidType, a negative number ErrorInvalidParameters.
func (m *MetaFormat) SetLUT(dtype Type, count int) error {
	return m.set(".SetLUT", TypeLUT, func() {
		if _, ok := tableTypes[dtype]; !ok && dtype != TypeInvalid {
			refuse(ErrorInvalidType, "a table cannot have elements of %s", dtype)
		}
		if count < 0 {
			refuse(ErrorInvalidParameters, "a table cannot have %d elements", count)
		}
		m.format = format{dtype: dtype, dims: []int{count}}
	})
}

// LUT returns what is described of a table: TypeInvalid and 0 if it has not been set.
func (m *MetaFormat) LUT() (dtype Type, count int) {
	f := m.said(TypeLUT)
	return f.dtype, f.extent(0)
}

// SetImage describes an image by the format and the numbers of its pixels in both directions; 0 is open. A negative number is
// ErrorInvalidDimension.
func (m *MetaFormat) SetImage(f ImageFormat, width, height int) error {
	return m.set(".SetImage", TypeImage, func() {
		if width < 0 || height < 0 {
			refuse(ErrorInvalidDimension, "an image cannot have %d times %d pixels", width, height)
		}
		m.image, m.dims = f, []int{width, height}
	})
}

// Image returns what is described of an image: 0 for what has not been set.
func (m *MetaFormat) Image() (f ImageFormat, width, height int) {
	d := m.said(TypeImage)
	return d.image, d.extent(0), d.extent(1)
}

// FromReference describes an object like r (vxSetMetaFormatFromReference): a tensor, a scalar, a table or an image; any other kind is
// ErrorInvalidType.
func (m *MetaFormat) FromReference(r Reference) error {
	of := TypeReference
	if o := baseOf(r); o != nil {
		of = o.kind
	}
	return m.set(".FromReference", of, func() {
		d, ok := describe(m.ctx.check(r, "the exemplar").self)
		if !ok {
			refuse(ErrorInvalidType, "a %s cannot be described", of.noun())
		}
		m.description = d
	})
}
