package kernel_test

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/geometry"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// aroundTiles has shapes that fill tiles, blocks and runs of kernels, and ones that just do not: by operator, or by operator and row.
var aroundTiles = map[string]func(r *op.Rand) op.Case{
	"conv depthwise":           channelwise,
	"deconv depthwise":         upChannelwise,
	"conv lanes of groups":     fewOfGroups,
	"max_pool planes":          pooledPlanes,
	"max_pool planes of int8":  pooledPlanes,
	"max_pool planes of uint8": pooledPlanes,
	"max_pool planes of int16": pooledPlanes,
	"reverse": func(r *op.Rand) op.Case { // short runs, which are moved element by element
		x := r.Tensor(tensor.Float32, tensor.Shape{r.Between(1, 40), r.Between(1, 9)})
		return op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("axes", r.Axes(2, r.Between(1, 2)))}
	},
	"box planes": func(r *op.Rand) op.Case {
		c := pooledPlanes(r)
		c.Attrs = append(c.Attrs, graph.AttrsOf("normalize", r.Bool())...)
		return c
	},
	"l2_pool planes":     pooledPlanes,
	"mean_reduce planes": foldedPlanes,
	"sum_reduce planes": func(r *op.Rand) op.Case {
		c := foldedPlanes(r)
		c.Attrs = append(c.Attrs, graph.AttrsOf("normalize", r.Bool())...)
		return c
	},
	"rms_pool planes": pooledPlanes,
	"conv": func(r *op.Rand) op.Case {
		switch r.IntN(6) {
		case 0:
			return passedOver(r)
		case 1, 2:
			return pixelsAndBlocks(r, false)
		case 3:
			return longWindows(r)
		}
		groups, outs, perGroup := op.Pick(r, []int{1, 1, 2, 3}), op.Pick(r, []int{1, 2, 3, 9, 17, 40}), op.Pick(r, []int{1, 2, 7, 40})
		in, filter := tensor.Shape{r.Between(1, 2), groups * perGroup}, tensor.Shape{groups * outs, perGroup}
		var attrs graph.Attrs
		switch r.IntN(6) {
		case 4: // channels by themselves
			in, filter = append(in, r.Between(1, 9), r.Between(1, 20)), append(filter, r.Between(1, 5), r.Between(1, 5))
			attrs = graph.AttrsOf("padding", []int{4, r.Between(4, 5), r.Between(4, 5), 4}, "stride", []int{r.Between(1, 2), r.Between(1, 2)},
				"dilation", []int{r.Between(1, 2), op.Pick(r, []int{1, 1, 2})})
			groups = r.Between(5, 40)
			in[1], filter[0], filter[1] = groups, groups, 1
		case 0: // rows longer than a tile of taps
			in, filter = append(in, r.Between(130, 330)), append(filter, op.Pick(r, []int{1, 5, 129}))
			attrs = graph.AttrsOf("padding", []int{r.Between(0, 9), r.Between(0, 9)}, "stride", []int{op.Pick(r, []int{1, 1, 2})})
			in[1], filter[0], filter[1], groups = perGroup%4+1, outs%4+1, perGroup%4+1, 1
		case 1: // a plane of more than a tile
			in, filter = append(in, r.Between(60, 70), r.Between(60, 70)), append(filter, 3, r.Between(1, 3))
			attrs = graph.AttrsOf("padding", []int{r.Between(0, 2), 1, r.Between(0, 2), 1})
			in[0], in[1], filter[0], filter[1], groups = 1, 2, 2, 2, 1
		case 2: // more taps than a block has
			in, filter = append(in, 2, r.Between(2, 5)), append(filter, 3, 3)
			attrs = graph.AttrsOf("padding", []int{1, 1, 1, 1})
			in[1], filter[0], filter[1], groups = 250, 3, 250, 1
		default: // several short rows at a time
			in, filter = append(in, r.Between(1, 6), r.Between(1, 5)), append(filter, r.Between(1, 3), r.Between(1, 3))
			attrs = graph.AttrsOf("padding", []int{r.Between(1, 3), r.Between(1, 3), r.Between(1, 3), r.Between(1, 3)})
		}
		border := op.Pick(r, []string{"constant", "constant", "replicate", "reflect", "reflect-even"})
		attrs = append(attrs, graph.AttrsOf("groups", groups, "border", border, "dtype", r.DType(sums))...)
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil}, Attrs: attrs}
		if r.Bool() {
			c.In[2] = r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {filter[0]}}))
		}
		if r.Bool() {
			c.In = append(c.In, r.Tensor(tensor.Int8, tensor.Shape{}), r.Tensor(tensor.Int8, op.Pick(r, []tensor.Shape{{}, {filter[0]}})))
		}
		return c
	},
	"scatter_nd_reduce": func(r *op.Rand) op.Case {
		shape, n := tensor.Shape{r.Between(1, 4), r.Between(1, 4), op.Pick(r, []int{3, 16, 17, 70})}, op.Pick(r, []int{1, 9, 600})
		k := r.Between(1, 2)
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape), r.Integers(tensor.Int64, tensor.Shape{n, k}, -5, 5),
			r.Tensor(tensor.Float32, append(tensor.Shape{n}, shape[k:]...))},
			Attrs: graph.AttrsOf("reduction", op.Pick(r, []string{"add", "mul", "max", "min"}), "negative", r.Bool())}
	},
	"cumulative_sum rows":     runningLines,
	"cumulative_product rows": runningLines,
	"transpose": func(r *op.Rand) op.Case {
		shape := make(tensor.Shape, r.Between(2, 4))
		for d := range shape {
			shape[d] = op.Pick(r, []int{1, 2, 7, 8, 9, 15, 16, 17, 33})
			if d > 1 {
				shape[d] = r.Between(1, 9)
			}
		}
		r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		axes := r.Perm(len(shape))
		if r.IntN(3) == 0 {
			axes = [][]int{{0, 1}, {0, 2, 1}, {0, 2, 3, 1}}[len(shape)-2]
		}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("axes", axes)}
	},
	"concat": func(r *op.Rand) op.Case {
		shape := tensor.Shape{r.Between(1, 2), 16, r.Between(1, 20), r.Between(1, 3)}
		axis := op.Pick(r, []int{0, 1, 1, 2, 3})
		c := op.Case{Attrs: graph.AttrsOf("axis", axis)}
		for range r.Between(1, 3) {
			shape[axis] = op.Pick(r, []int{16, 32, 48, 5})
			c.In = append(c.In, r.Tensor(tensor.Float32, shape))
		}
		return c
	},
	"resample nearest": func(r *op.Rand) op.Case { return resized(r, "nearest-neighbor") },
	"resize nearest": func(r *op.Rand) op.Case {
		c := resized(r, "nearest-neighbor")
		places := []string{"half_pixel", "align_corners", "asymmetric", "tf_half_pixel_for_nn"}
		c.Attrs = append(c.Attrs, graph.AttrsOf("coordinates", op.Pick(r, places), "nearest_mode", op.Pick(r, []string{"round_prefer_ceil", "floor", "ceil"}))...)
		return c
	},
	"resample sums":             func(r *op.Rand) op.Case { return resizedAnywhere(r, "resample") },
	"resize sums":               func(r *op.Rand) op.Case { return resizedAnywhere(r, "resize") },
	"multilinear_upsample sums": func(r *op.Rand) op.Case { return resizedAnywhere(r, "multilinear_upsample") },
	"grid_sample blocks": func(r *op.Rand) op.Case {
		in, out := tensor.Shape{r.Between(1, 2), blockedChannels(r), r.Between(1, 9), r.Between(1, 9)}, tensor.Shape{r.Between(1, 12), r.Between(1, 12)}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Uniform(tensor.Float32, tensor.Shape{in[0], out[0], out[1], 2}, -1.5, 1.5)},
			Attrs: graph.AttrsOf("mode", op.Pick(r, []string{"linear", "nearest", "cubic"}), "padding_mode", op.Pick(r, []string{"zeros", "border", "reflection"}), "align_corners", r.Bool())}
	},
	"roi_align blocks": func(r *op.Rand) op.Case {
		in, n, most := tensor.Shape{r.Between(1, 2), blockedChannels(r), r.Between(1, 20), r.Between(1, 20)}, r.Between(1, 4), 20.0
		ratio := r.Between(0, 3)
		if r.IntN(4) == 0 { // more places than are found at a time
			in[2], in[3], ratio, most = 9, 90, op.Pick(r, []int{0, 40}), 99
		}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Uniform(tensor.Float32, tensor.Shape{n, 4}, -3, most), r.Integers(tensor.Int32, tensor.Shape{n}, -1, in[0])},
			Attrs: graph.AttrsOf("output_size", []int{r.Between(1, 3), r.Between(1, 3)}, "sampling_ratio", ratio, "half_pixel", r.Bool())}
	},
	"deform_conv blocks": func(r *op.Rand) op.Case {
		groups, moved := 1, 1
		channels, outs := blockedChannels(r), op.Pick(r, []int{1, 3, 16, 33})
		switch r.IntN(4) {
		case 0:
			moved = op.Pick(r, []int{2, 3})
			channels = moved * op.Pick(r, []int{1, 2, 4, 8, 16})
		case 1:
			groups, channels = 2, 32
			moved = op.Pick(r, []int{1, 2, 4})
		}
		f := tensor.Shape{groups * outs, channels / groups, r.Between(1, 3), r.Between(1, 3)}
		in := tensor.Shape{r.Between(1, 2), channels, r.Between(3, 7), r.Between(3, 7)}
		with := func(n int) tensor.Shape { return tensor.Shape{in[0], n, in[2] - f[2] + 3, in[3] - f[3] + 2} }
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, f), r.Uniform(tensor.Float32, with(2*moved*f[2]*f[3]), -2, 2),
			r.Tensor(tensor.Float32, f[:1]), r.Tensor(tensor.Float32, with(moved*f[2]*f[3]))},
			Attrs: graph.AttrsOf("groups", groups, "offset_groups", moved, "padding", []int{1, 1, 0, 1})}
		if r.IntN(3) == 0 { // nothing outside
			c.In[2] = r.Uniform(tensor.Float32, c.In[2].Shape(), 0, 0.5)
			c.Attrs = graph.AttrsOf("groups", groups, "offset_groups", moved, "padding", []int{0, 2, 0, 1})
		}
		for i := 3; i < 5; i++ {
			if r.Bool() {
				c.In[i] = nil
			}
		}
		return c
	},
	"cast elements": func(r *op.Rand) op.Case {
		to := op.Pick(r, []tensor.DType{tensor.Float32, tensor.Float32, tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Int16, tensor.Uint16, tensor.Int32, tensor.Uint32})
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, tensor.Shape{r.Between(1, 3), extent(r)})}, Attrs: graph.AttrsOf("dtype", to)}
	},
	"pad elements": func(r *op.Rand) op.Case {
		shape, around := tensor.Shape{r.Between(1, 2), op.Pick(r, []int{3, 16, 17}), r.Between(1, 9), r.Between(1, 9)}, make([]int, 8)
		for i := range around {
			if i < 2 || i > 3 || r.IntN(4) == 0 {
				around[i] = r.Between(0, 3)
			}
			if i > 4 {
				around[i] -= shape[i/2] / 4
			}
		}
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape), r.Tensor(tensor.Float32, nil)}, Attrs: graph.AttrsOf("padding", around)}
	},
	"deconv": func(r *op.Rand) op.Case { return pixelsAndBlocks(r, true) },
	"matmul": func(r *op.Rand) op.Case {
		m, k, n := matrixExtents(r)
		a, b, ta, tb := factors(r, m, k, n)
		zeros := []tensor.Shape{{}, {m, 1}, {}, {1, n}}
		if r.IntN(3) == 0 { // pairs of matrices
			a, b = append(tensor.Shape{op.Pick(r, []int{1, 2}), 3}, a...), append(tensor.Shape{2, op.Pick(r, []int{1, 3})}, b...)
			zeros[1], zeros[3] = tensor.Shape{1, 1, m, 1}, tensor.Shape{1, 1, 1, n}
		}
		c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, a), r.Tensor(tensor.Float32, b)}, Attrs: graph.AttrsOf("transposeA", ta, "transposeB", tb, "dtype", r.DType(sums))}
		if r.Bool() {
			c.In = append(c.In, r.Tensor(tensor.Int8, op.Pick(r, zeros[:2])), r.Tensor(tensor.Int8, op.Pick(r, zeros[2:])))
		}
		return c
	},
	"matmul tiles of float64": manyTiles,
	"matmul tiles of int32":   manyTiles,
	"linear": func(r *op.Rand) op.Case {
		m, k, n := matrixExtents(r)
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, tensor.Shape{m, k}), r.Tensor(tensor.Float32, tensor.Shape{n, k}),
			r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {n}}))}, Attrs: graph.AttrsOf("dtype", r.DType(sums))}
	},
	"lstm":      func(r *op.Rand) op.Case { return sequence(r, "lstm") },
	"lstm_cell": func(r *op.Rand) op.Case { return sequence(r, "lstm_cell") },
	"gru":       func(r *op.Rand) op.Case { return sequence(r, "gru") },
	"gru_cell":  func(r *op.Rand) op.Case { return sequence(r, "gru_cell") },
	"rnn":       func(r *op.Rand) op.Case { return sequence(r, "rnn") },
	"lookup": func(r *op.Rand) op.Case {
		return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Int8, tensor.Shape{r.Between(1, 3), r.Between(1, 70), r.Between(1, 3)}), r.Tensor(tensor.Uint8, tensor.Shape{256})},
			Attrs: graph.AttrsOf("offset", op.Pick(r, []int{0, 128}))}
	},
	"quantize_linear":   anyLength(true),
	"dequantize_linear": anyLength(false),
	"requantize":        sumsOfAnyLength,
	"add":               sameShapes,
	"sub":               sameShapes,
	"box": func(r *op.Rand) op.Case {
		c := longRows(r)
		c.Attrs = append(c.Attrs, graph.AttrsOf("normalize", r.Bool())...)
		return c
	},
	"box whole planes": func(r *op.Rand) op.Case {
		batch, channels, h, w := r.Between(1, 3), r.Between(1, 40), r.Between(2, 9), r.Between(8, 12)
		return op.Case{In: []*tensor.Tensor{r.Tensor(op.Pick(r, []tensor.DType{tensor.Uint8, tensor.Int8, tensor.Int16}), tensor.Shape{batch, channels, h, w})},
			Attrs: graph.AttrsOf("size", []int{1, 1, h, w}, "padding", make([]int, 8), "normalize", r.Bool(), "border", op.Pick(r, []string{"constant", "ignore"}))}
	},
	"max_pool": longRows,
	"top_k": func(r *op.Rand) op.Case { // more than there is room for, and so many that they are sorted by digits
		shape, axis := tensor.Shape{r.Between(1, 3), op.Pick(r, []int{63, 64, 65, 129, 500, 2000}), r.Between(1, 3)}, 1
		x := r.Tensor(tensor.Float32, shape)
		switch r.IntN(3) {
		case 0:
			x = r.Integers(tensor.Float32, shape, -9, 9)
		case 1:
			x = r.Extremes(tensor.Float32, shape)
		}
		k := op.Pick(r, []int{1, 2, 31, 32, 33, 62, 128, 129, 400, shape[1]})
		return op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("axis", axis, "k", min(k, shape[1]), "largest", r.Bool(), "sorted", r.Bool())}
	},
	"l2_pool":  longRows,
	"rms_pool": longRows,
}

