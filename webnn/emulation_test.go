package webnn_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// emulation is what the specification writes out for a method in terms of simpler methods, in its notes "can be
// generically emulated". An emulation here is more general than the note where that costs little: other layouts, axes and
// data types.
type emulation struct {
	method string
	// types are the data types of the operand whose type the results have, or depend on.
	types []tensor.DType
	// trial draws arguments and options of the method.
	trial func(e *emulator) ([]any, webnn.Options)
	// emulate is the emulation, for arguments and options as trial gives them.
	emulate func(e *emulator, args []any, o webnn.Options) []*webnn.Operand
	// single and half bound the difference between operator and emulation for operands of float32 and of float16, in units
	// of the result type's epsilon relative to max(1, |result|), and for integer results in ones. Operands that are integers
	// give equal results.
	single, half float64
	// why says where the difference comes from.
	why string
}

// bits bounds the difference to none at all; 0 still allows zeros of different signs.
const bits = -1

var (
	floatTypes   = []tensor.DType{tensor.Float32, tensor.Float16}
	signedTypes  = []tensor.DType{tensor.Float32, tensor.Float16, tensor.Int64, tensor.Int32, tensor.Int8}
	anyDataTypes = webnn.DataTypes
)

// emulated lists the methods for which the specification gives an emulation, in its order.
const emulated = `batchNormalization clamp sign dequantizeLinear quantizeLinear elu gelu gemm gru gruCell hardSigmoid hardSwish
instanceNormalization layerNormalization leakyRelu linear lstm lstmCell prelu reduceLogSum reduceLogSumExp reduceSumSquare relu
sigmoid softmax softplus softsign split tanh where`

// notMethods are functions in the specification's notes that emulate no method: helpers, and operations of other interfaces.
var notMethods = []string{"blockwiseExpand", "squeeze", "unsqueeze", "flatten"}

func TestEmulationsAreTheSpecifications(t *testing.T) {
	want := strings.Fields(emulated)
	got := make([]string, len(emulations))
	for i, e := range emulations {
		got[i] = e.method
	}
	if !slices.Equal(got, want) {
		t.Errorf("the emulations are\n%v\nwant\n%v", got, want)
	}
	text := testdata.WebNN(t)
	var written []string
	for _, m := range regexp.MustCompile(`(?m)^ +function (\w+)\(\s*builder\b`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(notMethods, m[1]) {
			written = append(written, m[1])
		}
	}
	if !slices.Equal(written, want) {
		t.Errorf("the specification emulates\n%v\nthe list has\n%v", written, want)
	}
}

// TestEmulations holds every operator to its emulation, on random operands, types and options, both evaluated by the
// operators' references.
func TestEmulations(t *testing.T) {
	seeds := uint64(testdata.Cases(20, 300))
	for _, m := range emulations {
		t.Run(m.method, func(t *testing.T) {
			t.Parallel()
			for _, d := range m.types {
				worst := 0.0
				for seed := range seeds {
					worst = max(worst, m.difference(t, d, seed))
				}
				if bound := m.bound(d); worst > max(bound, 0) {
					t.Errorf("%v: operator and emulation differ by %.3g; allowed are %v, %s", d, worst, bound, m.why)
				}
			}
		})
	}
}

// bound returns the bound for operands of type d.
func (m *emulation) bound(d tensor.DType) float64 {
	switch d {
	case tensor.Float32:
		return m.single
	case tensor.Float16:
		return m.half
	}
	return bits
}

