package openvx

import "slices"

// MetaFormat describes what a node's output will be (vx_meta_format). It exists while the kernel's Validate runs, or describes a parameter
// of an imported kernel.
type MetaFormat struct {
	object
	of     Type // the kind of object that it describes; TypeReference as long as that is open
	tensor format
	scalar Type
	lut    tableFormat
	image  imageFormat
}

// tableFormat and imageFormat are what tables and images are.
type tableFormat struct {
	dtype Type
	count int
}

type imageFormat struct {
	format        ImageFormat
	width, height int
}

// newMeta makes a description of an object, which belongs to the caller, who holds the lock and must drop it.
func (c *Context) newMeta(of Type) *MetaFormat {
	m := &MetaFormat{of: of}
	c.register(&m.object, m, TypeMetaFormat)
	m.intern()
	return m
}

// set runs f for a description of an object of the kind of.
func (m *MetaFormat) set(call string, of Type, f func() error) error {
	return m.ctx.do(m, call, func() error {
		if m.of != of && m.of != TypeReference {
			return failed(ErrorInvalidType, "the output is a %s, not a %s", m.of.noun(), of.noun())
		}
		if err := f(); err != nil {
			return err
		}
		m.of = of
		return nil
	})
}

// Of returns the kind of object that is described: the parameter's, or TypeReference if any is allowed and nothing has been set.
func (m *MetaFormat) Of() Type { return query(&m.object, func() Type { return m.of }) }

// SetTensor describes a tensor as for [Context.CreateTensor], whose errors are also those here. A description of another kind of object is
// ErrorInvalidType, here and in the other methods.
func (m *MetaFormat) SetTensor(dims []int, dtype Type, fixed int8) error {
	return m.set("MetaFormat.SetTensor", TypeTensor, func() error {
		f := format{dtype, fixed, slices.Clone(dims)}
		if err := m.ctx.checkFormat(f, false); err != nil {
			return err
		}
		m.tensor = f
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
		if rank != len(m.tensor.dims) {
			m.tensor.dims = make([]int, rank)
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
		m.tensor.dims = slices.Clone(dims)
		return nil
	})
}

// SetTensorType sets the type of the elements (VX_TENSOR_DATA_TYPE); one that tensors cannot have is ErrorInvalidType.
func (m *MetaFormat) SetTensorType(dtype Type) error {
	return m.set("MetaFormat.SetTensorType", TypeTensor, func() error {
		if err := (format{dtype: dtype}).checkType(false); err != nil {
			return err
		}
		m.tensor.dtype = dtype
		return nil
	})
}

// SetTensorFixedPoint sets the number of fractional bits (VX_TENSOR_FIXED_POINT_POSITION).
func (m *MetaFormat) SetTensorFixedPoint(fixed int8) error {
	return m.set("MetaFormat.SetTensorFixedPoint", TypeTensor, func() error {
		m.tensor.fixed = fixed
		return nil
	})
}

// Tensor returns what is described of a tensor. What has not been set is nil, TypeInvalid and 0.
func (m *MetaFormat) Tensor() (dims []int, dtype Type, fixed int8) {
	f := query(&m.object, func() format { return m.tensor })
	return slices.Clone(f.dims), f.dtype, f.fixed
}

// SetScalarType sets the type of a scalar (VX_SCALAR_TYPE); one that scalars cannot have is ErrorInvalidType.
func (m *MetaFormat) SetScalarType(kind Type) error {
	return m.set("MetaFormat.SetScalarType", TypeScalar, func() error {
		if m.ctx.scalarSize(kind) == 0 {
			return failed(ErrorInvalidType, "%s is not the type of a scalar", kind)
		}
		m.scalar = kind
		return nil
	})
}

// ScalarType returns the type of a scalar, TypeInvalid if it has not been set.
func (m *MetaFormat) ScalarType() Type { return query(&m.object, func() Type { return m.scalar }) }

// SetLUTType sets the type of a table's elements (VX_LUT_TYPE); one that tables cannot have is ErrorInvalidType.
func (m *MetaFormat) SetLUTType(dtype Type) error {
	return m.set("MetaFormat.SetLUTType", TypeLUT, func() error {
		if _, ok := tableTypes[dtype]; !ok {
			return failed(ErrorInvalidType, "a table cannot have elements of %s", dtype)
		}
		m.lut.dtype = dtype
		return nil
	})
}

// SetLUTCount sets the number of a table's elements (VX_LUT_COUNT), at least 1, else the error is ErrorInvalidParameters.
func (m *MetaFormat) SetLUTCount(count int) error {
	return m.set("MetaFormat.SetLUTCount", TypeLUT, func() error {
		if count < 1 {
			return failed(ErrorInvalidParameters, "a table cannot have %d elements", count)
		}
		m.lut.count = count
		return nil
	})
}

// LUT returns what is described of a table: TypeInvalid and 0 if it has not been set.
func (m *MetaFormat) LUT() (dtype Type, count int) {
	l := query(&m.object, func() tableFormat { return m.lut })
	return l.dtype, l.count
}

// SetImageFormat sets the format of an image (VX_IMAGE_FORMAT).
func (m *MetaFormat) SetImageFormat(f ImageFormat) error {
	return m.set("MetaFormat.SetImageFormat", TypeImage, func() error {
		m.image.format = f
		return nil
	})
}

// SetImageWidth sets the width of an image in pixels (VX_IMAGE_WIDTH), at least 1, else the error is ErrorInvalidDimension.
func (m *MetaFormat) SetImageWidth(pixels int) error {
	return m.setExtent("MetaFormat.SetImageWidth", &m.image.width, pixels)
}

// SetImageHeight sets the height of an image in pixels (VX_IMAGE_HEIGHT), at least 1, else the error is ErrorInvalidDimension.
func (m *MetaFormat) SetImageHeight(pixels int) error {
	return m.setExtent("MetaFormat.SetImageHeight", &m.image.height, pixels)
}

func (m *MetaFormat) setExtent(call string, extent *int, pixels int) error {
	return m.set(call, TypeImage, func() error {
		if pixels < 1 {
			return failed(ErrorInvalidDimension, "an image cannot have %d pixels in a direction", pixels)
		}
		*extent = pixels
		return nil
	})
}

// Image returns what is described of an image: 0 for what has not been set.
func (m *MetaFormat) Image() (f ImageFormat, width, height int) {
	i := query(&m.object, func() imageFormat { return m.image })
	return i.format, i.width, i.height
}

// FromReference describes an object like r (vxSetMetaFormatFromReference): a tensor, a scalar, a table or an image; any other kind is
// ErrorInvalidType.
func (m *MetaFormat) FromReference(r Reference) error {
	const call = "MetaFormat.FromReference"
	o := baseOf(r)
	if o == nil {
		return m.ctx.do(m, call, func() error { return failed(ErrorInvalidReference, "the exemplar is nil") })
	}
	return m.set(call, o.kind, func() error {
		if _, err := m.ctx.check(r, "the exemplar"); err != nil {
			return err
		}
		switch x := o.self.(type) {
		case *Tensor:
			m.tensor = format{x.dtype, x.fixed, slices.Clone(x.dims)}
		case *Scalar:
			m.scalar = x.dtype
		case *LUT:
			m.lut = tableFormat{x.dtype, x.count}
		case *Image:
			m.image = imageFormat{x.imageFormat, x.pixels.dims[0], x.pixels.dims[1]}
		default:
			return failed(ErrorInvalidType, "a %s cannot be described", o.kind.noun())
		}
		return nil
	})
}
