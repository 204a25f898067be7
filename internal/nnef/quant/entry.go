// Package quant says what quantized tensors mean. [Read] turns a quantization file into entries and checks operations,
// arguments, types and values against the declarations of the standard; [Check] also holds the entries to the tensors of
// a graph; [Entry.Decode] computes the real numbers that stored codes stand for.
package quant

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// The operations of the standard that quantize.
const (
	ZeroPoint   = "zero_point_linear_quantize"
	MinMax      = "min_max_linear_quantize"
	Linear      = "linear_quantize"
	Logarithmic = "logarithmic_quantize"
)

// Entry says how one tensor is quantized.
type Entry struct {
	Tensor    string // the identifier in the graph
	Operation string
	Args      []Arg // in the order of the declaration, without the quantized tensor

	call *syntax.Call
}

// Arg is an argument of a quantization: an int64, float64 or bool, or an [eval.Array], maybe nested, of numbers.
type Arg struct {
	Name  string
	Value eval.Value
	span  syntax.Span
}

// Arg returns the argument of that name, nil if there is none.
func (e *Entry) Arg(name string) eval.Value {
	for i := range e.Args {
		if e.Args[i].Name == name {
			return e.Args[i].Value
		}
	}
	return nil
}

// MarshalJSON writes {"op": operation, "args": {name: value}}.
func (e *Entry) MarshalJSON() ([]byte, error) {
	args := make(map[string]eval.Value, len(e.Args))
	for _, a := range e.Args {
		args[a.Name] = a.Value
	}
	return json.Marshal(struct {
		Op   string                `json:"op"`
		Args map[string]eval.Value `json:"args"`
	}{e.Operation, args})
}

// Codes returns the least code and the number of steps from it to the greatest one. signed says whether stored codes have
// a sign; it counts where the operation does not say that itself.
func (e *Entry) Codes(signed bool) (least, steps float64) {
	bits := e.bits()
	if own, ok := e.Arg("signed").(bool); ok {
		signed = own
	}
	symmetric, _ := e.Arg("symmetric").(bool)
	steps = math.Ldexp(1, bits) - 1
	if signed {
		least = -math.Ldexp(1, bits-1)
		if symmetric {
			least, steps = least+1, steps-1
		}
	}
	return least, steps
}

// CheckCodes reports the first of the stored codes, a tensor of integers, that the quantization does not have. In a model of tract, which writes
// that a quantization is symmetric where its zero point is 0, there is a least code more.
func (e *Entry) CheckCodes(codes *tensor.Tensor, tract bool) error {
	signed := codes.DType().IsSigned()
	if own, ok := e.Arg("signed").(bool); ok {
		signed = own
	}
	symmetric, _ := e.Arg("symmetric").(bool)
	width := min(e.bits(), 64)
	lo, hi := int64(0), uint64(math.MaxUint64)>>(64-width)
	switch {
	case e.Operation == Logarithmic && signed:
		hi = min(hi, math.MaxInt64)
		lo = -int64(hi)
	case signed:
		hi >>= 1
		lo = -int64(hi)
		if !symmetric || tract {
			lo--
		}
	}
	if i, code := element.Outside(codes, lo, hi); code != "" {
		return fmt.Errorf("item %d is %s, which is no code of %s: those have %d bits, from %d to %d", i, code, e.Operation, width, lo, hi)
	}
	return nil
}

// bits returns the argument bits, which is from 1 to 64 in an entry without mistakes.
func (e *Entry) bits() int {
	n, _ := e.Arg("bits").(int64)
	return int(min(max(n, 0), math.MaxInt16))
}

// Numbers returns an argument as numbers in row-major order, and the shape that aligns it with a tensor of a rank: that
// of the nested arrays with extents of 1 behind it, or that of a scalar.
func (e *Entry) Numbers(name string, rank int) ([]float64, tensor.Shape, error) {
	v := e.Arg(name)
	list, shape, ok := flatten(v)
	if !ok || len(list) == 0 || len(shape) > rank {
		return nil, nil, fmt.Errorf("%s of %s must be a number, or nested arrays of numbers that align with the tensor", name, e.Operation)
	}
	for len(shape) > 0 && len(shape) < rank {
		shape = append(shape, 1)
	}
	return list, shape, nil
}

