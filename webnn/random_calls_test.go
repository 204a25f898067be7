package webnn_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// drawer draws arguments of calls, legal ones and others.
type drawer struct{ *rand.Rand }

func oneOf[T any](r drawer, from ...T) T { return from[r.IntN(len(from))] }

// typeText writes a type.
func typeText(d tensor.DType, extents ...int) string {
	return d.String() + tensor.Shape(extents).String()
}

// extents draws n numbers from lo to hi.
func (r drawer) extents(n, lo, hi int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = lo + r.IntN(hi-lo+1)
	}
	return list
}

// shape draws extents of a rank from that to 8, which make few elements, also with some padding.
func (r drawer) shape(rank int) []int {
	if rank += r.IntN(9 - rank); rank > 4 {
		return r.extents(rank, 1, 2)
	}
	return r.extents(rank, 1, 5)
}

// wild is an extents that now and then has a number of 32 bits.
func (r drawer) wild(n, lo, hi int) []int {
	list := r.extents(n, lo, hi)
	if r.IntN(12) == 0 {
		list[r.IntN(n)] = oneOf(r, most, pow31, 1<<31-1, 1<<30, 0)
	}
	return list
}

func (r drawer) float() tensor.DType { return oneOf(r, tensor.Float32, tensor.Float16) }

// maybe sets an option two times of three.
func (r drawer) maybe(o webnn.Options, name string, v any) {
	if r.IntN(3) > 0 {
		o[name] = v
	}
}

// ints returns a list option, or the default.
func ints(o webnn.Options, name string, fallback ...int) []int {
	if v, ok := o[name].([]int); ok {
		return v
	}
	return fallback
}

// word returns an option that is a word, or the default.
func word(o webnn.Options, name, fallback string) string {
	if v, ok := o[name].(string); ok {
		return v
	}
	return fallback
}

// rat and the functions below compute extents as the text does, with numbers of any size.
func rat(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// slidingSize is "calculate conv output size".
func slidingSize(in, window, before, after, stride, dilation int) *big.Rat {
	effective := new(big.Rat).Mul(rat(window-1), rat(dilation))
	effective.Add(effective, rat(1))
	n := new(big.Rat).Sub(rat(in), effective)
	n.Add(n, rat(before)).Add(n, rat(after)).Quo(n, rat(stride))
	return n.Add(n, rat(1))
}

// transposedSize is "calculate convtranspose output size".
func transposedSize(in, window, before, after, stride, dilation int) *big.Rat {
	n := new(big.Rat).Mul(rat(in-1), rat(stride))
	n.Add(n, new(big.Rat).Mul(rat(window-1), rat(dilation))).Add(n, rat(1))
	return n.Sub(n, rat(before)).Sub(n, rat(after))
}

func floorRat(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) } // Euclidean: a floor for denominators above 0

func ceilRat(x *big.Rat) *big.Int {
	n := floorRat(new(big.Rat).Neg(x))
	return n.Neg(n)
}

// extentOf returns a valid dimension as an int, and 0 for other numbers.
func extentOf(n *big.Int) int {
	if n.Sign() <= 0 || !n.IsInt64() || n.Int64() > math.MaxInt32 {
		return 0
	}
	return int(n.Int64())
}

// arranged brings batch, channels, height and width into a layout.
func arranged(layout string, n, c, h, w int) []int {
	if layout == "nhwc" {
		return []int{n, h, w, c}
	}
	return []int{n, c, h, w}
}

