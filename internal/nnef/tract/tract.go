// Package tract reads what the engine tract adds to NNEF: its operations, of which std/tract.nnef has the declarations and most bodies, arguments without
// types, and symbols. Its [Library] is one of [eval.Library]; what lowers the standard's operations is a [Core] to it.
package tract

import (
	"math"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/internal/nnef/symbol"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// prefix starts the names of the extensions, operations and fragments that the engine tract adds to the language.
const prefix = "tract_"

// propertiesFragment is the fragment in which tract notes where a model comes from.
const propertiesFragment = "tract_core_properties"

// Literals reports whether a graph gives an identifier nested arrays of numbers, which are a constant tensor in
// documents of tract and nothing in others.
func Literals(doc *syntax.Document) bool {
	for i := range doc.Graph.Body {
		_, single := doc.Graph.Body[i].Left.(*syntax.Ident)
		if list, ok := doc.Graph.Body[i].Right.(*syntax.Array); ok && single && len(list.Items) > 0 {
			if _, nested := list.Items[0].(*syntax.Array); nested {
				return true
			}
		}
	}
	return false
}

// Library is that of documents of the engine tract: its own operations, and those of the standard as it takes them.
// Such documents have no types: arguments are converted to what an operation declares when it is lowered.
type Library struct {
	Symbols map[string]eval.Value   // numbers, or eval.Symbol where there is none
	Types   map[string]tensor.DType // element types of external tensors, by identifier

	doc       *syntax.Document
	open      []string // inputs whose shapes hold symbols without values
	ops       map[string]*eval.Operation
	fragments map[string]*syntax.Fragment // those with a body, by name
	bound     func(name string) bool      // whether an operation of the standard is lowered
}

// foldBudget bounds what is computed before a model runs, for one document.
var foldBudget = op.Budget{Bytes: limits.TractFoldWork, Operations: limits.TractFoldWork, Result: limits.TractFolded}

// Folding computes what constants of one graph decide before the model runs.
type Folding struct {
	*op.Folder
	made int // elements of constants that were made
}

// NewFolding returns one for a graph.
func NewFolding() *Folding { return &Folding{Folder: op.NewFolder(foldBudget)} }

// New returns the library for a document and the fragments with a body that it declares. The shapes are those that the user gives to inputs, by their
// names; they decide what symbols stand for. What is bound says of operations of the standard whether they are lowered, and not expanded.
func New(doc *syntax.Document, shapes map[string]tensor.Shape, fragments map[string]*syntax.Fragment, bound func(name string) bool,
) (*Library, syntax.Diagnostics) {
	s, found := symbol.Solve(doc, shapes, elementTypes)
	t := &Library{doc: doc, ops: make(map[string]*eval.Operation), fragments: fragments, bound: bound, Symbols: s.Symbols(), Types: s.Types, open: s.Open}
	t.Symbols[eval.Infinity] = math.Inf(1)
	return t, found
}

// Properties returns what the document says about its origin.
func (t *Library) Properties() map[string]string {
	for _, f := range t.doc.Fragments {
		if f.Name.Name != propertiesFragment || len(f.Body) == 0 {
			continue
		}
		list, _ := f.Body[0].Right.(*syntax.Array)
		if list == nil {
			return nil
		}
		m := make(map[string]string)
		for _, x := range list.Items {
			if pair, ok := x.(*syntax.Tuple); ok && len(pair.Items) == 2 {
				key, _ := eval.Literal(pair.Items[0]).(string)
				m[key] = propertyText(pair.Items[1])
			}
		}
		return m
	}
	return nil
}

// propertyText writes the value of a property: a literal, alone or as the operand of a cast.
func propertyText(x syntax.Expr) string {
	if c, ok := x.(*syntax.Call); ok && len(c.Args) > 0 {
		x = c.Args[0].Value
	}
	switch v := eval.Literal(x).(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return eval.Text(v)
	}
}

// Operation implements [eval.Library].
func (t *Library) Operation(name string) *eval.Operation {
	if o, ok := t.ops[name]; ok { // Without this it would be made again.
		return o
	}
	o := t.declared(name)
	if o == nil && strings.HasPrefix(name, prefix) {
		o = &eval.Operation{Name: name, Refusal: &eval.Error{Code: eval.CodeUndeclared, Hint: "see docs/nnef.md for those that are",
			Msg: "the operation " + name + " of the engine tract is not supported"}}
	}
	t.ops[name] = o
	return o
}

// declared returns an operation that has a declaration.
func (t *Library) declared(name string) *eval.Operation {
	switch name {
	case "external", "variable", "constant", "update":
		return nil // they belong to the document
	}
	f, own := std.Tract().Lookup(name)
	standard, ok := std.Lookup(name)
	if !own || !ok && !strings.HasPrefix(name, prefix) && name != "recip" && name != "square" { // what bodies share is not for documents
		if f, own = standard, false; !ok {
			return nil
		}
	}
	o := eval.FromFragment(f, t)
	o.Source = nil // errors concern the invocation
	if name != "tract_core_external" && (own || rows[name] != nil || t.bound != nil && t.bound(name)) {
		o.Body = nil
	}
	for i := range o.Params {
		if p := &o.Params[i]; p.Default == false && p.IsTensor() {
			p.Default = eval.Absent{}
		}
	}
	switch name {
	case "tract_core_shape_of":
		o.Apply = t.shapeOf
	case "tract_core_scan":
		o.Params[o.Index("body")].Block = true
		o.Rewrite = scanned
	}
	return o
}

// shapeOf yields the extents of a tensor as numbers, which tract knows before it runs a model.
func (t *Library) shapeOf(c *eval.Invocation) ([]eval.Value, error) {
	extents, ok := []int(nil), true
	switch v := c.Args[0].(type) {
	case eval.Tensor:
		extents, ok = v.Extents()
	case eval.Array:
		extents, _, ok = element.Literals(v)
	}
	if !ok {
		return nil, t.notKnown("input", "the shape")
	}
	out := make(eval.Array, len(extents))
	for i, n := range extents {
		out[i] = int64(n)
	}
	return []eval.Value{out}, nil
}

// notKnown says that something depends on symbols without values.
func (t *Library) notKnown(arg, what string) error {
	hint := "give the inputs fixed shapes"
	if len(t.open) > 0 {
		hint = "give the shape of " + strings.Join(t.open, " and of ") + " when the model is loaded: --shape " + t.open[0] + "=EXTENTS"
	}
	return &eval.Error{Code: eval.CodeUnknown, Arg: arg, Msg: what + " is not known before symbols have values", Hint: hint}
}

// Lower lowers an invocation of an operation of the library and returns its results.
func (t *Library) Lower(e *emit.Emitter, core Core, f *Folding, c *eval.Invocation, limits eval.Limits) []*graph.Value {
	l := &Lowering{e, core, f, c, t, limits}
	if c.Op.Name != "tract_core_scan" {
		c.Args = slices.Clone(c.Args)
		l.convert()
	}
	return l.lower()
}
