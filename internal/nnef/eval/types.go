package eval

import (
	"github.com/concord-nn/concord/nnef/syntax"
)

// Unknown is a primitive value or an array of which only the type is known. It occurs where an [Evaluator] checks.
type Unknown struct {
	Type syntax.Type // a *syntax.PrimitiveType or *syntax.ArrayType
	Len  int         // number of items of an array; negative if it is not known
}

// unknownTensor is a tensor of which only the type of the elements is known: NoPrimitive for tensor<>, which has one of
// the types, and anyItem where the text does not say it.
type unknownTensor struct{ item syntax.Primitive }

func (t unknownTensor) Item() syntax.Primitive { return t.item }
func (t unknownTensor) Extents() ([]int, bool) { return nil, false }
func (t unknownTensor) SameTensor(Tensor) bool { return false }

// constant is a literal in the place of a tensor. Operators on it are operations, although its value is known. Where an
// operation is applied to it, it is the literal again.
type constant struct{ value Value }

func (c constant) Item() syntax.Primitive   { return primitiveOf(c.value) }
func (c constant) Extents() ([]int, bool)   { return nil, true }
func (c constant) SameTensor(t Tensor) bool { return t == Tensor(c) }

// anyItem is the item type of tensors about which nothing is known: those of the provisional dialect, and results of
// operations that do not declare a type.
const anyItem syntax.Primitive = 0xff

// One node for each primitive type, so that types are compared and made without effort.
var (
	primitiveTypes [syntax.GenericType + 1]syntax.Type
	tensorTypes    [syntax.GenericType + 1]syntax.Type
	arrayTypes     [syntax.GenericType + 1]*syntax.ArrayType
	unknowns       [syntax.GenericType + 1]Value
	anyTensor      syntax.Type = &syntax.TensorType{Item: anyItem}
	noItems                    = &syntax.ArrayType{} // the type of []
)

func init() {
	for p := range primitiveTypes {
		kind := syntax.Primitive(p)
		primitiveTypes[p] = &syntax.PrimitiveType{Kind: kind}
		tensorTypes[p] = &syntax.TensorType{Item: kind}
		arrayTypes[p] = &syntax.ArrayType{Item: primitiveTypes[p]}
		unknowns[p] = Unknown{Type: primitiveTypes[p]}
	}
}

func tensorType(item syntax.Primitive) syntax.Type {
	if item == anyItem {
		return anyTensor
	}
	return tensorTypes[item]
}

func arrayOf(item syntax.Type) *syntax.ArrayType {
	switch t := item.(type) {
	case nil:
		return noItems
	case *syntax.PrimitiveType:
		return arrayTypes[t.Kind]
	}
	return &syntax.ArrayType{Item: item}
}

// unknownOf returns a value of which only the type is known.
func unknownOf(t syntax.Type, length int) Value {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		return unknowns[t.Kind]
	case *syntax.ArrayType:
		return Unknown{t, length}
	case *syntax.TupleType:
		list := make(Tuple, len(t.Items))
		for i, item := range t.Items {
			list[i] = unknownOf(item, -1)
		}
		return list
	case *syntax.TensorType:
		return unknownTensor{t.Item}
	}
	return unknownTensor{anyItem}
}

// itemsIn returns the items of an array, or where they are not known what each of them is: nothing of [], whose items have no type.
func itemsIn(v Value) (items []Value, array bool) {
	switch v := v.(type) {
	case Array:
		return v, true
	case Unknown:
		t, ok := v.Type.(*syntax.ArrayType)
		if ok && t.Item != nil {
			items = []Value{unknownOf(t.Item, -1)}
		}
		return items, ok
	}
	return nil, false
}

