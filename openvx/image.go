package openvx

import "math"

// Image is a picture of one plane (vx_image), for kernels of the application: no layer takes one. Its pixels are U8, U16, S16, U32 or
// S32.
type Image struct {
	object
	imageFormat ImageFormat
	pixels      *Tensor   // of extents width and height; it is no reference
	owner       *object   // of a region of another image or of a tensor: that object, and nil of other images
	valid       Rectangle // VX_VALID_REGION
}

// Rectangle goes from start up to but without end (vx_rectangle_t).
type Rectangle struct {
	StartX, StartY, EndX, EndY uint32
}

// ImageAddressing is how the pixels of a patch lie in memory (vx_imagepatch_addressing_t). Copies need only the first four fields.
type ImageAddressing struct {
	DimX, DimY       uint32 // pixels
	StrideX, StrideY int32  // bytes
	ScaleX, ScaleY   uint32 // scaleUnity, as there are no planes of less resolution
	StepX            uint32 // pixels
	StepY            uint16 // pixels
	StrideXBits      uint16
}

// scaleUnity is the scale of a plane with all pixels (VX_SCALE_UNITY).
const scaleUnity = 1024

// ImagePatch is a rectangle of an image's pixels in memory, for the application to read and write until it is unmapped.
type ImagePatch struct {
	ID         uint64 // for Image.UnmapPatch (vx_map_id)
	Addressing ImageAddressing
	Data       []byte // from the first pixel to the end of the last, with other pixels between the lines
}

// pixelTypes lists the formats of images.
var pixelTypes = map[ImageFormat]Type{
	DFImageU8:  TypeUint8,
	DFImageU16: TypeUint16,
	DFImageS16: TypeInt16,
	DFImageU32: TypeUint32,
	DFImageS32: TypeInt32,
}

// PixelBytes returns the size of a pixel, 0 for formats that images do not have.
func (f ImageFormat) PixelBytes() int { return pixelTypes[f].elementType().Size() }

// CreateImage makes an image of zeros (vxCreateImage). Formats of several planes or channels are ErrorNotSupported.
func (c *Context) CreateImage(width, height int, f ImageFormat) (*Image, error) {
	return create(c, ".CreateImage", func() *Image { return c.newImage(width, height, f, nil) })
}

// CreateVirtualImage makes an image that only nodes of the graph can see (vxCreateVirtualImage). An extent of 0 and DFImageVirt are
// what the node that writes it decides when the graph is verified.
func (g *Graph) CreateVirtualImage(width, height int, f ImageFormat) (*Image, error) {
	return create(g, ".CreateVirtualImage", func() *Image { return g.ctx.newImage(width, height, f, g) })
}

func (c *Context) newImage(width, height int, f ImageFormat, scope *Graph) *Image {
	c.checkImage(width, height, f, scope != nil)
	pixels := c.bareTensor(format{dtype: pixelTypes[f], dims: []int{width, height}}, scope)
	return c.registerImage(&Image{imageFormat: f, pixels: pixels})
}

// registerImage makes an image of its pixels a reference.
func (c *Context) registerImage(i *Image) *Image {
	c.register(&i.object, i, TypeImage)
	i.scope = i.pixels.scope
	if i.pixels.strides != nil {
		i.valid = i.pixels.rectangle()
	}
	return i
}

// checkImage is checkFormat for images.
func (c *Context) checkImage(width, height int, f ImageFormat, virtual bool) {
	dtype, ok := pixelTypes[f]
	if !ok && (!virtual || f != DFImageVirt) {
		refuse(ErrorNotSupported, "images of format %s are not supported: U8, U16, S16, U32 and S32 are", f)
	}
	pixels := format{dtype: dtype, dims: []int{width, height}}
	c.checkFormat(pixels, virtual)
	if int64(width)*int64(pixels.size()) > math.MaxInt32 || height > math.MaxInt32 {
		refuse(ErrorInvalidDimension, "an image of %d times %d pixels cannot be addressed with strides of 32 bits", width, height)
	}
}

// resolve gives a virtual image what the node that writes it decided.
func (i *Image) resolve(width, height int, f ImageFormat) {
	i.ctx.checkImage(width, height, f, false)
	i.pixels.resolve(format{dtype: pixelTypes[f], dims: []int{width, height}})
	i.imageFormat, i.valid = f, i.pixels.rectangle()
}

// reopen makes open again what was open when the virtual image was created, for another verification.
func (i *Image) reopen() {
	i.pixels.reopen()
	if i.pixels.dtype == TypeInvalid {
		i.imageFormat = DFImageVirt
	}
}

// CreateFromROI makes an image that shows a rectangle of this one and shares its pixels (vxCreateImageFromROI). Its valid region is what
// of this image's lies inside.
func (i *Image) CreateFromROI(r Rectangle) (*Image, error) {
	return create(i, ".CreateFromROI", func() *Image {
		start, end := i.pixels.pixelBox(r)
		roi := i.ctx.registerImage(&Image{imageFormat: i.imageFormat, pixels: i.pixels.cut(start, end)})
		roi.own(&i.object)
		roi.valid = Rectangle{
			max(i.valid.StartX, r.StartX) - r.StartX, max(i.valid.StartY, r.StartY) - r.StartY,
			max(min(i.valid.EndX, r.EndX), r.StartX) - r.StartX, max(min(i.valid.EndY, r.EndY), r.StartY) - r.StartY,
		}
		if roi.valid.StartX >= roi.valid.EndX || roi.valid.StartY >= roi.valid.EndY {
			roi.valid = Rectangle{}
		}
		return roi
	})
}

