package simd

// ConvTile is a routine of convolution, with the size of its tiles: pixels and channels of the result. Routines for as many channels have weights
// in the same order.
type ConvTile struct {
	Pixels, Channels int
	*Routine[ConvArgs]
}

// ConvTiles lists the tiles of the tier, the largest numbers of channels first and of these those with most pixels. There are none if the tier
// has no convolution.
func (t *Tier) ConvTiles() []ConvTile {
	few := []ConvTile{{14, 8, &AVX2.Conv14x8}, {14, 4, &AVX2.Conv14x4}} // which take no longer on the parts of a longer vector
	switch t {
	case &AVX512:
		return append([]ConvTile{{14, 32, &t.Conv14x32}, {7, 32, &t.Conv7x32}, {14, 16, &t.Conv14x16}}, few...)
	case &AVX2:
		return append([]ConvTile{{6, 16, &t.Conv6x16}, {4, 16, &t.Conv4x16}}, few...)
	}
	return nil
}
