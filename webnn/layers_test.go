package webnn_test

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestNormalizationSteps has, for each step of the algorithms, a call that it rejects and one beside it that passes.
func TestNormalizationSteps(t *testing.T) {
	type o = webnn.Options
	batch := in("float32[2,3,4]", "float32[3]", "float32[3]")
	checkCalls(t, map[string][]call{
		"batchNormalization": {
			{batch, nil, "float32[2,3,4]"},
			{in("float16[2,3,4]", "float16[3]", "float16[3]"), o{"scale": "float16[3]", "bias": "float16[3]"}, "float16[2,3,4]"},
			{in("float32[1,2,1,2,1,2,1,2]", "float32[2]", "float32[2]"), o{"axis": 7}, "float32[1,2,1,2,1,2,1,2]"},
			{in("int32[2,3,4]", "int32[3]", "int32[3]"), nil, "!input.dataType"},
			{in("float32[]", "float32[1]", "float32[1]"), o{"axis": 0}, "!input.rank"},
			{in("float32[3]", "float32[3]", "float32[3]"), o{"axis": 0}, "float32[3]"},
			{in("float32[3]", "float32[3]", "float32[3]"), nil, "!axis"},
			{in("float32[2,3,4]", "float32[4]", "float32[4]"), o{"axis": 2}, "float32[2,3,4]"},
			{batch, o{"axis": 3}, "!axis"},
			{batch, o{"axis": most}, "!axis"},
			{batch, o{"axis": 0}, "!mean.shape"},
			{in("float32[2,3,4]", "float16[3]", "float32[3]"), nil, "!mean.dataType"},
			{in("float32[2,3,4]", "float32[1]", "float32[3]"), nil, "!mean.shape"},
			{in("float32[2,3,4]", "float32[1,3]", "float32[3]"), nil, "!mean.rank"},
			{in("float32[2,3,4]", "float32[3]", "float16[3]"), nil, "!variance.dataType"},
			{in("float32[2,3,4]", "float32[3]", "float32[4]"), nil, "!variance.shape"},
			{in("float32[2,3,4]", "float32[3]", "float32[]"), nil, "!variance.rank"},
			{batch, o{"scale": "float32[3]"}, "float32[2,3,4]"},
			{batch, o{"scale": "float16[3]"}, "!scale.dataType"},
			{batch, o{"scale": "float32[1]"}, "!scale.shape"},
			{batch, o{"scale": "float32[1,3,1]"}, "!scale.rank"},
			{batch, o{"bias": "float32[3]"}, "float32[2,3,4]"},
			{batch, o{"bias": "float16[3]"}, "!bias.dataType"},
			{batch, o{"bias": "float32[2]"}, "!bias.shape"},
			{batch, o{"bias": "float32[]"}, "!bias.rank"},
			{batch, o{"epsilon": -1e300}, "float32[2,3,4]"},
			{batch, o{"epsilon": math.Inf(1)}, "!epsilon.finite"},
		},
		"instanceNormalization": {
			{in("float32[2,3,4,5]"), nil, "float32[2,3,4,5]"},
			{in("float16[2,3,4,5]"), o{"epsilon": 1e-9}, "float16[2,3,4,5]"},
			{in("int32[2,3,4,5]"), nil, "!input.dataType"},
			{in("float32[2,3,4]"), nil, "!input.rank"},
			{in("float32[2,3,4,5,6]"), nil, "!input.rank"},
			{in("float32[2,3,4,5]"), o{"scale": "float32[3]", "bias": "float32[3]"}, "float32[2,3,4,5]"},
			{in("float32[2,3,4,5]"), o{"scale": "float32[5]", "bias": "float32[5]", "layout": "nhwc"}, "float32[2,3,4,5]"},
			{in("float32[2,3,4,5]"), o{"scale": "float32[3]", "layout": "nhwc"}, "!scale.shape"},
			{in("float32[2,3,4,5]"), o{"scale": "float32[1]"}, "!scale.shape"},
			{in("float32[2,3,4,5]"), o{"scale": "float16[3]"}, "!scale.dataType"},
			{in("float32[2,3,4,5]"), o{"scale": "float32[1,3]"}, "!scale.rank"},
			{in("float32[2,3,4,5]"), o{"bias": "float32[2]"}, "!bias.shape"},
			{in("float32[2,3,4,5]"), o{"bias": "float16[3]"}, "!bias.dataType"},
			{in("float32[2,3,4,5]"), o{"bias": "float32[]"}, "!bias.rank"},
			{in("float32[2,3,4,5]"), o{"layout": "nwhc"}, "!layout.enum"},
		},
		"layerNormalization": {
			{in("float32[2,3,4,5]"), nil, "float32[2,3,4,5]"},
			{in("float16[1,2,1,2,1,2,1,2]"), nil, "float16[1,2,1,2,1,2,1,2]"},
			{in("int8[2,3]"), nil, "!input.dataType"},
			{in("float32[]"), nil, "float32[]"},
			{in("float32[]"), o{"scale": "float32[]", "bias": "float32[]"}, "float32[]"},
			{in("float32[]"), o{"axes": []int{0}}, "!axes"},
			{in("float32[5]"), o{"scale": "float32[]"}, "float32[5]"},
			{in("float32[5]"), o{"scale": "float32[5]"}, "!scale.shape"},
			{in("float32[2,3,4]"), o{"scale": "float32[3,4]"}, "float32[2,3,4]"},
			{in("float32[2,3,4]"), o{"axes": []int{}}, "float32[2,3,4]"},
			{in("float32[2,3,4]"), o{"axes": []int{}, "scale": "float32[]"}, "float32[2,3,4]"},
			{in("float32[2,3,4]"), o{"axes": []int{}, "scale": "float32[3,4]"}, "!scale.shape"},
			{in("float32[2,3,4]"), o{"axes": []int{2, 0}, "scale": "float32[4,2]", "bias": "float32[4,2]"}, "float32[2,3,4]"},
			{in("float32[2,3,4]"), o{"axes": []int{2, 0}, "scale": "float32[2,4]"}, "!scale.shape"},
			{in("float32[2,3,4]"), o{"axes": []int{2, 0}, "bias": "float32[2,4]"}, "!bias.shape"},
			{in("float32[2,3,4]"), o{"axes": []int{2, 2}}, "!axes"},
			{in("float32[2,3,4]"), o{"axes": []int{3}}, "!axes"},
			{in("float32[2,3,4]"), o{"axes": []int{most}}, "!axes"},
			{in("float32[2,3,4]"), o{"scale": "float16[3,4]"}, "!scale.dataType"},
			{in("float32[2,3,4]"), o{"scale": "float32[4]"}, "!scale.shape"},
			{in("float32[2,3,4]"), o{"bias": "float16[3,4]"}, "!bias.dataType"},
			{in("float32[2,3,4]"), o{"bias": "float32[3,1]"}, "!bias.shape"},
		},
	})
}

