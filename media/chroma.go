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
		blue, red := make([]uint16, m.CStride), make([]uint16, m.CStride)
		for y := from; y < to; y++ {
			near, far := rows[y][0]*m.CStride, rows[y][1]*m.CStride
			blend(blue, m.Cb[near:], m.Cb[far:])
			blend(red, m.Cr[near:], m.Cr[far:])
			upsampleRow(out.Pix[y*out.Stride:], m.Y[y*m.YStride:], blue, red, columns)
		}
	})
	return out
}

// blend weighs the chroma samples of the nearer and the farther row 3:1.
func blend(to []uint16, near, far []uint8) {
	n := min(len(to), len(near), len(far))
	to, near, far = to[:n], near[:n], far[:n]
	for i := range to {
		to[i] = 3*uint16(near[i]) + uint16(far[i])
	}
}

// upsampleRow makes one row of a picture, of which chroma is blended of two rows.
func upsampleRow(to, luma []uint8, blue, red []uint16, columns [][2]int) {
	to, luma = to[:4*len(columns)], luma[:len(columns)]
	for x, c := range columns {
		i, j := c[0], c[1]
		p := to[4*x : 4*x+4]
		p[0], p[1], p[2] = color.YCbCrToRGB(luma[x], uint8((3*blue[i]+blue[j]+8)>>4), uint8((3*red[i]+red[j]+8)>>4))
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
