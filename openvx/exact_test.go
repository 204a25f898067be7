package openvx_test

import (
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/openvx"
)

// layerCase is a layer with its operands, as plain elements.
type layerCase struct {
	Layer   string         `json:"layer"`
	Format  string         `json:"format"`       // of Formats
	To      string         `json:"to,omitempty"` // of the result, where it is another
	Tensors []*exactTensor `json:"tensors"`      // operands; null is one that is not given
	Table   []int64        `json:"table,omitempty"`
	Params  layerParams    `json:"params"`
	Out     exactTensor    `json:"out"` // the extents of the result, and what another implementation yielded
}

// layerParams are the parameters of all layers.
type layerParams struct {
	Policy
	Padding    [2]int  `json:"padding,omitzero"`
	Dilation   [2]int  `json:"dilation,omitzero"`
	Extra      [2]int  `json:"a,omitzero"`
	Size       [2]int  `json:"size,omitzero"`
	Axes       [2]int  `json:"axes,omitzero"`
	Ceiling    bool    `json:"ceiling,omitempty"`
	Average    bool    `json:"average,omitempty"`
	AcrossMaps bool    `json:"acrossMaps,omitempty"`
	Transpose  [3]bool `json:"transpose,omitzero"`
	Function   string  `json:"function,omitempty"`
	Alpha      float32 `json:"alpha,omitempty"` // and the function's a
	Beta       float32 `json:"beta,omitempty"`  // and the function's b
	Bias       float32 `json:"bias,omitempty"`
	Scale      float32 `json:"scale,omitempty"`
	Norm       float32 `json:"norm,omitempty"`
	Offset     float32 `json:"offset,omitempty"`
}

// formats are the formats of the exact layers as tensors have them.
var formats = map[string]struct {
	Format
	dtype openvx.Type
	fixed int8
}{
	"U8":  {U8, openvx.TypeUint8, 0},
	"S8":  {S8, openvx.TypeInt8, 0},
	"Q78": {Q78, openvx.TypeInt16, 8},
}

