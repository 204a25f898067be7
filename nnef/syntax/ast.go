package syntax

import (
	"iter"
	"slices"
	"strings"
)

// Node is a part of the syntax tree. Nodes that were built, not read, have the zero span.
type Node interface {
	Pos() Pos // first byte
	End() Pos // after the last byte
}

// SpanOf returns the part of the text that a node takes up.
func SpanOf(n Node) Span { return Span{From: n.Pos(), To: n.End()} }

// Document is a whole NNEF text.
type Document struct {
	Span
	Source     *Source // nil if the document was built, not read
	Dialect    Dialect
	Version    Span // of the version statement; only version 1.0 is read
	Extensions []Extension
	Fragments  []*Fragment
	Graph      *Graph
	Comments   *Comments   // before and after the version statement; Inner at the end of the document
	Warnings   Diagnostics // what was accepted although the standard does not
	Tract      bool        // the text uses what the engine tract adds to the language

	Expressions bool // the text has expressions, which strict documents enable by [ExtOperators]
}

// Declares reports whether the document has an extension statement with a name.
func (d *Document) Declares(name string) bool {
	return slices.ContainsFunc(d.Extensions, func(e Extension) bool { return e.Name == name })
}

// Extension is one name of an extension statement.
type Extension struct {
	Span
	Name     string
	Text     string // the rest of the statement, only for names that start with tract_ or concord_
	Comments *Comments
}

// Comments are the comments around a declaration or statement, each from '#' to the end of its line. The empty string
// is an empty line between comments or before a statement.
type Comments struct {
	Before []string // in lines of their own; comments inside of a statement are moved here
	After  string   // in the same line
	Inner  []string // before the closing brace of a body, or at the end of a document
}

// Fragment is the declaration of an operation, with a body or, for a custom primitive, without.
type Fragment struct {
	Span
	Source   *Source
	Name     *Ident
	Generic  *Generic // nil if the fragment is not generic
	Params   []Param
	Results  []Param      // without defaults
	Body     []Assignment // nil for a custom primitive
	Comments *Comments
}

// Generic is the mark <?> or <? = type> of a generic declaration.
type Generic struct {
	Span
	Default Primitive // NoPrimitive if there is none
}

// Param is a formal parameter or a result of a fragment.
type Param struct {
	Span
	Name    *Ident
	Type    Type
	Default Expr // nil if there is none; else a literal, or an array or tuple of literals
}

// Graph is the graph of a document.
type Graph struct {
	Span
	Source   *Source
	Name     *Ident
	Params   []*Ident
	Results  []*Ident
	Body     []Assignment
	Comments *Comments
}

// Assignment is one statement of a body.
type Assignment struct {
	Span
	Left     Expr // an *Ident, or an *Array or *Tuple of such patterns
	Right    Expr
	Comments *Comments
}

// Names yields the identifiers of the left side from left to right.
func (a *Assignment) Names() iter.Seq[*Ident] {
	return func(yield func(*Ident) bool) {
		more := true
		Walk(a.Left, func(n Node) bool {
			if id, ok := n.(*Ident); ok && more {
				more = yield(id)
			}
			return more
		})
	}
}

// Primitive is a primitive type.
type Primitive uint8

// The primitive types.
const (
	NoPrimitive Primitive = iota
	Integer               // "integer", in the provisional dialect "extent"
	Scalar
	Logical
	String
	GenericType // "?"
)

func (p Primitive) String() string { return p.Text(Final) }

// Text returns the name of the type in the dialect; it is empty for NoPrimitive.
func (p Primitive) Text(d Dialect) string {
	if p == Integer && d == Provisional {
		return "extent"
	}
	return [...]string{"", "integer", "scalar", "logical", "string", "?"}[p]
}

// Type is a type specification: *PrimitiveType, *TensorType, *ArrayType or *TupleType.
type Type interface {
	Node
	typeNode()
}

type (
	// PrimitiveType is the type of an attribute.
	PrimitiveType struct {
		Span
		Kind Primitive
	}
	// TensorType is tensor<scalar>, tensor<?> and so on. The item is NoPrimitive for tensor<> and for "tensor" of the
	// provisional dialect.
	TensorType struct {
		Span
		Item Primitive
	}
	// ArrayType is item[].
	ArrayType struct {
		Span
		Item Type
	}
	// TupleType is (item, item, …) of two or more items.
	TupleType struct {
		Span
		Items []Type
	}
)

func (*PrimitiveType) typeNode() {}
func (*TensorType) typeNode()    {}
func (*ArrayType) typeNode()     {}
func (*TupleType) typeNode()     {}

// Expr is an expression: *IntegerLit, *ScalarLit, *LogicalLit, *StringLit, *Ident, *Array, *Tuple, *Subscript, *Range,
// *Unary, *Binary, *Select, *Comprehension, *BuiltinCall or *Call. Parentheses that only group leave no node.
type Expr interface {
	Node
	exprNode()
}

// Literal is a constant of a primitive type. A minus sign directly before a number belongs to it.
type Literal[T int64 | float64 | bool | string] struct {
	Span
	Value T
}

