package webnn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// TestRandomGraphs builds random graphs with calls of which some are wrong. Rejected calls name a rule; accepted ones make a
// graph whose outputs have the same bits however it is compiled, on a context too: those of the operators' references.
func TestRandomGraphs(t *testing.T) {
	seeds := uint64(500)
	if testing.Short() {
		seeds = 60
	}
	accepted, rejected := make(map[string]int), make(map[string]int)
	for seed := range seeds {
		d := newDraft(t, rand.NewPCG(seed, 4), fmt.Sprint("seed ", seed))
		d.draw(accepted, rejected)
		d.check()
	}
	if testing.Short() {
		return
	}
	for _, method := range webnn.Methods() {
		if accepted[method] == 0 || rejected[method] == 0 {
			t.Errorf("%s: %d calls are accepted and %d rejected; there should be some of both", method, accepted[method], rejected[method])
		}
	}
}

// FuzzGraph is TestRandomGraphs with choices made by bytes.
func FuzzGraph(f *testing.F) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		data := make([]byte, 64<<(seed%3))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := newDraft(t, &byteSource{data: data}, "")
		d.draw(make(map[string]int), make(map[string]int))
		d.check()
	})
}

// byteSource makes the choices of a rand.Rand by bytes: each is the highest of one number. The others differ, so that no
// caller waits for another number in vain.
type byteSource struct {
	data []byte
	n    uint64
}

// Uint64 implements [rand.Source].
func (s *byteSource) Uint64() uint64 {
	s.n++
	low := s.n * 0x9e3779b97f4a7c15 >> 8
	if len(s.data) == 0 {
		return low
	}
	b := s.data[0]
	s.data = s.data[1:]
	return uint64(b)<<56 | low
}

// draft is a graph that is being drawn.
type draft struct {
	*sketch
	r        *op.Rand
	context  *webnn.Context
	foreign  *webnn.Operand   // of another builder
	operands []*webnn.Operand // to be used again
	computed []*webnn.Operand // those of them that can be outputs
	calls    []string
}

// mostElements is how many elements the operands have that are used again.
const mostElements = 1 << 10

func newDraft(t *testing.T, source rand.Source, name string) *draft {
	t.Helper()
	s := newSketch(t)
	d := &draft{sketch: s, r: &op.Rand{Rand: rand.New(source), Size: 3}, context: s.context, calls: []string{name}}
	other := newSketch(t)
	d.foreign = other.data(op.NewRand(1, 1).Tensor(tensor.Float32, tensor.Shape{2, 3}))
	return d
}

// draw makes calls and counts them by method.
func (d *draft) draw(accepted, rejected map[string]int) {
	d.t.Helper()
	for range d.r.Between(2, 20) {
		method := op.Pick(d.r, webnn.Methods())
		args, options, legal := d.next(method)
		if d.r.IntN(4) == 0 {
			args, options = d.spoil(args, options)
			legal = false
		}
		d.calls = append(d.calls, describe(method, args, options))
		out, err := d.b.Call(method, args, options)
		if err != nil {
			d.calls = append(d.calls, "// "+err.Error())
			if legal {
				d.fatalf("a legal call is rejected")
			}
			d.checkRejection(method, err)
			rejected[method]++
			continue
		}
		accepted[method]++
		for _, o := range out {
			if o.Shape().Len() <= mostElements {
				d.operands, d.computed = append(d.operands, o), append(d.computed, o)
			}
		}
	}
}

// fatalf fails the test and shows the calls.
func (d *draft) fatalf(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(d.calls, "\n"))
}

// checkRejection checks that an error names a rule, which is the builder's and not an operator's.
func (d *draft) checkRejection(method string, err error) {
	d.t.Helper()
	var e *webnn.Error
	if !errors.As(err, &e) || !errors.Is(err, webnn.TypeError) || e.Reason == "" || e.Method != "MLGraphBuilder."+method {
		d.fatalf("%s: the error is %#v", method, err)
	}
	if rule, ok := strings.CutPrefix(e.Rule, method+"."); !ok || rule == "" || rule == "operator" {
		d.fatalf("%s: the rule is %q: %v", method, e.Rule, err)
	}
}

