package op_test

import (
	"math/big"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestZeroPoints compares sums of products with zero points with those of factors from which they have been taken before, without wrapping.
func TestZeroPoints(t *testing.T) {
	for _, name := range []string{"conv", "deconv", "matmul"} {
		d, _ := op.Lookup(name)
		for seed := range uint64(300) {
			r := op.NewRand(seed, 1+int(seed)/60)
			c := d.Further(r)
			first := len(c.In) - 2
			plain := op.Case{In: append([]*tensor.Tensor{}, c.In[:first]...), Attrs: c.Attrs}
			for i := range 2 {
				plain.In[i] = difference(c.In[i], placed(name, c, i, c.In[first+i]))
			}
			if w := differ(evaluated(d, plain), evaluated(d, c)); w != "" {
				t.Fatalf("%s, seed %d: %s: operands %v, attributes %v", name, seed, w, c.In, c.Attrs)
			}
		}
	}
}

// difference returns x - zero in int64, in which nothing wraps that was of fewer bits, and everything modulo 2^64.
func difference(x, zero *tensor.Tensor) *tensor.Tensor {
	wide := must(tensor.Cast(x, tensor.Int64))
	if zero == nil {
		return wide
	}
	return evaluated(def("sub"), op.Case{In: []*tensor.Tensor{wide, must(tensor.Cast(zero, tensor.Int64))}})[0]
}

// placed gives the zero point of factor i the shape in which it broadcasts with the factor.
func placed(name string, c op.Case, i int, zero *tensor.Tensor) *tensor.Tensor {
	if zero == nil || zero.Len() == 1 {
		if zero != nil {
			zero = must(zero.Reshape())
		}
		return zero
	}
	shape := c.In[i].Shape()
	switch name {
	case "matmul":
		turned := c.Attrs.Bool([]string{"transposeA", "transposeB"}[i])
		if n := len(shape); turned {
			axes := make([]int, n)
			for d := range axes {
				axes[d] = d
			}
			axes[n-2], axes[n-1] = n-1, n-2
			zero = must(zero.Transpose(axes...)).Contiguous()
		}
		return zero
	case "conv":
		return must(zero.Reshape(append([]int{zero.Len()}, ones(len(shape)-1)...)...))
	}
	// deconv: the channel of the result is the group of the filter's first dimension and the index of its second one.
	groups, perGroup := zero.Len()/shape[1], shape[0]/(zero.Len()/shape[1])
	each, wide := make([]int64, shape[0]*shape[1]), tensor.Data[int64](must(tensor.Cast(zero, tensor.Int64)))
	for k := range each {
		each[k] = wide[k/shape[1]/perGroup%groups*shape[1]+k%shape[1]]
	}
	return must(tensor.FromSlice(each, append([]int{shape[0], shape[1]}, ones(len(shape)-2)...)...))
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// TestMatmulZeroPoints compares products with those of big integers.
func TestMatmulZeroPoints(t *testing.T) {
	d, _ := op.Lookup("matmul")
	for _, a := range op.Integers.List() {
		for _, b := range op.Integers.List() {
			for _, sums := range []tensor.DType{tensor.Int32, tensor.Int64} {
				r := op.NewRand(uint64(a)<<8|uint64(b), 4)
				in := []*tensor.Tensor{anyBits(r, a, 2, 3), anyBits(r, b, 3, 4), anyBits(r, a, 2, 1), anyBits(r, b, 1, 4)}
				out := evaluated(d, op.Case{In: in, Attrs: graph.AttrsOf("dtype", sums)})[0]
				for i := range 8 {
					sum := new(big.Int)
					for k := range 3 {
						x := new(big.Int).Sub(bigAt(in[0], i/4*3+k), bigAt(in[2], i/4))
						w := new(big.Int).Sub(bigAt(in[1], k*4+i%4), bigAt(in[3], i%4))
						sum.Add(sum, x.Mul(x, w))
					}
					sum.Sub(sum, bigAt(out, i))
					if sum.And(sum, new(big.Int).SetUint64(1<<sums.Bits()-1)).Sign() != 0 {
						t.Fatalf("%v · %v to %v: element %d is %v", a, b, sums, i, bigAt(out, i))
					}
				}
			}
		}
	}
}

// anyBits returns a tensor of elements of any bits.
func anyBits(r *op.Rand, d tensor.DType, shape ...int) *tensor.Tensor {
	t := must(tensor.New(d, shape))
	for i := range t.Bytes() {
		t.Bytes()[i] = byte(r.Uint32())
	}
	return t
}

// bigAt returns an element of a tensor of integers.
func bigAt(t *tensor.Tensor, i int) *big.Int {
	if t.DType() == tensor.Uint64 {
		return new(big.Int).SetUint64(tensor.Data[uint64](t)[i])
	}
	return big.NewInt(tensor.Data[int64](must(tensor.Cast(t, tensor.Int64)))[i])
}

// TestZeroPointsOfTheStandard has the examples of ONNX's ConvInteger and MatMulInteger.
func TestZeroPointsOfTheStandard(t *testing.T) {
	x := must(vec[uint8](2, 3, 4, 5, 6, 7, 8, 9, 10).Reshape(1, 1, 3, 3))
	w := must(vec[uint8](1, 1, 1, 1).Reshape(1, 1, 2, 2))
	one := tensor.Scalar(uint8(1))
	for _, c := range []struct {
		padding int
		want    []int32
	}{{0, []int32{12, 16, 24, 28}}, {1, []int32{1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9}}} {
		got := apply[int32](t, "conv", graph.AttrsOf("padding", []int{c.padding, c.padding, c.padding, c.padding}), x, w, nil, one)
		if w := differ([]*tensor.Tensor{vec(c.want...)}, []*tensor.Tensor{vec(got...)}); w != "" {
			t.Errorf("padding %d: %s: %v", c.padding, w, got)
		}
	}
	a := must(vec[uint8](11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0).Reshape(4, 3))
	b := must(vec[uint8](1, 4, 2, 5, 3, 6).Reshape(3, 2))
	got := apply[int32](t, "matmul", nil, a, b, tensor.Scalar(uint8(12)), tensor.Scalar(uint8(0)))
	if w := differ([]*tensor.Tensor{vec[int32](-38, -83, -44, -98, -50, -113, -56, -128)}, []*tensor.Tensor{vec(got...)}); w != "" {
		t.Errorf("%s: %v", w, got)
	}
}

// TestMisplacedZeroPoints holds zero points of other shapes and types to being refused.
func TestMisplacedZeroPoints(t *testing.T) {
	x, w := must(tensor.New(tensor.Int8, tensor.Shape{1, 2, 3})), must(tensor.New(tensor.Int8, tensor.Shape{3, 2, 1}))
	pad := graph.AttrsOf("padding", []int{0, 0})
	rejected(t, "conv", pad, x, w, nil, vec[int8](1, 2))
	rejected(t, "conv", pad, x, w, nil, nil, vec[int8](1, 2))
	rejected(t, "conv", pad, x, w, nil, vec[uint8](1))
	f := must(tensor.New(tensor.Float32, tensor.Shape{1, 2, 3}))
	rejected(t, "conv", pad, f, must(tensor.New(tensor.Float32, tensor.Shape{3, 2, 1})), nil, vec[float32](0))
	a, b := must(tensor.New(tensor.Int8, tensor.Shape{2, 3})), must(tensor.New(tensor.Int8, tensor.Shape{3, 4}))
	rejected(t, "matmul", nil, a, b, vec[int8](1, 2))
	rejected(t, "matmul", nil, a, b, must(vec[int8](1, 2, 3).Reshape(1, 3)))
	rejected(t, "matmul", nil, a, b, nil, must(vec[int8](1, 2, 3).Reshape(1, 3)))
}