type (
	// IntegerLit is an integer.
	IntegerLit = Literal[int64]
	// ScalarLit is a finite number, with a point or exponent.
	ScalarLit = Literal[float64]
	// LogicalLit is true or false.
	LogicalLit = Literal[bool]
	// StringLit is a string without its quotes and escapes.
	StringLit = Literal[string]
	// Ident is the use or definition of a name.
	Ident struct {
		Span
		Name string
	}
	// Array is [item, …].
	Array struct {
		Span
		Items []Expr
	}
	// Tuple is (item, item, …) of two or more items.
	Tuple struct {
		Span
		Items []Expr
	}
	// Subscript is x[index].
	Subscript struct {
		Span
		X, Index Expr
	}
	// Range is x[from:to]; either bound may be nil.
	Range struct {
		Span
		X, First, Last Expr
	}
	// Unary is an operator before its operand.
	Unary struct {
		Span
		Op Op // Plus, Minus or Not
		X  Expr
	}
	// Binary is an operator between its operands.
	Binary struct {
		Span
		Op   Op
		X, Y Expr
	}
	// Select is then if cond else other.
	Select struct {
		Span
		Then, Cond, Else Expr
	}
	// Comprehension is [for i in a, j in b if c yield item], in the provisional dialect [item for i in a if c].
	Comprehension struct {
		Span
		Iterators []Iterator
		Cond      Expr // nil if there is none
		Item      Expr
	}
	// BuiltinCall is a builtin function applied to its argument.
	BuiltinCall struct {
		Span
		Func Builtin
		Arg  Expr
	}
	// Call is the invocation of an operation.
	Call struct {
		Span
		Name *Ident
		Type Primitive // the explicit generic type, NoPrimitive if there is none
		Args []Arg
	}
)

// Iterator is "name in array" of a comprehension.
type Iterator struct {
	Name *Ident
	In   Expr
}

// Arg is an argument of a call.
type Arg struct {
	Name  *Ident // nil for a positional argument
	Value Expr
}

// Named returns the argument that is given by a name, nil if there is none.
func (c *Call) Named(name string) *Arg {
	i := slices.IndexFunc(c.Args, func(a Arg) bool { return a.Name != nil && a.Name.Name == name })
	if i < 0 {
		return nil
	}
	return &c.Args[i]
}

// Pos returns where the argument starts.
func (a Arg) Pos() Pos {
	if a.Name != nil {
		return a.Name.Pos()
	}
	return a.Value.Pos()
}

// End returns where the argument ends.
func (a Arg) End() Pos { return a.Value.End() }

func (*Literal[T]) exprNode()    {}
func (*Ident) exprNode()         {}
func (*Array) exprNode()         {}
func (*Tuple) exprNode()         {}
func (*Subscript) exprNode()     {}
func (*Range) exprNode()         {}
func (*Unary) exprNode()         {}
func (*Binary) exprNode()        {}
func (*Select) exprNode()        {}
func (*Comprehension) exprNode() {}
func (*BuiltinCall) exprNode()   {}
func (*Call) exprNode()          {}

// Op is an operator of expressions.
type Op uint8

// The operators.
const (
	Plus Op = iota + 1
	Minus
	Times
	Divide
	Power
	Less
	LessEqual
	Greater
	GreaterEqual
	Equal
	NotEqual
	And
	Or
	Not
	In
)

func (o Op) String() string {
	return [...]string{"", "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!", "in"}[o]
}

// Levels of precedence, from loose to tight. Binary operators associate to the left.
const (
	levelSelect = iota
	levelIn
	levelLogic
	levelCompare
	levelAdd
	levelMultiply
	levelPower
	levelUnary
	levelPostfix
	levels
)

// level returns the precedence of the operator between two operands.
func (o Op) level() int {
	return [...]int{Plus: levelAdd, Minus: levelAdd, Times: levelMultiply, Divide: levelMultiply, Power: levelPower,
		Less: levelCompare, LessEqual: levelCompare, Greater: levelCompare, GreaterEqual: levelCompare,
		Equal: levelCompare, NotEqual: levelCompare, And: levelLogic, Or: levelLogic, Not: levelUnary, In: levelIn}[o]
}

// Builtin is a builtin function.
type Builtin uint8

// The builtin functions. Those named To… convert to a primitive type and carry its name.
const (
	ShapeOf Builtin = iota + 1
	LengthOf
	RangeOf
	ToInteger
	ToScalar
	ToLogical
	ToString
)

func (b Builtin) String() string { return b.Text(Final) }

// Text returns the name of the function in the dialect.
func (b Builtin) Text(d Dialect) string {
	if b == ToInteger && d == Provisional {
		return "extent"
	}
	return [...]string{"", "shape_of", "length_of", "range_of", "integer", "scalar", "logical", "string"}[b]
}

// HoldsTensor reports whether a type is that of tensors, or an array or a tuple with tensors in it.
func HoldsTensor(t Type) bool { return holds[*TensorType](t) }

// OnlyTensors reports whether there is nothing else in a type.
func OnlyTensors(t Type) bool { return !holds[*PrimitiveType](t) }

func holds[T Type](t Type) (found bool) {
	Walk(t, func(n Node) bool {
		_, is := n.(T)
		found = found || is
		return !found
	})
	return found
}

// TypeText returns a type as it is written in the dialect.
func TypeText(t Type, d Dialect) string {
	switch t := t.(type) {
	case *PrimitiveType:
		return t.Kind.Text(d)
	case *TensorType:
		if d == Provisional && t.Item == NoPrimitive {
			return "tensor"
		}
		return "tensor<" + t.Item.Text(d) + ">"
	case *ArrayType:
		return TypeText(t.Item, d) + "[]"
	case *TupleType:
		parts := make([]string, len(t.Items))
		for i, item := range t.Items {
			parts[i] = TypeText(item, d)
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return ""
}
