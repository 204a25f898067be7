package openvx

import (
	"math"

	"github.com/concord-nn/concord/internal/limits"
)

// ObjectArray is a list of objects of one kind (vx_object_array).
type ObjectArray struct {
	object
	items []Reference
}

// CreateImageObjectArray makes images that show parts of a tensor of three dimensions and share its elements
// (vxCreateImageObjectArrayFromTensor): count times the rectangle of the first two dimensions, jump bytes after one another, which is a
// multiple of the third dimension's stride. Elements and format are UINT8 and U8, or INT16 and S16.
func (t *Tensor) CreateImageObjectArray(rect Rectangle, count, jump int, f ImageFormat) (*ObjectArray, error) {
	return create(t, ".CreateImageObjectArray", func() *ObjectArray {
		step := t.checkImages(rect, count, jump, f)
		a := &ObjectArray{object: object{scope: t.scope}, items: make([]Reference, count)}
		for i := range a.items {
			plane := t.cut([]int{0, 0, i * step}, []int{t.dims[0], t.dims[1], i*step + 1})
			start, end := []int{int(rect.StartX), int(rect.StartY)}, []int{int(rect.EndX), int(rect.EndY)}
			image := t.ctx.registerImage(&Image{imageFormat: f, pixels: plane.cut(start, end)})
			image.own(&t.root.object)
			image.intern()
			image.array = a
			a.items[i] = image
		}
		t.ctx.register(&a.object, a, TypeObjectArray)
		return a
	})
}

// checkImages checks the arguments of CreateImageObjectArray and returns how many indices the images are apart.
func (t *Tensor) checkImages(rect Rectangle, count, jump int, f ImageFormat) (step int) {
	if len(t.dims) != 3 || t.strides == nil {
		refuse(ErrorInvalidDimension, "images can be made of a tensor of three dimensions; this one has extents %v", t.dims)
	}
	if f != DFImageU8 && f != DFImageS16 || pixelTypes[f] != t.dtype {
		refuse(ErrorInvalidFormat, "images of format %s cannot show elements of %s: U8 shows UINT8 and S16 INT16", f, t.dtype)
	}
	if t.strides[1] > math.MaxInt32 || t.dims[0] > math.MaxInt32 || t.dims[1] > math.MaxInt32 {
		refuse(ErrorInvalidDimension, "images of a tensor with extents %v and strides %v cannot be addressed with 32 bits",
			t.dims, t.strides)
	}
	t.pixelBox(rect)
	if count < 1 || count > limits.VXItems {
		refuse(ErrorInvalidParameters, "%d images are wanted; 1 to %d are possible", count, limits.VXItems)
	}
	if jump < 0 || jump%t.strides[2] != 0 || jump == 0 && count > 1 {
		refuse(ErrorInvalidParameters, "images %d bytes apart; it must be a multiple of the stride of dimension 2, which is %d",
			jump, t.strides[2])
	}
	step = jump / t.strides[2]
	if step > (t.dims[2]-1)/max(count-1, 1) && count > 1 {
		refuse(ErrorInvalidParameters, "%d images at every index %d do not lie inside dimension 2, which has %d",
			count, step, t.dims[2])
	}
	return step
}

func (a *ObjectArray) destroy() { dropAll(a.items) }

// Item returns an object and adds a reference of the application to it (vxGetObjectArrayItem).
func (a *ObjectArray) Item(i int) (Reference, error) {
	return create(a, ".Item", func() Reference {
		if i < 0 || i >= len(a.items) {
			refuse(ErrorInvalidParameters, "item %d; the array has %d", i, len(a.items))
		}
		a.items[i].base().external++
		return a.items[i]
	})
}
