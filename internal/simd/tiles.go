package simd

import "slices"

// ConvTile is a routine of convolution, with the size of its tiles: pixels and channels of the result. Routines for as many channels have weights
// in the same order.
type ConvTile struct {
	Pixels, Channels int
	Routine[ConvArgs]
}

// ConvTiles lists the tiles of the tier, the largest numbers of channels first and of these those with most pixels. There are none if the tier
// has no convolution. Those of fewer channels than its own are of AVX2: they take no longer on the parts of a longer vector.
func (t *Tier) ConvTiles() []ConvTile {
	tiles := slices.Clone(t.Conv)
	for _, few := range AVX2.Conv {
		if own := len(t.Conv); own > 0 && few.Channels < t.Conv[own-1].Channels {
			tiles = append(tiles, few)
		}
	}
	return tiles
}

// DotTile is a routine of [DotsArgs], with the size of its tiles: pixels and blocks of 16 channels. Lists have those of most blocks first, and of these
// those of most pixels.
type DotTile struct {
	Pixels, Blocks int
	Routine[DotsArgs]
}