// layerTests are the layers: what the text says of a case, the node that computes it, and a random case.
var layerTests = map[string]struct {
	exact  func(c *layerCase, f Format, compatible bool) Result
	node   func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error)
	random func(r source) layerCase
}{
	"convolution": {
		func(c *layerCase, f Format, compatible bool) Result {
			p := c.Params
			l := Convolution{Policy: p.Policy, Padding: p.Padding, Dilation: p.Dilation, Ceiling: p.Ceiling, Compatible: compatible}
			return l.Apply(f, c.Tensors[0], c.Tensors[1], c.Tensors[2], c.Out.Dims)
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.ConvolutionLayer(in[0], in[1], in[2], openvx.ConvolutionParams{
				PaddingX: c.Params.Padding[0], PaddingY: c.Params.Padding[1], OverflowPolicy: c.overflow(), RoundingPolicy: c.rounding(),
				DownScaleSize: c.sizeRounding(), DilationX: c.Params.Dilation[0], DilationY: c.Params.Dilation[1],
			}, out)
		},
		source.convolution,
	},
	"deconvolution": {
		func(c *layerCase, f Format, compatible bool) Result {
			l := Deconvolution{Policy: c.Params.Policy, Padding: c.Params.Padding, A: c.Params.Extra, Compatible: compatible}
			return l.Apply(f, c.Tensors[0], c.Tensors[1], c.Tensors[2], c.Out.Dims)
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.DeconvolutionLayer(in[0], in[1], in[2], openvx.DeconvolutionParams{
				PaddingX: c.Params.Padding[0], PaddingY: c.Params.Padding[1], OverflowPolicy: c.overflow(), RoundingPolicy: c.rounding(),
				AX: c.Params.Extra[0], AY: c.Params.Extra[1],
			}, out)
		},
		source.deconvolution,
	},
	"fully_connected": {
		func(c *layerCase, f Format, _ bool) Result {
			return FullyConnected{Policy: c.Params.Policy}.Apply(f, c.Tensors[0], c.Tensors[1], c.Tensors[2], c.Out.Dims)
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.FullyConnectedLayer(in[0], in[1], in[2], c.overflow(), c.rounding(), out)
		},
		source.fullyConnected,
	},
	"pooling": {
		func(c *layerCase, f Format, compatible bool) Result {
			p := c.Params
			l := Pooling{Average: p.Average, Size: p.Size, Padding: p.Padding, Ceiling: p.Ceiling, Compatible: compatible}
			return l.Apply(f, c.Tensors[0], c.Out.Dims)
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			kind := openvx.PoolingMax
			if c.Params.Average {
				kind = openvx.PoolingAvg
			}
			p := c.Params
			return g.PoolingLayer(in[0], kind, p.Size[0], p.Size[1], p.Padding[0], p.Padding[1], c.sizeRounding(), out)
		},
		source.pooling,
	},
	"roi_pooling": {
		func(c *layerCase, f Format, compatible bool) Result {
			return ROIPooling{Compatible: compatible}.Apply(f, c.Tensors[0], c.Tensors[1], c.Out.Dims)
		},
		func(g *openvx.Graph, _ *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.ROIPoolingLayer(in[0], in[1], openvx.ROIPoolParams{PoolType: openvx.PoolingMax}, out)
		},
		source.roiPooling,
	},
	"softmax": {
		func(c *layerCase, f Format, _ bool) Result { return Softmax(f, c.Tensors[0]) },
		func(g *openvx.Graph, _ *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.SoftmaxLayer(in[0], out)
		},
		source.softmax,
	},
	"activation": {
		func(c *layerCase, f Format, _ bool) Result {
			return Activation{Function: c.Params.Function, A: c.Params.Alpha, B: c.Params.Beta}.Apply(f, c.Tensors[0])
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			i := slices.Index(functions, c.Params.Function)
			return g.ActivationLayer(in[0], openvx.ActivationLogistic+openvx.Activation(i), c.Params.Alpha, c.Params.Beta, out)
		},
		source.activation,
	},
	"local_response_normalization": {
		normalization,
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			p := c.Params
			return g.LocalResponseNormalizationLayer(in[0], c.region(), p.Size[0], p.Alpha, p.Beta, p.Bias, out)
		},
		source.localResponseNormalization,
	},
	"normalization": {
		normalization,
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.NormalizationLayer(in[0], c.region(), c.Params.Size[0], c.Params.Alpha, c.Params.Beta, out)
		},
		source.normalization,
	},
	"add": {
		arithmetic,
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.TensorAddNode(in[0], in[1], c.overflow(), out)
		},
		source.arithmetic,
	},
	"subtract": {
		arithmetic,
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.TensorSubtractNode(in[0], in[1], c.overflow(), out)
		},
		source.arithmetic,
	},
	"multiply": {
		arithmetic,
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			scale, err := g.Context().CreateScalar(openvx.TypeFloat32, c.Params.Scale)
			if err != nil {
				return nil, err
			}
			defer scale.Release()
			return g.TensorMultiplyNode(in[0], in[1], scale, c.overflow(), c.rounding(), out)
		},
		source.multiply,
	},
	"table_lookup": {
		func(c *layerCase, f Format, _ bool) Result {
			return TableLookup(f, c.Tensors[0], c.Table)
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			lut, err := g.Context().CreateLUT(formats[c.Format].dtype, len(c.Table))
			if err != nil {
				return nil, err
			}
			defer lut.Release()
			if err := lut.Copy(encode(c.Format, c.Table), openvx.WriteOnly); err != nil {
				return nil, err
			}
			return g.TensorTableLookupNode(in[0], lut, out)
		},
		source.tableLookup,
	},
	"transpose": {
		func(c *layerCase, _ Format, _ bool) Result {
			return Transpose(c.Tensors[0], c.Params.Axes[0], c.Params.Axes[1])
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			return g.TensorTransposeNode(in[0], out, c.Params.Axes[0], c.Params.Axes[1])
		},
		source.transpose,
	},
	"convert_depth": {
		func(c *layerCase, f Format, _ bool) Result {
			l := ConvertDepth{Wrap: c.Params.Wrap, Norm: c.Params.Norm, Offset: c.Params.Offset}
			return l.Apply(f, formats[c.To].Format, c.Tensors[0])
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			norm, err := g.Context().CreateScalar(openvx.TypeFloat32, c.Params.Norm)
			if err != nil {
				return nil, err
			}
			defer norm.Release()
			offset, err := g.Context().CreateScalar(openvx.TypeFloat32, c.Params.Offset)
			if err != nil {
				return nil, err
			}
			defer offset.Release()
			return g.TensorConvertDepthNode(in[0], c.overflow(), norm, offset, out)
		},
		source.convertDepth,
	},
	"matrix_multiply": {
		func(c *layerCase, f Format, _ bool) Result {
			return MatrixMultiply{Transpose: c.Params.Transpose}.Apply(f, c.Tensors[0], c.Tensors[1], c.Tensors[2])
		},
		func(g *openvx.Graph, c *layerCase, in []*openvx.Tensor, out *openvx.Tensor) (*openvx.Node, error) {
			t := c.Params.Transpose
			p := openvx.MatrixMultiplyParams{TransposeA: t[0], TransposeB: t[1], TransposeC: t[2]}
			return g.TensorMatrixMultiplyNode(in[0], in[1], in[2], p, out)
		},
		source.matrixMultiply,
	},
}