func init() { // groups of more elements than vectors have
	for _, row := range []string{"lanes", "integers", "places"} {
		for _, name := range []string{"sum", "mean", "max", "min", "product", "l1", "l2", "sum_square", "log_sum", "log_sum_exp", "any", "all", "argmax", "argmin"} {
			name += "_reduce"
			aroundTiles[name+" "+row] = func(r *op.Rand) op.Case {
				d, _ := op.Lookup(name)
				c := d.Draw(r)
				shape := tensor.Shape{r.Between(1, 3), op.Pick(r, []int{1, 2, 15, 16, 17, 49, 130, 300}), op.Pick(r, []int{1, 2, 3, 49, 64, 65, 300})}
				if shape.Len() > 1<<14 {
					shape[2] = op.Pick(r, []int{2500, 2048})
					shape[1] = r.Between(1, 2)
				}
				c.In[0], c.Attrs = r.Tensor(c.In[0].DType(), shape), c.Attrs.With("axes", r.Axes(3, r.Between(1, 3)))
				return c
			}
		}
	}
}

// factors returns the shapes of the factors of a product, and which of them are transposed.
func factors(r *op.Rand, m, k, n int) (a, b tensor.Shape, transposeA, transposeB bool) {
	a, b = tensor.Shape{m, k}, tensor.Shape{k, n}
	if transposeA = r.Bool(); transposeA {
		slices.Reverse(a)
	}
	if transposeB = r.Bool(); transposeB {
		slices.Reverse(b)
	}
	return a, b, transposeA, transposeB
}

