package main

// The weights are made by construction, not by training: each unit has a duty that can be read here.

// matrix has its elements row by row.
type matrix struct {
	rows, cols int
	data       []float32
}

func newMatrix(rows, cols int) matrix { return matrix{rows, cols, make([]float32, rows*cols)} }

func (m matrix) set(row, col int, v float32) { m.data[row*m.cols+col] = v }

// diagonal returns a square matrix that multiplies by v.
func diagonal(n int, v float32) matrix {
	m := newMatrix(n, n)
	for i := range n {
		m.set(i, i, v)
	}
	return m
}

// cells are the weights of a gru. Its gates are z, by which a unit holds its state, r, which nothing here depends on, and n,
// the new state.
type cells struct {
	size                    int
	weight, recurrent, bias matrix
}

func newCells(size, inputs int) cells {
	return cells{size, newMatrix(3*size, inputs), newMatrix(3*size, size), newMatrix(1, 3*size)}
}

// hold sets a weight of gate z of a unit, renew one of gate n.
func (c cells) hold(unit, input int, v float32)  { c.weight.set(unit, input, v) }
func (c cells) renew(unit, input int, v float32) { c.weight.set(2*c.size+unit, input, v) }

// biases sets the biases of the gates z and n of a unit.
func (c cells) biases(unit int, hold, renew float32) {
	c.bias.set(0, unit, hold)
	c.bias.set(0, 2*c.size+unit, renew)
}

// The layers hear the levels first, then the averages, then the floors.
const (
	level = bands * iota
	average
	floor
	everything
)

// averages makes a unit for each band that is half its last state and half the level.
func averages() cells {
	c := newCells(bands, average)
	for b := range bands {
		c.renew(b, level+b, 1)
	}
	return c
}

// floors makes a unit for each band that follows the noise: it falls with the average at once and rises slowly.
func floors() cells {
	c := newCells(bands, floor)
	for b := range bands {
		c.biases(b, 2, 0)
		c.hold(b, average+b, 40)
		c.recurrent.set(b, b, -40)
		c.renew(b, average+b, 1)
	}
	return c
}

// catchUp is by how much a floor rises at least in a frame, as far as the average is above it: 2 dB in a second at 94 frames a second.
func catchUp() matrix { return matrix{1, 1, []float32{0.0002}} }

// evidence makes two units for each band. The first tells how far the average is above the floor, the second how far that of
// the neighbours is. Both rise fast and fall slowly, so that words do not lose their ends.
func evidence() cells {
	c := newCells(2*bands, everything)
	for b := range bands {
		near := []int{max(b-1, 0), min(b+1, bands-1)}
		for unit, around := range map[int][]int{b: {b, b}, bands + b: near} {
			c.biases(unit, 0.5, -1)
			for _, k := range around {
				c.hold(unit, average+k, -5)
				c.hold(unit, floor+k, 5)
				c.renew(unit, average+k, 12)
				c.renew(unit, floor+k, -12)
			}
		}
	}
	return c
}

// output turns evidence into scores: mostly of the band itself, a little of its neighbours.
func output() matrix {
	m := newMatrix(2*bands, bands)
	for b := range bands {
		m.set(b, b, 4)
		m.set(bands+b, b, 1)
	}
	return m
}
