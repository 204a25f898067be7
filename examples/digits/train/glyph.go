package main

import (
	"fmt"
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// fonts are the typefaces whose digits are distorted into samples.
var fonts = [][]byte{
	goregular.TTF, gobold.TTF, gomedium.TTF, goitalic.TTF, gobolditalic.TTF, gomono.TTF, gomonobold.TTF, gomonoitalic.TTF,
}

// glyphs returns the outlines of the ten digits of every font, scaled to a height of one with the left upper
// corner at the origin. The fonts are compiled in, so a failure is a mistake of this program.
var glyphs = sync.OnceValue(func() [][10][]path {
	all := make([][10][]path, len(fonts))
	for i, data := range fonts {
		f, err := sfnt.Parse(data)
		if err != nil {
			panic(fmt.Sprintf("font %d: %v", i, err))
		}
		for digit := range 10 {
			if all[i][digit], err = outline(f, rune('0'+digit)); err != nil {
				panic(fmt.Sprintf("font %d, digit %d: %v", i, digit, err))
			}
		}
	}
	return all
})

// outline returns the closed outlines of a character, scaled to a height of one.
func outline(f *sfnt.Font, character rune) ([]path, error) {
	var buffer sfnt.Buffer
	index, err := f.GlyphIndex(&buffer, character)
	if err != nil {
		return nil, err
	}
	segments, err := f.LoadGlyph(&buffer, index, fixed.I(1000), nil)
	if err != nil {
		return nil, err
	}
	var paths []path
	for _, s := range segments {
		if s.Op == sfnt.SegmentOpMoveTo {
			paths = append(paths, path{at(s.Args[0])})
			continue
		}
		last := &paths[len(paths)-1]
		*last = append(*last, flatten((*last)[len(*last)-1], s)...)
	}
	lo, hi := bounds(paths)
	for _, p := range paths {
		for i, q := range p {
			p[i] = point{(q.x - lo.x) / (hi.y - lo.y), (q.y - lo.y) / (hi.y - lo.y)}
		}
	}
	return paths, nil
}

// controls tells how many points of a segment count.
var controls = map[sfnt.SegmentOp]int{sfnt.SegmentOpLineTo: 1, sfnt.SegmentOpQuadTo: 2, sfnt.SegmentOpCubeTo: 3}

// flatten returns the points after the start of a line or curve, close enough for straight lines between them.
func flatten(start point, s sfnt.Segment) path {
	const steps = 6
	control := path{start}
	for _, q := range s.Args[:controls[s.Op]] {
		control = append(control, at(q))
	}
	var out path
	for k := 1; k <= steps; k++ {
		// De Casteljau: blend neighbours until one point is left.
		blend := append(path(nil), control...)
		for n := len(blend) - 1; n > 0; n-- {
			for i := range n {
				blend[i] = mix(blend[i], blend[i+1], float64(k)/steps)
			}
		}
		out = append(out, blend[0])
	}
	return out
}

// at converts a font's coordinates.
func at(p fixed.Point26_6) point { return point{float64(p.X), float64(p.Y)} }
