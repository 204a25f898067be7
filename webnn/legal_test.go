package webnn

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// legalCall is a call that the standard accepts, with the type of its result by the standard's formula. Operands among the
// arguments and options are written as their descriptors.
type legalCall struct {
	args    []any
	options Options
	want    OperandDescriptor
}

// legalCalls makes random legal calls of methods. The first operand has the type and the rank that are asked for.
type legalCalls struct{ *rand.Rand }

// TestLegalCalls makes calls of every element type and rank that the tables allow. They are accepted, their results are of
// the types that the standard's formulas give, and the reference computes them.
func TestLegalCalls(t *testing.T) {
	c, err := ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	for name, generate := range legal {
		t.Run(name, func(t *testing.T) {
			r := legalCalls{rand.New(rand.NewPCG(1, 2))}
			row := methodOf(name).limits[0]
			for _, d := range opSupportLimits(1000).Operators[name][row.name].DataTypes {
				for rank := row.minRank; rank <= row.maxRank; rank++ {
					for range testdata.Cases(3, 8) {
						checkLegal(t, r, c, name, generate(r, d, r.shape(rank)))
					}
				}
			}
		})
	}
}

func checkLegal(t *testing.T, r legalCalls, c *Context, name string, call legalCall) {
	t.Helper()
	b, err := NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(name, call.args, call.options)
	operand := func(v any) any {
		switch v := v.(type) {
		case OperandDescriptor:
			o, err := b.Input(fmt.Sprint("input", len(b.inputs)), v)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return o
		case []OperandDescriptor:
			list := make([]*Operand, len(v))
			for i, d := range v {
				if list[i], err = b.Input(fmt.Sprint("input", len(b.inputs)), d); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			return list
		}
		return v
	}
	for i, v := range call.args {
		call.args[i] = operand(v)
	}
	for name, v := range call.options {
		call.options[name] = operand(v)
	}
	out, err := b.Call(name, call.args, call.options)
	if err != nil {
		t.Fatalf("%s is rejected: %v", text, err)
	}
	if got := out[0]; len(out) != 1 || got.DataType() != call.want.DataType || !got.Shape().Equal(call.want.Shape) {
		t.Fatalf("%s: the result is %v%v; want %v%v", text, got.DataType(), got.Shape(), call.want.DataType, call.want.Shape)
	}
	g, err := b.Network(NamedOperands{"y": out[0]})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	values := make(map[string]*tensor.Tensor)
	for _, v := range g.Inputs {
		values[v.Name] = r.data(t, v.Type.DType, v.Type.Shape)
	}
	if y := evaluate(t, g, values); y.DType() != call.want.DataType || !y.Shape().Equal(call.want.Shape) {
		t.Fatalf("%s: the reference yields %v%v; want %v%v", text, y.DType(), y.Shape(), call.want.DataType, call.want.Shape)
	}
}

// evaluate computes the output y of a graph by the references of the operators.
func evaluate(t *testing.T, g *graph.Graph, values map[string]*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	out, err := op.NewInterpreter(g).RunNamed(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	return out["y"]
}

// data returns a tensor of random bits.
func (r legalCalls) data(t *testing.T, d tensor.DType, s tensor.Shape) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(d, s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Bytes() {
		x.Bytes()[i] = byte(r.Uint32())
	}
	return x
}

// shape returns random extents, smaller ones for greater ranks.
func (r legalCalls) shape(rank int) tensor.Shape {
	s := make(tensor.Shape, rank)
	for i := range s {
		s[i] = 1 + r.IntN(max(2, 5-rank/2))
	}
	return s
}

// broadcasting returns a shape that broadcasts to s, which stays as it is.
func (r legalCalls) broadcasting(s tensor.Shape) tensor.Shape {
	b := s[r.IntN(len(s)+1):].Clone()
	for i := range b {
		if r.IntN(3) == 0 {
			b[i] = 1
		}
	}
	return b
}

// pair returns the shape to which s broadcasts with another one, and the other one.
func (r legalCalls) pair(s tensor.Shape) (result, other tensor.Shape) {
	result = s.Clone()
	for len(result) < MaxRank && r.IntN(4) == 0 {
		result = slices.Insert(result, 0, 2)
	}
	other = result.Clone()
	for i := range result {
		k := len(result) - 1 - i
		switch extents := len(s) - 1 - i; {
		case extents >= 0 && s[extents] == 1 && r.IntN(2) == 0:
			result[k], other[k] = 3, 3
		case extents >= 0 && r.IntN(3) == 0:
			other[k] = 1
		}
	}
	return result, other
}

func (r legalCalls) bool() bool { return r.IntN(2) == 0 }

func (r legalCalls) pick(types ...tensor.DType) tensor.DType { return types[r.IntN(len(types))] }

func (r legalCalls) indexType() tensor.DType {
	return r.pick(tensor.Int32, tensor.Uint32, tensor.Int64)
}

// double returns any finite number.
func (r legalCalls) double() float64 {
	numbers := []float64{0, 1, -1, 0.5, 1e-300, -70000, 1e39, math.MaxFloat64, -math.MaxFloat64}
	return numbers[r.IntN(len(numbers))]
}

// some returns some of the numbers below n, in any order.
func (r legalCalls) some(n int) []int { return r.Perm(n)[:r.IntN(n+1)] }

type (
	desc     = OperandDescriptor
	generate = func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall
)

func legalUnary(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	return legalCall{[]any{desc{d, s}}, nil, desc{d, s}}
}

func legalActivation(options ...string) generate {
	return func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		o := Options{"label": "f"}
		for _, name := range options {
			if r.bool() {
				o[name] = r.double()
			}
		}
		return legalCall{[]any{desc{d, s}}, o, desc{d, s}}
	}
}

// legalBinary has results of type out, or of the operands' type.
func legalBinary(out tensor.DType) generate {
	return func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		result, other := r.pair(s)
		call := legalCall{[]any{desc{d, s}, desc{d, other}}, nil, desc{d, result}}
		if out != tensor.Invalid {
			call.want.DataType = out
		}
		if r.bool() {
			slices.Reverse(call.args)
		}
		return call
	}
}

