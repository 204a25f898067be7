package webnn_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestBinding has a call for each way in which arguments and options can be wrong in any method.
func TestBinding(t *testing.T) {
	testdata.Wide(t)
	checkCalls(t, map[string][]call{
		"elu": {
			{[]any{"float32[2]"}, webnn.Options{"alpha": 2}, "float32[2]"},
			{[]any{}, nil, "!arguments"},
			{[]any{"float32[2]", 1.0}, nil, "!arguments"},
			{[]any{nil}, nil, "!input.kind"},
			{[]any{3}, nil, "!input.kind"},
			{[]any{(*webnn.Operand)(nil)}, nil, "!input.kind"},
			{[]any{"float32[2]"}, webnn.Options{"alpha": true}, "!alpha.kind"},
			{[]any{"float32[2]"}, webnn.Options{"alpha": math.NaN()}, "!alpha.finite"},
			{[]any{"float32[2]"}, webnn.Options{"alpha": math.Inf(-1)}, "!alpha.finite"},
			{[]any{"float32[2]"}, webnn.Options{"beta": 1.0}, "!beta.kind"},
			{[]any{"int32[2]"}, nil, "!input.dataType"},
		},
		"softmax": {
			{[]any{"float16[2,3]", 1.0}, nil, "float16[2,3]"},
			{[]any{"float16[2,3]"}, nil, "float16[2,3]"}, // as an older text allowed
			{[]any{"float16[3]"}, nil, "!arguments"},
			{[]any{"float16[2,3]", 1.5}, nil, "!axis.kind"},
			{[]any{"float16[2,3]", -1}, nil, "!axis.range"},
			{[]any{"float16[2,3]", 2 * pow31}, nil, "!axis.range"},
			{[]any{"float16[2,3]", 1e300}, nil, "!axis.range"},
			{[]any{"float16[2,3]", 2}, nil, "!axis"},
			{[]any{"float16[2,3]", most}, nil, "!axis"},
			{[]any{"float16[]", 0}, nil, "!input.rank"},
		},
		"reduceSum": {
			{[]any{"int64[2,3]"}, webnn.Options{"axes": []float64{0}}, "int64[3]"},
			{[]any{"int64[2,3]"}, webnn.Options{"axes": []float64{}}, "int64[2,3]"},
			{[]any{"int64[2,3]"}, webnn.Options{"axes": 1}, "!axes.kind"},
			{[]any{"int64[2,3]"}, webnn.Options{"axes": []float64{0.5}}, "!axes.kind"},
			{[]any{"int64[2,3]"}, webnn.Options{"axes": []int{-1}}, "!axes.range"},
			{[]any{"int64[2,3]"}, webnn.Options{"keepDimensions": 1}, "!keepDimensions.kind"},
		},
		"triangular": {
			{[]any{"uint8[2,3]"}, webnn.Options{"diagonal": -1 << 31}, "uint8[2,3]"},
			{[]any{"uint8[2,3]"}, webnn.Options{"diagonal": pow31}, "!diagonal.range"},
		},
		"cast": {
			{[]any{"uint8[2,3]", tensor.Bool}, nil, "!dataType.enum"},
			{[]any{"uint8[2,3]", tensor.DType(99)}, nil, "!dataType.enum"},
			{[]any{"uint8[2,3]", "?"}, nil, "!dataType.kind"},
		},
		"pad": {
			{[]any{"uint8[2]", []int{1}, []int{1}}, webnn.Options{"mode": "symmetric"}, "!mode.enum"},
			{[]any{"uint8[2]", []int{1}, []int{1}}, webnn.Options{"mode": 1}, "!mode.kind"},
		},
		"gruCell": {
			{[]any{"float32[1,1]", "float32[3,1]", "float32[3,1]", "float32[1,1]", 1}, webnn.Options{"activations": []string{"relu", "?"}},
				"!activations.enum"},
			{[]any{"float32[1,1]", "float32[3,1]", "float32[3,1]", "float32[1,1]", 1}, webnn.Options{"activations": "relu"}, "!activations.kind"},
		},
		"resample2d": {
			{[]any{"float32[1,1,2,2]"}, webnn.Options{"scales": []float64{1, 1e39}}, "!scales.finite"},
		},
		"nothing": {{nil, nil, "!method"}},
	})
}