// manyTiles returns a product of any rows that tiles have, or more than twice as many, with blocks of k, and lines that share cache sets.
func manyTiles(r *op.Rand) op.Case {
	m, k, n := op.Pick(r, []int{r.Between(1, 30), 41, 177}), op.Pick(r, []int{1, 5, 128, 255, 256, 257, 512, 520}), op.Pick(r, []int{1, 7, 8, 16, 17, 40, 133})
	a, b, ta, tb := factors(r, m, k, n)
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float64, a), r.Tensor(tensor.Float64, b)}, Attrs: graph.AttrsOf("transposeA", ta, "transposeB", tb, "dtype", tensor.Int32)}
}

// sums are the types that sums of integers have.
var sums = op.TypeSet(tensor.Int32, tensor.Int64)

// resized returns a case of a change of the size of planes, in a mode.
func resized(r *op.Rand, mode string) op.Case {
	shape := tensor.Shape{r.Between(1, 2), op.Pick(r, []int{3, 8, 9, 16, 17, 33}), r.Between(1, 9)}
	if r.Bool() {
		shape = append(shape, r.Between(1, 9))
	}
	sizes := slices.Clone(shape)
	for d := range sizes[2:] {
		sizes[d+2] = r.Between(1, 20)
	}
	attrs := graph.AttrsOf("mode", mode, "sizes", []int(sizes), "scales", []float64{})
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: attrs}
}