// flatten returns the numbers in nested arrays and the shape of these. It fails if they are not regular.
func flatten(v eval.Value) (list []float64, shape tensor.Shape, ok bool) {
	shape, values, ok := element.Literals(v)
	for _, x := range values {
		switch n := x.(type) {
		case int64:
			list = append(list, float64(n))
		case float64:
			list = append(list, n)
		default:
			ok = false
		}
	}
	return list, shape, ok
}

// Decode returns the real numbers that stored codes, a tensor of integers, stand for:
//
//   - zero_point_linear_quantize: (code - zero_point) · scale;
//   - min_max_linear_quantize and linear_quantize: (code - l) / r · (max - min) + min with l the least code and r the
//     number of steps to the greatest one; linear_quantize has signed codes if the tensor has;
//   - logarithmic_quantize: 2^(m - r + code) with m = ceil(log2(max)) and r = 2^bits - 1. The standard does not say how
//     signs are stored: a negative code stands for the negative of what its absolute value stands for, and 0 for 0 if the
//     codes are signed.
func (e *Entry) Decode(codes *tensor.Tensor) (*tensor.Tensor, error) {
	signed := codes.DType().IsSigned()
	least, steps := e.Codes(signed)
	var param [2]func(i int) float64
	for k, name := range decoded[e.Operation] {
		var err error
		if param[k], err = e.broadcast(name, codes.Shape()); err != nil {
			return nil, err
		}
	}
	value := func(code float64, i int) float64 { return (code - param[0](i)) * param[1](i) }
	switch e.Operation {
	case MinMax, Linear:
		value = func(code float64, i int) float64 {
			lo := param[0](i)
			return float64((code-least)/steps*(param[1](i)-lo)) + lo
		}
	case Logarithmic:
		r := math.Ldexp(1, e.bits()) - 1
		value = func(code float64, i int) float64 {
			if signed && code == 0 {
				return 0
			}
			q := float64(logCeil(param[0](i))) - r + math.Abs(code)
			return math.Copysign(math.Ldexp(1, int(min(max(q, -1100), 1100))), code)
		}
	}
	t, err := tensor.New(tensor.Float32, codes.Shape())
	if err != nil { // there is no such memory
		return nil, err
	}
	dst, codes := tensor.Data[float32](t), codes.Contiguous()
	var chunk [512]float64
	for from := 0; from < len(dst); from += len(chunk) {
		part := chunk[:min(len(chunk), len(dst)-from)]
		geometry.Load(part, codes, from, 1)
		for i, code := range part {
			dst[from+i] = float32(value(code, from+i))
		}
	}
	return t, nil
}

// decoded holds the arguments that tell what the codes of an operation stand for.
var decoded = map[string][]string{ZeroPoint: {"zero_point", "scale"}, MinMax: {"min", "max"}, Linear: {"min", "max"}, Logarithmic: {"max"}}

// logCeil returns the least exponent of a power of two that is not less than x.
func logCeil(x float64) int {
	fraction, exponent := math.Frexp(x) // x = fraction · 2^exponent, ½ ≤ fraction < 1
	if fraction == 0.5 {
		exponent--
	}
	return exponent
}

// broadcast returns the number of an argument that belongs to each element of a tensor, given by its place in row-major
// order.
func (e *Entry) broadcast(name string, full tensor.Shape) (func(i int) float64, error) {
	list, shape, err := e.Numbers(name, len(full))
	if err != nil {
		return nil, err
	}
	for d, n := range shape {
		if n != 1 && n != full[d] {
			return nil, fmt.Errorf("%s of %s has shape %v, which does not align with %v", name, e.Operation, shape, full)
		}
	}
	outer, inner := full.Strides(), shape.Strides()
	return func(i int) float64 {
		at := 0
		for d, n := range shape {
			if n != 1 {
				at += i / outer[d] % full[d] * inner[d]
			}
		}
		return list[at]
	}, nil
}
