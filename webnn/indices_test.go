package webnn

import (
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/tensor"
)

// TestIndices runs the methods that find elements by indices with indices of every type, also such as are not within the
// dimension: negative ones count from the end, and those out of range mean the first or the last element.
func TestIndices(t *testing.T) {
	signed := map[int64]int{0: 0, 3: 3, -1: 3, -4: 0, 4: 3, -5: 0, math.MaxInt32: 3, math.MinInt32: 0}
	long := map[int64]int{2: 2, -2: 2, math.MaxInt64: 3, math.MinInt64: 0}
	unsigned := map[int64]int{0: 0, 3: 3, 4: 3, 1 << 31: 3, math.MaxUint32: 3}
	for d, indices := range map[tensor.DType]map[int64]int{tensor.Int32: signed, tensor.Int64: long, tensor.Uint32: unsigned} {
		for index, want := range indices {
			items := []int8{10, 11, 12, 13}
			for _, method := range []string{"gather", "gatherElements", "gatherND"} {
				shape := tensor.Shape{1}
				if got := runIndexed(t, method, d, index, shape, items, nil); got[0] != items[want] {
					t.Errorf("%s by the %v %d: %d; want %d", method, d, index, got[0], items[want])
				}
			}
			changed := slices.Clone(items)
			changed[want] = 99
			for method, shape := range map[string]tensor.Shape{"scatterElements": {1}, "scatterND": {1, 1}} {
				if got := runIndexed(t, method, d, index, shape, items, []int8{99}); !slices.Equal(got, changed) {
					t.Errorf("%s by the %v %d: %d; want %d", method, d, index, got, changed)
				}
			}
		}
	}
}

// runIndexed calls a method with one index, of the given shape, and returns the elements of its result.
func runIndexed(t *testing.T, method string, d tensor.DType, index int64, shape tensor.Shape, items, updates []int8) []int8 {
	t.Helper()
	c, err := ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	b, err := NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := tensor.FromSlice([]int64{index}, shape...)
	if err != nil {
		t.Fatal(err)
	}
	if indices, err = tensor.Cast(indices, d); err != nil {
		t.Fatal(err)
	}
	values := make(map[string]*tensor.Tensor)
	var args []any
	add := func(name string, x *tensor.Tensor, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		o, err := b.Input(name, OperandDescriptor{x.DType(), x.Shape()})
		if err != nil {
			t.Fatal(err)
		}
		values[name] = x
		args = append(args, o)
	}
	x, err := tensor.FromSlice(items, len(items))
	add("items", x, err)
	add("indices", indices, nil)
	if updates != nil {
		x, err := tensor.FromSlice(updates, len(updates))
		add("updates", x, err)
	}
	out, err := b.Call(method, args, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := b.Network(NamedOperands{"y": out[0]})
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[int8](evaluate(t, g, values))
}
