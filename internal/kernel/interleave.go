package kernel

import (
	"github.com/concord-nn/concord/internal/simd"
)

// word is an element that is moved without being looked at.
type word interface {
	uint8 | uint16 | uint32 | uint64
}

// interleaver moves words between up to sixteen rows and groups of sixteen: word i of group j is word j of row i.
type interleaver[W word] struct {
	into, from *simd.Routine[simd.InterleaveArgs] // nil where there are none for the size
}

// interleaverOf returns how a tier moves words; in Go if it is nil.
func interleaverOf[W word](t *simd.Tier) interleaver[W] {
	var one W
	if t != nil {
		switch any(one).(type) {
		case uint8:
			return interleaver[W]{&t.Interleave1, &t.Deinterleave1}
		case uint16:
			return interleaver[W]{&t.Interleave2, &t.Deinterleave2}
		case uint32:
			return interleaver[W]{&t.Interleave4, &t.Deinterleave4}
		}
	}
	return interleaver[W]{}
}

// leastColumns is how many columns the routines need.
const leastColumns = 8

// interleave moves n rows to groups, of which neighbours begin so many words apart. Words n…15 of groups become anything.
func (m *interleaver[W]) interleave(groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	if m.into != nil && columns >= leastColumns {
		runInterleave(m.into, groups, groupStep, rows, rowStep, n, columns)
		return
	}
	for i := range n {
		at := i
		for _, w := range rows[i*rowStep:][:columns] {
			groups[at] = w
			at += groupStep
		}
	}
}

// interleaveAt is interleave of sixteen rows that begin at these words.
func (m *interleaver[W]) interleaveAt(groups []W, groupStep int, rows []W, begins *[block]int, columns int) {
	if m.into == nil || columns < leastColumns {
		for i, begin := range begins {
			at := i
			for _, w := range rows[begin:][:columns] {
				groups[at] = w
				at += groupStep
			}
		}
		return
	}
	args := simd.InterleaveArgs{Groups: simd.At(groups, 0), Step: groupStep * int(simd.At(groups, 1)-simd.At(groups, 0)), Columns: columns}
	for i, begin := range begins {
		args.Rows[i] = simd.At(rows, begin)
	}
	m.into.Run(&args)
}

// deinterleave moves groups to n rows.
func (m *interleaver[W]) deinterleave(rows []W, rowStep, n int, groups []W, groupStep, columns int) {
	if m.from != nil && columns >= leastColumns {
		runInterleave(m.from, groups, groupStep, rows, rowStep, n, columns)
		return
	}
	for i := range n {
		at, row := i, rows[i*rowStep:][:columns]
		for j := range row {
			row[j] = groups[at]
			at += groupStep
		}
	}
}

// runInterleave runs a routine. It moves the words of the last row again for rows that there are not.
func runInterleave[W word](r *simd.Routine[simd.InterleaveArgs], groups []W, groupStep int, rows []W, rowStep, n, columns int) {
	args := simd.InterleaveArgs{Groups: simd.At(groups, 0), Step: groupStep * int(simd.At(groups, 1)-simd.At(groups, 0)), Columns: columns}
	for i := range args.Rows {
		args.Rows[i] = simd.At(rows, min(i, n-1)*rowStep)
	}
	r.Run(&args)
}
