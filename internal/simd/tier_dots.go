package simd

// Dots are the routines of integer dot products of a tier.
type Dots struct {
	Bytes bool      // whether dwords are four bytes, unsigned and signed; else two signed words of 16 bits
	Tiles []DotTile // the most blocks first, and of these the most pixels
	Widen Routine[WidenArgs]
}

// DotTile is the routine of tiles of so many pixels and blocks of 16 channels.
type DotTile struct {
	Pixels, Blocks int
	Routine[DotsArgs]
}

// Tile returns the routine of tiles of so many pixels and blocks.
func (d *Dots) Tile(pixels, blocks int) *DotTile {
	for i := range d.Tiles {
		if t := &d.Tiles[i]; t.Pixels == pixels && t.Blocks == blocks {
			return t
		}
	}
	return nil
}

var dotsVNNI = Dots{Bytes: true, Tiles: []DotTile{
	{14, 2, Routine[DotsArgs]{"dots14x2VNNI", dots14x2VNNI}},
	{10, 2, Routine[DotsArgs]{"dots10x2VNNI", dots10x2VNNI}},
	{7, 2, Routine[DotsArgs]{"dots7x2VNNI", dots7x2VNNI}},
	{4, 2, Routine[DotsArgs]{"dots4x2VNNI", dots4x2VNNI}},
	{2, 2, Routine[DotsArgs]{"dots2x2VNNI", dots2x2VNNI}},
	{1, 2, Routine[DotsArgs]{"dots1x2VNNI", dots1x2VNNI}},
	{14, 1, Routine[DotsArgs]{"dots14x1VNNI", dots14x1VNNI}},
	{10, 1, Routine[DotsArgs]{"dots10x1VNNI", dots10x1VNNI}},
	{7, 1, Routine[DotsArgs]{"dots7x1VNNI", dots7x1VNNI}},
	{4, 1, Routine[DotsArgs]{"dots4x1VNNI", dots4x1VNNI}},
	{2, 1, Routine[DotsArgs]{"dots2x1VNNI", dots2x1VNNI}},
	{1, 1, Routine[DotsArgs]{"dots1x1VNNI", dots1x1VNNI}},
}}

var dotsAVX512 = Dots{Widen: Routine[WidenArgs]{"widenAVX512", widenAVX512}, Tiles: []DotTile{
	{14, 2, Routine[DotsArgs]{"dots14x2AVX512", dots14x2AVX512}},
	{10, 2, Routine[DotsArgs]{"dots10x2AVX512", dots10x2AVX512}},
	{7, 2, Routine[DotsArgs]{"dots7x2AVX512", dots7x2AVX512}},
	{4, 2, Routine[DotsArgs]{"dots4x2AVX512", dots4x2AVX512}},
	{2, 2, Routine[DotsArgs]{"dots2x2AVX512", dots2x2AVX512}},
	{1, 2, Routine[DotsArgs]{"dots1x2AVX512", dots1x2AVX512}},
	{14, 1, Routine[DotsArgs]{"dots14x1AVX512", dots14x1AVX512}},
	{10, 1, Routine[DotsArgs]{"dots10x1AVX512", dots10x1AVX512}},
	{7, 1, Routine[DotsArgs]{"dots7x1AVX512", dots7x1AVX512}},
	{4, 1, Routine[DotsArgs]{"dots4x1AVX512", dots4x1AVX512}},
	{2, 1, Routine[DotsArgs]{"dots2x1AVX512", dots2x1AVX512}},
	{1, 1, Routine[DotsArgs]{"dots1x1AVX512", dots1x1AVX512}},
}}

var dotsAVX2 = Dots{Widen: Routine[WidenArgs]{"widenAVX2", widenAVX2}, Tiles: []DotTile{
	{6, 1, Routine[DotsArgs]{"dots6x1AVX2", dots6x1AVX2}},
	{5, 1, Routine[DotsArgs]{"dots5x1AVX2", dots5x1AVX2}},
	{4, 1, Routine[DotsArgs]{"dots4x1AVX2", dots4x1AVX2}},
	{3, 1, Routine[DotsArgs]{"dots3x1AVX2", dots3x1AVX2}},
	{2, 1, Routine[DotsArgs]{"dots2x1AVX2", dots2x1AVX2}},
	{1, 1, Routine[DotsArgs]{"dots1x1AVX2", dots1x1AVX2}},
}}