// trials draw a call of a method and say what comes of it by the text: the types of the results, or nothing if it is rejected.
var trials = map[string]func(r drawer) (args []any, o webnn.Options, want []string){
	"conv2d": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, sizes := r.float(), webnn.Options{}, r.extents(4, 1, 6)
		groups, perGroup := oneOf(r, 1, 1, 2, 3), 1+r.IntN(2)
		outputs := groups * (1 + r.IntN(2))
		if r.IntN(10) == 0 {
			outputs++
		}
		r.maybe(o, "padding", r.wild(4, 0, 3))
		r.maybe(o, "strides", r.wild(2, 1, 3))
		r.maybe(o, "dilations", r.wild(2, 1, 3))
		r.maybe(o, "groups", groups)
		r.maybe(o, "inputLayout", oneOf(r, "nchw", "nhwc"))
		r.maybe(o, "filterLayout", oneOf(r, "oihw", "hwio", "ohwi", "ihwo"))
		if r.IntN(2) == 0 {
			o["bias"] = typeText(d, outputs)
		}
		channels := perGroup * groups
		filter := map[string][]int{"oihw": {outputs, perGroup, sizes[2], sizes[3]}, "hwio": {sizes[2], sizes[3], perGroup, outputs},
			"ohwi": {outputs, sizes[2], sizes[3], perGroup}, "ihwo": {perGroup, sizes[2], sizes[3], outputs}}[word(o, "filterLayout", "oihw")]
		layout := word(o, "inputLayout", "nchw")
		args := in(typeText(d, arranged(layout, 2, channels, sizes[0], sizes[1])...), typeText(d, filter...))
		if _, given := o["groups"]; !given {
			groups = 1
		}
		p, s, g := ints(o, "padding", 0, 0, 0, 0), ints(o, "strides", 1, 1), ints(o, "dilations", 1, 1)
		if channels%groups != 0 || channels/groups != perGroup || outputs%groups != 0 || slices.Contains(s, 0) || slices.Contains(g, 0) {
			return args, o, nil
		}
		h := extentOf(floorRat(slidingSize(sizes[0], sizes[2], p[0], p[1], s[0], g[0])))
		w := extentOf(floorRat(slidingSize(sizes[1], sizes[3], p[2], p[3], s[1], g[1])))
		return args, o, []string{typeText(d, arranged(layout, 2, outputs, h, w)...)}
	},
	"convTranspose2d": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, sizes := r.float(), webnn.Options{}, r.extents(4, 1, 4)
		groups, perGroup := oneOf(r, 1, 1, 2, 3), 1+r.IntN(2)
		channels := groups * (1 + r.IntN(2))
		r.maybe(o, "padding", r.wild(4, 0, 3))
		r.maybe(o, "strides", r.wild(2, 1, 3))
		r.maybe(o, "dilations", r.wild(2, 1, 3))
		r.maybe(o, "outputPadding", r.wild(2, 0, 1))
		r.maybe(o, "groups", groups)
		r.maybe(o, "inputLayout", oneOf(r, "nchw", "nhwc"))
		r.maybe(o, "filterLayout", oneOf(r, "iohw", "hwoi", "ohwi"))
		if _, given := o["groups"]; !given {
			groups = 1
		}
		outputs := perGroup * groups
		if r.IntN(2) == 0 {
			o["bias"] = typeText(d, outputs)
		}
		filter := map[string][]int{"iohw": {channels, perGroup, sizes[2], sizes[3]}, "hwoi": {sizes[2], sizes[3], perGroup, channels},
			"ohwi": {perGroup, sizes[2], sizes[3], channels}}[word(o, "filterLayout", "iohw")]
		layout := word(o, "inputLayout", "nchw")
		args := in(typeText(d, arranged(layout, 2, channels, sizes[0], sizes[1])...), typeText(d, filter...))
		p, s, g := ints(o, "padding", 0, 0, 0, 0), ints(o, "strides", 1, 1), ints(o, "dilations", 1, 1)
		more := ints(o, "outputPadding", 0, 0)
		h := transposedSize(sizes[0], sizes[2], p[0], p[1], s[0], g[0])
		w := transposedSize(sizes[1], sizes[3], p[2], p[3], s[1], g[1])
		if eh, ew := extentOf(floorRat(h)), extentOf(floorRat(w)); eh > 0 && ew > 0 && r.IntN(3) == 0 {
			o["outputSizes"] = []int{eh + r.IntN(4) - 1, ew + r.IntN(4) - 1}
		}
		if slices.Contains(s, 0) || slices.Contains(g, 0) {
			return args, o, nil
		}
		if sizes, given := o["outputSizes"].([]int); given {
			for i, least := range []*big.Rat{h, w} {
				if rat(sizes[i]).Cmp(least) < 0 || rat(sizes[i]).Cmp(new(big.Rat).Add(least, rat(s[i]))) >= 0 {
					return args, o, nil
				}
			}
			return args, o, []string{typeText(d, arranged(layout, 2, outputs, sizes[0], sizes[1])...)}
		}
		if more[0] >= s[0] || more[1] >= s[1] {
			return args, o, nil
		}
		h.Add(h, rat(more[0]))
		w.Add(w, rat(more[1]))
		return args, o, []string{typeText(d, arranged(layout, 2, outputs, extentOf(floorRat(h)), extentOf(floorRat(w)))...)}
	},
	"averagePool2d": pooled(tensor.Float32, tensor.Float16),
	"l2Pool2d":      pooled(tensor.Float32, tensor.Float16),
	"maxPool2d":     pooled(webnn.DataTypes...),
	"resample2d": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := oneOf(r, tensor.Float32, tensor.Float16, tensor.Int8, tensor.Uint8), webnn.Options{}, r.extents(4, 1, 5)
		scale := func() float64 { return oneOf(r, 0.1, 0.2, 0.5, 1, 1.3, 2, 3.7, 1e-60, 1e30, 0, -1) }
		axes := r.extents(2, 0, 4)
		r.maybe(o, "scales", []float64{scale(), scale()})
		if r.IntN(3) == 0 {
			o["sizes"] = r.wild(2, 1, 9)
		}
		r.maybe(o, "axes", axes)
		r.maybe(o, "mode", oneOf(r, "nearest-neighbor", "linear"))
		axes = ints(o, "axes", 2, 3)
		args := in(typeText(d, shape...))
		scales, _ := o["scales"].([]float64)
		for _, s := range scales {
			if float32(s) <= 0 {
				return args, o, nil
			}
		}
		sizes, given := o["sizes"].([]int)
		if given && slices.Contains(sizes, 0) || axes[0] == axes[1] || max(axes[0], axes[1]) > 3 {
			return args, o, nil
		}
		for i, axis := range axes {
			switch {
			case given:
				shape[axis] = extentOf(big.NewInt(int64(sizes[i])))
			case scales != nil:
				s := new(big.Rat).SetFloat64(float64(float32(scales[i])))
				shape[axis] = extentOf(floorRat(s.Mul(s, rat(shape[axis]))))
			}
		}
		return args, o, []string{typeText(d, shape...)}
	},
	"pad": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := oneOf(r, webnn.DataTypes...), webnn.Options{}, r.shape(0)
		begin, end := r.extents(len(shape), 0, 2), r.extents(len(shape), 0, 2)
		r.maybe(o, "mode", oneOf(r, "constant", "edge", "reflection"))
		r.maybe(o, "value", oneOf[any](r, 1.5, -3, math.NaN(), math.Inf(-1), 0x1p40, webnn.Uint(math.MaxUint64)))
		args := in(typeText(d, shape...), begin, end)
		for i := range shape {
			if word(o, "mode", "") == "reflection" && max(begin[i], end[i]) >= shape[i] {
				return args, o, nil
			}
			shape[i] += begin[i] + end[i]
		}
		return args, o, []string{typeText(d, shape...)}
	},
	"slice": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := oneOf(r, webnn.DataTypes...), webnn.Options{}, r.shape(0)
		starts, sizes := make([]int, len(shape)), make([]int, len(shape))
		for i, n := range shape {
			starts[i] = r.IntN(n)
			sizes[i] = 1 + r.IntN(n-starts[i])
			if r.IntN(20) == 0 {
				sizes[i] += r.IntN(3) - 1
			}
		}
		r.maybe(o, "strides", r.extents(len(shape), 1, 4))
		strides := ints(o, "strides", slices.Repeat([]int{1}, len(shape))...)
		args := in(typeText(d, shape...), starts, sizes)
		for i, n := range shape {
			if sizes[i] == 0 || starts[i]+sizes[i] > n {
				return args, o, nil
			}
			shape[i] = (sizes[i] + strides[i] - 1) / strides[i]
		}
		return args, o, []string{typeText(d, shape...)}
	},
	"split": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := oneOf(r, webnn.DataTypes...), webnn.Options{}, r.shape(1)
		axis := 0
		if r.IntN(3) > 0 {
			axis = r.IntN(len(shape) + 1)
			o["axis"] = axis
		}
		splits := r.extents(r.IntN(4), 0, 3)
		args := in(typeText(d, shape...), splits)
		count, list := 1+r.IntN(4), r.IntN(2) == 0
		if !list {
			args[1] = count
		}
		if axis == len(shape) {
			return args, o, nil
		}
		extent, sum := shape[axis], 0
		for _, n := range splits {
			sum += n
		}
		if list && (sum != extent || slices.Contains(splits, 0)) || !list && extent%count != 0 {
			return args, o, nil
		}
		if !list {
			splits = slices.Repeat([]int{extent / count}, count)
		}
		var want []string
		for _, n := range splits {
			shape[axis] = n
			want = append(want, typeText(d, shape...))
		}
		return args, o, want
	},
	"tile": func(r drawer) ([]any, webnn.Options, []string) {
		d, shape := oneOf(r, webnn.DataTypes...), r.shape(0)
		repetitions := r.extents(len(shape), 1, 3)
		if len(shape) > 0 {
			repetitions = r.wild(len(shape), 1, 3)
		}
		args := in(typeText(d, shape...), repetitions)
		for i, n := range repetitions {
			shape[i] = extentOf(new(big.Int).Mul(big.NewInt(int64(n)), big.NewInt(int64(shape[i]))))
		}
		return args, webnn.Options{}, []string{typeText(d, shape...)}
	},
	"batchNormalization": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := r.float(), webnn.Options{}, r.shape(1)
		axis := 1
		if r.IntN(3) > 0 {
			axis = r.IntN(len(shape) + 1)
			o["axis"] = axis
		}
		channels := typeText(d, 3)
		if axis < len(shape) {
			channels = typeText(d, shape[axis])
		}
		r.maybe(o, "scale", channels)
		r.maybe(o, "bias", channels)
		r.maybe(o, "epsilon", oneOf(r, 0.1, 1e-9, 1e300))
		args := in(typeText(d, shape...), channels, channels)
		if axis >= len(shape) {
			return args, o, nil
		}
		return args, o, []string{typeText(d, shape...)}
	},
	"instanceNormalization": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := r.float(), webnn.Options{}, r.extents(4, 1, 4)
		r.maybe(o, "layout", oneOf(r, "nchw", "nhwc"))
		channels := typeText(d, shape[1])
		if word(o, "layout", "nchw") == "nhwc" {
			channels = typeText(d, shape[3])
		}
		r.maybe(o, "scale", channels)
		r.maybe(o, "bias", channels)
		r.maybe(o, "epsilon", oneOf(r, 0.1, 1e-9, 0))
		return in(typeText(d, shape...)), o, []string{typeText(d, shape...)}
	},
	"layerNormalization": func(r drawer) ([]any, webnn.Options, []string) {
		d, o, shape := r.float(), webnn.Options{}, r.shape(0)
		axes := r.Perm(len(shape))
		axes = axes[:r.IntN(len(axes)+1)]
		r.maybe(o, "axes", axes)
		if _, given := o["axes"]; !given {
			axes = nil
			for i := 1; i < len(shape); i++ {
				axes = append(axes, i)
			}
		}
		var extents []int
		for _, axis := range axes {
			extents = append(extents, shape[axis])
		}
		r.maybe(o, "scale", typeText(d, extents...))
		r.maybe(o, "bias", typeText(d, extents...))
		return in(typeText(d, shape...)), o, []string{typeText(d, shape...)}
	},
	"quantizeLinear": func(r drawer) ([]any, webnn.Options, []string) {
		d, q := r.float(), oneOf(r, tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Uint32)
		input, scale := blocks(r)
		return in(typeText(d, input...), typeText(d, scale...), typeText(q, scale...)), nil, []string{typeText(q, input...)}
	},
	"dequantizeLinear": func(r drawer) ([]any, webnn.Options, []string) {
		d, q := r.float(), oneOf(r, tensor.Int8, tensor.Uint8, tensor.Int32, tensor.Uint32)
		input, scale := blocks(r)
		return in(typeText(q, input...), typeText(d, scale...), typeText(q, scale...)), nil, []string{typeText(d, input...)}
	},
	"gru":      func(r drawer) ([]any, webnn.Options, []string) { return recurrentTrial(r, 3, false) },
	"gruCell":  func(r drawer) ([]any, webnn.Options, []string) { return recurrentTrial(r, 3, true) },
	"lstm":     func(r drawer) ([]any, webnn.Options, []string) { return recurrentTrial(r, 4, false) },
	"lstmCell": func(r drawer) ([]any, webnn.Options, []string) { return recurrentTrial(r, 4, true) },
}

