package flat

import (
	"io"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Write writes the graph as a document without fragments and expressions, in the dialect that it was read in: each operation is one assignment with all
// its arguments. Only where operations evaluate fragments themselves, those of the document stay. Reading the text gives an equal graph. It does not
// translate between the dialects, since their operations differ; package migrate does.
func (g *Graph) Write(w io.Writer) error {
	text, err := syntax.Format(g.Document())
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// Document returns the syntax tree of the text that [Graph.Write] writes. Custom operations are declared without a body.
func (g *Graph) Document() *syntax.Document {
	doc := &syntax.Document{Dialect: g.Dialect, Tract: g.Tract, Graph: &syntax.Graph{Name: ident(g.Name)}}
	for _, t := range g.Inputs {
		doc.Graph.Params = append(doc.Graph.Params, ident(t.Name))
	}
	for _, name := range g.OutputNames {
		doc.Graph.Results = append(doc.Graph.Results, ident(name))
	}
	w := writer{Graph: g}
	declared := make(map[string]bool)
	for _, f := range g.Fragments {
		declared[f.Name.Name] = true
		doc.Fragments = append(doc.Fragments, f)
	}
	for _, op := range g.Ops {
		if name := op.Op.Name; op.Custom && !declared[name] {
			declared[name] = true
			doc.Fragments = append(doc.Fragments, op.Op.Decl)
		}
		doc.Graph.Body = append(doc.Graph.Body, w.statements(op)...)
	}
	if len(doc.Fragments) > 0 && g.Dialect == syntax.Final {
		doc.Extensions = append(doc.Extensions, syntax.Extension{Name: syntax.ExtFragments})
		if len(g.Fragments) > 0 {
			doc.Extensions = append(doc.Extensions, syntax.Extension{Name: syntax.ExtOperators})
		}
	}
	for _, e := range g.Extensions {
		doc.Extensions = append(doc.Extensions, syntax.Extension{Name: e.Name, Text: e.Text})
	}
	return doc
}

func ident(name string) *syntax.Ident { return &syntax.Ident{Name: name} }

// writer makes the statements of a graph.
type writer struct {
	*Graph
	names map[string]bool // in use; nil until a name is made up
	last  int             // number of the last name that was made up
}

// statements returns the assignment of an operation. A literal cannot stand for a tensor of any type: such an argument
// becomes a tensor by a copy of its own.
func (w *writer) statements(op *Op) []syntax.Assignment {
	var list []syntax.Assignment
	for i := range op.Op.Params {
		t, open := op.Op.Params[i].Type.(*syntax.TensorType)
		_, tensor := op.Args[i].(*Tensor)
		if _, absent := op.Args[i].(eval.Absent); !open || tensor || absent || t.Item != syntax.NoPrimitive || w.Dialect != syntax.Final {
			continue
		}
		name := w.fresh()
		list = append(list, syntax.Assignment{Left: ident(name), Right: &syntax.Call{Name: ident("copy"), Args: []syntax.Arg{{Value: expr(op.Args[i])}}}})
		same := *op.Invocation
		same.Args = slices.Clone(op.Args)
		same.Args[i] = &Tensor{Name: name}
		op = &Op{Invocation: &same, Results: op.Results}
	}
	return append(list, w.assignment(op))
}

// fresh returns a name that no tensor has.
func (w *writer) fresh() string {
	if w.names == nil {
		w.names = make(map[string]bool)
		for _, op := range w.Ops {
			for _, t := range op.Outputs() {
				w.names[t.Name] = true
			}
		}
	}
	for {
		w.last++
		if name := "literal" + strconv.Itoa(w.last); !w.names[name] {
			return name
		}
	}
}

func (g *Graph) assignment(op *Op) syntax.Assignment {
	left := make([]syntax.Expr, len(op.Results))
	for i, r := range op.Results {
		left[i] = expr(r)
	}
	a := syntax.Assignment{Left: &syntax.Tuple{Items: left}}
	if len(left) == 1 {
		a.Left = left[0]
	}
	call := &syntax.Call{Name: ident(op.Op.Name)}
	if g.Dialect == syntax.Final && writesType(op) {
		call.Type = op.Type
	}
	named := false
	for i := range op.Op.Params {
		p := &op.Op.Params[i]
		_, absent := op.Args[i].(eval.Absent)
		if absent || p.Default == "" && op.Args[i] == "" {
			named = true // what follows has lost its position
			continue
		}
		arg := syntax.Arg{Value: expr(op.Args[i])}
		if named = named || !p.IsTensor(); named {
			arg.Name = ident(p.Name)
		}
		call.Args = append(call.Args, arg)
	}
	a.Right = call
	return a
}

// writesType reports whether the generic type of an operation does not follow from its arguments or its default.
func writesType(op *Op) bool {
	o := op.Op
	if o.GenericDefault != syntax.NoPrimitive {
		return o.GenericDefault != op.Type
	}
	return !slices.ContainsFunc(o.Params, func(p eval.Param) bool { return p.IsGeneric() })
}

// expr returns a value as the expression that stands for it.
func expr(v eval.Value) syntax.Expr {
	return eval.Expr(v, func(t eval.Tensor) syntax.Expr { return ident(t.(*Tensor).Name) })
}