// difference returns the greatest difference of one trial. Where the bits are bound, any difference is infinite.
func (m *emulation) difference(t *testing.T, d tensor.DType, seed uint64) float64 {
	e := newEmulator(t, d, seed)
	args, options := m.trial(e)
	operators := e.list(m.method, args, options)
	for i, emulation := range m.emulate(e, args, options) {
		e.outputs[fmt.Sprint("operator", i)] = operators[i]
		e.outputs[fmt.Sprint("emulation", i)] = e.call("identity", emulation) // an output must not be an input
	}
	if len(e.outputs) != 2*len(operators) {
		t.Fatalf("seed %d: %d results and emulations; there are %d results", seed, len(e.outputs), len(operators))
	}
	results, g := e.evaluate()
	worst := 0.0
	for i := range operators {
		want, got := results[fmt.Sprint("operator", i)], results[fmt.Sprint("emulation", i)]
		if got.Describe() != want.Describe() {
			t.Fatalf("seed %d: the emulation yields %v, the operator %v\n%s", seed, got, want, graph.Text(g, op.Rules))
		}
		far := distance(t, got, want)
		if m.bound(d) == bits && string(got.Bytes()) != string(want.Bytes()) {
			far = math.Inf(1)
		}
		if far > max(m.bound(d), worst) {
			t.Logf("seed %d: result %d differs by %v\n%s", seed, i, far, graph.Text(g, op.Rules))
		}
		worst = max(worst, far)
	}
	return worst
}

// distance returns the greatest difference of two tensors in units of their type's epsilon, relative to max(1, |want|).
func distance(t *testing.T, got, want *tensor.Tensor) float64 {
	t.Helper()
	if !want.DType().IsFloat() {
		a, b := numbers[int64](t, got, tensor.Int64), numbers[int64](t, want, tensor.Int64)
		worst := 0.0
		for i := range a {
			worst = max(worst, math.Abs(float64(a[i]-b[i])))
		}
		return worst
	}
	epsilon := 0x1p-23
	if want.DType() == tensor.Float16 {
		epsilon = 0x1p-10
	}
	a, b := numbers[float32](t, got, tensor.Float32), numbers[float32](t, want, tensor.Float32)
	worst := 0.0
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		if x == y || math.IsNaN(x) && math.IsNaN(y) {
			continue
		}
		far := math.Abs(x-y) / max(1, math.Abs(y)) / epsilon
		if math.IsNaN(far) {
			far = math.Inf(1)
		}
		worst = max(worst, far)
	}
	return worst
}

// numbers returns the elements of a tensor as T, whose data type is d.
func numbers[T tensor.Element](t *testing.T, x *tensor.Tensor, d tensor.DType) []T {
	t.Helper()
	y, err := tensor.Cast(x, d)
	if err != nil {
		t.Fatal(err)
	}
	return tensor.Data[T](y)
}

// bodiless lists the emulated operators that have no body in package op, with the reason.
var bodiless = map[string]string{
	"clamp":          "a bound may be absent, and a body cannot ask for that",
	"quantizeLinear": "a body cannot name the type of an operand, to which it would cast",
	"gru":            "a body has no statement that carries a state from step to step",
	"lstm":           "a body has no statement that carries a state from step to step",
	"split":          "a body cannot add up the sizes of the parts before one",
	"where":          "products with 0 and 1 lose infinities, NaN and signs of zeros, which the operator keeps",
}

// TestEmulatedOperatorsHaveBodies asserts that the definition of an operator that can be emulated has a body, which a test
// of package nnef holds against the reference: so specification, body and reference agree.
func TestEmulatedOperatorsHaveBodies(t *testing.T) {
	for _, method := range strings.Fields(emulated) {
		defs := op.All()
		i := slices.IndexFunc(defs, func(d *op.Def) bool { return d.Spec.WebNN == method })
		if i < 0 {
			t.Errorf("no operator is WebNN's %s", method)
			continue
		}
		_, excused := bodiless[method]
		if has := defs[i].Body != ""; has == excused {
			t.Errorf("%s: has a body: %v; is excused from it: %v", method, has, excused)
		}
	}
}

// emulator builds an operator and its emulation side by side, and evaluates both.
type emulator struct {
	*sketch
	r     *op.Rand
	dtype tensor.DType // of the trial
}

func newEmulator(t *testing.T, d tensor.DType, seed uint64) *emulator {
	return &emulator{newSketch(t), op.NewRand(seed, 4), d}
}

// input adds an input of the trial's type with elements from -4 to 4, or 25 times that for integers.
func (e *emulator) input(shape ...int) *webnn.Operand { return e.uniform(-4, 4, shape...) }

