package simd

import "slices"

// ConvTile is a routine of convolution, with the size of its tiles: pixels, and vectors of channels. Routines of as many vectors have weights
// in the same order.
type ConvTile struct {
	Pixels, Vectors int
	*Routine[ConvArgs]
}

// ConvTiles lists the tiles of the tier, those with more pixels first, and none if it has no convolution.
func (t *Tier) ConvTiles() []ConvTile {
	return slices.DeleteFunc([]ConvTile{
		{14, 2, &t.Conv14x2}, {7, 2, &t.Conv7x2}, {14, 1, &t.Conv14x1},
		{6, 2, &t.Conv6x2}, {3, 2, &t.Conv3x2}, {12, 1, &t.Conv12x1},
	}, func(c ConvTile) bool { return c.Name == "" })
}
