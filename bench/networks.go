package main

// network is a row of the comparison with ONNX Runtime.
type network struct {
	name  string // in the manifest of the models, or of a product
	title string
	// avx2 and avx512 are the greatest ratios, Concord ÷ ONNX Runtime, that are aimed at on processors of these kinds; 0 where none is.
	avx2, avx512 float64
	speedup      float64 // of two threads over one, that is aimed at
	share        float64 // of the peak, on one thread, that is aimed at
	tolerance    float64 // the greatest difference of an output from ONNX Runtime's, of the output's greatest magnitude
	node         *node   // what this program writes; nil for what the generator makes
	kind         kind
}

// kind is the table of the page that a network stands in.
type kind int

const (
	whole        kind = iota // a network of many layers
	fixedProduct             // a float32 product with a constant right side
	openProduct              // one whose sides are both given
	single                   // an operator that networks spend their time in
	swept                    // one of operators
)

// float is how near results come that are rounded in another order, quantised how near those come of which some fall on the other side of a
// rounding in the middle of the network.
const (
	float     = 1e-4
	quantised = 0.02
)

// networks lists what is compared: what is named here, and behind it the operators of the sweep.
var networks = append([]network{
	{name: "ultraface_rfb320_s", title: "UltraFace RFB-320", avx2: 0.82, avx512: 0.75, tolerance: float},
	{name: "ultraface_slim320_s", title: "UltraFace slim-320", avx2: 0.82, avx512: 0.75, tolerance: float},
	{name: "mobilenetv2", title: "MobileNetV2", avx2: 0.88, avx512: 0.80, speedup: 1.75, tolerance: float},
	{name: "squeezenet1_1", title: "SqueezeNet 1.1", avx2: 0.90, avx512: 0.80, tolerance: float},
	{name: "resnet50", title: "ResNet-50", avx2: 0.99, avx512: 0.95, speedup: 1.9, tolerance: float},
	{name: "bert_base", title: "BERT-base-like, 128 tokens", avx2: 0.90, avx512: 0.88, tolerance: 1e-3},
	{name: "silero_vad_op18_ifless", title: "Silero VAD, a frame", avx2: 0.55, avx512: 0.50, tolerance: float},
	{name: "lstm_256", title: "LSTM-256, 100 steps", avx2: 0.80, avx512: 0.80, tolerance: float},
	{name: "gru_256", title: "GRU-256, 100 steps", avx2: 0.80, avx512: 0.80, tolerance: float},
	{name: "resnet50_qdq", title: "ResNet-50 int8 (QDQ)", avx2: 1.10, avx512: 1.00, tolerance: quantised},
	{name: "mobilenetv2_qdq", title: "MobileNetV2 int8 (QDQ)", avx2: 0.90, avx512: 0.80, tolerance: quantised},

	{name: "product_128", title: "product 128³, constant", avx2: 0.88, avx512: 0.95, tolerance: float, kind: fixedProduct, node: product(128, true)},
	{name: "product_256", title: "product 256³, constant", avx2: 0.88, avx512: 0.95, share: 0.95, tolerance: float, kind: fixedProduct, node: product(256, true)},
	{name: "product_512", title: "product 512³, constant", avx2: 0.88, avx512: 0.95, tolerance: float, kind: fixedProduct, node: product(512, true)},
	{name: "product_1024", title: "product 1024³, constant", avx2: 0.88, avx512: 0.95, tolerance: float, kind: fixedProduct, node: product(1024, true)},
	{name: "product_2048", title: "product 2048³, constant", avx2: 0.88, avx512: 0.95, tolerance: float, kind: fixedProduct, node: product(2048, true)},
	{name: "product_128_open", title: "product 128³, both given", avx2: 0.88, avx512: 0.95, tolerance: float, kind: openProduct, node: product(128, false)},
	{name: "product_256_open", title: "product 256³, both given", avx2: 0.88, avx512: 0.95, tolerance: float, kind: openProduct, node: product(256, false)},
	{name: "product_512_open", title: "product 512³, both given", avx2: 0.88, avx512: 0.95, tolerance: float, kind: openProduct, node: product(512, false)},
	{name: "product_1024_open", title: "product 1024³, both given", avx2: 0.88, avx512: 0.95, tolerance: float, kind: openProduct, node: product(1024, false)},
	{name: "product_2048_open", title: "product 2048³, both given", avx2: 0.88, avx512: 0.95, tolerance: float, kind: openProduct, node: product(2048, false)},

	{name: "op_conv3x3", title: "convolution 3×3, 64→64 at 56×56", share: 0.88, tolerance: float, kind: single},
	{name: "op_dense", title: "fully connected 1024→1024", tolerance: float, kind: single},
	{name: "product_4bit_1", title: "a row times 2048² weights of 4 bits", tolerance: float, kind: single, node: coded(1, 2048)},
	{name: "product_4bit_128", title: "128 rows times 2048² weights of 4 bits", tolerance: float, kind: single, node: coded(128, 2048)},
	{name: "op_convint", title: "convolution 3×3 of uint8 and int8, 64→64 at 56×56", kind: single},
}, sweep()...)

// The geometric mean of the ratios of all products that is aimed at.
const (
	productsAVX2   = 0.72
	productsAVX512 = 0.80
)

// startTargets are those of a whole process: milliseconds and MiB.
var startTargets = map[string]struct{ ms, mb float64 }{
	"start":   {25, 30},
	"picture": {100, 0},
}
