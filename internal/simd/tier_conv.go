package simd

// ConvTile is a routine of convolution, with the size of its tiles: the routines of as many vectors have weights in the same order.
type ConvTile struct {
	Pixels, Vectors int
	Routine[ConvArgs]
}

// convTiles lists the tiles of convolution among the routines of a tier.
func convTiles(t *Routines) (list []ConvTile) {
	for _, tile := range []ConvTile{
		{14, 2, t.Conv14x2}, {7, 2, t.Conv7x2}, {14, 1, t.Conv14x1},
		{6, 2, t.Conv6x2}, {3, 2, t.Conv3x2}, {12, 1, t.Conv12x1},
	} {
		if tile.Name != "" {
			list = append(list, tile)
		}
	}
	return list
}
