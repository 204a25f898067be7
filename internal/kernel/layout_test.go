package kernel_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// convertible is element types of each size.
var convertible = op.TypeSet(tensor.Int8, tensor.Uint16, tensor.Float16, tensor.Int32, tensor.Float32, tensor.Uint64, tensor.Float64)

// conversion is a conversion of a value with memory for its operand and its result.
type conversion struct {
	plan *kernel.Plan
	call op.Call
}

// converted returns the conversion of elements of a type, with a result of rubbish.
func converted(t *testing.T, r *op.Rand, of op.Type, from, to kernel.Layout, elements []byte) *conversion {
	t.Helper()
	p := kernel.Convert(of, from, to)
	if p == nil {
		t.Fatalf("%v: no conversion from %v to %v", of, from, to)
	}
	x := must(tensor.FromBytes(of.DType, from.Shape(of.Shape), elements))
	y := must(tensor.New(of.DType, to.Shape(of.Shape)))
	for i := range y.Bytes() {
		y.Bytes()[i] = byte(r.Uint32())
	}
	return &conversion{p, op.Call{In: []*tensor.Tensor{x}, Out: []*tensor.Tensor{y}}}
}

// run computes the pieces in random portions and order, and returns the result.
func (c *conversion) run(r *op.Rand) []byte {
	x := trial{r: r, plan: c.plan}
	for _, chunk := range x.divide()[0] {
		c.plan.Run(&c.call, chunk[0], chunk[1])
	}
	return c.call.Out[0].Bytes()
}

// converters are the tiers that convert.
var converters = []string{simd.AVX2.Name, "portable"}

// TestConvert brings values into blocks of channels and back: each element lies where the layout says, and what comes back is what went in.
func TestConvert(t *testing.T) {
	for _, name := range converters {
		if name == "portable" || simd.AVX2.Has() {
			t.Run(name, func(t *testing.T) {
				t.Setenv(simd.Variable, name)
				testConvert(t)
			})
		}
	}
}

func testConvert(t *testing.T) {
	for seed := range uint64(300) {
		r := op.NewRand(seed, 4)
		of := op.Type{DType: r.DType(convertible), Shape: r.Shape(2, 5)}
		of.Shape[1] = r.Between(1, 3*block+1)
		if n := len(of.Shape) - 1; n > 1 && r.Bool() {
			of.Shape[n] = r.Between(1, 40)
		}
		size, channels, inner := of.DType.Size(), of.Shape[1], of.Shape[2:].Len()
		plain := tensor.AlignedBytes(of.Shape.Len() * size)
		for i := range plain {
			plain[i] = byte(1 + r.IntN(255)) // no element is zeros
		}
		blocks := converted(t, r, of, kernel.Plain, kernel.Blocked16, plain).run(r)
		if int64(len(blocks)) != kernel.Blocked16.Bytes(of) || int64(len(plain)) != kernel.Plain.Bytes(of) {
			t.Fatalf("%v: %d bytes in blocks, and %d", of, len(blocks), len(plain))
		}
		for at := 0; at < len(blocks); at += size {
			i := at / size
			lane, x, part := i%block, i/block%inner, i/block/inner
			parts := kernel.Blocked16.Shape(of.Shape)[1]
			item, channel := part/parts, part%parts*block+lane
			if channel >= channels {
				continue
			}
			want := plain[((item*channels+channel)*inner+x)*size:][:size]
			if got := blocks[at:][:size]; !bytes.Equal(got, want) {
				t.Fatalf("%v: channel %d of item %d at %d is %x, want %x", of, channel, item, x, got, want)
			}
		}
		if back := converted(t, r, of, kernel.Blocked16, kernel.Plain, blocks).run(r); !bytes.Equal(back, plain) {
			t.Fatalf("%v: after two conversions it is %x, was %x", of, back, plain)
		}
	}
}

// TestConvertNothing has the values that no conversion is for.
func TestConvertNothing(t *testing.T) {
	f32 := func(shape ...int) op.Type { return op.Type{DType: tensor.Float32, Shape: shape} }
	for name, tt := range map[string]struct {
		of       op.Type
		from, to kernel.Layout
	}{
		"the same layout":      {f32(1, 16, 2), kernel.Blocked16, kernel.Blocked16},
		"plain to plain":       {f32(1, 16, 2), kernel.Plain, kernel.Plain},
		"no channels":          {f32(16), kernel.Plain, kernel.Blocked16},
		"a scalar":             {f32(), kernel.Blocked16, kernel.Plain},
		"no elements":          {f32(1, 16, 0), kernel.Plain, kernel.Blocked16},
		"elements within byte": {op.Type{DType: tensor.Int4, Shape: tensor.Shape{1, 16, 2}}, kernel.Plain, kernel.Blocked16},
	} {
		if p := kernel.Convert(tt.of, tt.from, tt.to); p != nil {
			t.Errorf("%s: %s", name, p.Kernel)
		}
	}
}

// TestConvertStops holds conversions to ending early, too.
func TestConvertStops(t *testing.T) {
	t.Setenv(simd.Variable, "portable")
	of, r := op.Type{DType: tensor.Float32, Shape: tensor.Shape{2, 64, 8192}}, op.NewRand(1, 4)
	x := r.Tensor(of.DType, of.Shape).Bytes()
	to := converted(t, r, of, kernel.Plain, kernel.Blocked16, x)
	blocks := bytes.Clone(to.run(r))
	for i := range to.call.Out[0].Bytes() {
		to.call.Out[0].Bytes()[i] = 0xA5
	}
	stops(t, to.call, to.plan, true)
	from := converted(t, r, of, kernel.Blocked16, kernel.Plain, blocks)
	stops(t, from.call, from.plan, true)
}

// BenchmarkConvert says how fast a value is read and written.
func BenchmarkConvert(b *testing.B) {
	for _, name := range converters {
		b.Setenv(simd.Variable, name)
		for _, d := range []tensor.DType{tensor.Float32, tensor.Int8} {
			for _, shape := range []tensor.Shape{{1, 64, 56, 56}, {1, 512, 7, 7}, {1, 3, 224, 224}} {
				of := op.Type{DType: d, Shape: shape}
				for _, to := range []kernel.Layout{kernel.Blocked16, kernel.Plain} {
					from := kernel.Blocked16 - to
					p := kernel.Convert(of, from, to)
					c := op.Call{In: []*tensor.Tensor{must(tensor.New(d, from.Shape(shape)))}, Out: []*tensor.Tensor{must(tensor.New(d, to.Shape(shape)))}}
					b.Run(fmt.Sprint(name, "/", to, "/", of), func(b *testing.B) {
						b.SetBytes(from.Bytes(of) + to.Bytes(of))
						for b.Loop() {
							p.Run(&c, 0, p.Pieces)
						}
					})
				}
			}
		}
	}
}
