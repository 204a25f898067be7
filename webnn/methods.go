package webnn

//go:generate go run ./internal/idl/generate

// A method becomes the operator that has its name in WebNN. The arguments and options of the method, which stand in table.go, are
// the operands and attributes of these names, which have underscores in place of capitals; operands of other names are the
// arguments at their places. Operators check shapes; what is here is what a method has otherwise.

// differences has the operands and attributes that are parameters of other names, by method. A parameter "true" is that value.
var differences = map[string]map[string]string{
	"argMin":             {"axes": "axis", "dtype": "outputDataType"},
	"argMax":             {"axes": "axis", "dtype": "outputDataType"},
	"batchNormalization": {"offset": "bias"},
	"cast":               {"dtype": "dataType"},
	"conv2d":             {"stride": "strides", "dilation": "dilations"},
	"convTranspose2d":    {"stride": "strides", "dilation": "dilations", "output_shape": "outputSizes"},
	"expand":             {"shape": "newShape"},
	"gather":             {"negative": "true"},
	"gatherElements":     {"negative": "true"},
	"gatherND":           {"negative": "true"},
	"gemm":               {"transposeA": "aTranspose", "transposeB": "bTranspose"},
	"pad":                {"border": "mode"},
	"reshape":            {"shape": "newShape"},
	"scatterElements":    {"negative": "true"},
	"scatterND":          {"negative": "true"},
	"slice":              {"begin": "starts", "stride": "strides"},
	"softmax":            {"axes": "axis"},
	"split":              {"ratios": "splits"},
	"tile":               {"repeats": "repetitions"},
	"transpose":          {"axes": "permutation"},
}

// preparations check what the operators do not, and set operands and attributes that are no parameters, by method. The operands of other element-wise
// operators are [aligned].
var preparations = map[string]func(l *lowering){
	"matmul": aligned,

	"averagePool2d": pool2d, "l2Pool2d": pool2d, "maxPool2d": pool2d,
	"conv2d": conv2d, "convTranspose2d": convTranspose2d, "resample2d": resample2d,
	"dequantizeLinear": blocks, "quantizeLinear": blocks,
	"gru": recurrent, "gruCell": recurrent, "lstm": recurrent, "lstmCell": recurrent,
	"batchNormalization": batchNormalization, "instanceNormalization": instanceNormalization,
	"layerNormalization": func(l *lowering) { l.allAxes(1) },

	"clamp": clamp, "concat": concat, "expand": expand, "pad": pad, "reshape": reshape, "slice": slice, "split": split,
	"transpose": transpose,
}

// fewerDimensions has the methods some of whose operands may have fewer dimensions than the one whose rank the text gives
// them: web-platform-tests and browsers accept that.
var fewerDimensions = map[string]bool{"quantizeLinear": true, "dequantizeLinear": true}

// omissible has the second argument of methods that may be called without it, as an older text allowed and browsers still do, by
// the rank of the input.
var omissible = map[string]map[int]any{"softmax": {2: 1}}
