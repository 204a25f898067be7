package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// farWindow is an operator with a window over the dimensions behind the channels.
type farWindow struct {
	op                        string // or "depthwise"
	dtype                     tensor.DType
	shape                     tensor.Shape // of the operand
	channels                  int          // of the result of a convolution
	size                      tensor.Shape
	padding, stride, dilation []int
	border                    string
}

// graph returns a graph of the window and its operand; nil if it is refused, or has a large result.
func (w farWindow) graph(t *testing.T, r *op.Rand) (*graph.Graph, *tensor.Tensor) {
	n, x := newNet(t), r.Tensor(w.dtype, w.shape)
	in := []*graph.Value{n.input("x", w.dtype, w.shape...)}
	filter, name, more := slices.Concat(tensor.Shape{w.channels, w.shape[1]}, w.size), w.op, graph.Attrs(nil)
	switch name {
	case "depthwise":
		name, filter[0], filter[1], more = "conv", w.shape[1], 1, attrs("groups", 0)
	case "deconv":
		filter[0], filter[1] = filter[1], filter[0]
	}
	if name == "conv" || name == "deconv" {
		f, err := n.Constant("", "", r.Tensor(w.dtype, filter))
		in = append(in, ok(t, f, err))
	} else {
		more = attrs("size", slices.Concat([]int{1, 1}, w.size), "border", w.border)
		w.padding, w.stride, w.dilation = slices.Concat(make([]int, 4), w.padding), slices.Concat([]int{1, 1}, w.stride), slices.Concat([]int{1, 1}, w.dilation)
	}
	y, err := n.One(name, in, append(more, attrs("padding", w.padding, "stride", w.stride, "dilation", w.dilation)...), "")
	if err != nil || y.Type.Shape.Len() > 1<<16 {
		return nil, nil
	}
	n.output("y", y)
	g, err := n.Build()
	return ok(t, g, err), x
}

// TestFarWindows runs windows with strides, dilations and paddings as only a hostile model has them, up to the greatest that there may be: products of
// them are beyond 64 bits.
func TestFarWindows(t *testing.T) {
	const p = 1<<29 - 1
	windows := []farWindow{ // of which products wrap to 0
		{"conv", tensor.Uint8, tensor.Shape{1, 16, 2, 2}, 16, tensor.Shape{2, 2}, []int{p, p, p, p}, []int{1, 1}, []int{2*p + 1, 2*p + 1}, ""},
		{"max_pool", tensor.Float32, tensor.Shape{1, 16, 2, 2}, 0, tensor.Shape{2, 1}, []int{p, p, 0, 0}, []int{1, 1 << 28}, []int{2*p + 1, 1}, "ignore"},
		{"depthwise", tensor.Float32, tensor.Shape{1, 16, 2, 2}, 0, tensor.Shape{2, 1}, []int{p, p, 0, 0}, []int{1, 1 << 28}, []int{2*p + 1, 1}, ""},
	}
	for seed := range uint64(testdata.Cases(500, 20_000)) {
		r := op.NewRand(seed, 5)
		far := func() int {
			if r.Bool() {
				return r.Between(1, 3)
			}
			return 1<<r.IntN(35) - r.IntN(2)
		}
		w := farWindow{op.Pick(r, []string{"max_pool", "box", "l2_pool", "rms_pool", "debox", "conv", "depthwise", "deconv"}),
			op.Pick(r, []tensor.DType{tensor.Float32, tensor.Float32, tensor.Int8, tensor.Uint8, tensor.Int16}),
			tensor.Shape{r.Between(1, 2), op.Pick(r, []int{1, 3, 16, 20, 32})}, op.Pick(r, []int{1, 3, 16, 20}), nil, nil, nil, nil,
			op.Pick(r, []string{"ignore", "constant", "replicate"})}
		for range r.Between(1, 2) {
			in, size, d := r.Between(1, 12), r.Between(1, 3), far()
			all := max(0, (size-1)*d+1-in+op.Pick(r, []int{0, 0, 1, 2, 5}))
			before := op.Pick(r, []int{0, all / 2, all})
			w.shape, w.size, w.padding = append(w.shape, in), append(w.size, size), append(w.padding, before, all-before)
			w.stride, w.dilation = append(w.stride, far()), append(w.dilation, d)
		}
		windows = append(windows, w)
	}
	ran := 0
	for i, w := range windows {
		if g, x := w.graph(t, op.NewRand(uint64(i), 5)); g != nil {
			compareTiers(t, g, []*tensor.Tensor{x})
			ran++
		}
	}
	if ran < len(windows)/5 {
		t.Errorf("only %d of %d windows are run", ran, len(windows))
	}
}

