package kernel

import "github.com/concord-nn/concord/internal/geometry"

// The left matrix of a product is read in lines, runs of neighbouring elements: its rows or, of a transposed one, its columns. They are copied where they
// share cache sets.

// leftLines returns how many lines, and of how many elements, are in so many rows and columns.
func leftLines(p *geometry.Product, rows, columns int) (lines, each int) {
	if p.AK != 1 {
		return columns, rows
	}
	return rows, columns
}

// leftLine returns the distance of lines.
func leftLine(p *geometry.Product) int {
	if p.AK != 1 {
		return p.AK
	}
	return p.ARow
}

// leftSteps returns the distances of rows and of columns where lines lie so far apart.
func leftSteps(p *geometry.Product, apart int) (down, along int) {
	if p.AK != 1 {
		return 1, apart
	}
	return apart, 1
}

// leftCollides reports whether what is read of the left matrix, of elements of that size, for a tile shares cache sets, so that one element drives out another.
func leftCollides(p *geometry.Product, size int) bool {
	if p.AK != 1 {
		return p.AK >= 128
	}
	return collide(p.ARow, size)
}

// collide reports whether lines so many elements of that size apart share cache sets.
func collide(apart, size int) bool { return apart%(2048/size) == 0 }

// apart returns at which distance lines of so many numbers lie in different cache sets.
func apart(n int) int { return (n+31)/32*32 + 16 }

// copyLines copies lines of so many elements.
func copyLines[T any](to, from []T, toStep, fromStep, lines, each int) {
	for i := range lines {
		copy(to[i*toStep:][:each], from[i*fromStep:])
	}
}