// bound returns a declared type with '?' replaced by the generic type, and with open tensors of any type for tensor<>.
func bound(t syntax.Type, generic syntax.Primitive, open bool) syntax.Type {
	switch t := t.(type) {
	case *syntax.PrimitiveType:
		if t.Kind != syntax.GenericType || generic == anyItem {
			return t
		}
		return primitiveTypes[generic]
	case *syntax.TensorType:
		switch {
		case t.Item == syntax.GenericType:
			return tensorType(generic)
		case t.Item == syntax.NoPrimitive && open:
			return anyTensor
		}
		return t
	case *syntax.ArrayType:
		if item := bound(t.Item, generic, open); item != t.Item {
			return arrayOf(item)
		}
		return t
	case *syntax.TupleType:
		items := make([]syntax.Type, len(t.Items))
		for i, item := range t.Items {
			items[i] = bound(item, generic, open)
		}
		return &syntax.TupleType{Items: items}
	}
	return anyTensor
}

// typeOf returns the type of a value. The time it takes grows with the items of the value.
func (e *Evaluator) typeOf(v Value) syntax.Type {
	switch v := v.(type) {
	case Unknown:
		return v.Type
	case Array:
		if len(v) == 0 {
			return noItems
		}
		t := e.typeOf(v[0])
		for _, x := range v[1:] {
			if c := e.common(t, e.typeOf(x)); c != nil {
				t = c
			}
		}
		return arrayOf(t)
	case Tuple:
		items := make([]syntax.Type, len(v))
		for i, x := range v {
			items[i] = e.typeOf(x)
		}
		return &syntax.TupleType{Items: items}
	case Tensor:
		return tensorType(itemOf(v))
	}
	if p := primitiveOf(v); p != syntax.NoPrimitive {
		return primitiveTypes[p]
	}
	return anyTensor
}

// itemOf returns the type of a tensor's elements. A tensor of the caller that has none fits everywhere.
func itemOf(t Tensor) syntax.Primitive {
	item := t.Item()
	if _, declared := t.(unknownTensor); item == syntax.NoPrimitive && !declared {
		return anyItem
	}
	return item
}

// common returns the type that both types can be cast to, or nil if there is none.
func (e *Evaluator) common(a, b syntax.Type) syntax.Type {
	if a == b { // Without this they would be compared part by part.
		return a
	}
	if m := e.rigid(); m.fits(unknownOf(a, -1), b) {
		return b
	}
	if m := e.rigid(); m.fits(unknownOf(b, -1), a) {
		return a
	}
	return nil
}

// typeText writes a type as the dialect does.
func (e *Evaluator) typeText(t syntax.Type) string {
	switch t := t.(type) {
	case *syntax.ArrayType:
		if t.Item == nil {
			return "[]"
		}
		return e.typeText(t.Item) + "[]"
	case *syntax.TupleType:
		return "(" + listed(t.Items, ", ", e.typeText) + ")"
	case *syntax.TensorType:
		switch {
		case t.Item == anyItem || t.Item == syntax.NoPrimitive && e.dialect == syntax.Provisional:
			return "tensor"
		case e.dialect == syntax.Provisional:
			return "tensor of " + t.Item.Text(e.dialect)
		}
	case nil:
		return "tensor"
	}
	return syntax.TypeText(t, e.dialect)
}

// genericText writes the type that '?' stands for.
func (e *Evaluator) genericText(p syntax.Primitive) string {
	if p == anyItem {
		p = syntax.GenericType
	}
	return p.Text(e.dialect)
}

// typeName describes the type of a value.
func (e *Evaluator) typeName(v Value) string {
	switch v := v.(type) {
	case Array:
		if len(v) == 0 {
			return "[]"
		}
		return e.typeName(v[0]) + "[]"
	case Tuple:
		return "(" + listed(v, ", ", e.typeName) + ")"
	case Symbol:
		return "a symbol"
	case Absent:
		return "absent"
	case Unknown:
		return e.typeText(v.Type)
	case Tensor:
		return e.typeText(tensorType(itemOf(v)))
	}
	return e.typeText(primitiveTypes[primitiveOf(v)])
}