func normalization(c *layerCase, f Format, _ bool) Result {
	p := c.Params
	return Normalization{AcrossMaps: p.AcrossMaps, Size: p.Size[0], Alpha: p.Alpha, Beta: p.Beta, Bias: p.Bias}.Apply(f, c.Tensors[0])
}

func arithmetic(c *layerCase, f Format, _ bool) Result {
	l := Arithmetic{Operator: c.Layer, Policy: c.Params.Policy, Scale: c.Params.Scale}
	return l.Apply(f, c.Tensors[0], c.Tensors[1], c.Out.Dims)
}

func (c *layerCase) overflow() openvx.ConvertPolicy {
	if c.Params.Wrap {
		return openvx.ConvertPolicyWrap
	}
	return openvx.ConvertPolicySaturate
}

func (c *layerCase) rounding() openvx.RoundPolicy {
	if c.Params.NearestEven {
		return openvx.RoundPolicyToNearestEven
	}
	return openvx.RoundPolicyToZero
}

func (c *layerCase) sizeRounding() openvx.SizeRounding {
	if c.Params.Ceiling {
		return openvx.SizeRoundingCeiling
	}
	return openvx.SizeRoundingFloor
}

func (c *layerCase) region() openvx.Normalization {
	if c.Params.AcrossMaps {
		return openvx.NormalizationAcrossMaps
	}
	return openvx.NormalizationSameMap
}

// expected is what the text says of a case.
func (c *layerCase) expected(compatible bool) Result {
	return layerTests[c.Layer].exact(c, formats[c.Format].Format, compatible)
}

// run computes a case with a graph of one node.
func (c *layerCase) run(t *testing.T, ctx *openvx.Context) []int64 {
	t.Helper()
	g, err := ctx.CreateGraph()
	check(t, err)
	defer g.Release()
	var in []*openvx.Tensor
	for _, v := range c.Tensors {
		in = append(in, createTensor(t, ctx, c.Format, v))
	}
	to := c.Format
	if c.To != "" {
		to = c.To
	}
	out := createTensor(t, ctx, to, New(c.Out.Dims...))
	defer func() {
		for _, v := range append(in, out) {
			if v != nil {
				v.Release()
			}
		}
	}()
	node, err := layerTests[c.Layer].node(g, c, in, out)
	check(t, err)
	defer node.Release()
	check(t, g.Verify())
	check(t, g.Process())
	data := make([]byte, Volume(c.Out.Dims)*formats[to].Bits/8)
	strides, step := make([]int, len(c.Out.Dims)), formats[to].Bits/8
	for i, d := range c.Out.Dims {
		strides[i] = step
		step *= d
	}
	check(t, out.CopyPatch(make([]int, len(c.Out.Dims)), c.Out.Dims, strides, data, openvx.ReadOnly))
	return decode(to, data)
}

func createTensor(t *testing.T, ctx *openvx.Context, format string, v *exactTensor) *openvx.Tensor {
	t.Helper()
	if v == nil {
		return nil
	}
	f := formats[format]
	x, err := ctx.CreateTensor(v.Dims, f.dtype, f.fixed)
	check(t, err)
	strides, step := make([]int, len(v.Dims)), f.Bits/8
	for i, d := range v.Dims {
		strides[i] = step
		step *= d
	}
	check(t, x.CopyPatch(make([]int, len(v.Dims)), v.Dims, strides, encode(format, v.Values), openvx.WriteOnly))
	return x
}

// encode and decode are elements in memory.
func encode(format string, values []int64) []byte {
	size := formats[format].Bits / 8
	data := make([]byte, 0, len(values)*size)
	for _, v := range values {
		if size == 1 {
			data = append(data, byte(v))
		} else {
			data = binary.NativeEndian.AppendUint16(data, uint16(v))
		}
	}
	return data
}

