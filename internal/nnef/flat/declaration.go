package flat

import (
	"maps"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// declaration checks a fragment and adds it to those that what follows may invoke.
func (c *checker) declaration(f *syntax.Fragment) {
	name := f.Name.Name
	op := c.fragment(f)
	first, other := c.declared[name], c.shared(name)
	switch {
	case first != nil:
		c.report(CodeRepeated, f.Name.Span, "choose another name", here(first.Decl.Name.Span, "the first one is here"),
			"two fragments are named %s", name)
	case other != nil && f.Body == nil && c.operators:
		return // the declaration says which operations are used; the library has them
	case other != nil:
		c.report(CodeRepeated, f.Name.Span, "choose another name", nil,
			"the fragment %s has the name of an operation of the standard", name)
		c.declared[name] = op
	default:
		c.declared[name] = op
	}
	c.parameters(f)
	c.types(f, op)
	c.graphOnly(f)
	c.eval.CheckFragment(op)
}

// parameters checks the names and the order of parameters and results.
func (c *checker) parameters(f *syntax.Fragment) {
	seen := make(map[string]*syntax.Ident, len(f.Params)+len(f.Results))
	unique := func(id *syntax.Ident, what string) {
		if first := seen[id.Name]; first != nil {
			c.report(CodeRepeated, id.Span, "choose another name", here(first.Span, "the first one is here"), "%s named %s", what, id.Name)
			return
		}
		seen[id.Name] = id
	}
	var attribute *syntax.Param
	for i := range f.Params {
		p := &f.Params[i]
		unique(p.Name, "two parameters are")
		switch tensor := syntax.HoldsTensor(p.Type); {
		case !tensor && attribute == nil:
			attribute = p
		case tensor && attribute != nil && c.final() && !c.operators:
			c.report(CodeOrder, p.Span, "move it before "+attribute.Name.Name, here(attribute.Span, "the first attribute is here"),
				"the tensor %s stands behind an attribute; tensors come first", p.Name.Name)
		}
	}
	params := maps.Clone(seen)
	for i := range f.Results {
		what := "two results are"
		if params[f.Results[i].Name.Name] != nil {
			what = "a parameter and a result are"
		}
		unique(f.Results[i].Name, what)
	}
}

// types checks what the final dialect demands of the types of a declaration.
func (c *checker) types(f *syntax.Fragment, op *eval.Operation) {
	if !c.final() || c.operators {
		return
	}
	generic := false
	for i := range f.Params {
		generic = c.mixed(&f.Params[i]) || generic
	}
	for i := range f.Results {
		r := &f.Results[i]
		generic = c.mixed(r) || generic
		switch {
		case !syntax.OnlyTensors(r.Type):
			c.report(CodeResult, r.Span, "a value that is no tensor is written where it is used", nil,
				"the result %s is %s; results are tensors", r.Name.Name, syntax.TypeText(r.Type, c.doc.Dialect))
		case unbound(r.Type):
			c.report(CodeResult, r.Span, "name the type, or make the fragment generic and write tensor<?>", nil,
				"the result %s is %s; results have a type", r.Name.Name, syntax.TypeText(r.Type, c.doc.Dialect))
		}
	}
	switch {
	case f.Generic != nil && !generic:
		op.GenericDefault = syntax.Scalar // so that nothing follows in its invocations
		c.report(CodeGenericMark, f.Generic.Span, "remove it", nil,
			"the fragment %s is marked as generic; no parameter or result has the type ?", f.Name.Name)
	case f.Generic == nil && generic:
		op.Generic = true
		c.report(CodeGenericMark, f.Name.Span, "write "+f.Name.Name+"<?>", nil,
			"the fragment %s has parameters or results of the type ?; it must be marked as generic", f.Name.Name)
	}
}

// mixed checks that no tuple of a type has tensors beside attributes, and reports whether the type is generic.
func (c *checker) mixed(p *syntax.Param) (generic bool) {
	syntax.Walk(p.Type, func(n syntax.Node) bool {
		switch t := n.(type) {
		case *syntax.PrimitiveType:
			generic = generic || t.Kind == syntax.GenericType
		case *syntax.TensorType:
			generic = generic || t.Item == syntax.GenericType
		case *syntax.TupleType:
			if syntax.HoldsTensor(t) && !syntax.OnlyTensors(t) {
				c.report(CodeMixed, p.Span, "make them two parameters", nil, "the tuple %s has tensors beside attributes", p.Name.Name)
				return false
			}
		}
		return true
	})
	return generic
}

// unbound reports whether tensor<> occurs in a type.
func unbound(t syntax.Type) (found bool) {
	syntax.Walk(t, func(n syntax.Node) bool {
		tensor, ok := n.(*syntax.TensorType)
		found = found || ok && tensor.Item == syntax.NoPrimitive
		return !found
	})
	return found
}

// graphOnly checks that a fragment does not invoke what belongs to graphs.
func (c *checker) graphOnly(f *syntax.Fragment) {
	for i := range f.Body {
		syntax.Walk(f.Body[i].Right, func(n syntax.Node) bool {
			call, ok := n.(*syntax.Call)
			if !ok || c.declared[call.Name.Name] != nil {
				return true
			}
			switch name := call.Name.Name; name {
			case "variable", "update":
				if !c.final() || c.operators && name == "variable" { // a block of the text form has variables
					return true
				}
				c.misplaced(call, "; --lenient accepts it") // the first text of 1.0 allowed it
			case "external":
				c.misplaced(call, "")
			}
			return true
		})
	}
}

// misplaced reports an operation in a fragment that belongs to graphs. The remedy is that of a lenient reader, if any.
func (c *checker) misplaced(call *syntax.Call, remedy string) {
	severity := syntax.Error
	if remedy != "" && c.opts.Lenient {
		severity, remedy = syntax.Warning, ""
	}
	c.eval.Report(syntax.Diagnostic{Code: CodeGraphOnly, Severity: severity, Source: c.doc.Source, Span: call.Span,
		Message: call.Name.Name + " stands in a fragment; it may only stand in the graph",
		Hint:    "move it to the graph and pass the tensor as an argument" + remedy})
}
