package tract

import (
	"fmt"
	"math"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Core is what lowers operations of the standard, in one invocation.
type Core interface {
	Value(arg string, v eval.Value) *graph.Value // an argument as a value of the graph
	ValueOf(v eval.Value) (*graph.Value, bool)   // the value that an argument is, and false if it is none
	Narrow(arg string, n int64) int              // an integer as one of a graph
	Open() int                                   // the extent that stands for those which are not specified, 0 if there is none
	Standard() []*graph.Value                    // the results of the invocation as the standard has it
	Operators() eval.Library                     // those of package op, which add to the graph
	Add(n graph.Node, names []string) ([]*graph.Value, error)
	Block(fragment string, args []element.Argument) (*graph.Graph, error) // the graph of a fragment
}

// Lowering is an invocation of an operation of tract while it is turned into nodes. Its arguments are converted to what the operation declares.
type Lowering struct {
	*emit.Emitter
	Core
	*Folding
	c      *eval.Invocation
	t      *Library
	limits eval.Limits
}

func (l *Lowering) fail(code syntax.Code, arg, format string, args ...any) {
	l.Fail(&eval.Error{Code: code, Arg: arg, Msg: fmt.Sprintf(format, args...)})
}

func (l *Lowering) tensor(name string) *graph.Value { return l.Value(name, l.c.Arg(name)) }
func (l *Lowering) int(name string) int             { n, _ := l.c.Arg(name).(int64); return l.Narrow(name, n) }

// elementTypes are the element types by the names that tract gives them, in small letters. A dimension (tdim) is a number
// here, as all symbols have values.
var elementTypes = map[string]tensor.DType{
	"f16": tensor.Float16, "bf16": tensor.BFloat16, "f32": tensor.Float32,
	"i8": tensor.Int8, "i16": tensor.Int16, "i32": tensor.Int32, "i64": tensor.Int64, "tdim": tensor.Int64,
	"u8": tensor.Uint8, "u16": tensor.Uint16, "u32": tensor.Uint32, "u64": tensor.Uint64, "bool": tensor.Bool,
}

// element returns the element type of a name.
func (l *Lowering) element(arg, name string) tensor.DType {
	d, ok := elementTypes[strings.ToLower(name)]
	switch {
	case name == "":
		l.fail(eval.CodeAttribute, arg, "elements of the type that a quantization file says are not supported; name the type")
		return tensor.Float32
	case !ok:
		l.fail(eval.CodeAttribute, arg, "elements of tract's type %q are not supported", name)
		return tensor.Float32
	}
	return d
}

// convert converts all arguments by the declared types.
func (l *Lowering) convert() {
	var group []int // parameters that share an element type
	for i := range l.c.Op.Params {
		p := &l.c.Op.Params[i]
		if v := l.c.Args[i]; v == false && p.Default == (eval.Absent{}) {
			l.c.Args[i] = eval.Absent{}
		} else {
			l.c.Args[i] = l.converted(p.Name, v, p.Type)
		}
		if t, ok := itemType(p.Type); ok && (t == syntax.Scalar || t == syntax.GenericType) {
			group = append(group, i)
		}
	}
	l.harmonise(group)
}

// itemType returns the type of the elements of a tensor, or of an array of tensors.
func itemType(t syntax.Type) (syntax.Primitive, bool) {
	if list, ok := t.(*syntax.ArrayType); ok {
		t = list.Item
	}
	tt, ok := t.(*syntax.TensorType)
	if !ok {
		return 0, false
	}
	return tt.Item, true
}

// converted returns an argument as a value of a declared type.
func (l *Lowering) converted(arg string, v eval.Value, t syntax.Type) eval.Value {
	if l.Err != nil { // Without this what follows a mistake would be converted in vain.
		return v
	}
	switch t := t.(type) {
	case *syntax.TensorType:
		return l.asTensor(arg, v, t.Item)
	case *syntax.PrimitiveType:
		return l.asPrimitive(arg, v, t.Kind)
	case *syntax.TupleType:
		list := l.items(arg, v)
		if len(list) != len(t.Items) {
			l.fail(eval.CodeType, arg, "%s has %d items; there must be %d", eval.Text(v), len(list), len(t.Items))
		}
		out := make(eval.Tuple, 0, len(list))
		for i, x := range list {
			if l.Err == nil {
				out = append(out, l.converted(arg, x, t.Items[i]))
			}
		}
		return out
	case *syntax.ArrayType:
		list := l.items(arg, v)
		out := make(eval.Array, 0, len(list))
		_, primitive := t.Item.(*syntax.PrimitiveType)
		for _, x := range list {
			if !primitive {
				out = append(out, l.converted(arg, x, t.Item))
				continue
			}
			for _, n := range l.items(arg, x) { // a tensor of several extents among single ones
				out = append(out, l.converted(arg, n, t.Item))
			}
		}
		return out
	}
	return v
}

// items returns the items of a list; of a tensor that is no list its elements, and anything else as the only item.
func (l *Lowering) items(arg string, v eval.Value) []eval.Value {
	switch v := v.(type) {
	case eval.Array:
		return v
	case eval.Tuple:
		return v
	case eval.Tensor:
		x := l.Value(arg, v)
		if x == nil || len(x.Type.Shape) == 0 {
			return []eval.Value{v}
		}
		return l.elements(arg, x)
	}
	return []eval.Value{v}
}

// elements returns the elements of a tensor that is known before the model runs.
func (l *Lowering) elements(arg string, x *graph.Value) []eval.Value {
	data, err := l.Folder.Constant(x)
	if err != nil {
		l.fail(eval.CodeUnknown, arg, "the argument %s of %s must be known before the model runs: %v", arg, l.c.Op.Name, err)
		return nil
	}
	if data == nil {
		l.fail(eval.CodeUnknown, arg,
			"the argument %s of %s is computed from inputs or variables; it must be known before the model runs", arg, l.c.Op.Name)
		return nil
	}
	d := tensor.Int64
	if data.DType().IsFloat() {
		d = tensor.Float32
	}
	wide, err := tensor.Cast(data, d)
	if err != nil { // Without this a lack of memory would be a panic.
		l.Fail(err)
		return nil
	}
	out := make([]eval.Value, 0, data.Len())
	for _, f := range tensor.Data[float32](wide) {
		out = append(out, float64(f))
	}
	for _, n := range tensor.Data[int64](wide) {
		out = append(out, n)
	}
	return out
}

// asPrimitive returns an argument as a number, truth value or string.
func (l *Lowering) asPrimitive(arg string, v eval.Value, want syntax.Primitive) eval.Value {
	switch x := v.(type) {
	case eval.Tensor:
		list := l.elements(arg, l.Value(arg, x))
		if len(list) == 1 {
			return l.asPrimitive(arg, list[0], want)
		}
		l.fail(eval.CodeType, arg, "the argument %s of %s has %d elements; it must be one number", arg, l.c.Op.Name, len(list))
		return v
	case eval.Symbol:
		if l.Open() > 0 {
			return l.asPrimitive(arg, int64(l.Open()), want)
		}
		l.fail(eval.CodeUnknown, arg, "the symbol %s has no value; give the shapes of the inputs", string(x))
		return v
	}
	if out := primitiveAs(v, want); out != nil {
		return out
	}
	l.fail(eval.CodeType, arg, "the argument %s of %s is %s; it must be %v", arg, l.c.Op.Name, eval.Text(v), want)
	return v
}

// primitiveAs converts a literal as tract does, or returns nil.
func primitiveAs(v eval.Value, want syntax.Primitive) eval.Value {
	switch want {
	case syntax.Integer:
		switch v := v.(type) {
		case bool:
			return number(v)
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
				return int64(v)
			}
			return nil
		case int64:
			return v
		}
	case syntax.Scalar:
		switch v := v.(type) {
		case bool:
			return float64(number(v))
		case int64:
			return float64(v)
		case float64:
			return v
		}
	case syntax.Logical:
		switch v := v.(type) {
		case bool:
			return v
		case int64:
			return v != 0
		}
	case syntax.String:
		if s, ok := v.(string); ok {
			return s
		}
	}
	return nil
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// asTensor returns an argument as a tensor, or as a literal that stands for one.
func (l *Lowering) asTensor(arg string, v eval.Value, item syntax.Primitive) eval.Value {
	switch v.(type) {
	case eval.Array, eval.Tuple:
		v = element.Of(l.packed(arg, v))
	case string, eval.Symbol:
		return l.asPrimitive(arg, v, syntax.Scalar)
	}
	want := map[syntax.Primitive]tensor.DType{syntax.Integer: tensor.Int64, syntax.Logical: tensor.Bool}[item]
	if _, isTensor := v.(eval.Tensor); !isTensor {
		if want == tensor.Invalid {
			return v
		}
		return l.asPrimitive(arg, v, item)
	}
	x := l.Value(arg, v)
	if x != nil && want != tensor.Invalid && element.ItemOf(x.Type.DType) != item {
		x = l.Cast(x, want)
	}
	return element.Of(x)
}

// packed returns a list, of lists or of tensors, as one tensor.
func (l *Lowering) packed(arg string, v eval.Value) *graph.Value {
	if shape, values, ok := element.Literals(v); ok {
		d := tensor.Bool
		for _, x := range values {
			d = widest(d, element.TypeOf(x))
		}
		if len(values) == 0 {
			d = tensor.Float32
		}
		return l.constant(values, d, shape)
	}
	list := l.items(arg, v)
	parts := make([]*graph.Value, 0, len(list))
	for _, x := range list {
		if _, nested := x.(eval.Tensor); !nested {
			x = l.asTensor(arg, x, syntax.NoPrimitive)
		}
		parts = append(parts, l.Value(arg, x))
	}
	return l.Node("stack", emit.Attr("axis", 0), l.alike(parts)...)
}

// maxMade bounds the elements of all constants that arguments and operations of one document make.
const maxMade = limits.TractMade

// constant adds a constant of literals, which are converted to the element type.
func (l *Lowering) constant(values []eval.Value, d tensor.DType, shape tensor.Shape) *graph.Value {
	if l.made += len(values); l.made > maxMade {
		l.fail(eval.CodeLimit, "", "the document makes constants of more than %d elements", maxMade)
		return nil
	}
	fitting := make([]eval.Value, len(values))
	for i, v := range values {
		fitting[i] = literalAs(v, d)
	}
	t, err := element.Tensor(fitting, d, shape)
	if err != nil {
		l.fail(eval.CodeType, "", "%v", err)
	}
	return l.Constant(t)
}

// literalAs converts a literal to what the element type holds: scalars are truncated to integers, as tract casts.
func literalAs(v eval.Value, d tensor.DType) eval.Value {
	want := element.ItemOf(d)
	if f, ok := v.(float64); ok && want == syntax.Integer {
		v = math.Trunc(f)
	} else if ok && want == syntax.Logical {
		return f != 0
	}
	if out := primitiveAs(v, want); out != nil {
		return out
	}
	return v
}

// widest returns the element type to which tract brings operands of two types.
func widest(a, b tensor.DType) tensor.DType {
	rank := func(d tensor.DType) int {
		switch {
		case d.IsFloat():
			return 100 + d.Bits()
		case d.IsInteger():
			return d.Bits()
		}
		return 0
	}
	switch {
	case a == b:
		return a
	case a.IsHalf() && b.IsHalf():
		return tensor.Float32
	case a.IsInteger() && b.IsInteger() && a.IsSigned() != b.IsSigned():
		if a.IsUnsigned() {
			a, b = b, a
		}
		if a.Bits() > b.Bits() {
			return a
		}
		return tensor.Int64
	case rank(a) >= rank(b):
		return a
	}
	return b
}

// harmonise brings tensors and literals among the arguments to one element type. Constants adapt to the other tensors,
// and literals to all.
func (l *Lowering) harmonise(params []int) {
	slots := l.slots(params)
	types := [3][]tensor.DType{} // of computed tensors, constants, and literals
	for _, s := range slots {
		if x, ok := (*s).(element.Operand); ok && x.V != nil {
			weight := number(x.V.Const != nil)
			types[weight] = append(types[weight], x.V.Type.DType)
		} else if d := element.TypeOf(*s); d != tensor.Invalid {
			types[2] = append(types[2], d)
		}
	}
	d := tensor.Invalid
	for _, list := range types {
		for i, t := range list {
			if d = widest(d, t); i == 0 {
				d = t
			}
		}
		if d != tensor.Invalid {
			break
		}
	}
	if d == tensor.Invalid || l.Err != nil { // Without this arguments would be brought together in vain.
		return
	}
	if l.mixes() && d.IsInteger() { // Without this integers of 8 bits would be multiplied as ones of 64.
		return
	}
	d = l.accepted(d)
	for _, s := range slots {
		*s = l.brought(*s, d)
	}
}

// slots returns where tensors and literals stand in the arguments of the given parameters.
func (l *Lowering) slots(params []int) []*eval.Value {
	var slots []*eval.Value
	for _, i := range params {
		if list, ok := l.c.Args[i].(eval.Array); ok {
			for k := range list {
				slots = append(slots, &list[k])
			}
			continue
		}
		if l.c.Op.Params[i].Name == "bias" && zero(l.c.Args[i]) {
			l.c.Args[i] = 0.0 // as bindings expect it where there is none
			continue
		}
		slots = append(slots, &l.c.Args[i])
	}
	return slots
}

func zero(v eval.Value) bool { return v == int64(0) || v == 0.0 }

// brought returns a tensor or literal with elements of type d.
func (l *Lowering) brought(v eval.Value, d tensor.DType) eval.Value {
	if x, ok := v.(element.Operand); ok {
		return element.Of(l.Cast(x.V, d))
	}
	fitting := literalAs(v, d)
	if f, _ := fitting.(float64); element.TypeOf(fitting) == d && !math.IsInf(f, 0) { // Without this there would be a constant for each number.
		return fitting
	}
	return element.Of(l.constant([]eval.Value{v}, d, tensor.Shape{}))
}

// mixes reports whether the operation takes integers of different types.
func (l *Lowering) mixes() bool {
	d, ok := op.Lookup(l.c.Op.Name)
	return ok && d.SumsProducts()
}

// accepted returns the element type if the operator of the operation's name takes it, and else one that it does take.
func (l *Lowering) accepted(d tensor.DType) tensor.DType {
	def, ok := op.Lookup(l.c.Op.Name)
	if !ok || len(def.In) == 0 || def.Traits.Has(op.Integral) {
		return d
	}
	if last := def.In[len(def.In)-1].Types; !last.Has(d) && last.Has(tensor.Float32) {
		return tensor.Float32
	}
	return d
}

// alike brings values to the widest of their element types.
func (l *Lowering) alike(in []*graph.Value) []*graph.Value {
	if len(in) == 0 || l.Err != nil {
		return in
	}
	d := in[0].Type.DType
	for _, v := range in {
		d = widest(d, v.Type.DType)
	}
	for i := range in {
		in[i] = l.Cast(in[i], d)
	}
	return in
}
