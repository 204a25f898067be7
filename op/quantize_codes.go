package op

import (
	"github.com/concord-nn/concord/tensor"
)

// Quantization to and from elements that no Go type stands for: the packed ones.

// quantizeCodes is quantize_linear; each byte of the result is a piece.
func quantizeCodes(c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), c.In[2], c.Out[0].Bytes()
	d, in := c.Out[0].DType(), inByte(c.Out[0])
	b := c.blocks()
	for at := lo; at < hi; at++ {
		y[at] = 0
		for i := at * in; i < min((at+1)*in, len(x)); i++ {
			p, _ := b.next(i, len(x))
			q := packedCode(d, x[i]/scale[p], packedAt(zero, p%zero.Len()))
			y[at] |= q << (i % in * d.Bits())
		}
	}
}

// packedCode is code for a packed type.
func packedCode(d tensor.DType, q float32, zero int64) byte {
	least, most := d.IntRange()
	if q = roundEven(q); q != q {
		return 0
	}
	return byte(min(max(bounded(q)+zero, least), int64(most))) & (1<<d.Bits() - 1)
}

// packedAt returns element i of a tensor of packed integers.
func packedAt(t *tensor.Tensor, i int) int64 {
	bits := t.DType().Bits()
	code := t.Bytes()[i*bits/8] >> (i * bits % 8) << (8 - bits) // in the high bits
	if t.DType().IsSigned() {
		return int64(int8(code) >> (8 - bits))
	}
	return int64(code >> (8 - bits))
}

// dequantizeCodes is dequantize_linear.
func dequantizeCodes(c *Call, lo, hi int) {
	x, scale, zero, y := c.In[0], tensor.Data[float32](c.In[1]), c.In[2], tensor.Data[float32](c.Out[0])
	b := c.blocks()
	for lo < hi {
		p, end := b.next(lo, hi)
		s, z := scale[p], packedAt(zero, p%zero.Len())
		for i := lo; i < end; i++ {
			y[i] = canonical(float32(packedAt(x, i)-z) * s)
		}
		lo = end
	}
}
