package tensorfile

import (
	"encoding/binary"

	"github.com/concord-nn/concord/tensor"
)

// block describes a format in which items stand in blocks that share a scale: a 16-bit float at the beginning, and codes
// that it is multiplied by.
type block struct {
	name   string
	codes  int // offset of the codes
	size   int // of a block in bytes
	decode func(codes []byte, i int) int8
}

// blockItems is the number of items in every kind of block.
const blockItems = 32

// tractItem is an item type of tract: a block, or something that is no number.
type tractItem struct {
	block *block
	other string
}

// tractItems are tract's own item types. The digits of blocks are a family (2 tract's, 3 that of GGML), the kind of
// scale, the bits and the variant.
var tractItems = map[ItemType]tractItem{
	0:      {other: "complex floats"},
	4:      {other: "complex integers"},
	0x1000: {other: "strings"},
	0x2040: {block: &block{"q4_0", 2, 18, func(codes []byte, i int) int8 { return int8(codes[i/2]>>(i%2*4)&15) - 8 }}},
	0x3040: {block: &block{"q4_0", 2, 18, func(codes []byte, i int) int8 { return int8(codes[i%16]>>(i/16*4)&15) - 8 }}},
	0x3080: {block: &block{"q8_0", 2, 34, func(codes []byte, i int) int8 { return int8(codes[i]) }}},
	0x3081: {block: &block{"q8_1", 4, 36, func(codes []byte, i int) int8 { return int8(codes[i]) }}},
}

// tractType finds out what items of tract's own type are.
func (f *File) tractType() error {
	item, ok := tractItems[f.Type]
	switch {
	case !ok:
		return errorAt(atType, "item type 0x%04X of tract is not known", uint16(f.Type))
	case item.block == nil:
		return errorAt(atType, "the items are %s (type 0x%04X of tract), for which there is no tensor type here", item.other, uint16(f.Type))
	}
	f.block = item.block
	return nil
}

// checkBlocks reports a shape that blocks do not fill, or a length other than they take.
func (f *File) checkBlocks() error {
	n := f.Shape.Len()
	row := n
	if len(f.Shape) > 0 && f.Shape[0] > 0 {
		row = n / f.Shape[0]
	}
	if row%blockItems != 0 {
		return errorAt(atExtents, "a row of shape %v has %d items; blocks of %s take multiples of %d", f.Shape, row, f.block.name, blockItems)
	}
	if have := len(f.items); have/f.block.size != n/blockItems || have%f.block.size != 0 {
		return errorAt(atLength, "shape %v takes %d blocks of %d bytes; there are %d bytes", f.Shape, n/blockItems, f.block.size, have)
	}
	return nil
}

// blocks returns the numbers that blocks stand for.
func (f *File) blocks() (*tensor.Tensor, error) {
	t, err := tensor.New(tensor.Float32, f.Shape)
	if err != nil { // there is no such memory
		return nil, err
	}
	dst := tensor.Data[float32](t)
	for at := 0; at < len(f.items); at += f.block.size {
		b := f.items[at : at+f.block.size]
		scale := tensor.F16(binary.LittleEndian.Uint16(b)).Float32()
		for i := range blockItems {
			dst[i] = float32(f.block.decode(b[f.block.codes:], i)) * scale
		}
		dst = dst[blockItems:]
	}
	return t, nil
}
