package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// lowering is a node as its row sees it. Methods that find a mistake end the row, so that rows need not look at errors.
type lowering struct {
	*emit.Emitter
	w     *walker
	step  step
	scope *scope
	node  *proto.Node
	in    []item

	form  *form
	opset int // that the model imports
	attrs map[string]*proto.Attribute
	later []step // in the order of a stack: what yields the results instead
}

// lower translates the node.
func (c *lowering) lower() ([]item, error) {
	if c.step.sequel != nil {
		return c.step.sequel.run(c), nil
	}
	if f := c.w.file.function(c.node); f != nil {
		return nil, c.inline(f)
	}
	r, err := c.bind()
	if err != nil {
		return nil, err
	}
	c.checkTypes()
	if r.items != nil {
		return r.items(c), nil
	}
	return tensors(r.lower(c)...), nil
}

// bind finds the row of a node and checks the node against its declaration.
func (c *lowering) bind() (*row, error) {
	version, imported := c.scope.opsets.version(c.node.Domain)
	r, f, err := find(c.node, version, imported)
	if err != nil {
		return nil, err
	}
	for _, m := range f.check(c.node) {
		return nil, &Error{Operand: m[0], Msg: m[1]}
	}
	c.form, c.opset = f, version
	c.attrs = make(map[string]*proto.Attribute)
	for _, a := range c.node.Attribute {
		if stated := c.scope.stated(a); stated != nil {
			c.attrs[a.Name] = stated
		}
	}
	return r, nil
}

// checkTypes refuses operands of types that the declaration does not allow.
func (c *lowering) checkTypes() {
	for i := range c.in {
		v := c.item(i).value
		if p := c.param(i); v != nil && p.types != 0 && !p.types.Has(v.Type.DType) {
			c.failf(c.operandName(i), "the element type %v is not allowed; it must be %v", v.Type.DType, p.types)
		}
	}
}

// param returns the declaration of an operand.
func (c *lowering) param(i int) param {
	if len(c.form.in) == 0 {
		return param{}
	}
	return c.form.in[min(i, len(c.form.in)-1)]
}

// find returns the row of a node, and its form in a version of the operator set.
func find(n *proto.Node, version int, imported bool) (*row, *form, *Error) {
	name := fullName(n.Domain, n.OpType)
	r, ok := table()[name]
	switch why := refusal(n.Domain, n.OpType); {
	case why != "":
		return nil, nil, &Error{Msg: "the operator is out of scope: " + why, Err: ErrScope}
	case !ok:
		return nil, nil, &Error{Msg: "the operator is not supported" + near(n.OpType)}
	case !imported:
		return nil, nil, &Error{Msg: fmt.Sprintf("the model imports no version of the operators of domain %q", n.Domain)}
	}
	f := r.at(version)
	if f == nil {
		return nil, nil, &Error{Msg: fmt.Sprintf("the operator is new in opset %d; the model imports %d", r.forms()[0].since[0], version)}
	}
	return r, f, nil
}

// tensors makes items of values; nil is a result that is left out.
func tensors(values ...*graph.Value) []item {
	out := make([]item, len(values))
	for i, v := range values {
		if v != nil {
			out[i] = item{kind: aTensor, value: v}
		}
	}
	return out
}

// Fail ends the row, unless the error is nil.
func (c *lowering) Fail(err error) {
	if err != nil {
		panic(bailout{err})
	}
}

// failf ends the row with a mistake at an operand or attribute.
func (c *lowering) failf(operand, format string, args ...any) {
	c.Fail(&Error{Operand: operand, Msg: short(fmt.Sprintf(format, args...))})
}

// operandName returns the name of an operand in the standard.
func (c *lowering) operandName(i int) string {
	if c.form == nil || len(c.form.in) == 0 {
		return fmt.Sprintf("operand %d", i)
	}
	p := c.param(i)
	if p.variadic {
		return fmt.Sprintf("%s[%d]", p.name, i-len(c.form.in)+1)
	}
	return p.name
}

// item returns an operand of any kind.
func (c *lowering) item(i int) item {
	if i >= len(c.in) {
		return item{}
	}
	return c.in[i]
}