// TestRecurrentSteps has, for each step of the algorithms, a call that it rejects and one beside it that passes.
func TestRecurrentSteps(t *testing.T) {
	testdata.Wide(t)
	calls := map[string][]call{}
	for _, m := range []struct {
		method     string
		gates      int
		activation int
	}{{"gru", 3, 2}, {"gruCell", 3, 2}, {"lstm", 4, 3}, {"lstmCell", 4, 3}} {
		calls[m.method] = recurrentCalls(m.method, m.gates, m.activation)
	}
	checkCalls(t, calls)
}

// recurrentCalls returns calls with 5 steps, batch 2, input size 3 and hidden size 4, both directions where there are any.
func recurrentCalls(method string, gates, activations int) []call {
	type o = webnn.Options
	cell := strings.HasSuffix(method, "Cell")
	// of writes a type, with the dimension for the directions in front unless it is a cell.
	of := func(d string, extents ...int) string {
		shape := tensor.Shape(extents)
		if !cell {
			shape = append(tensor.Shape{2}, shape...)
		}
		return d + shape.String()
	}
	const x = "float32"
	g := gates * 4
	state := of(x, 2, 4)
	args := []any{x + "[5,2,3]", of(x, g, 3), of(x, g, 4), 5, 4}
	names := []string{"input", "weight", "recurrentWeight", "steps", "hiddenSize"}
	results := []string{state}
	if cell {
		args, names = []any{x + "[2,3]", of(x, g, 3), of(x, g, 4), state}, []string{"input", "weight", "recurrentWeight", "hiddenState"}
		if gates == 4 {
			args, names = append(args, state), append(names, "cellState")
		}
		args, names = append(args, 4), append(names, "hiddenSize")
	}
	if gates == 4 {
		results = append(results, state)
	}
	accepted := strings.Join(results, " ")
	options := o{"bias": of(x, g), "recurrentBias": of(x, g)}
	if gates == 4 {
		options["peepholeWeight"] = of(x, 12)
	}
	if !cell {
		options["initialHiddenState"] = state
		options["direction"] = "both"
		if gates == 4 {
			options["initialCellState"] = state
		}
	}
	with := func(name string, v any) o {
		changed := o{name: v}
		for k, old := range options {
			if k != name {
				changed[k] = old
			}
		}
		return changed
	}
	list := []call{{args, options, accepted}}
	// Every operand, of another type, of another rank and of another extent.
	another := func(s string) map[string]string {
		last := strings.LastIndexByte(s, ',') + 1
		if last == 0 {
			last = strings.IndexByte(s, '[') + 1
		}
		return map[string]string{
			"dataType": strings.Replace(s, "float32", "float16", 1),
			"rank":     strings.Replace(s, "[", "[1,", 1),
			"shape":    s[:last] + "9]",
		}
	}
	for i, v := range args {
		s, ok := v.(string)
		if !ok || names[i] == "input" {
			continue
		}
		for rule, changed := range another(s) {
			if rule == "shape" && names[i] == "weight" {
				continue // the input would be as wrong
			}
			broken := append([]any{}, args...)
			broken[i] = changed
			list = append(list, call{broken, options, "!" + names[i] + "." + rule})
		}
	}
	for name, v := range options {
		if name == "direction" {
			continue
		}
		for rule, changed := range another(v.(string)) {
			list = append(list, call{args, with(name, changed), "!" + name + "." + rule})
		}
	}
	arg := func(name string, v any) []any {
		changed := append([]any{}, args...)
		for i, n := range names {
			if n == name {
				changed[i] = v
			}
		}
		return changed
	}
	input := args[0].(string)
	list = append(list,
		call{arg("input", strings.Replace(input, x, "int32", 1)), options, "!input.dataType"},
		call{arg("input", strings.Replace(input, "[", "[1,", 1)), options, "!input.rank"},
		call{arg("input", strings.Replace(input, ",3]", ",9]", 1)), options, "!weight.shape"},
		call{arg("hiddenSize", 0), options, "!hiddenSize"},
		call{arg("hiddenSize", 5), options, "!weight.shape"},
		call{arg("hiddenSize", math.MaxInt32/(2*gates)), options, "!weight.shape"},
		call{arg("hiddenSize", math.MaxInt32/(2*gates)+1), options, "!hiddenSize"},
		call{arg("hiddenSize", most), options, "!hiddenSize"},
		call{args, with("layout", "zzz"), "!layout.enum"},
		call{args, with("layout", map[int]string{3: "rzn", 4: "ifgo"}[gates]), accepted},
		call{args, with("activations", []string{"relu", "tanh", "sigmoid"}[:activations]), accepted},
		call{args, with("activations", []string{"relu", "tanh", "sigmoid"}[:activations-1]), "!activations"},
		call{args, with("activations", []string{}), "!activations"},
		call{args, with("activations", []string{"relu", "tanh", "sigmoid", "relu"}[:activations+1]), "!activations"},
		call{args, with("activations", []string{"relu", "elu", "sigmoid"}[:activations]), "!activations.enum"},
	)
	if !cell {
		sequence := strings.Join(append(results, "float32[5,2,2,4]"), " ")
		list = append(list,
			call{args, with("returnSequence", true), sequence},
			call{args, with("direction", "forward"), "!weight.shape"},
			call{args, with("direction", "sideward"), "!direction.enum"},
			call{arg("steps", 0), options, "!steps"},
			call{arg("steps", 4), options, "!steps"},
		)
	}
	return list
}

