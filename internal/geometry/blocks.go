package geometry

import "github.com/concord-nn/concord/tensor"

// Blocks are the parts of a tensor that share an element of a smaller one, such as a scale.
type Blocks struct {
	rank         int                 // dimensions up to the last one along which there are several blocks
	inner        int                 // elements of the tensor for each index of that one
	extent, size [tensor.MaxRank]int // of the tensor and of a block
	stride       [tensor.MaxRank]int // of the smaller tensor
	at, row, pos int                 // where Next goes on, up to the end of a row of elements that are blocks each, and the position of the one before it
}

// NewBlocks returns the blocks of the given extents in a tensor, each of which belongs to an element of a smaller one: a scalar, or of the same
// rank. Without extents, blocks divide the tensor evenly.
func NewBlocks(in, small tensor.Shape, block []int) Blocks {
	b, n := Blocks{inner: 1}, 1
	for d := len(small) - 1; d >= 0; d-- {
		b.extent[d], b.stride[d], b.size[d] = in[d], n, max(in[d]/max(small[d], 1), 1)
		if len(block) > 0 {
			b.size[d] = block[d]
		}
		if n *= small[d]; b.rank == 0 && n > 1 {
			b.rank = d + 1
		}
		if b.rank == 0 {
			b.inner *= in[d]
		}
	}
	return b
}

// Size returns the extent of a block along a dimension; 0 if the smaller tensor is a scalar.
func (b *Blocks) Size(d int) int { return b.size[d] }

// BlocksIn returns how many blocks there are in an extent, the last of which may be a part of one.
func BlocksIn(extent, block int) int {
	if extent == 0 {
		return 0
	}
	return (extent-1)/block + 1
}

// Together returns how many neighbours are a block, but for the last one of a row; 0 where all are.
func (b *Blocks) Together() int {
	if b.rank == 0 {
		return 0
	}
	return b.size[b.rank-1] * b.inner
}

// Next returns the position of the element that serves element i, and up to where it serves those that follow, hi at most. It is quick for each element behind
// the last one, which it remembers: calls at the same time need blocks of their own.
func (b *Blocks) Next(i, hi int) (p, end int) {
	if i == b.at && i < b.row {
		b.at, b.pos = i+1, b.pos+1
		return b.pos, b.at
	}
	return b.seek(i, hi)
}

func (b *Blocks) seek(i, hi int) (p, end int) {
	if b.rank == 0 {
		return 0, hi
	}
	at, last := i/b.inner, b.rank-1
	index := at % b.extent[last]
	run := min(b.size[last]-index%b.size[last], b.extent[last]-index)*b.inner - i%b.inner
	p = index / b.size[last] * b.stride[last]
	for d := last - 1; d >= 0; d-- {
		at /= b.extent[d+1]
		p += at % b.extent[d] / b.size[d] * b.stride[d]
	}
	if b.inner == 1 && b.size[last] == 1 {
		b.at, b.row, b.pos = i+1, i+b.extent[last]-index, p
	}
	return p, i + min(run, hi-i)
}
