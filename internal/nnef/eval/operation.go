package eval

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Library resolves the names of operations.
type Library interface {
	// Operation returns the operation of that name, or nil.
	Operation(name string) *Operation
}

// Operation is something that can be invoked: a fragment of a document, an operation of the standard, or another one.
type Operation struct {
	Name           string
	Generic        bool
	GenericDefault syntax.Primitive // NoPrimitive if there is none
	Params         []Param
	Results        []Result

	// Body defines the operation by others, whose names are looked up in Scope.
	Body  []syntax.Assignment
	Scope Library
	// Source is the text of the body, to which errors in it refer. If it is nil, they refer to the invocation.
	Source *syntax.Source
	// Decl is the declaration in Source, nil if there is none. Errors in invocations refer to it if there is a Source.
	Decl *syntax.Fragment

	// Apply yields one value for each result: a Tensor, or for an array an Array of them. It is used where there is no
	// body. An *Error names the argument at fault; other errors concern the whole invocation.
	Apply func(c *Invocation) ([]Value, error)

	// Rewrite returns, where it is not nil, an operation that takes the place of this one in the invocation, and its arguments: one
	// with a body, or an atomic one. Errors are as those of Apply.
	Rewrite func(c *Invocation) (op *Operation, args []Value, err error)
	// Refusal says why the operation, of which only the name is known, cannot be invoked; nil for all others.
	Refusal *Error
}

// compound reports whether a body is declared for the operation, though a library may apply it as a whole.
func (op *Operation) compound() bool { return op.Body != nil || op.Decl != nil && op.Decl.Body != nil }

// Index returns the place of a parameter in Params, -1 if there is none of that name.
func (op *Operation) Index(name string) int {
	return slices.IndexFunc(op.Params, func(p Param) bool { return p.Name == name })
}

// Param is a parameter of an operation.
type Param struct {
	Name    string
	Type    syntax.Type // nil for tensors of any element type, or literals in their place
	List    bool        // with a nil Type: an array of such tensors
	Block   bool        // a string that names a fragment, which the operation evaluates itself
	Default Value       // nil if the argument must be given; Absent for an optional operand
}

// isTensorList reports whether the parameter takes an array of tensors.
func (p *Param) isTensorList() bool {
	_, list := p.Type.(*syntax.ArrayType)
	return p.IsTensor() && (list || p.Type == nil && p.List)
}

// IsTensor reports whether the parameter takes tensors, which may be passed by position.
func (p *Param) IsTensor() bool {
	return p.Type == nil || syntax.HoldsTensor(p.Type)
}

// IsGeneric reports whether the type of the parameter depends on the generic type of the operation.
func (p *Param) IsGeneric() bool { return usesGeneric(p.Type) }

// Result is a result of an operation.
type Result struct {
	Name string
	Type syntax.Type // nil for tensors of any element type
}

// Invocation is one application of an operation. It is valid until Apply returns; its parts may be kept.
type Invocation struct {
	Op    *Operation
	Type  syntax.Primitive // the generic type; NoPrimitive if the operation is not generic, or its arguments have no known types
	Args  []Value          // one for each parameter
	Names []string         // the identifiers that the results are assigned to, arrays flattened; may be too few or empty
	Site  *Site            // where the invocation stands
}

// Arg returns the argument for a parameter, nil if there is no such parameter.
func (c *Invocation) Arg(name string) Value {
	if i := c.Op.Index(name); i >= 0 {
		return c.Args[i]
	}
	return nil
}

// Text returns the argument for a parameter of type string, "" if there is none.
func (c *Invocation) Text(name string) string {
	v, _ := c.Arg(name).(string)
	return v
}

// FromFragment returns the operation that a fragment declares. The body, if there is one, is looked up in scope.
func FromFragment(f *syntax.Fragment, scope Library) *Operation {
	op := &Operation{Name: f.Name.Name, Body: f.Body, Scope: scope, Source: f.Source, Decl: f}
	if f.Generic != nil {
		op.Generic, op.GenericDefault = true, f.Generic.Default
	}
	for i := range f.Params {
		p := &f.Params[i]
		param := Param{Name: p.Name.Name, Type: p.Type}
		if p.Default != nil {
			param.Default = Literal(p.Default)
		}
		op.Params = append(op.Params, param)
	}
	for i := range f.Results {
		op.Results = append(op.Results, Result{f.Results[i].Name.Name, f.Results[i].Type})
	}
	return op
}

// Infinity is the identifier that documents of tract have for the greatest scalar.
const Infinity = "inf"

// Literal returns the value of a literal, or of an array or tuple of literals; it is nil for another expression.
func Literal(x syntax.Expr) Value {
	switch x := x.(type) {
	case *syntax.IntegerLit:
		return x.Value
	case *syntax.ScalarLit:
		return x.Value
	case *syntax.LogicalLit:
		return x.Value
	case *syntax.StringLit:
		return x.Value
	case *syntax.Array:
		return Array(literals(x.Items))
	case *syntax.Tuple:
		return Tuple(literals(x.Items))
	}
	return nil
}

func literals(items []syntax.Expr) []Value {
	list := make([]Value, len(items))
	for i, x := range items {
		list[i] = Literal(x)
	}
	return list
}

// Expr returns the expression that stands for a value, the reverse of [Literal]. Where none does it is an identifier without
// a name, which cannot be formatted. Tensors are written by name, which may be nil if the value holds none.
func Expr(v Value, name func(Tensor) syntax.Expr) syntax.Expr {
	switch v := v.(type) {
	case Tensor:
		return name(v)
	case int64:
		return &syntax.IntegerLit{Value: v}
	case float64:
		return scalar(v)
	case bool:
		return &syntax.LogicalLit{Value: v}
	case string:
		return &syntax.StringLit{Value: v}
	case Symbol:
		return &syntax.Ident{Name: string(v)}
	case Array:
		return &syntax.Array{Items: exprs(v, name)}
	case Tuple:
		return &syntax.Tuple{Items: exprs(v, name)}
	}
	return &syntax.Ident{}
}

// scalar returns the expression that stands for a scalar. Only documents of tract have some that are not finite, and a name for one.
func scalar(v float64) syntax.Expr {
	infinity := &syntax.Ident{Name: Infinity}
	switch {
	case math.IsInf(v, 1):
		return infinity
	case math.IsInf(v, -1):
		return &syntax.Unary{Op: syntax.Minus, X: infinity}
	case math.IsNaN(v):
		return &syntax.Binary{Op: syntax.Minus, X: infinity, Y: infinity}
	}
	return &syntax.ScalarLit{Value: v}
}

func exprs(list []Value, name func(Tensor) syntax.Expr) []syntax.Expr {
	out := make([]syntax.Expr, len(list))
	for i, v := range list {
		out[i] = Expr(v, name)
	}
	return out
}
