package main

import (
	"math"
	"slices"
)

// Feature maps lie channel by channel, each row by row. Every layer can compute its output (forward) and, from
// the loss's gradient by its output, the gradients by its parameters, which it adds to, and by its input
// (backward). Products are rounded before they are added, so that no compiler fuses them and every processor
// computes the same bits.

// conv is a 3×3 convolution without padding over maps of side×side.
type conv struct {
	in, out, side int
	filter        []float32 // [out][in][3][3]
	bias          []float32 // [out]
}

// outSide is the side of the output maps.
func (c conv) outSide() int { return c.side - 2 }

// kernel returns the weights from input channel i to output channel o.
func (c conv) kernel(o, i int) *[9]float32 { return (*[9]float32)(c.filter[(o*c.in+i)*9:]) }

func (c conv) forward(dst, src []float32) {
	n := c.outSide()
	for o := range c.out {
		plane := dst[o*n*n:][:n*n]
		for k := range plane {
			plane[k] = c.bias[o]
		}
		for i := range c.in {
			w := c.kernel(o, i)
			for y := range n {
				above := src[(i*c.side+y)*c.side:]
				here := above[c.side:]
				below := here[c.side:]
				accumulateRow(plane[y*n:][:n], above, here, below, w)
			}
		}
	}
}

// accumulateRow adds one row of the correlation of three rows with a kernel to row.
func accumulateRow(row, above, here, below []float32, w *[9]float32) {
	a0, a1, b0, b1, c0, c1 := above[0], above[1], here[0], here[1], below[0], below[1]
	above, here, below = above[2:][:len(row)], here[2:][:len(row)], below[2:][:len(row)]
	for x, v := range row {
		a2, b2, c2 := above[x], here[x], below[x]
		a := float32(w[0]*a0) + float32(w[1]*a1) + float32(w[2]*a2)
		b := float32(w[3]*b0) + float32(w[4]*b1) + float32(w[5]*b2)
		c := float32(w[6]*c0) + float32(w[7]*c1) + float32(w[8]*c2)
		row[x] = v + (a + b + c)
		a0, a1, b0, b1, c0, c1 = a1, a2, b1, b2, c1, c2
	}
}

// backward takes the gradient by the output from dDst, which is mostly zero behind a pooling layer. It adds to
// the parameters of grad and to dSrc, which may be nil where nobody asks for it.
func (c conv) backward(grad conv, dSrc, src, dDst []float32) {
	n := c.outSide()
	for o := range c.out {
		for k, d := range dDst[o*n*n:][:n*n] {
			if d == 0 {
				continue
			}
			grad.bias[o] += d
			y, x := k/n, k%n
			for i := range c.in {
				at := (i*c.side+y)*c.side + x
				gather(grad.kernel(o, i), src[at:], c.side, d)
				if dSrc != nil {
					scatter(dSrc[at:], c.kernel(o, i), c.side, d)
				}
			}
		}
	}
}

// gather adds d times the 3×3 patch at the start of src to w.
func gather(w *[9]float32, src []float32, side int, d float32) {
	a, b, c := (*[3]float32)(src), (*[3]float32)(src[side:]), (*[3]float32)(src[2*side:])
	w[0] += float32(d * a[0])
	w[1] += float32(d * a[1])
	w[2] += float32(d * a[2])
	w[3] += float32(d * b[0])
	w[4] += float32(d * b[1])
	w[5] += float32(d * b[2])
	w[6] += float32(d * c[0])
	w[7] += float32(d * c[1])
	w[8] += float32(d * c[2])
}

// scatter adds d times w to the 3×3 patch at the start of dst.
func scatter(dst []float32, w *[9]float32, side int, d float32) {
	a, b, c := (*[3]float32)(dst), (*[3]float32)(dst[side:]), (*[3]float32)(dst[2*side:])
	a[0] += float32(d * w[0])
	a[1] += float32(d * w[1])
	a[2] += float32(d * w[2])
	b[0] += float32(d * w[3])
	b[1] += float32(d * w[4])
	b[2] += float32(d * w[5])
	c[0] += float32(d * w[6])
	c[1] += float32(d * w[7])
	c[2] += float32(d * w[8])
}

// poolForward writes the maximum of every 2×2 window of the maps, but at least zero: a rectifier and a pooling
// layer in one. An odd last row and column is left out.
func poolForward(dst, src []float32, channels, side int) {
	n := side / 2
	for c := range channels {
		for y := range n {
			for x := range n {
				at := (c*side+2*y)*side + 2*x
				dst[(c*n+y)*n+x] = max(src[at], src[at+1], src[at+side], src[at+side+1], 0)
			}
		}
	}
}

// poolBackward writes the gradient by the input: that of the output at the window's first maximum if it is above
// zero, and zero elsewhere.
func poolBackward(dSrc, src, dst, dDst []float32, channels, side int) {
	clear(dSrc[:channels*side*side])
	n := side / 2
	for c := range channels {
		for y := range n {
			for x := range n {
				out := (c*n+y)*n + x
				if dst[out] <= 0 {
					continue
				}
				at := (c*side+2*y)*side + 2*x
				for _, k := range [4]int{at, at + 1, at + side, at + side + 1} {
					if src[k] == dst[out] {
						dSrc[k] = dDst[out]
						break
					}
				}
			}
		}
	}
}

// dense is a fully connected layer.
type dense struct {
	in, out int
	filter  []float32 // [out][in]
	bias    []float32 // [out]
}

func (d dense) forward(dst, src []float32) {
	for o := range d.out {
		sum := d.bias[o]
		for i, w := range d.filter[o*d.in:][:d.in] {
			sum += float32(w * src[i])
		}
		dst[o] = sum
	}
}

// backward adds to the parameters of grad and to dSrc.
func (d dense) backward(grad dense, dSrc, src, dDst []float32) {
	for o, g := range dDst[:d.out] {
		grad.bias[o] += g
		row, gradRow := d.filter[o*d.in:][:d.in], grad.filter[o*d.in:][:d.in]
		for i, w := range row {
			gradRow[i] += float32(g * src[i])
			dSrc[i] += float32(g * w)
		}
	}
}

// softmax turns scores into probabilities in place.
func softmax(scores []float32) {
	top := slices.Max(scores)
	sum := float32(0)
	for i, v := range scores {
		scores[i] = exp(v - top)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// exp returns e to the power of x ≤ 0 from plain arithmetic: x = k·ln 2 + r with |r| ≤ ln 2 / 2, and the series
// of e^r, which twelve terms give to more than float32's precision.
func exp(x float32) float32 {
	if x < -80 {
		return 0
	}
	k := math.RoundToEven(float64(x) * math.Log2E)
	r := float64(x) - float64(k*math.Ln2)
	sum := 1.0
	for n := 12; n > 0; n-- {
		sum = 1 + float64(r*sum)/float64(n)
	}
	return float32(math.Ldexp(sum, int(k)))
}
