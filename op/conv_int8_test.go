package op

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestInt8Products compares the kernels for operands of int8 with the general ones, which the same filter in int16 takes: on shapes that
// fill blocks of positions, taps and output channels, and on ones that do not.
func TestInt8Products(t *testing.T) {
	for seed := range uint64(200) {
		r := NewRand(seed, 4)
		groups, outs := Pick(r, []int{1, 1, 2, 3}), Pick(r, []int{1, 2, 3, 9, 17, 40})
		perGroup := Pick(r, []int{1, 2, 7, 40})
		rank := r.Between(1, 3)
		in, filter := tensor.Shape{r.Between(1, 2), groups * perGroup}, tensor.Shape{groups * outs, perGroup}
		n, f, _, attrs := r.window(rank, false)
		if rank == 1 && r.Bool() {
			n, f = tensor.Shape{r.Between(300, 400)}, tensor.Shape{Pick(r, []int{1, 5, 290})} // longer than a tile
			attrs = graph.AttrsOf("padding", []int{r.Between(0, 9), r.Between(0, 9)}, "stride", []int{Pick(r, []int{1, 1, 2})})
		}
		if rank == 2 && r.Bool() { // several short rows at a time
			n, f = tensor.Shape{r.Between(1, 6), r.Between(1, 5)}, tensor.Shape{r.Between(1, 3), r.Between(1, 3)}
			attrs = graph.AttrsOf("padding", []int{r.Between(1, 3), r.Between(1, 3), r.Between(1, 3), r.Between(1, 3)})
		}
		attrs = append(attrs, graph.AttrsOf("groups", groups, "border", Pick(r, borderNames[:borderIgnore]))...)
		most := Pick(r, []int{127, 127, -128}) // the greatest sums are of the least numbers
		c := Case{In: []*tensor.Tensor{r.Integers(tensor.Int8, append(in, n...), -128, most), r.Integers(tensor.Int8, append(filter, f...), -128, most), nil}, Attrs: attrs}
		if r.Bool() {
			c.In[2] = r.Integers(tensor.Int32, Pick(r, []tensor.Shape{{}, {groups * outs}}), -1<<31, 1<<31-1)
		}
		sameAsGeneral(t, "conv", c)

		m, k, cols := r.Extent(), r.Between(1, 300), r.Between(1, 20)
		c = Case{In: []*tensor.Tensor{r.Integers(tensor.Int8, tensor.Shape{m, k}, -128, 127), r.Integers(tensor.Int8, tensor.Shape{cols, k}, -128, 127), nil}}
		if r.Bool() {
			c.In[2] = r.Integers(tensor.Int32, Pick(r, []tensor.Shape{{}, {cols}}), -1<<31, 1<<31-1)
		}
		sameAsGeneral(t, "linear", c)
	}
}

// sameAsGeneral compares an evaluation, whole and in two parts, with that on a filter of int16.
func sameAsGeneral(t *testing.T, name string, c Case) {
	t.Helper()
	general := append([]*tensor.Tensor{}, c.In...)
	general[1] = must(tensor.Cast(c.In[1], tensor.Int16))
	want, err := Eval(byName[name], general, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Eval(byName[name], c.In, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	sameInt32(t, got[0], want[0], c)
	types := make([]Type, len(c.In))
	for i, x := range c.In {
		if x != nil {
			types[i] = Type{x.DType(), x.Shape()}
		}
	}
	s, _, err := byName[name].Bind(types, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	call := &Call{In: c.In, Out: []*tensor.Tensor{must(tensor.New(tensor.Int32, got[0].Shape()))}, Attrs: s.Attrs}
	kernel, pieces := byName[name].Kernel(call), byName[name].Pieces(call)
	kernel(call, pieces/3, pieces)
	kernel(call, 0, pieces/3)
	sameInt32(t, call.Out[0], want[0], c)
}

func sameInt32(t *testing.T, got, want *tensor.Tensor, c Case) {
	t.Helper()
	if !slices.Equal(tensor.Data[int32](got), tensor.Data[int32](want)) {
		t.Fatalf("%v: %v\nwant %v", c.Attrs, tensor.Data[int32](got), tensor.Data[int32](want))
	}
}

// TestRescaleIn64 compares what is computed in 64 bits with the exact computation, which the same numbers as int64 take.
func TestRescaleIn64(t *testing.T) {
	r := NewRand(1, 4)
	x := r.Integers(tensor.Int32, tensor.Shape{64}, -1<<31, 1<<31-1)
	copy(tensor.Data[int32](x), []int32{-1 << 31, 1<<31 - 1, -1<<31 + 1, 0, 1, -1})
	for _, shift := range []int{-33, -32, -31, -30, -2, -1, 0, 1, 2, 7, 8, 30, 31, 32, 33, 61, 62, 63, 64, 69} {
		for _, multiplier := range []int{1, -1, 3, 1 << 30, -1 << 30, 1<<30 + 1, 0} {
			for _, mode := range []string{"floor", "half_up"} {
				for _, overflow := range []string{"wrap", "saturate"} {
					for _, d := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Uint64} {
						for _, from := range []tensor.DType{tensor.Int8, tensor.Int32, tensor.Uint32} {
							y := must(tensor.Cast(x, from))
							attrs := rescaling(shift, multiplier, mode, overflow, d)
							got, err := Eval(byName["rescale"], []*tensor.Tensor{y}, attrs)
							if err != nil {
								t.Fatal(err)
							}
							want, err := Eval(byName["rescale"], []*tensor.Tensor{must(tensor.Cast(y, tensor.Int64))}, attrs)
							if err != nil {
								t.Fatal(err)
							}
							sameIntegers(t, got[0], integers(want[0]), Case{In: []*tensor.Tensor{y}, Attrs: attrs})
						}
					}
				}
			}
		}
	}
}
