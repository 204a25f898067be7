package onnx_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// dice make models, bytes being what they show: each is a choice. When there are no more bytes, the first choice is taken each time, which
// is the plainest.
type dice struct {
	bytes []byte
	forms []declared // to choose operators from
	base  []int      // extents that operands have in common

	values []string // that nodes may read
	graph  *proto.Graph
	opset  int
	count  int // of names
	depth  int // of graphs in one another
}

// roll returns a number below n.
func (d *dice) roll(n int) int {
	x := 0
	for most := 1; most < n; most <<= 8 {
		if len(d.bytes) == 0 {
			return 0
		}
		x, d.bytes = x<<8|int(d.bytes[0]), d.bytes[1:]
	}
	return x % n
}

// often is true except for one time in n.
func (d *dice) often(n int) bool { return d.roll(n) != n-1 }

func choose[T any](d *dice, from ...T) T { return from[d.roll(len(from))] }

func (d *dice) name(prefix string) string {
	d.count++
	return fmt.Sprintf("%s%d", prefix, d.count)
}

// elementTypes are those of operands, the likely ones more than once.
var elementTypes = []proto.DataType{proto.Float, proto.Float, proto.Int64, proto.Float, proto.Int64, proto.Bool, proto.Int32, proto.Uint8, proto.Int8, proto.Float16,
	proto.BFloat16, proto.Double, proto.Uint16, proto.Int16, proto.Uint32, proto.Uint64, proto.Float8E4M3FN, proto.Float8E5M2, proto.Uint4, proto.Int4, proto.Uint2,
	proto.Int2, proto.Float4E2M1, proto.Float8E8M0, proto.Float8E4M3FNUZ}

// hugeInts are the numbers that break careless arithmetic.
var hugeInts = []int64{-1 << 63, 1<<63 - 1, 1 << 62, 1 << 59, 1<<59 - 1, 1 << 40, 1 << 32, 1<<31 - 1, -1 << 31, 1 << 30, 1 << 20, 65536, -1000, -3, 100, 1 << 61}

func (d *dice) number() int64 {
	if !d.often(12) {
		return choose(d, hugeInts...)
	}
	return choose[int64](d, 1, 0, 2, -1, 3, 4, -2, 5, 8, 1, 2, 6)
}

func (d *dice) extent() int {
	if !d.often(40) {
		return choose(d, math.MaxInt32, math.MaxInt>>23, 1<<20, math.MaxInt>>4, math.MaxInt>>1, 70000)
	}
	return choose(d, 2, 3, 1, 4, 5, 6, 0, 8, 2, 1)
}

// shape returns the shape of an operand.
func (d *dice) shape() []int {
	s := slices.Clone(d.base)
	switch d.roll(8) {
	case 0, 1, 2:
	case 3:
		return nil
	case 4:
		return []int{d.extent()}
	case 5:
		if len(s) > 0 {
			return []int{s[d.roll(len(s))]}
		}
	case 6:
		if len(s) > 0 {
			s[d.roll(len(s))] = d.extent()
		}
	default:
		s = make([]int, d.roll(6))
		for i := range s {
			s[i] = d.extent()
		}
	}
	return s
}

const mostElements = 1 << 10

func small(shape []int, most int) bool {
	n := 1
	for _, x := range shape {
		if x > 0 && n > most/x {
			return false
		}
		n *= max(x, 1)
	}
	return true
}

// tensor makes a message with elements.
func (d *dice) tensor(name string, t proto.DataType, shape []int) *proto.Tensor {
	dtype, err := t.DType()
	if err != nil {
		panic(err)
	}
	n := tensor.Shape(shape).Len()
	var x *tensor.Tensor
	if dtype.IsFloat() {
		list := make([]float64, n)
		for i := range list {
			list[i] = d.float()
		}
		x = array(shape, list...)
	} else {
		list := make([]int64, n)
		for i := range list {
			list[i] = d.number()
		}
		x = array(shape, list...)
	}
	if x, err = tensor.Cast(x, dtype); err != nil {
		panic(err)
	}
	m, err := proto.NewTensor(name, x)
	if err != nil {
		panic(err)
	}
	return m
}

func (d *dice) float() float64 {
	if !d.often(12) {
		return choose(d, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, 1e-30, math.Copysign(0, -1), 1<<31)
	}
	return choose(d, 1, 0, 2, 0.5, -1, 3, -0.5, 1.5, 4, 0.25)
}