// TestQuantizationSteps has, for each step of the algorithms, a call that it rejects and one beside it that passes.
func TestQuantizationSteps(t *testing.T) {
	blocks := func(input, scale, zero, result string) []call {
		with := func(i, s, z string) []any { return in(input+i, scale+s, zero+z) }
		return []call{
			{with("[6,4]", "[2,1]", "[2,1]"), nil, result + "[6,4]"},
			{with("[6,4]", "[6,4]", "[6,4]"), nil, result + "[6,4]"},
			{with("[6,4]", "[3,2]", "[3,2]"), nil, result + "[6,4]"},
			{with("[6,4]", "[4,2]", "[4,2]"), nil, "!scale.shape"},
			{with("[6,4]", "[12,2]", "[12,2]"), nil, "!scale.shape"},
			{with("[6,4]", "[2,1]", "[1,2]"), nil, "!zeroPoint.shape"},
			{with("[6,4]", "[2,1]", "[1]"), nil, "!zeroPoint.shape"},
			{with("[6,4]", "[]", "[]"), nil, result + "[6,4]"},
			{with("[6,4]", "[2]", "[2]"), nil, result + "[6,4]"},
			{with("[6,4]", "[1,2,1]", "[1,2,1]"), nil, "!scale.rank"},
			{with("[6,4]", "[2,1]", "[1,2,1]"), nil, "!zeroPoint.rank"},
			{with("[]", "[]", "[]"), nil, result + "[]"},
			{with("[1,2,1,2,1,2,1,2]", "[1,2,1,1,1,2,1,1]", "[1,2,1,1,1,2,1,1]"), nil, result + "[1,2,1,2,1,2,1,2]"},
		}
	}
	var quantize, dequantize []call
	for _, d := range []string{"int8", "uint8", "int32", "uint32"} {
		quantize = append(quantize, blocks("float32", "float32", d, d)...)
		quantize = append(quantize, blocks("float16", "float16", d, d)...)
		dequantize = append(dequantize, blocks(d, "float32", d, "float32")...)
		dequantize = append(dequantize, blocks(d, "float16", d, "float16")...)
	}
	checkCalls(t, map[string][]call{
		"quantizeLinear": append(quantize,
			call{in("int32[2]", "float32[2]", "int8[2]"), nil, "!input.dataType"},
			call{in("float32[2]", "float16[2]", "int8[2]"), nil, "!scale.dataType"},
			call{in("float32[2]", "float32[2]", "int64[2]"), nil, "!zeroPoint.dataType"},
			call{in("float32[2]", "float32[2]"), nil, "!arguments"}),
		"dequantizeLinear": append(dequantize,
			call{in("float32[2]", "float32[2]", "float32[2]"), nil, "!input.dataType"},
			call{in("int64[2]", "float32[2]", "int64[2]"), nil, "!input.dataType"},
			call{in("int8[2]", "int8[2]", "int8[2]"), nil, "!scale.dataType"},
			call{in("int8[2]", "float32[2]", "uint8[2]"), nil, "!zeroPoint.dataType"}),
	})
}