// resizedAnywhere returns a case of an interpolation along some dimensions of a few: short ones, and those around blocks and groups of lines.
func resizedAnywhere(r *op.Rand, name string) op.Case {
	shape := make(tensor.Shape, r.Between(1, 5))
	if name == "multilinear_upsample" {
		shape = make(tensor.Shape, r.Between(3, 5))
	}
	for d := range shape {
		shape[d] = op.Pick(r, []int{1, 2, 3, 5, 7})
	}
	shape[r.IntN(len(shape))] = op.Pick(r, []int{8, 9, 15, 16, 17, 33, 40})
	sizes, factor := slices.Clone(shape), []int(nil)
	for d := range sizes {
		if r.Bool() {
			sizes[d] = op.Pick(r, []int{1, r.Between(1, 20)})
		}
		if d > 1 {
			factor = append(factor, r.Between(1, 3))
		}
	}
	attrs := graph.AttrsOf("mode", "linear", "sizes", []int(sizes), "scales", []float64{})
	switch name {
	case "multilinear_upsample":
		attrs = graph.AttrsOf("factor", factor, "method", op.Pick(r, []string{"symmetric", "asymmetric", "aligned"}), "border", "replicate")
	case "resize":
		attrs = graph.AttrsOf("mode", op.Pick(r, []string{"linear", "cubic"}), "sizes", []int(sizes), "scales", []float64{}, "antialias", r.Bool(),
			"exclude_outside", r.Bool(), "coordinates", op.Pick(r, []string{"half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"}))
	}
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: attrs}
}

