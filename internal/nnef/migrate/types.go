package migrate

import (
	"slices"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
)

// The provisional dialect does not say what the items of tensors are. In the final one a tensor of a fragment has the item
// type that it has in all invocations, or the generic one.

// inferTypes finds the item types of the tensors that fragments take and return.
func (m *migration) inferTypes() {
	invocations := make(map[*fragment][]flat.Invocation)
	for _, x := range m.graph.Invocations {
		if f := m.fragments[x.Fragment]; f != nil {
			invocations[f] = append(invocations[f], x)
		}
	}
	for _, decl := range m.doc.Fragments {
		f := m.fragments[decl.Name.Name]
		f.items = make(map[*syntax.TensorType]syntax.Primitive)
		for _, x := range invocations[f] {
			f.tensors(x, func(t *syntax.TensorType, item syntax.Primitive) {
				if f.items[t] != syntax.NoPrimitive && f.items[t] != item {
					item, f.generic = syntax.GenericType, true
				}
				f.items[t] = item
			})
		}
		switch {
		case f.expand != "":
		case len(invocations[f]) == 0:
			m.note(CodeTyped, decl.Name.Span, "the fragment %s is not invoked, so that its tensors are taken for ones of scalars", f.name)
		case f.generic && !slices.ContainsFunc(invocations[f], f.ambiguous):
			m.note(CodeTyped, decl.Name.Span, "the fragment %s becomes generic: it is invoked with tensors of several types", f.name)
		case f.generic:
			f.expand = "it is invoked with tensors of several types in more than one place"
		}
	}
}

// ambiguous tells whether the generic type does not follow from the arguments of an invocation.
func (f *fragment) ambiguous(x flat.Invocation) bool {
	var types []syntax.Primitive
	add := func(t *syntax.TensorType, item syntax.Primitive) {
		if f.items[t] == syntax.GenericType && !slices.Contains(types, item) {
			types = append(types, item)
		}
	}
	f.tensors(flat.Invocation{Args: x.Args}, add)
	given := len(types)
	f.tensors(x, add)
	return given != 1 || len(types) != 1
}

// tensors calls found for the tensors of an invocation whose items are known, with the types that declare them.
func (f *fragment) tensors(x flat.Invocation, found func(t *syntax.TensorType, item syntax.Primitive)) {
	for i, v := range x.Args {
		itemsOf(f.decl.Params[i].Type, v, found)
	}
	for i, v := range x.Results {
		itemsOf(f.decl.Results[i].Type, v, found)
	}
}

func itemsOf(t syntax.Type, v eval.Value, found func(t *syntax.TensorType, item syntax.Primitive)) {
	switch t := t.(type) {
	case *syntax.TensorType:
		switch v := v.(type) {
		case eval.Tensor:
			if item := v.Item(); item != syntax.NoPrimitive {
				found(t, item)
			}
		case int64:
			found(t, syntax.Integer)
		case float64:
			found(t, syntax.Scalar)
		case bool:
			found(t, syntax.Logical)
		}
	case *syntax.ArrayType:
		list, _ := v.(eval.Array)
		for _, x := range list {
			itemsOf(t.Item, x, found)
		}
	case *syntax.TupleType:
		list, _ := v.(eval.Tuple)
		for i := range min(len(list), len(t.Items)) {
			itemsOf(t.Items[i], list[i], found)
		}
	}
}