// TestRules has calls of the methods that are not about windows, parts, normalisation, quantisation or recurrence: one for
// each rule that they can break, and calls at its edge.
func TestRules(t *testing.T) {
	testdata.Wide(t)
	checkCalls(t, map[string][]call{
		"argMin": {
			{[]any{"float32[2,3]", 1}, webnn.Options{"outputDataType": tensor.Int64}, "int64[2]"},
			{[]any{"float32[2,3]", 2}, nil, "!axis"},
			{[]any{"float32[]", 0}, nil, "!input.rank"},
			{[]any{"float32[2,3]", 1}, webnn.Options{"outputDataType": tensor.Uint32}, "!outputDataType"},
		},
		"clamp": {
			{[]any{"int8[2]"}, webnn.Options{"minValue": 1.9, "maxValue": 1.1}, "int8[2]"}, // both are 1
			{[]any{"int8[2]"}, webnn.Options{"minValue": 300, "maxValue": 200}, "int8[2]"}, // both are 127
			{[]any{"float16[2]"}, webnn.Options{"minValue": 1e6, "maxValue": 1e5}, "float16[2]"},
			{[]any{"float32[2]"}, webnn.Options{"minValue": 1e6, "maxValue": 1e5}, "!bounds"},
			{[]any{"float32[2]"}, webnn.Options{"minValue": webnn.Float(math.NaN()), "maxValue": webnn.Int(0)}, "float32[2]"},
			{[]any{"int8[2]"}, webnn.Options{"minValue": math.NaN(), "maxValue": -1}, "int8[2]"},
			{[]any{"uint64[2]"}, webnn.Options{"minValue": webnn.Uint(math.MaxUint64), "maxValue": new(big.Int).SetUint64(math.MaxUint64 - 1)}, "!bounds"},
			{[]any{"uint64[2]"}, webnn.Options{"minValue": webnn.BigInt{}}, "!minValue.kind"},
		},
		"concat": {
			{[]any{operandList{"int8[2,3]", "int8[2,5]"}, 1}, nil, "int8[2,8]"},
			{[]any{operandList{"int8[2,3]", "int8[2,5]"}, 0}, nil, "!inputs.shape"},
			{[]any{operandList{"int8[2,3]", "uint8[2,3]"}, 0}, nil, "!inputs.dataType"},
			{[]any{operandList{"int8[2,3]", "int8[2]"}, 0}, nil, "!inputs.shape"},
			{[]any{operandList{"int8[]"}, 0}, nil, "!inputs.rank"},
			{[]any{operandList{"int8[2,3]"}, 2}, nil, "!axis"},
			{[]any{operandList{}, 0}, nil, "!inputs.count"},
			{[]any{operandList{"int8[2147483647]", "int8[1]"}, 0}, nil, "!result.dimension"},
			{[]any{"int8[2]", 0}, nil, "!inputs.kind"},
		},
		"cumulativeSum": {{[]any{"int32[2,3]", 2}, nil, "!axis"}, {[]any{"int8[2,3]", 0}, nil, "!input.dataType"}},
		"add": {
			{[]any{"int8[3]", "int8[2,1]"}, nil, "int8[2,3]"},
			{[]any{"int8[3]", "int8[2]"}, nil, "!b.shape"},
			{[]any{"int8[3]", "uint8[3]"}, nil, "!b.dataType"},
			{[]any{"int8[65536,1]", "int8[65536]"}, nil, "!result.dimension"},
			{[]any{"int8[2147483647,1,1,1]", "int8[2147483647,1,1]"}, nil, "!result.dimension"},
			{[]any{"float32[32768,1]", "float32[32768]"}, nil, "!result.byteLength"},
		},
		"equal":      {{[]any{"int8[3]", "int8[2,1]"}, nil, "uint8[2,3]"}, {[]any{"int8[3]", "int8[2]"}, nil, "!b.shape"}},
		"logicalNot": {{[]any{"uint8[]"}, nil, "uint8[]"}, {[]any{"int8[]"}, nil, "!a.dataType"}},
		"logicalAnd": {{[]any{"uint8[2]", "uint8[3]"}, nil, "!b.shape"}, {[]any{"uint8[2]", "int8[2]"}, nil, "!b.dataType"}},
		"isNaN":      {{[]any{"float16[2]"}, nil, "uint8[2]"}, {[]any{"int32[2]"}, nil, "!a.dataType"}},
		"abs":        {{[]any{"uint8[2]"}, nil, "!input.dataType"}},
		"expand": {
			{[]any{"int8[]", []int{2, 3}}, nil, "int8[2,3]"},
			{[]any{"int8[2,1]", []int{4, 2, 3}}, nil, "int8[4,2,3]"},
			{[]any{"int8[1,2]", []int{2}}, nil, "!newShape"},
			{[]any{"int8[2]", []int{1}}, nil, "!newShape"},
			{[]any{"int8[1]", []int{0}}, nil, "!result.dimension"},
			{[]any{"int8[1]", []int{pow31}}, nil, "!result.dimension"},
			{[]any{"int8[1]", []int{most, most, most, most}}, nil, "!result.dimension"},
			{[]any{"int8[1]", []int{1, 1, 1, 1, 1, 1, 1, 1, 1}}, nil, "!result.rank"},
			{[]any{"int64[1]", []int{1 << 30}}, nil, "!result.byteLength"},
		},
		"gather": {
			{[]any{"int8[2,3]", "int64[]"}, webnn.Options{"axis": 1}, "int8[2]"},
			{[]any{"int8[2,3]", "int64[]"}, webnn.Options{"axis": 2}, "!axis"},
			{[]any{"int8[2,3]", "uint64[]"}, nil, "!indices.dataType"},
			{[]any{"int8[]", "int32[1]"}, nil, "!input.rank"},
			{[]any{"int8[1,1,1,1,1]", "int32[1,1,1,1,1]"}, nil, "!result.rank"},
			{[]any{"int8[2,65536]", "int32[65536]"}, nil, "!result.dimension"},
		},
		"gatherElements": {
			{[]any{"int8[2,3]", "int32[5,3]"}, nil, "int8[5,3]"},
			{[]any{"int8[2,3]", "int32[5,3]"}, webnn.Options{"axis": 1}, "!indices.shape"},
			{[]any{"int8[2,3]", "int32[2]"}, nil, "!indices.rank"},
			{[]any{"int8[2,3]", "int32[2,3]"}, webnn.Options{"axis": 2}, "!axis"},
		},
		"gatherND": {
			{[]any{"int8[2,3]", "uint32[5,2]"}, nil, "int8[5]"},
			{[]any{"int8[2,3]", "uint32[2]"}, nil, "int8[]"},
			{[]any{"int8[2,3]", "uint32[5,3]"}, nil, "!indices.shape"},
			{[]any{"int8[2,3]", "uint32[]"}, nil, "!indices.rank"},
			{[]any{"int8[1,1,1,1,1,1,1,1]", "uint32[1,1,1]"}, nil, "!result.rank"},
		},
		"gemm": {
			{[]any{"float32[2,3]", "float32[3,4]"}, webnn.Options{"c": "float32[2,1]"}, "float32[2,4]"},
			{[]any{"float32[2,3]", "float32[4,3]"}, webnn.Options{"bTranspose": true, "c": "float32[]"}, "float32[2,4]"},
			{[]any{"float32[2,3]", "float32[4,3]"}, nil, "!b.shape"},
			{[]any{"float32[2,3]", "float32[3,4]"}, webnn.Options{"c": "float32[2]"}, "!c.shape"},
			{[]any{"float32[2,3]", "float32[3,4]"}, webnn.Options{"c": "float32[1,2,4]"}, "!c.rank"},
			{[]any{"float32[2,3]", "float32[3,4]"}, webnn.Options{"c": "float16[4]"}, "!c.dataType"},
			{[]any{"float32[2,3]", "float32[3]"}, nil, "!b.rank"},
			{[]any{"float32[65536,1]", "float32[1,65536]"}, nil, "!result.dimension"},
		},
		"matmul": {
			{[]any{"float32[5,1,2,3]", "float32[4,3,2]"}, nil, "float32[5,4,2,2]"},
			{[]any{"float32[2,3]", "float32[2,3]"}, nil, "!b.shape"},
			{[]any{"float32[2,2,3]", "float32[4,3,2]"}, nil, "!b.shape"},
			{[]any{"float32[3]", "float32[3,2]"}, nil, "!a.rank"},
			{[]any{"int32[2,3]", "int32[3,2]"}, nil, "!a.dataType"},
		},
		"prelu": {
			{[]any{"int64[2,3]", "int64[5,1,1]"}, nil, "int64[5,2,3]"},
			{[]any{"int64[2,3]", "int64[2]"}, nil, "!slope.shape"},
			{[]any{"uint8[2]", "uint8[2]"}, nil, "!input.dataType"},
		},
		"reduceMean": {
			{[]any{"float16[]"}, nil, "float16[]"},
			{[]any{"float16[]"}, webnn.Options{"axes": []int{}}, "float16[]"},
			{[]any{"float16[]"}, webnn.Options{"axes": []int{0}}, "!axes"},
			{[]any{"float16[2,3]"}, webnn.Options{"axes": []int{1, 0}, "keepDimensions": true}, "float16[1,1]"},
			{[]any{"float16[2,3]"}, webnn.Options{"axes": []int{2}}, "!axes"},
			{[]any{"float16[2,3]"}, webnn.Options{"axes": []int{1, 1}}, "!axes"},
			{[]any{"int32[2,3]"}, nil, "!input.dataType"},
		},
		"reshape": {
			{[]any{"int8[1,1]", []int{}}, nil, "int8[]"},
			{[]any{"int8[]", []int{1, 1}}, nil, "int8[1,1]"},
			{[]any{"int8[6]", []int{4}}, nil, "!newShape"},
			{[]any{"int8[6]", []int{0, 6}}, nil, "!result.dimension"},
			{[]any{"int8[6]", []int{1, 1, 1, 1, 1, 1, 1, 1, 6}}, nil, "!result.rank"},
			{[]any{"int8[4]", []int{pow31, pow31, 4}}, nil, "!result.dimension"}, // whose product is 4 in 64 bits
		},
		"reverse": {
			{[]any{"int8[]"}, nil, "int8[]"},
			{[]any{"int8[2]"}, webnn.Options{"axes": []int{1}}, "!axes"},
			{[]any{"int8[2]"}, webnn.Options{"axes": []int{0, 0}}, "!axes"},
		},
		"scatterElements": {
			{[]any{"int8[2,3]", "int32[5,3]", "int8[5,3]"}, nil, "int8[2,3]"},
			{[]any{"int8[2,3]", "int32[2,2]", "int8[2,2]"}, nil, "!indices.shape"},
			{[]any{"int8[2,3]", "int32[2,3]", "int8[1,3]"}, nil, "!updates.shape"},
			{[]any{"int8[2,3]", "int32[2,3]", "uint8[2,3]"}, nil, "!updates.dataType"},
			{[]any{"int8[2,3]", "int32[2,3]", "int8[3]"}, nil, "!updates.rank"},
			{[]any{"int8[2,3]", "int32[2,3]", "int8[2,3]"}, webnn.Options{"axis": 2}, "!axis"},
		},
		"scatterND": {
			{[]any{"int8[2,3]", "int32[5,1]", "int8[5,3]"}, nil, "int8[2,3]"},
			{[]any{"int8[2,3]", "int32[2]", "int8[]"}, nil, "int8[2,3]"},
			{[]any{"int8[2,3]", "int32[5,3]", "int8[5]"}, nil, "!indices.shape"},
			{[]any{"int8[2,3]", "int32[5,1]", "int8[5,2]"}, nil, "!updates.shape"},
			{[]any{"int8[2,3]", "int32[5,1]", "int32[5,3]"}, nil, "!updates.dataType"},
		},
		"transpose": {
			{[]any{"int8[2,3]"}, nil, "int8[3,2]"},
			{[]any{"int8[]"}, webnn.Options{"permutation": []int{}}, "int8[]"},
			{[]any{"int8[2,3,4]"}, webnn.Options{"permutation": []int{2, 0, 1}}, "int8[4,2,3]"},
			{[]any{"int8[2,3]"}, webnn.Options{"permutation": []int{0}}, "!permutation"},
			{[]any{"int8[2,3]"}, webnn.Options{"permutation": []int{0, 2}}, "!permutation"},
			{[]any{"int8[2,3]"}, webnn.Options{"permutation": []int{1, 1}}, "!permutation"},
		},
		"triangular": {{[]any{"int8[3]"}, nil, "!input.rank"}},
		"where": {
			{[]any{"uint8[2,1]", "int64[3]", "int64[]"}, nil, "int64[2,3]"},
			{[]any{"int8[2]", "int8[2]", "int8[2]"}, nil, "!condition.dataType"},
			{[]any{"uint8[2]", "int8[2]", "uint8[2]"}, nil, "!falseValue.dataType"},
			{[]any{"uint8[2]", "int8[3]", "int8[1]"}, nil, "!trueValue.shape"},
			{[]any{"uint8[1]", "int8[2]", "int8[3]"}, nil, "!falseValue.shape"},
		},
	})
}