// operand adds a value and returns its name.
func (d *dice) operand(what string) string {
	if len(d.values) > 0 && d.roll(3) == 1 {
		return d.values[d.roll(len(d.values))]
	}
	if d.roll(12) == 1 {
		return d.list()
	}
	name, t, shape := d.name("v"), choose(d, elementTypes...), d.shape()
	known := []string{"axes", "shape", "steps", "starts", "ends", "repeats", "pads", "scales", "sizes", "split", "k", "K", "M", "depth", "axis", "length", "size", "limit", "start",
		"delta", "dft_length", "frame_length", "frame_step", "position", "num_mel_bins", "sample_rate", "image_shape", "block_shape", "roi", "output_shape"}
	if slices.Contains(known, what) && d.often(4) {
		t, shape = choose(d, proto.Int64, proto.Int64, proto.Int64, proto.Int32, proto.Float), [][]int{{len(d.base)}, {1}, {}, {2 * len(d.base)}, {2}}[d.roll(5)]
		if d.often(6) {
			d.graph.Initializer = append(d.graph.Initializer, d.tensor(name, t, shape))
			return name
		}
	}
	if d.roll(3) == 1 && small(shape, mostElements) {
		d.graph.Initializer = append(d.graph.Initializer, d.tensor(name, t, shape))
		return name
	}
	d.input(name, t, shape)
	return name
}

// input adds an input to the graph.
func (d *dice) input(name string, t proto.DataType, shape []int) {
	if d.depth > 0 { // a graph in an attribute takes what it is given
		d.graph.Initializer = append(d.graph.Initializer, d.tensor(name, t, slices.DeleteFunc(shape, func(n int) bool { return n > 8 })))
		return
	}
	d.graph.Input = append(d.graph.Input, proto.NewValueInfo(name, t, proto.NewShape(shape)))
}

// list adds a sequence.
func (d *dice) list() string {
	name := d.name("s")
	n := node("SequenceConstruct", "-> "+name)
	for range d.roll(4) {
		n.Input = append(n.Input, d.operand(""))
	}
	if len(n.Input) == 0 {
		n.OpType = "SequenceEmpty"
	}
	d.graph.Node = append(d.graph.Node, n)
	return name
}

// words are what strings in attributes may say.
var words = strings.Fields(`NOTSET VALID SAME_UPPER SAME_LOWER constant edge reflect wrap linear nearest cubic half_pixel align_corners asymmetric tf_crop_and_resize
	tf_half_pixel_for_nn pytorch_half_pixel half_pixel_symmetric round_prefer_floor round_prefer_ceil floor ceil stretch not_larger not_smaller none mean sum add mul max min avg
	zeros border reflection bilinear bicubic forward reverse bidirectional Tanh Sigmoid Relu Affine LeakyRelu Elu DCR CRD LEFT RIGHT TF IDF TFIDF tanh ij,jk->ik ...i->... ii ij->ji
	i,j,k->ijk ->  a...,...b ...ii->...i circular gated delta gated_delta silu up down INT64 FLOAT`)

// attribute gives an attribute a value of a kind.
func (d *dice) attribute(name string, kind proto.AttributeType, n *proto.Node) *proto.Attribute {
	if !d.often(30) {
		kind = proto.AttributeType(d.roll(16))
	}
	a := &proto.Attribute{Name: name, Type: kind}
	switch kind {
	case proto.AttributeUndefined:
		a.I, a.Ints, a.F = d.number(), []int64{d.number()}, 1
		a.Type = choose(d, proto.AttributeInt, proto.AttributeInts, proto.AttributeFloat, proto.AttributeUndefined)
	case proto.AttributeInt:
		if a.I = d.number(); strings.Contains(name, "type") || name == "to" {
			a.I = int64(choose(d, elementTypes...))
		}
	case proto.AttributeFloat:
		a.F = float32(d.float())
	case proto.AttributeString:
		a.S = choose(d, words...)
	case proto.AttributeInts:
		k := len(d.base)
		for range choose(d, k, max(k-2, 0), 2*max(k-2, 0), 2*k, 1, 2, 0, 3) {
			a.Ints = append(a.Ints, d.number())
		}
	case proto.AttributeFloats:
		for range choose(d, len(d.base), 1, 2, 0, 3) {
			a.Floats = append(a.Floats, float32(d.float()))
		}
	case proto.AttributeStrings:
		for range d.roll(6) {
			a.Strings = append(a.Strings, choose(d, words...))
		}
	case proto.AttributeTensor:
		shape := d.shape()
		if !small(shape, 64) {
			shape = []int{1}
		}
		a.T = d.tensor("", choose(d, elementTypes...), shape)
	case proto.AttributeGraph:
		a.G = d.body(n)
	case proto.AttributeTypeProto:
		a.TP = &proto.Type{Tensor: &proto.TensorType{ElemType: proto.Float}}
	case proto.AttributeSparseTensor:
		a.SparseTensor = &proto.SparseTensor{Values: message("", []int{1}, float32(1)), Indices: message("", []int{1}, d.number()), Dims: []int64{d.number(), d.number()}}
	}
	return a
}

