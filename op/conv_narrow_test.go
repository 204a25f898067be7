package op

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// TestNarrowConvolution compares the kernel for operands of 8 and of 16 bits with the general one, which the same filter in int32 takes: on
// shapes that fill blocks of positions, taps and output channels, and on ones that do not.
func TestNarrowConvolution(t *testing.T) {
	for seed := range uint64(300) {
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
		types := Pick(r, [][]tensor.DType{{tensor.Int8, tensor.Uint8}, {tensor.Int16, tensor.Uint16}})
		dtype := Pick(r, sumsAttr.Types.List())
		attrs = append(attrs, graph.AttrsOf("groups", groups, "border", Pick(r, borderNames[:borderIgnore]), "dtype", dtype)...)
		extreme := r.IntN(3) == 0 // the greatest sums are of the least or of the greatest numbers
		operand := func(shape tensor.Shape) *tensor.Tensor {
			d := Pick(r, types)
			least, most := d.IntRange()
			switch {
			case extreme && least < 0:
				most = uint64(least)
			case extreme:
				least = int64(most)
			}
			return r.Integers(d, shape, int(least), int(most))
		}
		c := Case{In: []*tensor.Tensor{operand(append(in, n...)), operand(append(filter, f...)), nil}, Attrs: attrs}
		if r.Bool() {
			c.In[2] = r.Integers(dtype, Pick(r, []tensor.Shape{{}, {groups * outs}}), -1<<31, 1<<31-1)
		}
		sameAsGeneral(t, c)
	}
}

// sameAsGeneral compares a convolution, whole and in two parts, with that by a filter of int32.
func sameAsGeneral(t *testing.T, c Case) {
	t.Helper()
	conv, general := byName["conv"], append([]*tensor.Tensor{}, c.In...)
	general[1] = must(tensor.Cast(c.In[1], tensor.Int32))
	out, err := Eval(conv, general, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	want := tensor.Data[int64](must(tensor.Cast(out[0], tensor.Int64)))
	check := func(got *tensor.Tensor) {
		t.Helper()
		if y := tensor.Data[int64](must(tensor.Cast(got, tensor.Int64))); !slices.Equal(y, want) {
			t.Fatalf("%v %v: %v\nwant %v", c.In, c.Attrs, y, want)
		}
	}
	got, err := Eval(conv, c.In, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	check(got[0])
	types := make([]Type, len(c.In))
	for i, x := range c.In {
		if x != nil {
			types[i] = Type{x.DType(), x.Shape()}
		}
	}
	s, _, err := conv.Bind(types, c.Attrs)
	if err != nil {
		t.Fatal(err)
	}
	call := &Call{In: c.In, Out: []*tensor.Tensor{must(tensor.New(got[0].DType(), got[0].Shape()))}, Attrs: s.Attrs}
	kernel, pieces := conv.Kernel(call), conv.Pieces(call)
	kernel(call, pieces/3, pieces)
	kernel(call, 0, pieces/3)
	check(call.Out[0])
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
							attrs := rescaling(mode, overflow, d)
							got, err := Eval(byName["rescale"], by(y, shift, multiplier), attrs)
							if err != nil {
								t.Fatal(err)
							}
							want, err := Eval(byName["rescale"], by(must(tensor.Cast(y, tensor.Int64)), shift, multiplier), attrs)
							if err != nil {
								t.Fatal(err)
							}
							sameIntegers(t, got[0], integers(want[0]), Case{In: by(y, shift, multiplier), Attrs: attrs})
						}
					}
				}
			}
		}
	}
}