// In returns an operand that is a tensor, nil if it is left out.
func (c *lowering) In(i int) *graph.Value {
	x := c.item(i)
	if x.kind != absent && x.kind != aTensor {
		c.failf(c.operandName(i), "it is %v; it must be a tensor", x.kind)
	}
	return x.value
}

// All returns the operands from i on.
func (c *lowering) All(i int) []*graph.Value {
	var out []*graph.Value
	for ; i < len(c.in); i++ {
		if v := c.In(i); v != nil {
			out = append(out, v)
		} else {
			c.failf(c.operandName(i), "the operand is missing")
		}
	}
	return out
}

// Shape returns the shape of an operand that is there.
func (c *lowering) Shape(i int) tensor.Shape { return c.In(i).Type.Shape }

// DType returns the element type of an operand that is there.
func (c *lowering) DType(i int) tensor.DType { return c.In(i).Type.DType }

// Wants reports whether a result is asked for.
func (c *lowering) Wants(i int) bool { return i < len(c.outputs()) && c.outputs()[i] != "" }

// outputs returns the names of the node's results.
func (c *lowering) outputs() []string {
	names, _ := c.step.results()
	return names
}

// Given reports whether the node states an attribute.
func (c *lowering) Given(name string) bool { return c.attrs[name] != nil }

// attribute returns what the node states, or else what the declaration says.
func (c *lowering) attribute(name string, kind proto.AttributeType) (*proto.Attribute, any) {
	d := c.form.declared(name)
	if d == nil || d.kind != kind {
		panic(fmt.Sprintf("onnx: the row of %s does not declare %s so", c.node.OpType, name))
	}
	a := c.attrs[name]
	if a != nil && a.Type != kind && a.Type != proto.AttributeUndefined {
		c.failf(name, "the attribute is %s; it must be %s", named(a.Type), named(kind))
	}
	return a, d.value
}

// Int returns an integer, 0 if there is neither a value nor a default.
func (c *lowering) Int(name string) int {
	a, value := c.attribute(name, proto.AttributeInt)
	if a != nil {
		if int64(int(a.I)) != a.I {
			c.failf(name, "%d is out of range", a.I)
		}
		return int(a.I)
	}
	n, _ := value.(int)
	return n
}

// Flag returns an integer that says yes or no. It is no where only other versions of the operator declare it.
func (c *lowering) Flag(name string) bool {
	if c.form.declared(name) == nil && slices.ContainsFunc(c.form.all, func(f *form) bool { return f.declared(name) != nil }) {
		return false
	}
	return c.Int(name) != 0
}

// Float returns a number, 0 if there is neither a value nor a default.
func (c *lowering) Float(name string) float64 {
	a, value := c.attribute(name, proto.AttributeFloat)
	if a != nil {
		return float64(a.F)
	}
	x, _ := value.(float64)
	return x
}

// Str returns a string, "" if there is neither a value nor a default.
func (c *lowering) Str(name string) string {
	a, value := c.attribute(name, proto.AttributeString)
	if a != nil {
		return a.S
	}
	s, _ := value.(string)
	return s
}

// OneOf returns a string that must be one of some.
func (c *lowering) OneOf(name string, allowed ...string) string {
	s := c.Str(name)
	for _, x := range allowed {
		if s == x {
			return s
		}
	}
	c.failf(name, "%q is not allowed; it must be one of %q", s, allowed)
	return ""
}

// Ints returns integers, nil if there are none.
func (c *lowering) Ints(name string) []int {
	a, _ := c.attribute(name, proto.AttributeInts)
	if a == nil {
		return nil
	}
	return c.narrow(name, a.Ints)
}

// Places returns integers as [lowering.KnownPlaces] does, nil if there are none.
func (c *lowering) Places(name string) []int {
	a, _ := c.attribute(name, proto.AttributeInts)
	if a == nil {
		return nil
	}
	return places(a.Ints)
}

func (c *lowering) narrow(name string, list []int64) []int {
	out := make([]int, len(list))
	for i, x := range list {
		if int64(int(x)) != x {
			c.failf(name, "%d is out of range", x)
		}
		out[i] = int(x)
	}
	return out
}