// body makes a graph for an attribute of a node: one with about the inputs and outputs that the node wants.
func (d *dice) body(n *proto.Node) *proto.Graph {
	inputs, outputs := len(n.Input), len(n.Output)
	switch n.OpType {
	case "If":
		inputs = 0
	case "Loop":
		inputs, outputs = max(len(n.Input), 2), outputs+1
	}
	if !d.often(8) {
		inputs += choose(d, 1, -1, 2)
	}
	if !d.often(8) {
		outputs += choose(d, 1, -1, 2)
	}
	inner := &dice{bytes: d.bytes, forms: d.forms, base: d.base, graph: &proto.Graph{Name: d.name("g")}, opset: d.opset, count: d.count, depth: d.depth + 1}
	for range inputs {
		name := inner.name("i")
		inner.graph.Input = append(inner.graph.Input, &proto.ValueInfo{Name: name})
		inner.values = append(inner.values, name)
	}
	captured := len(inner.values)
	inner.values = append(inner.values, d.values...)
	for _, v := range d.graph.Input {
		inner.values = append(inner.values, v.Name)
	}
	for range 1 + inner.roll(3) {
		inner.node()
	}
	made := inner.values[captured:]
	for i := range outputs {
		out := "none"
		switch {
		case n.OpType == "Loop" && i == 0 && inputs > 1 && inner.often(8):
			out = inner.graph.Input[1].Name
		case inner.often(3) && len(made) > 0:
			out = made[max(len(made)-1-inner.roll(3), 0)]
		case len(inner.values) > 0:
			out = inner.values[inner.roll(len(inner.values))]
		}
		inner.graph.Output = append(inner.graph.Output, &proto.ValueInfo{Name: out})
	}
	d.bytes, d.count = inner.bytes, inner.count
	return inner.graph
}

// plain are operators that are chosen more often than others within graphs.
var plain = []string{"Identity", "Add", "Concat", "NonZero", "Shape", "Reshape", "Slice", "If", "Loop", "Scan", "SequenceInsert", "SequenceAt", "Squeeze", "Unsqueeze", "Abs", "Range",
	"ConstantOfShape", "Gather", "Cast", "Less", "Not", "Expand", "Tile", "SequenceMap", "Compress"}

// node adds a node.
func (d *dice) node() {
	forms := d.forms
	if d.depth > 0 && d.often(4) || len(d.graph.Node) > 0 && d.often(2) {
		want := choose(d, plain...)
		forms = slices.Clone(forms)
		forms = slices.DeleteFunc(forms, func(f declared) bool { return f.name != want })
		if len(forms) == 0 {
			forms = d.forms
		}
	}
	f := forms[d.roll(len(forms))]
	if d.opset == 0 {
		d.opset = f.version
	}
	n := &proto.Node{OpType: f.name}
	if i := strings.LastIndex(f.name, "."); i >= 0 {
		n.Domain, n.OpType = f.name[:i], f.name[i+1:]
	}
	for _, p := range f.in {
		times := 1
		if p.variadic {
			times = choose(d, 2, 1, 3, 0, 4)
		}
		for range times {
			if p.optional && d.roll(2) == 1 {
				n.Input = append(n.Input, "")
			} else {
				n.Input = append(n.Input, d.operand(p.name))
			}
		}
	}
	for i, p := range f.out {
		times := 1
		if p.variadic {
			times = choose(d, 2, 1, 3, 0)
		}
		for range times {
			if i > 0 && d.roll(3) == 1 {
				n.Output = append(n.Output, "")
			} else {
				n.Output = append(n.Output, d.name("y"))
			}
		}
	}
	for _, a := range f.attrs {
		if a.required && d.often(30) || d.roll(2) == 1 {
			if a.kind == proto.AttributeGraph && d.depth > 3 {
				continue
			}
			n.Attribute = append(n.Attribute, d.attribute(a.name, a.kind, n))
		}
	}
	d.graph.Node = append(d.graph.Node, n)
	for _, name := range n.Output {
		if name != "" {
			d.values = append(d.values, name)
		}
	}
}

// model makes a model with nodes of the given forms, and some others behind them.
func (d *dice) model() *proto.Model {
	d.base = make([]int, choose(d, 4, 3, 2, 1, 5, 0))
	for i := range d.base {
		d.base[i] = d.extent()
	}
	d.graph = &proto.Graph{Name: "fuzzed"}
	for range choose(d, 1, 1, 2, 3) {
		d.node()
	}
	for _, name := range d.values {
		d.graph.Output = append(d.graph.Output, &proto.ValueInfo{Name: name})
	}
	m := modelOf(int64(d.opset), d.graph)
	m.OpsetImport = append(m.OpsetImport, &proto.OperatorSet{Domain: "ai.onnx.preview", Version: 1}, &proto.OperatorSet{Domain: onnx.OwnDomain, Version: onnx.OwnVersion})
	return m
}
