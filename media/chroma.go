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
	inRows(height, func(from, to int) {
		for y := from; y < to; y++ {
			upsampleRow(out.Pix[y*out.Stride:], m.Y[y*m.YStride:], m.Cb, m.Cr, columns, rows[y][0]*m.CStride, rows[y][1]*m.CStride)
		}
	})
	return out
}

// upsampleRow makes one row of a picture, of which the rows of chroma begin at near and far.
func upsampleRow(to, luma, cb, cr []uint8, columns [][2]int, near, far int) {
	to, luma = to[:4*len(columns)], luma[:len(columns)]
	for x, c := range columns {
		i, j := c[0], c[1]
		p := to[4*x : 4*x+4]
		p[0], p[1], p[2] = color.YCbCrToRGB(luma[x],
			blend(cb[near+i], cb[near+j], cb[far+i], cb[far+j]), blend(cr[near+i], cr[near+j], cr[far+i], cr[far+j]))
		p[3] = 255
	}
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