// next draws a call that is accepted mostly, and always if it is known to be legal.
func (d *draft) next(method string) (args []any, options webnn.Options, legal bool) {
	d.t.Helper()
	given := make([]webnn.OperandDescriptor, len(d.operands))
	for i, o := range d.operands {
		given[i] = webnn.OperandDescriptor{DataType: o.DataType(), Shape: o.Shape()}
	}
	args, options, legal = webnn.LegalCall(d.r.Rand, method, given)
	if !legal {
		trial := trials[method]
		if trial == nil {
			d.fatalf("there is no generator for %s", method)
		}
		args, options, _ = trial(drawer{d.r.Rand})
	}
	made := webnn.Options{}
	for name, v := range options {
		made[name] = d.value(v)
	}
	for i, v := range args {
		args[i] = d.value(v)
	}
	return args, made, legal
}

// value turns a descriptor, or text that names a type, into an operand.
func (d *draft) value(v any) any {
	switch v := v.(type) {
	case webnn.OperandDescriptor:
		return d.operand(v)
	case []webnn.OperandDescriptor:
		list := make([]*webnn.Operand, len(v))
		for i, descriptor := range v {
			list[i] = d.operand(descriptor)
		}
		return list
	case string:
		if operandText.MatchString(v) {
			dtype, shape := parseType(v)
			return d.operand(webnn.OperandDescriptor{DataType: dtype, Shape: shape})
		}
	}
	return v
}

// operand returns an operand of that type: one that exists, or a new input or constant.
func (d *draft) operand(want webnn.OperandDescriptor) *webnn.Operand {
	d.t.Helper()
	var same []*webnn.Operand
	for _, o := range d.operands {
		if o.DataType() == want.DataType && o.Shape().Equal(want.Shape) {
			same = append(same, o)
		}
	}
	if len(same) > 0 && d.r.IntN(4) > 0 {
		return op.Pick(d.r, same)
	}
	o := d.leaf(want)
	d.operands = append(d.operands, o)
	return o
}

func (d *draft) leaf(want webnn.OperandDescriptor) *webnn.Operand {
	d.t.Helper()
	data := d.elements(want)
	var o *webnn.Operand
	var err error
	switch d.r.IntN(6) {
	case 0:
		o, err = d.b.Constant(want, tensor.Raw(data))
	case 1:
		var t *webnn.Tensor
		if t, err = d.context.CreateConstantTensor(want, tensor.Raw(data)); err == nil {
			o, err = d.b.ConstantTensor(t)
		}
	case 2:
		if len(want.Shape) > 0 {
			return d.data(data)
		}
		o, err = d.b.ConstantNumber(want.DataType, webnn.Float(d.r.Between(-8, 8))/4)
	default:
		return d.data(data)
	}
	if err != nil {
		d.fatalf("a leaf of %v: %v", want, err)
	}
	return o
}

// elements draws moderate elements, sometimes extreme ones or any bits, from a source of their own: they take no bytes of a
// fuzzer.
func (d *draft) elements(want webnn.OperandDescriptor) *tensor.Tensor {
	r := op.NewRand(uint64(len(d.operands)), 3)
	switch choice := d.r.IntN(8); {
	case choice == 0 && want.DataType.IsFloat():
		return r.Extremes(want.DataType, want.Shape)
	case choice == 1:
		return webnn.RandomBits(r.Rand, want.DataType, want.Shape)
	}
	return r.Tensor(want.DataType, want.Shape)
}

// spoil changes one argument or option, mostly to something wrong.
func (d *draft) spoil(args []any, options webnn.Options) ([]any, webnn.Options) {
	names := make([]string, 0, len(options))
	for name := range options {
		names = append(names, name)
	}
	sort.Strings(names) // choices must not depend on the order of a map
	switch k := d.r.IntN(len(args) + len(names) + 1); {
	case k < len(args):
		args[k] = d.spoiled(args[k])
	case k < len(args)+len(names):
		name := names[k-len(args)]
		options[name] = d.spoiled(options[name])
	case d.r.Bool():
		args = args[:len(args)-1]
	default:
		options["nothing"] = 1
	}
	return args, options
}

// spoiled returns something like v.
func (d *draft) spoiled(v any) any {
	if d.r.IntN(8) == 0 {
		return op.Pick(d.r, []any{nil, "none", 3, -0.5, []int{}, true, tensor.Bool, d.foreign, (*webnn.Operand)(nil)})
	}
	switch v := v.(type) {
	case *webnn.Operand:
		return op.Pick(d.r, append(slices.Clone(d.operands), d.foreign))
	case []*webnn.Operand:
		v = slices.Clone(v)
		if d.r.IntN(3) == 0 {
			return v[:len(v)-1]
		}
		v[d.r.IntN(len(v))] = op.Pick(d.r, append(slices.Clone(d.operands), nil, d.foreign))
		return v
	case int:
		return d.otherThan(v)
	case []int:
		v = slices.Clone(v)
		switch k := d.r.IntN(3); {
		case k == 0 || len(v) == 0:
			return append(v, d.r.IntN(3))
		case k == 1:
			return v[:len(v)-1]
		}
		i := d.r.IntN(len(v))
		v[i] = d.otherThan(v[i])
		return v
	case float64:
		return op.Pick(d.r, []float64{0, -1, math.NaN(), math.Inf(1), 1e300, 1e-300})
	case tensor.DType:
		return op.Pick(d.r, tensor.DTypes())
	case string:
		return op.Pick(d.r, []string{"", "nhwc", "hwio", "ohwi", "edge", "reflection", "both", "rzn", "ceil"})
	}
	return nil
}