// Floats returns numbers, nil if there are none.
func (c *lowering) Floats(name string) []float64 {
	a, _ := c.attribute(name, proto.AttributeFloats)
	if a == nil {
		return nil
	}
	return wide(a.Floats)
}

// Strs returns strings, nil if there are none.
func (c *lowering) Strs(name string) []string {
	a, _ := c.attribute(name, proto.AttributeStrings)
	if a == nil {
		return nil
	}
	return a.Strings
}

// Tensor returns the tensor in an attribute, nil if there is none.
func (c *lowering) Tensor(name string) *tensor.Tensor {
	a, _ := c.attribute(name, proto.AttributeTensor)
	if a == nil {
		return nil
	}
	if a.T == nil {
		c.failf(name, "the attribute has no tensor")
	}
	t, err := c.w.file.tensor(a.T)
	if err != nil {
		c.Fail(&Error{Operand: name, Msg: err.Error(), Err: err})
	}
	return t
}

// Graph returns the graph in an attribute.
func (c *lowering) Graph(name string) *network {
	a, _ := c.attribute(name, proto.AttributeGraph)
	if a == nil || a.G == nil {
		c.failf(name, "the graph is missing")
	}
	return c.w.file.networks[a.G]
}

// ElemType returns the element type that an integer attribute names; tensor.Invalid if the attribute is not given.
func (c *lowering) ElemType(name string) tensor.DType {
	if !c.Given(name) && c.form.declared(name).value == nil {
		return tensor.Invalid
	}
	return c.elemType(name, int64(c.Int(name)))
}

func (c *lowering) elemType(name string, n int64) tensor.DType {
	if n < 0 || n > math.MaxInt32 {
		c.failf(name, "%d is no element type", n)
	}
	d, err := proto.DataType(n).DType()
	if err != nil {
		c.Fail(&Error{Operand: name, Msg: err.Error(), Err: err})
	}
	return d
}