// blocks draws the shapes of an input and of a scale whose elements serve blocks of it.
func blocks(r drawer) (input, scale []int) {
	scale = r.shape(0)
	for _, n := range scale {
		input = append(input, n*(1+r.IntN(3)))
	}
	return input, scale
}

// pooled returns the trial of a pooling method on these types.
func pooled(types ...tensor.DType) func(r drawer) ([]any, webnn.Options, []string) {
	return func(r drawer) ([]any, webnn.Options, []string) {
		d, o, sizes := oneOf(r, types...), webnn.Options{}, r.extents(2, 1, 6)
		r.maybe(o, "windowDimensions", r.wild(2, 1, 5))
		r.maybe(o, "padding", r.wild(4, 0, 4))
		r.maybe(o, "strides", r.wild(2, 1, 4))
		r.maybe(o, "dilations", r.wild(2, 1, 3))
		r.maybe(o, "layout", oneOf(r, "nchw", "nhwc"))
		r.maybe(o, "outputShapeRounding", oneOf(r, "floor", "ceil"))
		layout := word(o, "layout", "nchw")
		args := in(typeText(d, arranged(layout, 2, 3, sizes[0], sizes[1])...))
		k, p := ints(o, "windowDimensions", sizes...), ints(o, "padding", 0, 0, 0, 0)
		s, g := ints(o, "strides", 1, 1), ints(o, "dilations", 1, 1)
		if slices.Contains(k, 0) || slices.Contains(s, 0) || slices.Contains(g, 0) {
			return args, o, nil
		}
		var floor, ceil [2]int
		for i := range 2 {
			n := slidingSize(sizes[i], k[i], p[2*i], p[2*i+1], s[i], g[i])
			floor[i], ceil[i] = extentOf(floorRat(n)), extentOf(ceilRat(n))
		}
		want := floor
		if word(o, "outputShapeRounding", "floor") == "ceil" {
			want = ceil
		}
		if r.IntN(4) == 0 {
			want = [2]int{oneOf(r, floor[0], ceil[0]), oneOf(r, floor[1], ceil[1], ceil[1]+1)}
			o["outputSizes"] = []int{want[0], want[1]}
			if want != floor && want != ceil {
				return args, o, nil
			}
		}
		return args, o, []string{typeText(d, arranged(layout, 2, 3, want[0], want[1])...)}
	}
}

