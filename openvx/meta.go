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
func (m *MetaFormat) set(call string, of Type, f func() error) error {
	return m.ctx.do(m, call, func() {
		if m.of != of && m.of != TypeReference {
			refuse(ErrorInvalidType, "the output is a %s, not a %s", m.of.noun(), of.noun())
		}
		must(f())
		m.of = of
	})
}

// Of returns the kind of object that is described: the parameter's, or TypeReference if any is allowed and nothing has been set.
func (m *MetaFormat) Of() Type { return query(&m.object, func() Type { return m.of }) }

// said returns the description of an object of the kind of, and nothing if it is one of another.
func (m *MetaFormat) said(of Type) description {
	return query(&m.object, func() (d description) {
		if m.of == of {
			d = m.description
		}
		return d
	})
}

// SetTensor describes a tensor as for [Context.CreateTensor], whose errors are also those here. A description of another kind of object is
// ErrorInvalidType, here and in the other methods.
func (m *MetaFormat) SetTensor(dims []int, dtype Type, fixed int8) error {
	return m.set("MetaFormat.SetTensor", TypeTensor, func() error {
		f := format{dtype, fixed, slices.Clone(dims)}
		if err := m.ctx.checkFormat(f, false); err != nil {
			return err
		}
		m.format = f
		return nil
	})
}

// SetTensorRank sets the number of dimensions (VX_TENSOR_NUMBER_OF_DIMS), 1 to MaxTensorDims, else the error is ErrorInvalidDimension. If
// it changes, the extents are open.
func (m *MetaFormat) SetTensorRank(rank int) error {
	return m.set("MetaFormat.SetTensorRank", TypeTensor, func() error {
		if rank < 1 || rank > MaxTensorDims {
			return failed(ErrorInvalidDimension, "a tensor has 1 to %d dimensions, not %d", MaxTensorDims, rank)
		}
		if rank != len(m.dims) {
			m.dims = make([]int, rank)
		}
		return nil
	})
}

// SetTensorDims sets the extents, and thereby their number (VX_TENSOR_DIMS). Extents that no tensor has are ErrorInvalidDimension.
func (m *MetaFormat) SetTensorDims(dims []int) error {
	return m.set("MetaFormat.SetTensorDims", TypeTensor, func() error {
		if err := m.ctx.checkFormat(format{TypeUint8, 0, dims}, false); err != nil {
			return err
		}
		m.dims = slices.Clone(dims)
		return nil
	})
}

// SetTensorType sets the type of the elements (VX_TENSOR_DATA_TYPE); one that tensors cannot have is ErrorInvalidType.
func (m *MetaFormat) SetTensorType(dtype Type) error {
	return m.set("MetaFormat.SetTensorType", TypeTensor, func() error {
		if err := (format{dtype: dtype}).checkType(false); err != nil {
			return err
		}
		m.dtype = dtype
		return nil
	})
}

// SetTensorFixedPoint sets the number of fractional bits (VX_TENSOR_FIXED_POINT_POSITION).
func (m *MetaFormat) SetTensorFixedPoint(fixed int8) error {
	return m.set("MetaFormat.SetTensorFixedPoint", TypeTensor, func() error {
		m.fixed = fixed
		return nil
	})
}

// Tensor returns what is described of a tensor. What has not been set is nil, TypeInvalid and 0.
func (m *MetaFormat) Tensor() (dims []int, dtype Type, fixed int8) {
	f := m.said(TypeTensor)
	return slices.Clone(f.dims), f.dtype, f.fixed
}

// SetScalarType sets the type of a scalar (VX_SCALAR_TYPE); one that scalars cannot have is ErrorInvalidType.
func (m *MetaFormat) SetScalarType(kind Type) error {
	return m.set("MetaFormat.SetScalarType", TypeScalar, func() error {
		_, err := m.ctx.zeros(kind)
		if err == nil {
			m.dtype = kind
		}
		return err
	})
}

// ScalarType returns the type of a scalar, TypeInvalid if it has not been set.
func (m *MetaFormat) ScalarType() Type { return m.said(TypeScalar).dtype }

// SetLUTType sets the type of a table's elements (VX_LUT_TYPE); one that tables cannot have is ErrorInvalidType.
func (m *MetaFormat) SetLUTType(dtype Type) error {
	return m.set("MetaFormat.SetLUTType", TypeLUT, func() error {
		if _, ok := tableTypes[dtype]; !ok {
			return failed(ErrorInvalidType, "a table cannot have elements of %s", dtype)
		}
		m.dtype = dtype
		return nil
	})
}

// SetLUTCount sets the number of a table's elements (VX_LUT_COUNT), at least 1, else the error is ErrorInvalidParameters.
func (m *MetaFormat) SetLUTCount(count int) error {
	return m.set("MetaFormat.SetLUTCount", TypeLUT, func() error {
		if count < 1 {
			return failed(ErrorInvalidParameters, "a table cannot have %d elements", count)
		}
		m.dims = []int{count}
		return nil
	})
}

// LUT returns what is described of a table: TypeInvalid and 0 if it has not been set.
func (m *MetaFormat) LUT() (dtype Type, count int) {
	f := m.said(TypeLUT)
	return f.dtype, f.extent(0)
}

// SetImageFormat sets the format of an image (VX_IMAGE_FORMAT).
func (m *MetaFormat) SetImageFormat(f ImageFormat) error {
	return m.set("MetaFormat.SetImageFormat", TypeImage, func() error {
		m.image = f
		return nil
	})
}

// SetImageWidth sets the width of an image in pixels (VX_IMAGE_WIDTH), at least 1, else the error is ErrorInvalidDimension.
func (m *MetaFormat) SetImageWidth(pixels int) error {
	return m.setExtent("MetaFormat.SetImageWidth", 0, pixels)
}

// SetImageHeight sets the height of an image in pixels (VX_IMAGE_HEIGHT), at least 1, else the error is ErrorInvalidDimension.
func (m *MetaFormat) SetImageHeight(pixels int) error {
	return m.setExtent("MetaFormat.SetImageHeight", 1, pixels)
}

func (m *MetaFormat) setExtent(call string, axis, pixels int) error {
	return m.set(call, TypeImage, func() error {
		if pixels < 1 {
			return failed(ErrorInvalidDimension, "an image cannot have %d pixels in a direction", pixels)
		}
		m.dims = []int{m.extent(0), m.extent(1)}
		m.dims[axis] = pixels
		return nil
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
	const call = "MetaFormat.FromReference"
	o := baseOf(r)
	if o == nil {
		return m.ctx.do(m, call, func() { must(failed(ErrorInvalidReference, "the exemplar is nil")) })
	}
	return m.set(call, o.kind, func() error {
		if _, err := m.ctx.check(r, "the exemplar"); err != nil {
			return err
		}
		d, ok := describe(o.self)
		if !ok {
			return failed(ErrorInvalidType, "a %s cannot be described", o.kind.noun())
		}
		m.description = d
		return nil
	})
}
