package media

import (
	"image"
	"image/color"
)

// upsampled converts a JPEG's picture with halved chroma planes to RGB, interpolating them: each chroma sample counts 3/4
// for the pixels next to its centre and 1/4 for the next but one, along each halved axis. Most decoders do so (libjpeg calls it fancy
// upsampling), while package image repeats samples, which networks notice. It returns nil for other pictures.
func upsampled(m *image.YCbCr) *image.RGBA {
	halvedX := m.SubsampleRatio == image.YCbCrSubsampleRatio420 || m.SubsampleRatio == image.YCbCrSubsampleRatio422
	halvedY := m.SubsampleRatio == image.YCbCrSubsampleRatio420 || m.SubsampleRatio == image.YCbCrSubsampleRatio440
	if !halvedX && !halvedY || m.Rect.Min != (image.Point{}) {
		return nil
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	columns, rows := neighbours(width, halvedX), neighbours(height, halvedY)
	out := image.NewRGBA(m.Rect)
	for y := range height {
		near, far := m.Cb[rows[y][0]*m.CStride:], m.Cb[rows[y][1]*m.CStride:]
		nearCr, farCr := m.Cr[rows[y][0]*m.CStride:], m.Cr[rows[y][1]*m.CStride:]
		for x := range width {
			i, j := columns[x][0], columns[x][1]
			cb := blend(near[i], near[j], far[i], far[j])
			cr := blend(nearCr[i], nearCr[j], farCr[i], farCr[j])
			r, g, b := color.YCbCrToRGB(m.Y[y*m.YStride+x], cb, cr)
			copy(out.Pix[y*out.Stride+4*x:], []uint8{r, g, b, 255})
		}
	}
	return out
}

// neighbours returns, for each pixel along an axis, the chroma samples nearest and second nearest to it.
func neighbours(n int, halved bool) [][2]int {
	pairs := make([][2]int, n)
	for i := range pairs {
		if !halved {
			pairs[i] = [2]int{i, i}
			continue
		}
		near := i / 2
		pairs[i] = [2]int{near, max(0, min(near-1+i%2*2, (n-1)/2))}
	}
	return pairs
}

// blend weighs four samples 9:3:3:1.
func blend(a, b, c, d uint8) uint8 {
	return uint8((9*uint16(a) + 3*uint16(b) + 3*uint16(c) + uint16(d) + 8) >> 4)
}