// recurrentTrial draws a legal call of a recurrent method.
func recurrentTrial(r drawer, gates int, cell bool) ([]any, webnn.Options, []string) {
	d, o := r.float(), webnn.Options{}
	steps, batch, features, hidden, directions := 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(4), 1+r.IntN(4), 1
	if !cell {
		r.maybe(o, "direction", oneOf(r, "forward", "backward", "both"))
		r.maybe(o, "returnSequence", r.IntN(2) == 0)
		if word(o, "direction", "") == "both" {
			directions = 2
		}
	}
	of := func(extents ...int) string {
		if !cell {
			extents = append([]int{directions}, extents...)
		}
		return typeText(d, extents...)
	}
	state := of(batch, hidden)
	r.maybe(o, "bias", of(gates*hidden))
	r.maybe(o, "recurrentBias", of(gates*hidden))
	functions := []string{oneOf(r, "relu", "tanh", "sigmoid"), oneOf(r, "relu", "tanh", "sigmoid"), oneOf(r, "relu", "tanh", "sigmoid")}
	r.maybe(o, "activations", functions[:gates-1])
	args, want := in(typeText(d, steps, batch, features), of(gates*hidden, features), of(gates*hidden, hidden), steps, hidden), []string{state}
	if cell {
		args = in(typeText(d, batch, features), args[1], args[2], state, hidden)
	} else {
		r.maybe(o, "initialHiddenState", state)
	}
	if gates == 3 {
		r.maybe(o, "layout", oneOf(r, "zrn", "rzn"))
		r.maybe(o, "resetAfter", r.IntN(2) == 0)
	} else {
		r.maybe(o, "layout", oneOf(r, "iofg", "ifgo"))
		r.maybe(o, "peepholeWeight", of(3*hidden))
		want = append(want, state)
		if cell {
			args = append(args[:4:4], state, hidden)
		} else {
			r.maybe(o, "initialCellState", state)
		}
	}
	if o["returnSequence"] == true {
		want = append(want, typeText(d, steps, directions, batch, hidden))
	}
	return args, o, want
}

