package op

import "github.com/concord-nn/concord/tensor"

// Quantization to and from elements that no Go type stands for: packed ones, and small floats.

// quantizeCodes is quantize_linear. Each byte of the result is a piece.
func quantizeCodes(c *Call, lo, hi int) {
	x, scale, zero, y := tensor.Data[float32](c.In[0]), tensor.Data[float32](c.In[1]), c.In[2], c.Out[0].Bytes()
	d, o := c.Out[0].DType(), tensor.CastOptions{Unbounded: !c.Bool("saturate")}
	in, b := d.PerByte(), c.blocks()
	for at := lo; at < hi; at++ {
		codes := byte(0) // stored at last, as the result may lie in the memory of the zero points
		for i := at * in; i < min((at+1)*in, len(x)); i++ {
			p, _ := b.Next(i, len(x))
			codes |= codeOf(d, x[i]/scale[p], numberAt(zero, p%zero.Len()), o) << (i % in * d.Bits())
		}
		y[at] = codes
	}
}

// codeOf returns the code of q + zero. Of a small float a zero point of 0 is not added, so that -0 stays.
func codeOf(d tensor.DType, q, zero float32, o tensor.CastOptions) byte {
	if d.IsSmallFloat() {
		if zero != 0 {
			q += zero
		}
		return tensor.ToSmall(d, q, o)
	}
	if q = roundEven(q); q != q {
		return 0
	}
	least, most := d.IntRange()
	return byte(min(max(bounded(q)+int64(zero), least), int64(most))) & (1<<d.Bits() - 1)
}

// numberAt returns the number that element i stands for.
func numberAt(t *tensor.Tensor, i int) float32 {
	return numberOf(t.DType(), tensor.CodeAt(t.Bytes(), i, t.DType().Bits()))
}

// numberOf returns the number that a code stands for.
func numberOf(d tensor.DType, code byte) float32 {
	switch bits := d.Bits(); {
	case d.IsSmallFloat():
		return tensor.SmallFloat32(d, code)
	case d.IsSigned():
		return float32(int8(code<<(8-bits)) >> (8 - bits))
	}
	return float32(code)
}

// dequantizeCodes is dequantize_linear.
func dequantizeCodes(c *Call, lo, hi int) {
	x, scale, zero, y := c.In[0], tensor.Data[float32](c.In[1]), c.In[2], tensor.Data[float32](c.Out[0])
	var numbers [256]float32
	for code := range 1 << x.DType().Bits() {
		numbers[code] = numberOf(x.DType(), byte(code))
	}
	b, from, bits := c.blocks(), x.Bytes(), x.DType().Bits()
	for lo < hi {
		p, end := b.Next(lo, hi)
		s, z := scale[p], numberAt(zero, p%zero.Len())
		for i := lo; i < end; i++ {
			y[i] = canonical((numbers[tensor.CodeAt(from, i, bits)] - z) * s)
		}
		lo = end
	}
}
