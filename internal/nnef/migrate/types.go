package migrate

import (
	"cmp"
	"maps"
	"slices"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// The item types of tensors are inferred from what is done with them. Types are those of package syntax, nil if nothing is
// known. Each *syntax.TensorType is a variable, which is joined with others or gets an item.
type variable = syntax.TensorType

// root returns the variable that stands for those that it is joined with.
func (m *migration) root(v *variable) *variable {
	for next := m.joined[v]; next != nil; next = m.joined[v] {
		if m.joined[next] != nil {
			m.joined[v] = m.joined[next]
		}
		v = next
	}
	return v
}

func attribute(kind syntax.Primitive) syntax.Type { return &syntax.PrimitiveType{Kind: kind} }

// replaced returns a type with others for the tensors in it.
func replaced(t syntax.Type, tensor func(v *variable) syntax.Type) syntax.Type {
	switch t := t.(type) {
	case *variable:
		return tensor(t)
	case *syntax.ArrayType:
		return &syntax.ArrayType{Item: replaced(t.Item, tensor)}
	case *syntax.TupleType:
		out := &syntax.TupleType{}
		for _, item := range t.Items {
			out.Items = append(out.Items, replaced(item, tensor))
		}
		return out
	}
	return t
}

// fresh returns the types that declarations say, with a variable for each tensor but one for those of the type '?'.
func fresh(params []syntax.Param, generic *variable) []syntax.Type {
	list := make([]syntax.Type, len(params))
	for i := range params {
		list[i] = replaced(params[i].Type, func(v *variable) syntax.Type {
			switch {
			case v.Item != syntax.GenericType:
				return &variable{Item: v.Item}
			case generic == nil:
				return &variable{}
			}
			return generic
		})
	}
	return list
}

// uses are the variables of one invocation of a fragment, by the open ones of its declaration.
type uses map[*variable]*variable

// copied returns types with variables of their own for the open ones.
func (m *migration) copied(types []syntax.Type, vars uses) []syntax.Type {
	list := make([]syntax.Type, len(types))
	for i, t := range types {
		list[i] = replaced(t, func(v *variable) syntax.Type {
			if v = m.root(v); v.Item != syntax.NoPrimitive {
				return &variable{Item: v.Item}
			}
			if vars[v] == nil {
				vars[v] = &variable{}
			}
			return vars[v]
		})
	}
	return list
}

// inference types one body.
type inference struct {
	*migration
	env      map[string]syntax.Type
	conflict bool
	uses     []uses // of the fragments that it invokes
}

// inferTypes finds the item types of all fragments.
func (m *migration) inferTypes() {
	m.joined, m.seen = make(map[*variable]*variable), make(map[*variable][]syntax.Primitive)
	for _, f := range m.doc.Fragments {
		m.infer(m.fragments[f.Name.Name])
	}
	g := &inference{migration: m, env: make(map[string]syntax.Type)}
	g.body(m.doc.Graph.Body)
	m.settle(g.uses)
	// What is still open follows from the invocations, callers first.
	for _, f := range slices.Backward(m.order) {
		m.decide(f)
		m.settle(f.uses)
	}
}

// infer types a fragment after those that it invokes.
func (m *migration) infer(f *fragment) {
	if f.state != 0 {
		return
	}
	f.state = 1
	in := &inference{migration: m, env: make(map[string]syntax.Type)}
	f.params, f.results = fresh(f.decl.Params, nil), fresh(f.decl.Results, nil)
	for i := range f.decl.Params {
		in.env[f.decl.Params[i].Name.Name] = f.params[i]
		in.join(f.params[i], in.expr(f.decl.Params[i].Default))
	}
	in.body(f.decl.Body)
	for i := range f.decl.Results {
		in.join(f.results[i], in.env[f.decl.Results[i].Name.Name])
	}
	f.uses = in.uses
	if in.conflict && f.expand == "" {
		f.expand = "its tensors are used as scalars and as logicals"
	}
	f.state = 2
	m.order = append(m.order, f)
}

// join makes two types one and returns it.
func (in *inference) join(a, b syntax.Type) syntax.Type {
	switch x := a.(type) {
	case nil:
		return b
	case *variable:
		switch y := b.(type) {
		case *variable:
			in.unify(x, y)
		case *syntax.PrimitiveType:
			in.bind(x, y.Kind)
		}
	case *syntax.PrimitiveType:
		if y, ok := b.(*variable); ok {
			return in.join(y, x)
		}
	case *syntax.ArrayType:
		if y, ok := b.(*syntax.ArrayType); ok {
			return &syntax.ArrayType{Item: in.join(x.Item, y.Item)}
		}
	case *syntax.TupleType:
		if y, ok := b.(*syntax.TupleType); ok && len(x.Items) == len(y.Items) {
			out := &syntax.TupleType{}
			for i := range x.Items {
				out.Items = append(out.Items, in.join(x.Items[i], y.Items[i]))
			}
			return out
		}
	}
	return a
}

func (in *inference) unify(x, y *variable) {
	if x, y = in.root(x), in.root(y); x == y {
		return
	}
	if y.Item != syntax.NoPrimitive {
		in.bind(x, y.Item)
	}
	in.joined[y] = x
}

func (in *inference) bind(v *variable, item syntax.Primitive) {
	v = in.root(v)
	if v.Item == syntax.NoPrimitive {
		v.Item = item
	}
	in.conflict = in.conflict || v.Item != item
}

func (in *inference) body(list []syntax.Assignment) {
	for i := range list {
		in.assign(list[i].Left, in.expr(list[i].Right))
	}
}

func (in *inference) assign(left syntax.Expr, t syntax.Type) {
	switch left := left.(type) {
	case *syntax.Ident:
		in.env[left.Name] = in.join(in.env[left.Name], t)
	case *syntax.Array:
		for _, item := range left.Items {
			in.assign(item, itemOf(t))
		}
	case *syntax.Tuple:
		for i, item := range left.Items {
			in.assign(item, memberOf(t, int64(i)))
		}
	}
}

// itemOf returns the type of the items of an array, nil if t is none.
func itemOf(t syntax.Type) syntax.Type {
	if a, ok := t.(*syntax.ArrayType); ok {
		return a.Item
	}
	return nil
}

// memberOf returns the type of an item of a tuple, nil if there is none.
func memberOf(t syntax.Type, i int64) syntax.Type {
	if p, ok := t.(*syntax.TupleType); ok && i >= 0 && i < int64(len(p.Items)) {
		return p.Items[i]
	}
	return nil
}

// casts are the types of the functions that give no integers.
var casts = map[syntax.Builtin]syntax.Primitive{syntax.ToScalar: syntax.Scalar, syntax.ToLogical: syntax.Logical, syntax.ToString: syntax.String}

// expr returns the type of an expression, nil for none.
func (in *inference) expr(x syntax.Expr) syntax.Type {
	switch x := x.(type) {
	case *syntax.IntegerLit:
		return attribute(syntax.Integer)
	case *syntax.ScalarLit:
		return attribute(syntax.Scalar)
	case *syntax.LogicalLit:
		return attribute(syntax.Logical)
	case *syntax.StringLit:
		return attribute(syntax.String)
	case *syntax.Ident:
		return in.env[x.Name]
	case *syntax.Array:
		var item syntax.Type
		for _, i := range x.Items {
			item = in.join(item, in.expr(i))
		}
		return &syntax.ArrayType{Item: item}
	case *syntax.Tuple:
		t := &syntax.TupleType{}
		for _, item := range x.Items {
			t.Items = append(t.Items, in.expr(item))
		}
		return t
	case *syntax.Subscript:
		return in.subscript(x)
	case *syntax.Range:
		return in.expr(x.X)
	case *syntax.Unary:
		t := in.expr(x.X)
		if v, ok := t.(*variable); ok && x.Op != syntax.Plus {
			in.bind(v, operands(x.Op))
		}
		return t
	case *syntax.Binary:
		return in.binary(x)
	case *syntax.Select:
		in.expr(x.Cond)
		return in.join(in.expr(x.Then), in.expr(x.Else))
	case *syntax.Comprehension:
		return in.comprehension(x)
	case *syntax.BuiltinCall:
		in.expr(x.Arg)
		t := attribute(cmp.Or(casts[x.Func], syntax.Integer))
		if x.Func == syntax.ShapeOf || x.Func == syntax.RangeOf {
			return &syntax.ArrayType{Item: t}
		}
		return t
	case *syntax.Call:
		return in.call(x)
	}
	return nil
}

func (in *inference) subscript(x *syntax.Subscript) syntax.Type {
	in.expr(x.Index)
	switch t := in.expr(x.X).(type) {
	case *syntax.ArrayType:
		return t.Item
	case *syntax.TupleType:
		if i, ok := x.Index.(*syntax.IntegerLit); ok {
			return memberOf(t, i.Value)
		}
	case *syntax.PrimitiveType:
		return t
	}
	return nil
}

// operands returns the item type of the tensors that an operator takes.
func operands(op syntax.Op) syntax.Primitive {
	if op == syntax.And || op == syntax.Or || op == syntax.Not {
		return syntax.Logical
	}
	return syntax.Scalar
}

func (in *inference) binary(x *syntax.Binary) syntax.Type {
	a, b := in.expr(x.X), in.expr(x.Y)
	tensors := false
	for _, t := range []syntax.Type{a, b} {
		if v, ok := t.(*variable); ok {
			in.bind(v, operands(x.Op))
			tensors = true
		}
	}
	logical := x.Op >= syntax.Less // comparisons and what joins them
	switch {
	case tensors && logical:
		return &variable{Item: syntax.Logical}
	case tensors:
		return &variable{Item: syntax.Scalar}
	case logical:
		return attribute(syntax.Logical)
	case x.Op == syntax.Plus:
		return in.join(a, b)
	}
	return a
}

func (in *inference) comprehension(x *syntax.Comprehension) syntax.Type {
	outer := make(map[string]syntax.Type)
	for _, it := range x.Iterators {
		t := itemOf(in.expr(it.In))
		outer[it.Name.Name], in.env[it.Name.Name] = in.env[it.Name.Name], t
	}
	in.expr(x.Cond)
	t := &syntax.ArrayType{Item: in.expr(x.Item)}
	maps.Copy(in.env, outer)
	return t
}

// call types an invocation and returns the type of its result, a tuple of several.
func (in *inference) call(x *syntax.Call) syntax.Type {
	decl, params, results := in.signature(x)
	for i, arg := range x.Args {
		t := in.expr(arg.Value)
		if arg.Name != nil {
			i = slices.IndexFunc(decl, func(p syntax.Param) bool { return p.Name.Name == arg.Name.Name })
		}
		if i >= 0 && i < len(params) {
			in.join(params[i], t)
		}
	}
	switch len(results) {
	case 0:
		return nil
	case 1:
		return results[0]
	}
	return &syntax.TupleType{Items: results}
}

// signature returns the parameters of what is invoked and the types of parameters and results of this invocation.
func (in *inference) signature(x *syntax.Call) (decl []syntax.Param, params, results []syntax.Type) {
	if f := in.fragments[x.Name.Name]; f != nil {
		in.infer(f)
		if f.state == 1 { // it invokes itself: with the same types
			return f.decl.Params, f.params, f.results
		}
		vars := make(uses)
		in.uses = append(in.uses, vars)
		return f.decl.Params, in.copied(f.params, vars), in.copied(f.results, vars)
	}
	op, ok := std.Of(syntax.Provisional).Lookup(x.Name.Name)
	if !ok {
		return nil, nil, nil
	}
	generic := &variable{}
	return op.Params, fresh(op.Params, generic), fresh(op.Results, generic)
}

// settle tells the open variables of invoked fragments what stands for them.
func (m *migration) settle(list []uses) {
	for _, vars := range list {
		for open, v := range vars {
			if open, item := m.root(open), m.root(v).Item; item != syntax.NoPrimitive && !slices.Contains(m.seen[open], item) {
				m.seen[open] = append(m.seen[open], item)
			}
		}
	}
}

// decide binds the variables of a fragment that its body leaves open: to the one type that it is invoked with, else it
// becomes generic.
func (m *migration) decide(f *fragment) {
	for _, t := range slices.Concat(f.params, f.results) {
		syntax.Walk(t, func(n syntax.Node) bool {
			if v, ok := n.(*variable); ok {
				m.close(f, m.root(v))
			}
			return true
		})
	}
	if f.generic && f.expand == "" {
		m.note(CodeTyped, f.decl.Name.Span, "the fragment %s becomes generic: it is invoked with tensors of several types", f.name)
	}
	// Within the body the generic type is that of what the fragment invokes.
	for _, vars := range f.uses {
		for _, v := range vars {
			if v = m.root(v); v.Item == syntax.NoPrimitive && len(m.seen[v]) == 0 {
				v.Item = syntax.Scalar
			}
		}
	}
}

// close gives an open variable of a fragment an item.
func (m *migration) close(f *fragment, v *variable) {
	switch seen := m.seen[v]; {
	case v.Item != syntax.NoPrimitive:
	case len(seen) == 0:
		v.Item = syntax.Scalar
	case len(seen) == 1 && seen[0] != syntax.GenericType:
		v.Item = seen[0]
	default:
		v.Item = syntax.GenericType
		if f.generic && f.expand == "" {
			f.expand = "it is invoked with tensors of several types in more than one place"
		}
		f.generic = true
	}
}

// written returns a type with the item types that were inferred.
func (m *migration) written(t syntax.Type) syntax.Type {
	return replaced(t, func(v *variable) syntax.Type {
		item := m.root(v).Item
		if item == syntax.NoPrimitive {
			item = syntax.Scalar
		}
		return &variable{Item: item}
	})
}