// TestRandomCalls makes random calls, compares what comes of them with what the text says, and runs the accepted ones on the
// operators' references.
func TestRandomCalls(t *testing.T) {
	testdata.Wide(t)
	seeds := uint64(testdata.Cases(160, 2000))
	for method, trial := range trials {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			accepted := 0
			for seed := range seeds {
				r := drawer{rand.New(rand.NewPCG(seed, 1))}
				args, options, want := trial(r)
				b := newCallBuilder(t)
				out, err := b.make(method, call{args: args, options: options})
				if slices.ContainsFunc(want, impossible) {
					want = nil
				}
				switch {
				case err != nil && want != nil:
					t.Errorf("%d: %v %v: %v; want %v", seed, args, options, err, want)
				case err != nil && strings.Contains(err.Error(), "operator"):
					t.Errorf("%d: %v %v: %v", seed, args, options, err)
				case err == nil && typesOf(out) != strings.Join(want, " "):
					t.Errorf("%d: %v %v: %s; want %v", seed, args, options, typesOf(out), want)
				case err == nil:
					accepted++
					b.run(seed, out)
				}
			}
			if accepted < int(seeds)/16 {
				t.Errorf("only %d of %d calls are accepted", accepted, seeds)
			}
		})
	}
}

// impossible reports whether a type has an extent that is none, or takes more bytes than a tensor may.
func impossible(text string) bool {
	d, shape := parseType(text)
	bytes := big.NewInt(int64(d.Size()))
	for _, n := range shape {
		bytes.Mul(bytes, big.NewInt(int64(n)))
	}
	return bytes.Sign() == 0 || bytes.Cmp(big.NewInt(math.MaxInt32)) > 0
}
