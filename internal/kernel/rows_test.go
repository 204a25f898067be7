package kernel_test

import (
	"unsafe"

	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Types of elements that rows take.
var (
	bits8    = op.TypeSet(tensor.Int8, tensor.Uint8)
	wider    = op.TypeSet(tensor.Int16, tensor.Int32)
	float32s = op.TypeSet(tensor.Float32)
)

// Sizes that kernels have, around which shapes are drawn.
const (
	block    = 16   // channels that lie together
	chainRun = 2048 // elements that go through all steps of a chain at a time
	shortRun = 256  // elements of a run below which a chain has none
	portion  = 2048 // elements of a group that are reduced at a time
	width    = 256  // groups beside each other that are reduced at a time
)

// tierOf returns the rows that are made of a tier's routines.
func tierOf(t *simd.Tier) *kernel.Tier {
	for i := range kernel.Tiers {
		if kernel.Tiers[i].Name == t.Name {
			return &kernel.Tiers[i]
		}
	}
	return nil
}

// rowOf returns the first row of a name for an operator.
func rowOf(t *simd.Tier, name, op string) *kernel.Kernel {
	rows := tierOf(t).Kernels
	for i := range rows {
		if rows[i].Name == name && rows[i].Op == op {
			return &rows[i]
		}
	}
	return nil
}

// opsOf returns the operators that rows of a name in any tier are for.
func opsOf(name string) map[string]bool {
	list := make(map[string]bool)
	for _, t := range kernel.Tiers {
		for _, row := range t.Kernels {
			if row.Name == name {
				list[row.Op] = true
			}
		}
	}
	return list
}

// floatsOf returns memory as numbers.
func floatsOf(b []byte) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}