// own makes the image keep the object alive whose memory it shows.
func (i *Image) own(o *object) {
	i.owner = o
	o.hold()
	i.pixels.root.views++
}

func (i *Image) destroy() {
	if i.owner == nil {
		i.pixels.destroy()
		return
	}
	i.pixels.root.views--
	i.owner.drop()
}

// ValidRectangle returns the region of pixels that mean something, at first the whole image (vxGetValidRegionImage).
func (i *Image) ValidRectangle() (Rectangle, error) {
	return create(i, ".ValidRectangle", func() Rectangle { return i.valid })
}

// SetValidRectangle sets what [Image.ValidRectangle] returns; nil is the whole image (vxSetImageValidRectangle).
func (i *Image) SetValidRectangle(r *Rectangle) error {
	return do(i, ".SetValidRectangle", func() {
		all := i.pixels.rectangle()
		if r == nil {
			r = &all
		}
		i.pixels.pixelBox(*r)
		i.valid = *r
	})
}

// rectangle returns all pixels.
func (t *Tensor) rectangle() Rectangle {
	return Rectangle{EndX: uint32(t.dims[0]), EndY: uint32(t.dims[1])}
}

// pixelBox returns a rectangle as a box, if it lies inside the first two dimensions.
func (t *Tensor) pixelBox(r Rectangle) (start, end []int) {
	if t.strides == nil {
		refuse(ErrorInvalidParameters, "size and format of the virtual image are not known before its graph is verified")
	}
	for i, p := range [][2]uint32{{r.StartX, r.EndX}, {r.StartY, r.EndY}} {
		if p[0] >= p[1] || int64(p[1]) > int64(t.dims[i]) {
			refuse(ErrorInvalidParameters, "the rectangle from (%d, %d) to (%d, %d) must have pixels, all within %d times %d",
				r.StartX, r.StartY, r.EndX, r.EndY, t.dims[0], t.dims[1])
		}
	}
	return []int{int(r.StartX), int(r.StartY)}, []int{int(r.EndX), int(r.EndY)}
}

// CopyPatch copies a rectangle of pixels from the image to data (ReadOnly) or from data to the image (WriteOnly) (vxCopyImagePatch).
// Plane must be 0. Strides are at least the size of a pixel, and no two pixels may share memory.
//
//go:noinline // each caller would have a copy of what it does
func (i *Image) CopyPatch(r Rectangle, plane int, a ImageAddressing, data []byte, u Usage) error {
	return do(i, ".CopyPatch", func() {
		start, end := i.place(r, plane)
		switch size := i.pixels.size(); {
		case int(a.StrideX) < size || int(a.StrideY) < size:
			refuse(ErrorInvalidParameters, "the strides are %d and %d; they must be at least %d, the size of a pixel", a.StrideX, a.StrideY, size)
		case int64(a.DimX) < int64(end[0]-start[0]) || int64(a.DimY) < int64(end[1]-start[1]):
			refuse(ErrorInvalidParameters, "the memory is for %d times %d pixels, the rectangle has %d times %d",
				a.DimX, a.DimY, end[0]-start[0], end[1]-start[1])
		}
		i.pixels.copyPatch(start, end, []int{int(a.StrideX), int(a.StrideY)}, data, u)
	})
}

// MapPatch gives the application direct access to a rectangle of pixels until [Image.UnmapPatch] (vxMapImagePatch). Plane must be 0.
func (i *Image) MapPatch(r Rectangle, plane int, u Usage) (*ImagePatch, error) {
	return create(i, ".MapPatch", func() *ImagePatch {
		start, end := i.place(r, plane)
		p := i.pixels.mapPatch(start, end, u)
		i.hold()
		return &ImagePatch{ID: p.ID, Data: p.Data, Addressing: ImageAddressing{
			DimX: r.EndX - r.StartX, DimY: r.EndY - r.StartY,
			StrideX: int32(p.Strides[0]), StrideY: int32(p.Strides[1]),
			ScaleX: scaleUnity, ScaleY: scaleUnity, StepX: 1, StepY: 1,
		}}
	})
}

// UnmapPatch ends the access to a patch that [Image.MapPatch] of the same image has given (vxUnmapImagePatch).
func (i *Image) UnmapPatch(id uint64) error { return unmap(i, ".UnmapPatch", id) }

// place returns the pixels that a call wants to access as a box, if it may.
func (i *Image) place(r Rectangle, plane int) (start, end []int) {
	i.checkVisible()
	if plane != 0 {
		refuse(ErrorInvalidParameters, "plane %d; the image has only plane 0", plane)
	}
	return i.pixels.pixelBox(r)
}
