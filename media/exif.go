package media

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation returns the orientation (1 to 8) that the Exif segment of a JPEG notes, 1 if there is none (Exif 2.32,
// 4.5.4 and tag 0x0112).
func orientation(jpeg []byte) int {
	const app1, startOfScan = 0xe1, 0xda
	for at := 2; at+4 <= len(jpeg) && jpeg[at] == 0xff && jpeg[at+1] != startOfScan; {
		end := at + 2 + int(binary.BigEndian.Uint16(jpeg[at+2:]))
		if end < at+4 || end > len(jpeg) {
			break
		}
		if tiff, ok := bytes.CutPrefix(jpeg[at+4:end], []byte("Exif\x00\x00")); ok && jpeg[at+1] == app1 {
			return tiffOrientation(tiff)
		}
		at = end
	}
	return 1
}

// tiffOrientation reads the orientation from the first directory of a TIFF header.
func tiffOrientation(tiff []byte) int {
	const tag, entrySize, header = 0x0112, 12, 8
	if len(tiff) < header {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == tag {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			break
		}
		entries = entries[entrySize:]
	}
	return 1
}

// orient turns a picture upright.
func orient(m *image.RGBA, orientation int) *image.RGBA {
	if orientation == 1 {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	if orientation >= 5 {
		out = image.NewRGBA(image.Rect(0, 0, h, w))
	}
	for y := range h {
		for x := range w {
			var u, v int
			switch orientation {
			case 2:
				u, v = w-1-x, y
			case 3:
				u, v = w-1-x, h-1-y
			case 4:
				u, v = x, h-1-y
			case 5:
				u, v = y, x
			case 6:
				u, v = h-1-y, x
			case 7:
				u, v = h-1-y, w-1-x
			case 8:
				u, v = y, w-1-x
			}
			copy(out.Pix[out.PixOffset(u, v):][:4], m.Pix[m.PixOffset(x, y):])
		}
	}
	return out
}