// uniform adds an input of the trial's type with elements in the given range.
func (e *emulator) uniform(lo, hi float64, shape ...int) *webnn.Operand {
	return e.data(e.r.Uniform(e.dtype, shape, lo, hi))
}

// wild adds an input that often has infinities, NaN and the greatest numbers among its elements, or for integers any numbers.
func (e *emulator) wild(shape ...int) *webnn.Operand {
	switch {
	case e.r.IntN(3) > 0:
		return e.input(shape...)
	case e.dtype.IsFloat():
		return e.data(e.r.Extremes(e.dtype, shape))
	}
	return e.data(webnn.RandomBits(e.r.Rand, e.dtype, shape))
}

// shape draws a shape of a rank from lo to the greatest, with extents to 4, or to 2 from the fourth dimension on.
func (e *emulator) shape(lo int) tensor.Shape {
	s := e.r.Shape(lo, webnn.MaxRank)
	for i := 3; i < len(s); i++ {
		s[i] = 1 + s[i]/4
	}
	return s
}

// optional adds an input to the options, half the time.
func (e *emulator) optional(o webnn.Options, name string, shape ...int) {
	if e.r.Bool() {
		o[name] = e.uniform(-1, 1, shape...)
	}
}

// number sets an option half the time to a number that is exact in every float type.
func (e *emulator) number(o webnn.Options, name string) {
	if e.r.Bool() {
		o[name] = float64(e.r.Between(-8, 8)) / 4
	}
}

// sketch is a builder for tests: it fails the test where a call is rejected and keeps the elements of its inputs.
type sketch struct {
	t       testing.TB
	context *webnn.Context
	b       *webnn.GraphBuilder
	inputs  map[string]*tensor.Tensor
	outputs webnn.NamedOperands
}

func newSketch(t testing.TB) *sketch {
	t.Helper()
	c := newContext(t, nil)
	return &sketch{t, c, newBuilder(t, c), make(map[string]*tensor.Tensor), make(webnn.NamedOperands)}
}

// data adds an input with these elements.
func (s *sketch) data(x *tensor.Tensor) *webnn.Operand {
	name := fmt.Sprint("input", len(s.inputs))
	s.inputs[name] = x
	o, err := s.b.Input(name, webnn.OperandDescriptor{DataType: x.DType(), Shape: x.Shape()})
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}

// list calls a method.
func (s *sketch) list(method string, args []any, options webnn.Options) []*webnn.Operand {
	s.t.Helper()
	out, err := s.b.Call(method, args, options)
	if err != nil {
		s.t.Fatalf("%v: arguments %v, options %v", err, args, options)
	}
	return out
}

// call calls a method that has one result. Options may be the last argument.
func (s *sketch) call(method string, args ...any) *webnn.Operand {
	s.t.Helper()
	options, ok := args[len(args)-1].(webnn.Options)
	if ok {
		args = args[:len(args)-1]
	}
	return s.list(method, args, options)[0]
}

// constant is the number v as a scalar of x's type.
func (s *sketch) constant(x *webnn.Operand, v float64) *webnn.Operand {
	s.t.Helper()
	o, err := s.b.ConstantNumber(x.DataType(), webnn.Float(v))
	if err != nil {
		s.t.Fatal(err)
	}
	return o
}

// evaluate ends the building and evaluates the outputs by the operators' references.
func (s *sketch) evaluate() (map[string]*tensor.Tensor, *graph.Graph) {
	s.t.Helper()
	g, err := s.b.Network(s.outputs)
	if err != nil {
		s.t.Fatal(err)
	}
	return interpret(s.t, g, s.inputs), g
}

// interpret evaluates a graph by the references of the operators, which define the bits.
func interpret(t testing.TB, g *graph.Graph, inputs map[string]*tensor.Tensor) map[string]*tensor.Tensor {
	t.Helper()
	results, err := op.NewInterpreter(g).RunNamed(t.Context(), inputs)
	if err != nil {
		t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
	}
	for name, x := range results {
		results[name] = x.Contiguous()
	}
	return results
}