func legalPredicate(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	return legalCall{[]any{desc{d, s}}, nil, desc{tensor.Uint8, s}}
}

func legalArg(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	axis, keep := r.IntN(len(s)), r.bool()
	options := Options{"keepDimensions": keep}
	want := desc{tensor.Int32, reduced(s, []int{axis}, keep)}
	if r.bool() {
		want.DataType = r.pick(tensor.Int32, tensor.Int64)
		options["outputDataType"] = want.DataType
	}
	return legalCall{[]any{desc{d, s}, axis}, options, want}
}

func legalReduction(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	keep := r.bool()
	if r.IntN(3) == 0 {
		return legalCall{[]any{desc{d, s}}, Options{"keepDimensions": keep}, desc{d, reduced(s, r.Perm(len(s)), keep)}}
	}
	axes := r.some(len(s))
	return legalCall{[]any{desc{d, s}}, Options{"axes": axes, "keepDimensions": keep}, desc{d, reduced(s, axes, keep)}}
}

func reduced(s tensor.Shape, axes []int, keep bool) tensor.Shape {
	out := tensor.Shape{}
	for i, n := range s {
		switch {
		case !slices.Contains(axes, i):
			out = append(out, n)
		case keep:
			out = append(out, 1)
		}
	}
	return out
}

func legalConcat(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	axis, want := r.IntN(len(s)), s.Clone()
	inputs := []desc{{d, s}}
	for range r.IntN(4) {
		other := s.Clone()
		other[axis] = 1 + r.IntN(3)
		want[axis] += other[axis]
		inputs = append(inputs, desc{d, other})
	}
	return legalCall{[]any{inputs, axis}, nil, desc{d, want}}
}

func legalReshape(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	to := s.Clone()
	r.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
	for len(to) > 1 && r.bool() {
		to = append(tensor.Shape{to[0] * to[1]}, to[2:]...)
	}
	for len(to) < MaxRank && r.bool() {
		to = slices.Insert(to, r.IntN(len(to)+1), 1)
	}
	return legalCall{[]any{desc{d, s}, []int(to)}, nil, desc{d, to}}
}

func legalTranspose(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	perm, options, want := make([]int, len(s)), Options{}, make(tensor.Shape, len(s))
	for i := range perm {
		perm[i] = len(s) - 1 - i
	}
	if r.bool() {
		perm = r.Perm(len(s))
		options["permutation"] = perm
	}
	for i, p := range perm {
		want[i] = s[p]
	}
	return legalCall{[]any{desc{d, s}}, options, desc{d, want}}
}

func legalGather(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	axis, options := 0, Options{}
	if r.bool() {
		axis = r.IntN(len(s))
		options["axis"] = axis
	}
	indices := r.shape(r.IntN(MaxRank + 2 - len(s)))
	return legalCall{[]any{desc{d, s}, desc{r.indexType(), indices}}, options, desc{d, slices.Concat(s[:axis], indices, s[axis+1:])}}
}

// coordinates returns indices whose last dimension holds coordinates in s, and the shape of what they name.
func (r legalCalls) coordinates(s tensor.Shape) (indices, items tensor.Shape) {
	size := 1 + r.IntN(len(s))
	items = s[size:]
	outer := r.shape(r.IntN(min(MaxRank-1, MaxRank-len(items)) + 1))
	return append(outer.Clone(), size), slices.Concat(outer, items)
}

func legalGatherND(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	indices, items := r.coordinates(s)
	return legalCall{[]any{desc{d, s}, desc{r.indexType(), indices}}, nil, desc{d, items}}
}

func legalScatterND(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	indices, items := r.coordinates(s)
	return legalCall{[]any{desc{d, s}, desc{r.indexType(), indices}, desc{d, items}}, nil, desc{d, s}}
}

// legalAlongAxis is gatherElements, or scatterElements with updates.
func legalAlongAxis(updates bool) generate {
	return func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		axis, indices := r.IntN(len(s)), s.Clone()
		indices[axis] = 1 + r.IntN(4)
		call := legalCall{[]any{desc{d, s}, desc{r.indexType(), indices}}, Options{"axis": axis}, desc{d, indices}}
		if updates {
			call.args, call.want.Shape = append(call.args, desc{d, indices}), s
		}
		return call
	}
}