func (d *draft) otherThan(n int) int {
	return op.Pick(d.r, []int{n + 1, n - 1, 0, -1, 7, math.MaxInt32, most, math.MaxInt, math.MinInt})
}

// describe writes a call.
func describe(method string, args []any, options webnn.Options) string {
	text := func(v any) string {
		if list, ok := v.([]*webnn.Operand); ok {
			return typesOf(slices.DeleteFunc(slices.Clone(list), func(o *webnn.Operand) bool { return o == nil }))
		}
		if o, ok := v.(*webnn.Operand); ok && o != nil {
			return typesOf([]*webnn.Operand{o})
		}
		return fmt.Sprintf("%#v", v)
	}
	var list []string
	for _, v := range args {
		list = append(list, text(v))
	}
	for name, v := range options {
		list = append(list, name+": "+text(v))
	}
	return method + "(" + strings.Join(list, ", ") + ")"
}

// check compiles the graph in several ways and compares the outputs with those of the references.
func (d *draft) check() {
	d.t.Helper()
	if len(d.computed) == 0 {
		return
	}
	for i := range d.r.Between(1, 4) {
		d.outputs[fmt.Sprint("output", i)] = op.Pick(d.r, d.computed)
	}
	want, g := d.evaluate()
	for _, options := range []engine.Options{{Threads: 1}, {Threads: 1, NoOptimize: true}, {Threads: 3}} {
		p, err := engine.Compile(g, options)
		if err != nil {
			d.fatalf("%+v: %v\n%s", options, err, graph.Text(g, op.Rules))
		}
		s, err := p.NewSession()
		if err != nil {
			d.fatalf("%v", err)
		}
		for i, v := range g.Inputs {
			if err := s.SetInput(i, d.inputs[v.Name]); err != nil {
				d.fatalf("%v", err)
			}
		}
		if err := s.Run(context.Background()); err != nil {
			d.fatalf("%+v: %v", options, err)
		}
		for i, o := range g.Outputs {
			d.compare(fmt.Sprintf("%+v", options), g, o.Name, tensor.Raw(s.Output(i)), want[o.Name])
		}
		p.Close()
	}
	d.dispatch(g, want)
}

// dispatch runs the graph as a page would.
func (d *draft) dispatch(g *graph.Graph, want map[string]*tensor.Tensor) {
	d.t.Helper()
	code, err := webnn.Compile(context.Background(), d.context, g)
	if err != nil {
		d.fatalf("%v", err)
	}
	create := func(types map[string]webnn.OperandDescriptor) webnn.NamedTensors {
		tensors := webnn.NamedTensors{}
		for name, t := range types {
			tensors[name], err = d.context.CreateTensor(webnn.TensorDescriptor{OperandDescriptor: t, Readable: true, Writable: true})
			if err != nil {
				d.fatalf("%v", err)
			}
		}
		return tensors
	}
	in, out := create(code.Inputs()), create(code.Outputs())
	for name, t := range in {
		if err := d.context.WriteTensor(t, tensor.Raw(d.inputs[name])); err != nil {
			d.fatalf("%v", err)
		}
	}
	if err := d.context.Dispatch(code, in, out); err != nil {
		d.fatalf("%v", err)
	}
	for name, t := range out {
		data, err := d.context.ReadTensor(context.Background(), t)
		if err != nil {
			d.fatalf("%v", err)
		}
		d.compare("dispatch", g, name, data, want[name])
	}
}

func (d *draft) compare(how string, g *graph.Graph, name string, got []byte, want *tensor.Tensor) {
	d.t.Helper()
	if !bytes.Equal(got, tensor.Raw(want)) {
		d.fatalf("%s: %s is %v; want %v\n%s", how, name, got, tensor.Raw(want), graph.Text(g, op.Rules))
	}
}
