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
	eight := ConvTile{14, 8, &AVX2.Conv14x1} // half of a vector of 512 bits takes half the time
	switch t {
	case &AVX512:
		return []ConvTile{{14, 32, &t.Conv14x2}, {7, 32, &t.Conv7x2}, {14, 16, &t.Conv14x1}, eight}
	case &AVX2:
		return []ConvTile{{6, 16, &t.Conv6x2}, {4, 16, &t.Conv4x2}, eight}
	}
	return nil
}
