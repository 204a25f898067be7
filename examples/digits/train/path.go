package main

// A point lies in the plane, x to the right and y down.
type point struct{ x, y float64 }

// A path is a line through points.
type path []point

// mix returns the point a share t of the way from a to b.
func mix(a, b point, t float64) point {
	return point{a.x + float64((b.x-a.x)*t), a.y + float64((b.y-a.y)*t)}
}

// smooth returns a finely divided curve through the points of p (a Catmull-Rom spline); a point that is given
// twice is a corner.
func (p path) smooth(steps int) path {
	var out path
	for len(p) > 1 {
		end := 1
		for end < len(p)-1 && p[end] != p[end+1] {
			end++
		}
		out = append(out, p[:end+1].spline(steps)...)
		p = p[min(end+1, len(p)):]
	}
	return out
}

// spline returns the curve through all points of p without corners.
func (p path) spline(steps int) path {
	last := len(p) - 1
	out := path{p[0]}
	for i := range last {
		a, b, c, d := p[max(i-1, 0)], p[i], p[i+1], p[min(i+2, last)]
		for k := 1; k <= steps; k++ {
			t := float64(k) / float64(steps)
			out = append(out, point{catmullRom(a.x, b.x, c.x, d.x, t), catmullRom(a.y, b.y, c.y, d.y, t)})
		}
	}
	return out
}

// catmullRom interpolates between b (t = 0) and c (t = 1) with slopes given by the neighbours.
func catmullRom(a, b, c, d, t float64) float64 {
	slope0, slope1 := (c-a)/2, (d-b)/2
	cubic := float64(2*b) - float64(2*c) + slope0 + slope1
	square := float64(3*c) - float64(3*b) - float64(2*slope0) - slope1
	return b + float64(t*(slope0+float64(t*(square+float64(t*cubic)))))
}

// bounds returns the corners of the smallest box around all paths.
func bounds(paths []path) (lo, hi point) {
	lo, hi = paths[0][0], paths[0][0]
	for _, p := range paths {
		for _, q := range p {
			lo = point{min(lo.x, q.x), min(lo.y, q.y)}
			hi = point{max(hi.x, q.x), max(hi.y, q.y)}
		}
	}
	return lo, hi
}

// A warp moves every point of the plane.
type warp func(point) point

// elastic returns a warp of the unit square's surroundings that pushes neighbouring points by similar amounts:
// random pushes of the given size at the nodes of a grid, blended smoothly between them.
func elastic(r random, size float64) warp {
	const nodes, lo, cell = 5, -0.2, 0.35
	var push [nodes][nodes]point
	for i := range push {
		for j := range push[i] {
			push[i][j] = point{r.about(size), r.about(size)}
		}
	}
	place := func(v float64) (int, float64) {
		u := min(max((v-lo)/cell, 0), nodes-1.001)
		t := u - float64(int(u))
		return int(u), float64(t*t) * (3 - float64(2*t))
	}
	return func(p point) point {
		j, tx := place(p.x)
		i, ty := place(p.y)
		d := mix(mix(push[i][j], push[i][j+1], tx), mix(push[i+1][j], push[i+1][j+1], tx), ty)
		return point{p.x + d.x, p.y + d.y}
	}
}

// affine returns a random map that stretches, slants and turns the plane around the middle of the unit square.
func affine(r random) warp {
	width := r.between(0.65, 1.35)
	slant := r.about(0.19)
	// Sine and cosine of the angle from the tangent of its half, which needs no more than arithmetic.
	half := r.about(0.06)
	norm := 1 + float64(half*half)
	sin, cos := 2*half/norm, (1-float64(half*half))/norm
	return func(p point) point {
		x, y := p.x-0.5, p.y-0.5
		x = float64(x*width) - float64(y*slant)
		return point{0.5 + float64(cos*x) - float64(sin*y), 0.5 + float64(sin*x) + float64(cos*y)}
	}
}