func legalGemm(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	n, options := 1+r.IntN(4), Options{"aTranspose": r.bool(), "bTranspose": r.bool(), "alpha": r.double(), "beta": r.double()}
	a, b, out := s.Clone(), tensor.Shape{s[1], n}, tensor.Shape{s[0], n}
	if options["aTranspose"] == true {
		slices.Reverse(a)
	}
	if options["bTranspose"] == true {
		slices.Reverse(b)
	}
	if r.bool() {
		options["c"] = desc{d, r.broadcasting(out)}
	}
	return legalCall{[]any{desc{d, a}, desc{d, b}}, options, desc{d, out}}
}

func legalMatmul(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	batch, n := len(s)-2, 1+r.IntN(4)
	result, other := r.pair(s[:batch])
	for len(result) > MaxRank-2 {
		result, other = s[:batch], s[:batch]
	}
	b, want := slices.Concat(other, tensor.Shape{s[batch+1], n}), slices.Concat(result, tensor.Shape{s[batch], n})
	return legalCall{[]any{desc{d, s}, desc{d, b}}, nil, desc{d, want}}
}

func legalWhere(r legalCalls, _ tensor.DType, s tensor.Shape) legalCall {
	d := r.pick(DataTypes...)
	result, other := r.pair(s)
	return legalCall{[]any{desc{tensor.Uint8, s}, desc{d, other}, desc{d, r.broadcasting(result)}}, nil, desc{d, result}}
}

func legalClamp(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
	lo, hi := r.double(), r.double()
	options := Options{"minValue": min(lo, hi), "maxValue": Float(max(lo, hi))}
	switch r.IntN(5) {
	case 0:
		options["minValue"] = math.Inf(-1)
	case 1:
		options["maxValue"] = math.NaN()
	case 2:
		options = Options{"minValue": Uint(math.MaxUint64)}
	}
	return legalCall{[]any{desc{d, s}}, options, desc{d, s}}
}

// legal has a generator for each method that is not about windows, parts, normalisation, quantisation or recurrence.
var legal = func() map[string]generate {
	all := maps.Clone(legalSingles)
	for names, g := range map[string]generate{
		"abs ceil cos erf exp floor identity log neg reciprocal roundEven sin sign sqrt tan": legalUnary,
		"gelu hardSwish relu sigmoid softplus softsign tanh":                                 legalUnary,
		"add sub mul div max min pow prelu":                                                  legalBinary(tensor.Invalid),
		"equal notEqual greater greaterOrEqual lesser lesserOrEqual":                         legalBinary(tensor.Uint8),
		"logicalAnd logicalOr logicalXor":                                                    legalBinary(tensor.Uint8),
		"logicalNot isNaN isInfinite":                                                        legalPredicate,
		"reduceL1 reduceL2 reduceLogSum reduceLogSumExp reduceMax reduceMean":                legalReduction,
		"reduceMin reduceProduct reduceSum reduceSumSquare":                                  legalReduction,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = g
		}
	}
	return all
}()

var legalSingles = map[string]generate{
	"argMin": legalArg,
	"argMax": legalArg,
	"cast": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		to := r.pick(DataTypes...)
		return legalCall{[]any{desc{d, s}, to}, nil, desc{to, s}}
	},
	"clamp":  legalClamp,
	"concat": legalConcat,
	"cumulativeSum": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		return legalCall{[]any{desc{d, s}, r.IntN(len(s))}, Options{"exclusive": r.bool(), "reversed": r.bool()}, desc{d, s}}
	},
	"expand": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		return legalCall{[]any{desc{d, r.broadcasting(s)}, []int(s)}, nil, desc{d, s}}
	},
	"gather":         legalGather,
	"gatherElements": legalAlongAxis(false),
	"gatherND":       legalGatherND,
	"gemm":           legalGemm,
	"matmul":         legalMatmul,
	"reshape":        legalReshape,
	"reverse": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		if r.bool() {
			return legalUnary(r, d, s)
		}
		return legalCall{[]any{desc{d, s}}, Options{"axes": r.some(len(s))}, desc{d, s}}
	},
	"scatterElements": legalAlongAxis(true),
	"scatterND":       legalScatterND,
	"softmax": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		return legalCall{[]any{desc{d, s}, r.IntN(len(s))}, nil, desc{d, s}}
	},
	"transpose": legalTranspose,
	"triangular": func(r legalCalls, d tensor.DType, s tensor.Shape) legalCall {
		diagonals := []int{0, 1, -1, 5, math.MinInt32, math.MaxInt32}
		return legalCall{[]any{desc{d, s}}, Options{"upper": r.bool(), "diagonal": diagonals[r.IntN(len(diagonals))]}, desc{d, s}}
	},
	"where":       legalWhere,
	"elu":         legalActivation("alpha"),
	"hardSigmoid": legalActivation("alpha", "beta"),
	"leakyRelu":   legalActivation("alpha"),
	"linear":      legalActivation("alpha", "beta"),
}