// Axis makes an axis that may count from the end one that counts from the beginning.
func (c *lowering) Axis(what string, axis, rank int) int {
	if axis < -rank || axis >= rank {
		c.failf(what, "there is no axis %d in a tensor of rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis
}

// Axes is [lowering.Axis] for a list of different axes.
func (c *lowering) Axes(what string, axes []int, rank int) []int {
	out := make([]int, len(axes))
	seen := make(map[int]bool)
	for i, a := range axes {
		out[i] = c.Axis(what, a, rank)
		if seen[out[i]] {
			c.failf(what, "axis %d is named twice", a)
		}
		seen[out[i]] = true
	}
	return out
}

// Known returns the elements of an operand, nil if it is left out. If they are not known before the run the node is put off until then.
func (c *lowering) Known(i int) *tensor.Tensor {
	v := c.In(i)
	if v == nil {
		return nil
	}
	t := c.constant(v)
	if t == nil {
		c.Fail(&askError{c.operandName(i), v})
	}
	return t
}

// constant returns the elements of a value that constants decide, and nil for another.
func (c *lowering) constant(v *graph.Value) *tensor.Tensor {
	t, err := c.w.folder.Constant(v)
	if err != nil {
		return nil // too much work to be done beforehand
	}
	return t
}

// KnownInts is [lowering.Known] for an operand of integers.
func (c *lowering) KnownInts(i int) []int {
	list := c.knownInt64s(i)
	if list == nil {
		return nil
	}
	return c.narrow(c.operandName(i), list)
}

// KnownPlaces is [lowering.KnownInts] for places that may lie beyond what there is: those beyond the range of int become its bounds.
func (c *lowering) KnownPlaces(i int) []int {
	list := c.knownInt64s(i)
	if list == nil {
		return nil
	}
	return places(list)
}

func places(list []int64) []int {
	out := make([]int, len(list))
	for i, x := range list {
		out[i] = int(min(max(x, math.MinInt), math.MaxInt))
	}
	return out
}

func (c *lowering) knownInt64s(i int) []int64 {
	t := c.Known(i)
	if t == nil {
		return nil
	}
	if !op.Integers.Has(t.DType()) {
		c.failf(c.operandName(i), "the element type %v is not allowed; it must be %v", t.DType(), op.Integers)
	}
	wide, err := tensor.Cast(c.listable(i, t), tensor.Int64)
	c.Fail(err)
	return tensor.Data[int64](wide)
}

// listable refuses what is no list of a few numbers.
func (c *lowering) listable(i int, t *tensor.Tensor) *tensor.Tensor {
	if t.Len() > limits.ONNXList {
		c.Fail(&Error{Operand: c.operandName(i), Err: ErrLimit, Msg: fmt.Sprintf("it is %v; such a list may have at most %d numbers", t.Describe(), limits.ONNXList)})
	}
	c.charge(t.Len() / crowd)
	return t
}

// KnownInt is [lowering.KnownInts] for one integer.
func (c *lowering) KnownInt(i int) int {
	list := c.KnownInts(i)
	if len(list) != 1 {
		c.failf(c.operandName(i), "it has %d elements; it must have one", len(list))
	}
	return list[0]
}

// KnownFlag is [lowering.Known] for one boolean.
func (c *lowering) KnownFlag(i int) bool {
	if t := c.In(i).Type; t.DType != tensor.Bool || t.Shape.Len() != 1 {
		c.failf(c.operandName(i), "it is %v; it must be one boolean", t)
	}
	return tensor.Data[bool](c.Known(i))[0]
}

// KnownFloats is [lowering.Known] for an operand of numbers.
func (c *lowering) KnownFloats(i int) []float64 {
	t := c.Known(i)
	if t == nil {
		return nil
	}
	if !op.Numbers.Has(t.DType()) {
		c.failf(c.operandName(i), "the element type %v is not allowed; it must be %v", t.DType(), op.Numbers)
	}
	wide, err := tensor.Cast(c.listable(i, t), tensor.Float64)
	c.Fail(err)
	return tensor.Data[float64](wide)
}

// KnownWhole is [lowering.KnownInt] for a number of any type, truncated.
func (c *lowering) KnownWhole(i int) int {
	list := c.KnownFloats(i)
	if len(list) != 1 || !(math.Abs(list[0]) <= math.MaxInt32) {
		c.failf(c.operandName(i), "it is %v; it must be one number of 32 bits", list)
	}
	return int(list[0])
}

// AttrOrInts returns the integers that older versions of an operator have in an attribute and newer ones in an operand, nil if neither is
// given.
func (c *lowering) AttrOrInts(name string, i int) []int {
	if c.form.declared(name) != nil {
		return c.Ints(name)
	}
	return c.KnownInts(i)
}

// IntsConstant adds a list of integers.
func (c *lowering) IntsConstant(list ...int) *graph.Value {
	wide := make([]int64, len(list))
	for i, x := range list {
		wide[i] = int64(x)
	}
	t, err := tensor.FromSlice(wide, len(wide))
	c.Fail(err)
	return c.Constant(t)
}

// Number adds a scalar of an element type.
func (c *lowering) Number(x float64, d tensor.DType) *graph.Value {
	t, err := tensor.Cast(tensor.Scalar(x), d)
	c.Fail(err)
	return c.Constant(t)
}

// Then has the results made by next when the elements of a value are known that this row has added, which may be in another graph: what
// next needs of this one it is given, the operands of the node and keep.
func (c *lowering) Then(value *graph.Value, keep []*graph.Value, next func(c *lowering, elements *tensor.Tensor, keep []*graph.Value) []*graph.Value) []item {
	node := len(c.in)
	form, opset, attrs := c.form, c.opset, c.attrs // not the lowering, behind which stands all that was made so far
	run := func(d *lowering) []item {
		d.form, d.opset, d.attrs = form, opset, attrs
		known := d.In(node)
		elements := d.constant(known)
		if elements == nil {
			d.Fail(&askError{"the number of elements of the result", known})
		}
		extra := d.All(node + 1)
		d.in = d.in[:node]
		return tensors(next(d, elements, extra)...)
	}
	operands := append(append([]item(nil), c.in...), tensors(append([]*graph.Value{value}, keep...)...)...)
	c.then(c.scope, nil, operands, run)
	return nil
}
