package simd

// DotTile is the routine of [DotsArgs] for tiles of so many pixels and blocks of 16 channels.
type DotTile struct {
	Pixels, Blocks int
	*Routine[DotsArgs]
}

// DotTiles returns the routines of integer dot products of the tier whose dwords are two signed words of 16 bits, or four bytes, unsigned and signed: those
// of most blocks first, and of these those of most pixels.
func (t *Tier) DotTiles(bytes bool) []DotTile {
	if bytes {
		return existing([]DotTile{
			{14, 2, &t.DotsBytes14x2}, {10, 2, &t.DotsBytes10x2}, {7, 2, &t.DotsBytes7x2}, {4, 2, &t.DotsBytes4x2}, {2, 2, &t.DotsBytes2x2},
			{1, 2, &t.DotsBytes1x2}, {14, 1, &t.DotsBytes14x1}, {10, 1, &t.DotsBytes10x1}, {7, 1, &t.DotsBytes7x1}, {4, 1, &t.DotsBytes4x1},
			{2, 1, &t.DotsBytes2x1}, {1, 1, &t.DotsBytes1x1},
		})
	}
	return existing([]DotTile{
		{14, 2, &t.Dots14x2}, {10, 2, &t.Dots10x2}, {7, 2, &t.Dots7x2}, {4, 2, &t.Dots4x2}, {2, 2, &t.Dots2x2}, {1, 2, &t.Dots1x2},
		{14, 1, &t.Dots14x1}, {10, 1, &t.Dots10x1}, {7, 1, &t.Dots7x1}, {6, 1, &t.Dots6x1}, {5, 1, &t.Dots5x1}, {4, 1, &t.Dots4x1},
		{3, 1, &t.Dots3x1}, {2, 1, &t.Dots2x1}, {1, 1, &t.Dots1x1},
	})
}

// PairTiles returns the routines of tiles whose dwords are two pairs of bytes, unsigned and signed, those of most pixels first. First there are Singles
// dwords, for which Offsets has a [PairsSingle] each, and then Steps steps of several, for which Fours has a [PairsFours] each; either may be 0. Fours has the first
// one once more behind the last one, and one that may be read if there are none. W has the dwords one after the other.
// The sum of the two products of a pair must be an integer of 16 bits, whatever X is.
func (t *Tier) PairTiles() []DotTile {
	return existing([]DotTile{{5, 1, &t.PairDots5}, {4, 1, &t.PairDots4}, {3, 1, &t.PairDots3}, {2, 1, &t.PairDots2}, {1, 1, &t.PairDots1}})
}

// NarrowPairTiles is PairTiles for eight channels, of which W has no more. What is stored of the eight behind them is the same once more.
func (t *Tier) NarrowPairTiles() []DotTile {
	return existing([]DotTile{{10, 1, &t.NarrowPairDots10}, {8, 1, &t.NarrowPairDots8}, {6, 1, &t.NarrowPairDots6}, {4, 1, &t.NarrowPairDots4},
		{3, 1, &t.NarrowPairDots3}, {2, 1, &t.NarrowPairDots2}, {1, 1, &t.NarrowPairDots1}})
}

// existing returns those of the tiles that there are.
func existing(list []DotTile) (tiles []DotTile) {
	for _, tile := range list {
		if tile.Exists() {
			tiles = append(tiles, tile)
		}
	}
	return tiles
}

// DepthTiles returns the routines of tiles in which each channel has dwords of its own, those of most pixels first: the dwords that a step reads
// are 64 bytes from the pixel on, which is four neighbours of bytes, or a pair that CopyPairs makes; there the weights have the dword of each channel.
func (t *Tier) DepthTiles(bytes bool) []DotTile {
	if bytes {
		return existing([]DotTile{{14, 1, &t.DepthDotsBytes14}, {10, 1, &t.DepthDotsBytes10}, {7, 1, &t.DepthDotsBytes7}, {4, 1, &t.DepthDotsBytes4},
			{2, 1, &t.DepthDotsBytes2}, {1, 1, &t.DepthDotsBytes1}})
	}
	return existing([]DotTile{{14, 1, &t.DepthDots14}, {10, 1, &t.DepthDots10}, {7, 1, &t.DepthDots7}, {6, 1, &t.DepthDots6}, {5, 1, &t.DepthDots5}, {4, 1, &t.DepthDots4},
		{3, 1, &t.DepthDots3}, {2, 1, &t.DepthDots2}, {1, 1, &t.DepthDots1}})
}