// blockedChannels returns a number of channels around those of blocks.
func blockedChannels(r *op.Rand) int { return op.Pick(r, []int{2, 3, 8, 15, 16, 17, 33}) }

// channelwise returns a case of a convolution of which each channel is a group by itself: planes of all sizes around groups of pixels, some of layers, with
// padding that whole windows fit into.
func channelwise(r *op.Rand) op.Case {
	channels := op.Pick(r, []int{2, 7, 8, 9, 15, 16, 17, 33})
	in, filter := tensor.Shape{r.Between(1, 2), channels}, tensor.Shape{channels, 1}
	var padding, stride, dilation []int
	rank := r.Between(1, 3)
	for range rank {
		n, size, d := r.Between(1, []int{20, 20, 8}[rank-1]), r.Between(1, 5-rank/3), op.Pick(r, []int{1, 1, 2, 3})
		before, after := r.Between(0, 6), r.Between(0, 6)
		after += max((size-1)*d+1-n-before-after, 0)
		in, filter = append(in, n), append(filter, size)
		padding, stride, dilation = append(padding, before, after), append(stride, op.Pick(r, []int{1, 1, 2, 3})), append(dilation, d)
	}
	c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil},
		Attrs: graph.AttrsOf("padding", padding, "stride", stride, "dilation", dilation, "groups", op.Pick(r, []int{0, channels}))}
	if r.Bool() {
		c.In[2] = r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {channels}, {1, channels}}))
	}
	return c
}

// fewOfGroups is channelwise for groups of a few channels.
func fewOfGroups(r *op.Rand) op.Case {
	c := channelwise(r)
	in, filter := c.In[0].Shape().Clone(), c.In[1].Shape().Clone()
	groups, outs := in[1], r.Between(1, 4)
	filter[1] = op.Pick(r, []int{2, 2, 3, 4, 16})
	in[1] *= filter[1]
	filter[0] *= outs
	c.In[0], c.In[1] = r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter)
	if c.In[2] != nil {
		c.In[2] = r.Tensor(tensor.Float32, tensor.Shape{filter[0]})
	}
	dilation := slices.Clone(c.Attrs.Ints("dilation"))
	if r.IntN(4) > 0 {
		dilation[len(dilation)-1] = 1
	}
	c.Attrs = graph.AttrsOf("padding", c.Attrs.Ints("padding"), "stride", c.Attrs.Ints("stride"), "dilation", dilation, "groups", groups)
	return c
}

