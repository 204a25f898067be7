package main

import "image"

// A sample is one training picture, prepared, and the digit that it shows.
type sample struct {
	input []float32
	label int
}

// newSample returns sample number index of the endless sequence that belongs to a seed. Neighbouring indices
// show different digits, so that every ten samples hold each digit once.
func newSample(seed, index uint64) sample {
	r := newRandom(seed, index)
	label := int(index % 10)
	m := picture(r, label)
	// A person's crop is never the same twice, and some pictures come uncropped.
	w := rectangle{side: float64(m.Rect.Dx())}
	if r.chance(0.8) {
		w = content(m).grow(margin + r.between(-0.1, 0.12))
	}
	w.x += r.about(0.03 * w.side)
	w.y += r.about(0.03 * w.side)
	return sample{resize(m, w), label}
}

// picture draws a digit, by pen or from a distorted typeface, and photographs it.
func picture(r random, digit int) *image.Gray {
	c := newCanvas(56 + r.IntN(57))
	if r.chance(0.85) {
		handwriting(c, r, digit)
	} else {
		typeface(c, r, digit)
	}
	for range r.IntN(3) {
		c.blur()
	}
	paper, grain := 0.0, 0.0
	if r.chance(0.4) {
		paper, grain = r.between(0, 0.15), r.between(0, 0.06)
	}
	return c.photograph(r, paper, grain)
}

// handwriting draws a digit with a pen.
func handwriting(c canvas, r random, digit int) {
	way := styles[digit][r.IntN(len(styles[digit]))]
	var strokes []path
	for _, points := range way {
		strokes = append(strokes, wobble(r, points).smooth(7))
	}
	place(c, r, strokes, elastic(r, r.between(0.01, 0.055)))

	lo, hi := bounds(strokes)
	size := max(hi.x-lo.x, hi.y-lo.y)
	radius := max(float64(size*r.between(0.016, 0.085)), 0.6)
	dark := r.between(0.65, 1.1)
	for _, p := range strokes {
		p = tremble(r, p, float64(size*r.between(0, 0.009)))
		p = trim(r, p)
		pressure := waver(r, len(p), r.between(0, 0.3))
		for i := range p[1:] {
			a, b := pressure[i], pressure[i+1]
			c.segment(p[i], p[i+1], float64(radius*a), float64(radius*b), min(float64(dark*a), 1), min(float64(dark*b), 1))
		}
	}
}

// typeface fills the distorted outlines of a digit of a typeface.
func typeface(c canvas, r random, digit int) {
	fonts := glyphs()
	var outlines []path
	for _, p := range fonts[r.IntN(len(fonts))][digit] {
		outlines = append(outlines, append(path(nil), p...))
	}
	place(c, r, outlines, elastic(r, r.between(0.005, 0.03)))
	c.fill(outlines, r.between(0.7, 1))
}

// wobble shifts the points of a stroke, given in percent, at random and scales them to a height of one. Equal
// neighbours, which are corners, stay equal.
func wobble(r random, points []point) path {
	size := r.between(0.5, 4)
	out := make(path, len(points))
	for i, p := range points {
		if i > 0 && p == points[i-1] {
			out[i] = out[i-1]
			continue
		}
		out[i] = point{(p.x + r.about(size)) / 100, (p.y + r.about(size)) / 100}
	}
	return out
}

// place distorts paths of height one and puts them somewhere on the canvas, in some size that fits.
func place(c canvas, r random, paths []path, bend warp) {
	straight := affine(r)
	for _, p := range paths {
		for i, q := range p {
			p[i] = straight(bend(q))
		}
	}
	lo, hi := bounds(paths)
	scale := float64(float64(c.side)*r.between(0.5, 0.84)) / max(hi.x-lo.x, hi.y-lo.y)
	free := point{float64(c.side) - float64(scale*(hi.x-lo.x)), float64(c.side) - float64(scale*(hi.y-lo.y))}
	dx, dy := float64(free.x*r.between(0.3, 0.7)), float64(free.y*r.between(0.3, 0.7))
	for _, p := range paths {
		for i, q := range p {
			p[i] = point{dx + float64(scale*(q.x-lo.x)), dy + float64(scale*(q.y-lo.y))}
		}
	}
}

// tremble shifts every point on its own, as a shaky hand or a mouse does.
func tremble(r random, p path, size float64) path {
	for i := range p {
		p[i].x += r.about(size)
		p[i].y += r.about(size)
	}
	return p
}

// trim sometimes leaves out a little at the ends of a stroke.
func trim(r random, p path) path {
	cut := len(p) / 14
	if r.chance(0.3) && cut > 0 {
		p = p[r.IntN(cut+1):]
	}
	if r.chance(0.3) && cut > 0 {
		p = p[:len(p)-r.IntN(cut+1)]
	}
	return p
}

// waver returns n factors around one that change slowly, at most by the given share.
func waver(r random, n int, share float64) []float64 {
	const hold = 8
	out := make([]float64, n)
	from, to := 1+r.between(-share, share), 1.0
	for i := range out {
		if i%hold == 0 {
			if i > 0 {
				from = to
			}
			to = 1 + r.between(-share, share)
		}
		out[i] = from + float64((to-from)*float64(i%hold)/hold)
	}
	return out
}
