package nnef

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// block is a fragment that is read as a document of its own: its parameters are inputs of given types.
type block struct {
	name  string // of the fragment
	types map[string]tensor.DType
	outer *document // where the block stands
	depth int
}

// given returns the element type of a parameter of a block.
func (f *File) given(id string) (tensor.DType, bool) {
	if f.block == nil {
		return tensor.Invalid, false
	}
	t, ok := f.block.types[id]
	return t, ok
}

// qualified returns the name by which extension statements speak of an identifier.
func (f *File) qualified(id string) string {
	if f.block == nil {
		return id
	}
	return f.block.name + "." + id
}

// enter gives the lowering of a block what it shares with that of the graph around it.
func (b *block) enter(d *document) {
	d.added, d.most, d.open, d.filled = b.outer.added, b.outer.most, b.outer.open, b.outer.filled
	d.labels, d.left = b.outer.labels, b.outer.left
}

// block returns the graph of a fragment for the given arguments, with an input for each that is no literal.
func (d *document) block(name string, args []element.Argument) (*graph.Graph, error) {
	body, depth := d.fragments[name], 1
	if d.file.block != nil {
		depth += d.file.block.depth
	}
	switch {
	case body == nil:
		return nil, &eval.Error{Code: eval.CodeUndeclared, Msg: fmt.Sprintf("there is no fragment %s with a body", name)}
	case len(body.Params) != len(args):
		return nil, &eval.Error{Code: eval.CodeShape, Msg: fmt.Sprintf("the fragment %s has %d parameters; the block takes %d values", name, len(body.Params), len(args))}
	case depth > limits.NNEFBlocks:
		return nil, &eval.Error{Code: eval.CodeLimit, Msg: fmt.Sprintf("blocks are nested more than %d deep", limits.NNEFBlocks), Hint: "a fragment cannot be a block in itself"}
	}
	if err := d.spend(); err != nil { // so that blocks without nodes come to an end
		return nil, err
	}
	b := &block{name: name, types: make(map[string]tensor.DType), outer: d, depth: depth}
	doc := *d.file.Document
	doc.Fragments = d.invoked(body)
	doc.Graph = &syntax.Graph{Span: body.Span, Source: body.Source, Name: body.Name}
	for i := range body.Params {
		p := &body.Params[i]
		a := syntax.Assignment{Span: p.Span, Left: p.Name}
		if args[i].Literal != nil {
			a.Right = eval.Expr(args[i].Literal, nil)
		} else {
			b.types[p.Name.Name] = args[i].DType
			doc.Graph.Params = append(doc.Graph.Params, p.Name)
			a.Right = external(p.Span, args[i].Type)
		}
		doc.Graph.Body = append(doc.Graph.Body, a)
	}
	for i := range body.Results {
		doc.Graph.Results = append(doc.Graph.Results, body.Results[i].Name)
	}
	doc.Graph.Body = append(doc.Graph.Body, body.Body...)
	f := &File{Document: &doc, opts: d.file.opts, source: d.file.source, extensions: d.statements, block: b}
	f.opts.Shapes, f.opts.Limits.Eval = nil, *d.left
	fg, err := f.flatten(flat.User, true, newDocument(f, nil))
	d.left.Steps = max(d.left.Steps-fg.Used.Steps, 1) // 0 would be no limit
	d.left.Items = max(d.left.Items-fg.Used.Items, 1)
	d.left.Calls = max(d.left.Calls-fg.Used.Calls, 1)
	if err != nil {
		return nil, err
	}
	inner := newDocument(f, d.source)
	g, err := inner.build(fg)
	d.filled = inner.filled
	return g, err
}

// invoked returns the fragments that the body of one invokes, and those that these do.
func (d *document) invoked(f *syntax.Fragment) []*syntax.Fragment {
	var list []*syntax.Fragment
	seen := make(map[string]bool)
	var visit func(f *syntax.Fragment)
	visit = func(f *syntax.Fragment) {
		for i := range f.Body {
			syntax.Walk(f.Body[i].Right, func(n syntax.Node) bool {
				c, ok := n.(*syntax.Call)
				if ok && !seen[c.Name.Name] {
					seen[c.Name.Name] = true
					if inner := d.fragments[c.Name.Name]; inner != nil {
						list = append(list, inner)
						visit(inner)
					}
				}
				return true
			})
		}
	}
	visit(f)
	return list
}

// external returns the invocation that makes an input of a type.
func external(at syntax.Span, t graph.Type) *syntax.Call {
	shape := &syntax.Array{Span: at}
	for _, n := range t.Shape {
		shape.Items = append(shape.Items, &syntax.IntegerLit{Span: at, Value: int64(n)})
	}
	call := &syntax.Call{Span: at, Name: &syntax.Ident{Span: at, Name: "external"}, Type: element.ItemOf(t.DType)}
	call.Args = []syntax.Arg{{Name: &syntax.Ident{Span: at, Name: "shape"}, Value: shape}}
	return call
}