// upChannelwise is channelwise for transposed convolutions, of which some results meet nothing.
func upChannelwise(r *op.Rand) op.Case {
	channels, rank := op.Pick(r, []int{2, 8, 9, 16, 33}), r.Between(1, 2)
	in, filter := tensor.Shape{r.Between(1, 2), channels}, tensor.Shape{channels, 1}
	var padding, stride, dilation, output []int
	for range rank {
		n, size, by, d := r.Between(1, 12), r.Between(1, 6), r.Between(1, 4), op.Pick(r, []int{1, 1, 1, 1, 2})
		reach := (n-1)*by + (size-1)*d + 1
		before, after := r.Between(0, min(3, reach-1)), 0
		after = r.Between(0, min(3, reach-1-before))
		in, filter, output = append(in, n), append(filter, size), append(output, reach-before-after+r.IntN(by))
		padding, stride, dilation = append(padding, before, after), append(stride, by), append(dilation, d)
	}
	c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil},
		Attrs: graph.AttrsOf("padding", padding, "stride", stride, "dilation", dilation, "groups", op.Pick(r, []int{0, channels}))}
	if r.Bool() {
		c.Attrs = append(c.Attrs, graph.AttrsOf("output_shape", append([]int{in[0], channels}, output...))...)
	}
	if r.Bool() {
		c.In[2] = r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {channels}}))
	}
	return c
}

// pixelsAndBlocks returns a case of conv or deconv with some pixels in a row and some blocks of channels.
func pixelsAndBlocks(r *op.Rand, up bool) op.Case {
	groups := op.Pick(r, []int{1, 1, 1, 3})
	perGroup, outs := op.Pick(r, []int{1, 3, 4, 5, 15, 16, 17, 32, 36}), op.Pick(r, []int{1, 7, 8, 9, 16, 17, 24, 32, 33, 48, 80})
	if groups > 1 {
		perGroup, outs = op.Pick(r, []int{3, 4, 8, 16, 24, 32}), op.Pick(r, []int{4, 8, 16, 20, 32, 48})
	}
	in, filter := tensor.Shape{r.Between(1, 2), groups * perGroup, r.Between(5, 9), r.Between(7, 60)}, tensor.Shape{groups * outs, perGroup, r.Between(1, 3), r.Between(1, 4)}
	if up {
		filter[0], filter[1], in[3] = groups*perGroup, outs, r.Between(7, 20)
	}
	if in.Len()*outs*filter[2:].Len() > 1<<17 {
		in[0], in[2], in[3] = 1, 5, r.Between(7, 20)
	}
	attrs := graph.AttrsOf("padding", []int{r.Between(0, 2), r.Between(0, 2), r.Between(0, 3), r.Between(0, 3)},
		"stride", []int{r.Between(1, 2), op.Pick(r, []int{1, 1, 2, 3})}, "dilation", []int{r.Between(1, 2), r.Between(1, 2)},
		"groups", groups, "border", op.Pick(r, []string{"constant", "constant", "constant", "replicate"}), "dtype", r.DType(sums))
	c := op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil}, Attrs: attrs}
	if r.Bool() {
		c.In[2] = r.Tensor(tensor.Float32, op.Pick(r, []tensor.Shape{{}, {groups * outs}}))
	}
	return c
}

// passedOver returns a case of a convolution whose windows pass over some of the input: windows of one element, which may reach just to its end, or larger
// ones of which a line of the result has few.
func passedOver(r *op.Rand) op.Case {
	groups, perGroup := op.Pick(r, []int{1, 1, 2}), op.Pick(r, []int{3, 5, 16, 17, 32})
	outs, size, padding := op.Pick(r, []int{1, 8, 16, 24, 33}), []int{1, 1}, []int{0, 0, 0, op.Pick(r, []int{0, 0, 1})}
	in := tensor.Shape{r.Between(1, 2), groups * perGroup, r.Between(1, 9), r.Between(1, 9)}
	if r.Bool() {
		outs, size = op.Pick(r, []int{32, 33, 48}), []int{r.Between(1, 3), r.Between(2, 4)}
		padding = []int{size[0] / 2, (size[0] - 1) / 2, (size[1] - 1) / 2, size[1] / 2}
		in[2], in[3] = r.Between(2, 15), r.Between(2, 20)
	}
	filter := append(tensor.Shape{groups * outs, perGroup}, size...)
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil},
		Attrs: graph.AttrsOf("padding", padding, "stride", []int{r.Between(1, 3), r.Between(1, 3)}, "dilation", []int{1, op.Pick(r, []int{1, 1, 2})}, "groups", groups)}
}