func decode(format string, data []byte) []int64 {
	var values []int64
	switch format {
	case "U8":
		for _, b := range data {
			values = append(values, int64(b))
		}
	case "S8":
		for _, b := range data {
			values = append(values, int64(int8(b)))
		}
	default:
		for i := 0; i < len(data); i += 2 {
			values = append(values, int64(int16(binary.NativeEndian.Uint16(data[i:]))))
		}
	}
	return values
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestExact compares random layers with the text, in exact arithmetic.
func TestExact(t *testing.T) {
	cases := testdata.Cases(24, 30_000)
	for name, layer := range layerTests {
		for _, compatible := range []bool{false, true} {
			mode := "/standard"
			if compatible {
				mode = "/compatible"
			}
			t.Run(name+mode, func(t *testing.T) {
				t.Parallel()
				ctx, err := openvx.NewContext(openvx.Options{Compatible: compatible, Threads: 1})
				check(t, err)
				defer ctx.Release()
				elements, open := 0, 0
				for seed := range uint64(cases) {
					c := layer.random(source{rand.New(rand.NewPCG(seed, 6)), name, seed})
					want := c.expected(compatible)
					if err := want.Check(c.run(t, ctx)); err != nil {
						text, _ := json.Marshal(c)
						t.Fatalf("seed %d: %v\n%s", seed, err, text)
					}
					elements += len(want.Low)
					open += want.Open()
				}
				t.Logf("%d elements, of which the text leaves %d open", elements, open)
			})
		}
	}
}

// TestExactActivation compares every element of a format, of Q7.8 only some unless the test is exhaustive.
func TestExactActivation(t *testing.T) {
	ctx, err := openvx.NewContext(openvx.Options{Threads: 1})
	check(t, err)
	defer ctx.Release()
	for _, f := range Formats {
		step := int64(testdata.Cases(3, 1))
		if f.Bits > 8 {
			step = int64(testdata.Cases(509, 1))
		}
		x := New(int((f.Max()-f.Min())/step) + 1)
		for i := range x.Values {
			x.Values[i] = f.Min() + int64(i)*step
		}
		for _, function := range functions {
			for _, p := range []layerParams{{Alpha: 1, Beta: 1}, {Alpha: 1.7159, Beta: 2.0 / 3}, {Alpha: 100, Beta: 0.01}} {
				p.Function = function
				c := layerCase{Layer: "activation", Format: f.Name, Tensors: []*exactTensor{x}, Params: p, Out: *New(x.Dims...)}
				if err := c.expected(false).Check(c.run(t, ctx)); err != nil {
					t.Errorf("%s, %s, a = %g, b = %g: %v", f.Name, function, p.Alpha, p.Beta, err)
				}
			}
		}
	}
}

// TestExactExtremes compares sums that leave 32 bits, and windows that reach far.
func TestExactExtremes(t *testing.T) {
	full := func(v int64, dims ...int) *exactTensor {
		x := New(dims...)
		for i := range x.Values {
			x.Values[i] = v
		}
		return x
	}
	var cases []layerCase
	for _, policy := range []Policy{{Wrap: true, NearestEven: true}, {}, {Wrap: true}, {NearestEven: true}}[:testdata.Cases(1, 4)] {
		p := layerParams{Policy: policy}
		for _, f := range Formats {
			taps := 140_000
			if f.Bits > 8 {
				taps = 2156
			}
			for _, v := range [][2]int64{{f.Min(), f.Min()}, {f.Min(), f.Max()}, {f.Max(), f.Max()}}[:testdata.Cases(1, 3)] {
				cases = append(cases,
					layerCase{Layer: "fully_connected", Format: f.Name, Params: p, Out: *New(2),
						Tensors: []*exactTensor{full(v[0], taps), full(v[1], taps, 2), full(v[0], 2)}},
					layerCase{Layer: "convolution", Format: f.Name, Params: p, Out: *New(1, 1, 1),
						Tensors: []*exactTensor{full(v[0], 7, 7, taps/49), full(v[1], 7, 7, taps/49, 1), full(v[1], 1, 1, 1)}},
					layerCase{Layer: "deconvolution", Format: f.Name,
						Params: layerParams{Policy: policy, Padding: [2]int{1, 1}}, Out: *New(1, 1, 1),
						Tensors: []*exactTensor{full(v[0], 2, 2, taps/4), full(v[1], 2, 2, taps/4, 1), nil}},
					layerCase{Layer: "matrix_multiply", Format: f.Name, Out: *New(2, 1),
						Tensors: []*exactTensor{full(v[0], taps, 1), full(v[1], 2, taps), full(v[1], 2, 1)}})
			}
		}
	}
	random := source{rand.New(rand.NewPCG(0, 7)), "convolution", 100}
	far := layerCase{Layer: "convolution", Format: "S8", Out: *New(1001, 1, 3),
		Params: layerParams{Padding: [2]int{1000, 0}, Dilation: [2]int{999, 9}}}
	random.operand(&far, 1, 21, 2)
	random.operand(&far, 2, 3, 2, 3)
	far.absent()
	cases = append(cases, far)
	for _, compatible := range []bool{false, true}[:testdata.Cases(1, 2)] {
		ctx, err := openvx.NewContext(openvx.Options{Compatible: compatible})
		check(t, err)
		defer ctx.Release()
		for _, c := range cases {
			if err := c.expected(compatible).Check(c.run(t, ctx)); err != nil {
				t.Errorf("%s %s %+v: %v", c.Layer, c.Format, c.Params, err)
			}
		}
	}
}