// TestSliceSteps has, for each step of the algorithms, a call that it rejects and one beside it that passes.
func TestSliceSteps(t *testing.T) {
	testdata.Wide(t)
	type o = webnn.Options
	x := in("float32[3,4]")
	with := func(args ...any) []any { return append(x[:1:1], args...) }
	type i = []int
	calls := map[string][]call{
		"pad": {
			{with(i{1, 0}, i{0, 2}), nil, "float32[4,6]"},
			{with(i{1}, i{0, 2}), nil, "!beginningPadding"},
			{with(i{1, 0}, i{0, 2, 3}), nil, "!endingPadding"},
			{with(i{}, i{}), nil, "!beginningPadding"},
			{in("float32[]", i{}, i{}), nil, "float32[]"},
			{in("float32[]", i{1}, i{1}), nil, "!beginningPadding"},
			{with(i{9, 9}, i{9, 9}), o{"mode": "edge"}, "float32[21,22]"},
			{with(i{2, 3}, i{2, 3}), o{"mode": "reflection"}, "float32[7,10]"},
			{with(i{3, 0}, i{0, 0}), o{"mode": "reflection"}, "!mode.reflection"},
			{with(i{0, 0}, i{0, 4}), o{"mode": "reflection"}, "!mode.reflection"},
			{in("float32[1]", i{0}, i{0}), o{"mode": "reflection"}, "float32[1]"},
			{in("float32[1]", i{1}, i{0}), o{"mode": "reflection"}, "!mode.reflection"},
			{with(i{0, 0}, i{0, 0}), o{"mode": "symmetric"}, "!mode.enum"},
			{in("int8[1]", i{0}, i{1<<31 - 2}), nil, "int8[2147483647]"},
			{in("int8[1]", i{0}, i{1<<31 - 1}), nil, "!result.dimension"},
			{in("int8[1]", i{most}, i{most}), nil, "!result.dimension"},
			{in("int8[1,1]", i{1 << 30, 1 << 30}, i{0, 0}), nil, "!result.dimension"},
			{with(i{1, 0}, i{0, 2}), o{"value": math.NaN()}, "float32[4,6]"},
		},
		"slice": {
			{with(i{1, 0}, i{2, 4}), nil, "float32[2,4]"},
			{with(i{1, 0}, i{2, 4}), o{"strides": i{2, 3}}, "float32[1,2]"},
			{with(i{1, 0}, i{2, 4}), o{"strides": i{most, most}}, "float32[1,1]"},
			{with(i{1, 0}, i{0, 4}), nil, "!sizes.positive"},
			{with(i{1}, i{2, 4}), nil, "!starts"},
			{with(i{1, 0}, i{2}), nil, "!sizes"},
			{with(i{1, 0}, i{2, 4}), o{"strides": i{}}, "!strides"},
			{with(i{1, 0}, i{2, 4}), o{"strides": i{1}}, "!strides"},
			{with(i{1, 0}, i{2, 4}), o{"strides": i{1, 0}}, "!strides.positive"},
			{with(i{2, 0}, i{1, 4}), nil, "float32[1,4]"},
			{with(i{3, 0}, i{1, 4}), nil, "!sizes.bounds"},
			{with(i{4, 0}, i{1, 4}), nil, "!sizes.bounds"},
			{with(i{1, 0}, i{3, 4}), nil, "!sizes.bounds"},
			{with(i{most, 0}, i{most, 4}), nil, "!sizes.bounds"},
			{with(i{1, 0}, i{most, 4}), nil, "!sizes.bounds"},
			{in("float32[]", i{}, i{}), nil, "float32[]"},
			{in("float32[]", i{}, i{}), o{"strides": i{}}, "float32[]"},
			{in("float32[]", i{0}, i{1}), nil, "!starts"},
		},
		"split": {
			{with(3), nil, "float32[1,4] float32[1,4] float32[1,4]"},
			{with(2), o{"axis": 1}, "float32[3,2] float32[3,2]"},
			{with(2), o{"axis": 2}, "!axis"},
			{with(2), o{"axis": most}, "!axis"},
			{in("float32[]", 1), nil, "!input.rank"},
			{with(0), nil, "!splits"},
			{with(1), nil, "float32[3,4]"},
			{with(2), nil, "!splits.divide"},
			{with(8193), nil, "!splits"},
			{in("int8[16384]", 8193), nil, "!splits"},
			{with(most), nil, "!splits"},
			{with(i{1, 2}), nil, "float32[1,4] float32[2,4]"},
			{with(i{}), nil, "!splits"},
			{with(i{0, 3}), nil, "!splits.positive"},
			{with(i{1, 1}), nil, "!splits.sum"},
			{with(i{1, 3}), nil, "!splits.sum"},
			{with(i{most, most, 5}), nil, "!splits.sum"},
			{in("int8[16384]", make(i, 8193)), nil, "!splits"},
			{in("int8[8192]", 8192), nil, strings.TrimSpace(strings.Repeat("int8[1] ", 8192))},
		},
		"tile": {
			{with(i{2, 1}), nil, "float32[6,4]"},
			{with(i{2}), nil, "!repetitions"},
			{with(i{2, 1, 1}), nil, "!repetitions"},
			{with(i{2, 0}), nil, "!repetitions"},
			{in("float32[]", i{}), nil, "float32[]"},
			{with(i{1, most}), nil, "!result.dimension"},
			{in("int8[1]", i{1<<31 - 1}), nil, "int8[2147483647]"},
			{in("int8[1]", i{pow31}), nil, "!result.dimension"},
			{in("int8[1,1]", i{1 << 16, 1 << 15}), nil, "!result.dimension"},
			{in("int8[2147483647,1]", i{most, most}), nil, "!repetitions"},
			{in("float32[1,1]", i{1 << 15, 1 << 15}), nil, "!result.byteLength"},
		},
	}
	for _, d := range webnn.DataTypes {
		eight := d.String() + "[1,2,1,2,1,2,1,2]"
		ones := i{1, 1, 1, 1, 1, 1, 1, 1}
		first, last := i{0, 1, 0, 0, 0, 0, 0, 0}, i{0, 0, 0, 0, 0, 0, 0, 1}
		calls["pad"] = append(calls["pad"],
			call{in(eight, first, last), o{"mode": "reflection"}, d.String() + "[1,3,1,2,1,2,1,3]"},
			call{in(eight, ones, ones), o{"value": 1.5}, d.String() + "[3,4,3,4,3,4,3,4]"})
		calls["slice"] = append(calls["slice"], call{in(eight, first, ones), nil, d.String() + "[1,1,1,1,1,1,1,1]"})
		part := d.String() + "[1,2,1,2,1,2,1,1]"
		calls["split"] = append(calls["split"], call{in(eight, 2), o{"axis": 7}, part + " " + part})
		calls["tile"] = append(calls["tile"], call{in(eight, ones), nil, eight})
	}
	checkCalls(t, calls)
}