// longWindows returns a case of a convolution of one channel, in rows of which a window meets one.
func longWindows(r *op.Rand) op.Case {
	size, stride := op.Pick(r, []int{2, 10, 16, 33, 48}), op.Pick(r, []int{1, 5, 16, 40})
	in, filter := tensor.Shape{r.Between(1, 2), 1}, tensor.Shape{op.Pick(r, []int{1, 7, 16, 17, 40}), 1}
	strides := []int{stride}
	if r.Bool() {
		in, filter, strides = append(in, r.Between(1, 4)), append(filter, 1), []int{r.Between(1, 2), stride}
	}
	in, filter = append(in, size+stride*r.Between(0, 20)+r.IntN(stride)), append(filter, size)
	padding := make([]int, 2*len(strides))
	if r.IntN(4) == 0 {
		padding[0] = 1
	}
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, in), r.Tensor(tensor.Float32, filter), nil}, Attrs: graph.AttrsOf("padding", padding, "stride", strides)}
}

// pooledPlanes returns a case of pooling over planes of all sizes around groups of pixels, and of few channels over planes of several tiles.
func pooledPlanes(r *op.Rand) op.Case {
	c := channelwise(r)
	if in := c.In[0].Shape().Clone(); len(in) < 5 && r.IntN(4) == 0 {
		in[1], in[len(in)-1] = r.Between(1, 3), op.Pick(r, []int{31, 32, 33, 255, 256, 257, 520})
		c.In[0] = r.Tensor(tensor.Float32, in)
	}
	if x := tensor.Words[uint32](c.In[0]); r.Bool() { // no signs, as behind a relu, or a single one
		for i := range x {
			x[i] &= math.MaxInt32
		}
		if r.Bool() {
			x[r.IntN(len(x))] |= 1 << 31
		}
	}
	with := func(name string, first ...int) []int { return append(first, c.Attrs.Ints(name)...) }
	a := graph.AttrsOf("size", append([]int{1, 1}, c.In[1].Shape()[2:]...), "border", op.Pick(r, []string{"ignore", "ignore", "ignore", "constant"}),
		"padding", with("padding", 0, 0, 0, 0), "stride", with("stride", 1, 1), "dilation", with("dilation", 1, 1))
	return op.Case{In: c.In[:1], Attrs: a}
}

// foldedPlanes returns a case of a reduction of all dimensions behind the channels.
func foldedPlanes(r *op.Rand) op.Case {
	shape, axes := tensor.Shape{r.Between(1, 3), op.Pick(r, []int{1, 7, 15, 16, 17, 31, 32, 48})}, []int{2}
	shape = append(shape, op.Pick(r, []int{1, 3, 7, 15, 16, 17, 31, 49}))
	if r.Bool() {
		shape, axes = append(shape, r.Between(1, 4)), []int{3, 2}
	}
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("axes", axes)}
}