// TestSmallTypes gives elements of a byte or less to what there are kernels for that read integers of 8 bits: sums of casts and of codes.
func TestSmallTypes(t *testing.T) {
	for _, d := range []tensor.DType{tensor.Int8, tensor.Uint8, tensor.Bool, tensor.Float8E4M3FN, tensor.Float8E5M2, tensor.Float8E8M0, tensor.Int4} {
		for _, to := range []tensor.DType{tensor.Uint8, tensor.Int8, tensor.Float8E4M3FN} {
			for name, made := range map[string]func(s small) *graph.Value{
				"bounded casts": func(s small) *graph.Value {
					sum := s.op("add", nil, s.cast(0, tensor.Int32), s.cast(1, tensor.Int32))
					return s.op("cast", attrs("dtype", to), s.op("clamp", nil, sum, s.number(tensor.Int32, 0), s.number(tensor.Int32, 100)))
				},
				"sum of a cast": func(s small) *graph.Value {
					return s.op("sum_reduce", attrs("axes", []int{1}), s.cast(0, tensor.Int32))
				},
				"codes":           func(s small) *graph.Value { return s.sum(s.code(0), s.code(1), to) },
				"code and cast":   func(s small) *graph.Value { return s.sum(s.code(0), s.cast(1, tensor.Float32), to) },
				"cast and code":   func(s small) *graph.Value { return s.sum(s.cast(0, tensor.Float32), s.code(1), to) },
				"casts to floats": func(s small) *graph.Value { return s.sum(s.cast(0, tensor.Float32), s.cast(1, tensor.Float32), to) },
			} {
				if (d == tensor.Bool || d == tensor.Float8E8M0) && strings.Contains(name, "code") {
					continue // neither is a code
				}
				t.Run(d.String()+"/"+name+"/"+to.String(), func(t *testing.T) {
					r := op.NewRand(1, 4)
					inputs := []*tensor.Tensor{r.Tensor(d, tensor.Shape{1, 40}), r.Tensor(d, tensor.Shape{1, 40})}
					n := newNet(t)
					s := small{n, d, [2]*graph.Value{n.input("x", d, 1, 40), n.input("y", d, 1, 40)}}
					n.output("z", made(s))
					g, err := n.Build()
					compareTiers(t, ok(t, g, err), inputs)
				})
			}
		}
	}
}

// small makes graphs of two operands of a type.
type small struct {
	net
	dtype tensor.DType
	in    [2]*graph.Value
}

func (s small) number(d tensor.DType, x float32) *graph.Value {
	v, err := tensor.Cast(floats(s.tb, []float32{x}), d)
	c, err2 := s.Constant("", "", ok(s.tb, v, err))
	return ok(s.tb, c, err2)
}

func (s small) cast(i int, to tensor.DType) *graph.Value {
	return s.op("cast", attrs("dtype", to), s.in[i])
}

func (s small) code(i int) *graph.Value {
	return s.op("dequantize_linear", nil, s.in[i], s.number(tensor.Float32, 1), s.number(s.dtype, 0))
}

// sum makes a code of a sum, one item of which half is added to.
func (s small) sum(x, y *graph.Value, to tensor.DType) *graph.Value {
	both := s.op("add", nil, s.op("add", nil, x, s.number(tensor.Float32, 0.5)), y)
	return s.op("quantize_linear", nil, both, s.number(tensor.Float32, 1), s.number(to, 0))
}
