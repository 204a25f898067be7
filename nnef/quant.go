package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/container"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// quantFile is the name of the member that says what the codes of quantized variables mean.
const quantFile = "graph.quant"

// quantization reads the quantization file of a container; it returns nil if there is none. place names it in messages.
func quantization(files *container.Container, place string, dialect syntax.Dialect) (*syntax.Quantization, error) {
	data, err := files.ReadFile(quantFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return syntax.ParseQuant(place, data, dialect, syntax.Options{})
}

// dequantized adds the constant that holds the codes of a variable, and the nodes that turn them into numbers.
func (d *document) dequantized(l *lowering, id, label string, codes *tensor.Tensor) *graph.Value {
	entry := d.quantEntry(id)
	if entry == nil {
		l.fail(CodeQuantization, "label", "the data of variable %s holds codes of a quantization, but %s has no entry %q", label, quantFile, id)
		return nil
	}
	q := &quantizer{lowering: l, args: make(map[string]eval.Value), rank: codes.Rank()}
	for _, a := range entry.Call.Args {
		if a.Name != nil {
			q.args[a.Name.Name] = eval.Literal(a.Value)
		}
	}
	c, err := d.b.Constant(d.name(id+"_codes"), label, codes)
	if err != nil {
		l.err = err
		return nil
	}
	var out []*graph.Value
	switch name := entry.Call.Name.Name; name {
	case "zero_point_linear_quantize":
		out = q.zeroPoint(c)
	case "min_max_linear_quantize", "linear_quantize":
		out = q.minMax(c)
	default:
		l.fail(CodeQuantization, "label", "the codes of variable %s are quantized by %s; that can be read of zero_point_linear_quantize, "+
			"min_max_linear_quantize and linear_quantize", label, name)
	}
	if l.err != nil || len(out) != 1 {
		return nil
	}
	return out[0]
}

func (d *document) quantEntry(id string) *syntax.QuantEntry {
	if d.quants == nil {
		return nil
	}
	k := slices.IndexFunc(d.quants.Entries, func(e syntax.QuantEntry) bool { return e.Tensor.Value == id })
	if k < 0 {
		return nil
	}
	return &d.quants.Entries[k]
}

// quantizer turns the codes of one variable into numbers.
type quantizer struct {
	*lowering
	args map[string]eval.Value
	rank int
}

func (q *quantizer) zeroPoint(codes *graph.Value) []*graph.Value {
	scale, scaleShape := q.numbers("scale")
	zero, zeroShape := q.numbers("zero_point")
	switch {
	case len(scale) == 1:
		scale, scaleShape = slices.Repeat(scale, len(zero)), zeroShape
	case len(zero) == 1:
		zero, zeroShape = slices.Repeat(zero, len(scale)), scaleShape
	}
	if q.err == nil && !scaleShape.Equal(zeroShape) {
		q.fail(CodeQuantization, "label", "scale has shape %v and zero_point %v; they must be equal", scaleShape, zeroShape)
	}
	return q.result("dequantize_linear", []*graph.Value{codes, q.constant(scale, tensor.Float32, scaleShape),
		q.constant(zero, codes.Type.DType, zeroShape)})
}

// minMax computes (code - least) / r · (max - min) + min, where least is the least code and r the number of steps.
func (q *quantizer) minMax(codes *graph.Value) []*graph.Value {
	lo, loShape := q.numbers("min")
	hi, hiShape := q.numbers("max")
	bits, ok := q.args["bits"].(int)
	if !ok || bits < 1 || bits > 32 {
		q.fail(CodeQuantization, "label", "bits must be an integer from 1 to 32")
		return nil
	}
	signed, _ := q.args["signed"].(bool)
	symmetric, _ := q.args["symmetric"].(bool)
	least, steps := 0.0, float64(int64(1)<<bits-1)
	if signed {
		least = -float64(int64(1) << (bits - 1))
		if symmetric {
			least, steps = least+1, steps-1
		}
	}
	if steps == 0 {
		q.fail(CodeQuantization, "label", "one bit has only one symmetric code")
		return nil
	}
	number := func(x float64) *graph.Value { return q.constant([]eval.Value{x}, tensor.Float32, tensor.Shape{}) }
	low := q.constant(lo, tensor.Float32, loShape)
	width := q.step("sub", []*graph.Value{q.constant(hi, tensor.Float32, hiShape), low})
	x := q.step("cast", []*graph.Value{codes}, attr("dtype", tensor.Float32))
	if least != 0 {
		x = q.step("sub", []*graph.Value{x, number(least)})
	}
	x = q.step("div", []*graph.Value{x, number(steps)})
	return q.result("add", []*graph.Value{q.step("mul", []*graph.Value{x, width}), low})
}

// numbers returns an argument, a number or nested arrays of numbers, with the shape that aligns it with the codes.
func (q *quantizer) numbers(name string) ([]eval.Value, tensor.Shape) {
	var list []eval.Value
	shape := tensor.Shape{}
	var walk func(v eval.Value, depth int) bool
	walk = func(v eval.Value, depth int) bool {
		array, ok := v.(eval.Array)
		if !ok {
			switch v.(type) {
			case int, float64:
				list = append(list, v)
				return depth == len(shape)
			}
			return false
		}
		if depth == len(shape) {
			if len(list) > 0 {
				return false
			}
			shape = append(shape, len(array))
		}
		if len(array) != shape[depth] {
			return false
		}
		for _, x := range array {
			if !walk(x, depth+1) {
				return false
			}
		}
		return true
	}
	if !walk(q.args[name], 0) || len(list) == 0 || len(shape) > q.rank {
		q.fail(CodeQuantization, "label", "the entry in %s must give %s as a number or as nested arrays of numbers that align with the variable", quantFile, name)
		return []eval.Value{1.0}, tensor.Shape{}
	}
	for len(shape) > 0 && len(shape) < q.rank {
		shape = append(shape, 1)
	}
	return list, shape
}

func (q *quantizer) constant(list []eval.Value, d tensor.DType, shape tensor.Shape) *graph.Value {
	if q.err != nil {
		return nil
	}
	t, err := elements(list, d, shape)
	if err != nil {
		q.fail(CodeQuantization, "label", "the entry in %s: %v", quantFile, err)
		return nil
	}
	v, err := q.b.Constant(q.name("const"), "", t)
	if err != nil {
		q.err = err
	}
	return v
}