// anyLength returns cases of elements that do not fill vectors, with a scale and a zero point for all, or with those of blocks of which the last of each
// row may have less.
func anyLength(quantize bool) func(r *op.Rand) op.Case {
	return func(r *op.Rand) op.Case {
		x := r.Uniform(tensor.Float32, tensor.Shape{1, r.Between(1, 150), r.Between(1, 2)}, -200, 200)
		d := r.DType(bits8 | op.TypeSet(tensor.Int16, tensor.Uint16))
		if !quantize {
			x = r.Tensor(d, x.Shape())
		}
		if r.Bool() {
			in := tensor.Shape{r.Between(1, 3), r.Between(1, 5), r.Between(1, 90)}
			block := []int{r.Between(1, in[0]), r.Between(1, in[1]), r.Between(1, 100)}
			if r.Bool() { // along some dimensions as many as elements, along others one
				for d, n := range in {
					block[d] = op.Pick(r, []int{1, n})
				}
			}
			small, zero := in.Clone(), tensor.Shape{}
			for d, n := range in {
				small[d] = geometry.BlocksIn(n, block[d])
			}
			if r.Bool() {
				zero = small
			}
			if x = r.Uniform(tensor.Float32, in, -200, 200); !quantize {
				x = r.Tensor(d, in)
			}
			scale := r.Uniform(tensor.Float32, small, 0.1, 2)
			if quantize && r.Bool() { // quotients halfway between integers, and beyond all
				for i, v := range tensor.Data[float32](x) {
					tensor.Data[float32](x)[i] = float32(math.Floor(float64(v))) / 4
				}
				for i := range tensor.Data[float32](scale) {
					tensor.Data[float32](scale)[i] = op.Pick(r, []float32{0.5, 0.5, -0.25, 0x1p-14})
				}
			} else if r.IntN(4) == 0 && quantize {
				x = r.Extremes(tensor.Float32, in)
			}
			return op.Case{In: []*tensor.Tensor{x, scale, r.Tensor(d, zero)}, Attrs: graph.AttrsOf("block", block)}
		}
		return op.Case{In: []*tensor.Tensor{x, r.Uniform(tensor.Float32, tensor.Shape{}, 0.1, 2), r.Tensor(d, tensor.Shape{})}}
	}
}

// sumsOfAnyLength returns a case of requantize from one of quantize_linear.
func sumsOfAnyLength(r *op.Rand) op.Case {
	c := anyLength(true)(r)
	shape := c.In[0].Shape()
	d := r.DType(op.TypeSet(tensor.Int32, tensor.Int64))
	if c.In[0] = r.Integers(d, shape, -3000, 3000); r.IntN(4) == 0 {
		c.In[0] = r.Tensor(d, shape)
	}
	return c
}

// sameShapes returns a case of two operands that do not broadcast.
func sameShapes(r *op.Rand) op.Case {
	shape := r.Shape(0, 3)
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Int8, shape), r.Tensor(tensor.Int8, shape)},
		Attrs: graph.AttrsOf("overflow", op.Pick(r, []string{"wrap", "saturate"}))}
}

// matrixExtents returns how many rows a left matrix, rows a right one, and columns it has: around the sizes of tiles, or once more than a block has.
func matrixExtents(r *op.Rand) (m, k, n int) {
	switch which := r.IntN(14); {
	case which == 0 && interpreting != nil:
		return r.Between(5, 7), 1025, r.Between(65, 67)
	case which == 0: // several blocks of k, of rows that share cache sets
		return r.Between(5, 20), op.Pick(r, []int{1024, 1025, 3073}), r.Between(65, 80)
	case which == 1: // several blocks of rows, that are far from one another if transposed
		return r.Between(257, 260), r.Between(1, 5), r.Between(65, 80)
	case which == 2: // several blocks of columns
		return r.Between(1, 20), r.Between(1, 5), r.Between(510, 530)
	case which == 12: // a row by columns that may lie along lines
		return 1, extent(r), r.Between(60, 270)
	case which == 13: // and a column
		return r.Between(60, 270), extent(r), 1
	case which <= 5: // several tiles
		return r.Between(4, 50), extent(r), extent(r)
	}
	return r.Between(1, 3), extent(r), extent(r)
}

// extent returns a number around the extents of tiles.
func extent(r *op.Rand) int {
	return max(op.Pick(r, []int{4, 8, 16, 32, 64, 128, 256})+r.Between(-2, 2), 1)
}

// longRows returns a case of pooling rows of more than a tile.
func longRows(r *op.Rand) op.Case {
	stride := op.Pick(r, []int{1, 1, 2})
	attrs := graph.AttrsOf("size", []int{1, 2, r.Between(1, 7)}, "border", op.Pick(r, []string{"constant", "ignore", "ignore", "replicate"}),
		"padding", []int{0, 0, 1, 1, r.Between(0, 7), r.Between(0, 7)}, "stride", []int{1, r.Between(1, 2), stride})
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, tensor.Shape{2, 3, stride * r.Between(120, 140)})}, Attrs: attrs}
}

// runningLines has lines beside each other, fewer and more than are combined at a time.
func runningLines(r *op.Rand) op.Case {
	shape := tensor.Shape{r.Between(1, 2), r.Between(1, 5), op.Pick(r, []int{1, 15, 16, 17, 40, 1024, 1025, 2100})}
	return op.Case{In: []*tensor.Tensor{r.Tensor(tensor.Float32, shape)}, Attrs: graph.AttrsOf("axis", r.Between(0, 1), "exclusive", r.Bool(), "reversed", r.Bool())}
}
