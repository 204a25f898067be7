package migrate

import (
	"slices"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// The item types of tensors are inferred from what is done with them. A tensor of the text is a variable, which is
// joined with others or bound to an item type.

// typ is a *variable, an attribute, an array or a tuple; nil if nothing is known.
type typ any

type (
	// variable is the item type of tensors that must have the same.
	variable struct {
		parent *variable
		item   syntax.Primitive // NoPrimitive if it is open
		seen   []syntax.Primitive
	}
	attribute struct{ kind syntax.Primitive }
	array     struct{ item typ }
	tuple     struct{ items []typ }
)

func (v *variable) root() *variable {
	for v.parent != nil {
		if v.parent.parent != nil {
			v.parent = v.parent.parent
		}
		v = v.parent
	}
	return v
}

// use is one invocation of a fragment: the variables that stand for the open ones of its declaration.
type use struct {
	callee *fragment
	vars   map[*variable]*variable
}

// inference types one body.
type inference struct {
	m        *migration
	env      map[string]typ
	own      *fragment // nil in the graph
	conflict bool
	uses     []use
}

// inferTypes finds the item types of all fragments.
func (m *migration) inferTypes() {
	for _, f := range m.doc.Fragments {
		m.infer(m.fragments[f.Name.Name])
	}
	g := &inference{m: m, env: make(map[string]typ)}
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
	in := &inference{m: m, env: make(map[string]typ), own: f}
	for i := range f.decl.Params {
		t := fresh(f.decl.Params[i].Type, nil)
		f.params = append(f.params, t)
		in.env[f.decl.Params[i].Name.Name] = t
		if d := f.decl.Params[i].Default; d != nil {
			in.join(t, in.expr(d))
		}
	}
	for i := range f.decl.Results {
		f.results = append(f.results, fresh(f.decl.Results[i].Type, nil))
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

// fresh returns the type that a declaration says, with variables for open tensors; '?' is generic.
func fresh(t syntax.Type, generic *variable) typ {
	switch t := t.(type) {
	case *syntax.TensorType:
		if t.Item == syntax.GenericType {
			return generic
		}
		return &variable{item: t.Item}
	case *syntax.ArrayType:
		return array{fresh(t.Item, generic)}
	case *syntax.TupleType:
		items := make([]typ, len(t.Items))
		for i, item := range t.Items {
			items[i] = fresh(item, generic)
		}
		return tuple{items}
	case *syntax.PrimitiveType:
		return attribute{t.Kind}
	}
	return nil
}

// copied returns a type with variables of its own for the open ones.
func copied(t typ, vars map[*variable]*variable) typ {
	switch t := t.(type) {
	case *variable:
		t = t.root()
		if t.item != syntax.NoPrimitive {
			return &variable{item: t.item}
		}
		if vars[t] == nil {
			vars[t] = &variable{}
		}
		return vars[t]
	case array:
		return array{copied(t.item, vars)}
	case tuple:
		items := make([]typ, len(t.items))
		for i, item := range t.items {
			items[i] = copied(item, vars)
		}
		return tuple{items}
	}
	return t
}

// join makes two types one and returns it.
func (in *inference) join(a, b typ) typ {
	switch x := a.(type) {
	case nil:
		return b
	case *variable:
		switch y := b.(type) {
		case *variable:
			in.unify(x, y)
		case attribute:
			in.bind(x, y.kind)
		}
	case attribute:
		if y, ok := b.(*variable); ok {
			in.bind(y, x.kind)
			return y
		}
	case array:
		if y, ok := b.(array); ok {
			return array{in.join(x.item, y.item)}
		}
	case tuple:
		if y, ok := b.(tuple); ok && len(x.items) == len(y.items) {
			for i := range x.items {
				x.items[i] = in.join(x.items[i], y.items[i])
			}
		}
	}
	return a
}

func (in *inference) unify(x, y *variable) {
	x, y = x.root(), y.root()
	if x == y {
		return
	}
	if y.item != syntax.NoPrimitive {
		in.bind(x, y.item)
	}
	y.parent = x
}

func (in *inference) bind(v *variable, item syntax.Primitive) {
	v = v.root()
	switch {
	case v.item == syntax.NoPrimitive:
		v.item = item
	case v.item != item:
		in.conflict = true
	}
}

func (in *inference) body(list []syntax.Assignment) {
	for i := range list {
		in.assign(list[i].Left, in.expr(list[i].Right))
	}
}

func (in *inference) assign(left syntax.Expr, t typ) {
	switch left := left.(type) {
	case *syntax.Ident:
		in.env[left.Name] = in.join(in.env[left.Name], t)
	case *syntax.Array:
		a, _ := t.(array)
		for _, item := range left.Items {
			in.assign(item, a.item)
		}
	case *syntax.Tuple:
		p, _ := t.(tuple)
		for i, item := range left.Items {
			if i < len(p.items) {
				in.assign(item, p.items[i])
			} else {
				in.assign(item, nil)
			}
		}
	}
}

// expr returns the type of an expression.
func (in *inference) expr(x syntax.Expr) typ {
	switch x := x.(type) {
	case *syntax.IntegerLit:
		return attribute{syntax.Integer}
	case *syntax.ScalarLit:
		return attribute{syntax.Scalar}
	case *syntax.LogicalLit:
		return attribute{syntax.Logical}
	case *syntax.StringLit:
		return attribute{syntax.String}
	case *syntax.Ident:
		return in.env[x.Name]
	case *syntax.Array:
		var item typ
		for _, i := range x.Items {
			item = in.join(item, in.expr(i))
		}
		return array{item}
	case *syntax.Tuple:
		t := tuple{make([]typ, len(x.Items))}
		for i, item := range x.Items {
			t.items[i] = in.expr(item)
		}
		return t
	case *syntax.Subscript:
		return in.subscript(x)
	case *syntax.Range:
		return in.expr(x.X)
	case *syntax.Unary:
		return in.unary(x)
	case *syntax.Binary:
		return in.binary(x)
	case *syntax.Select:
		in.expr(x.Cond)
		return in.join(in.expr(x.Then), in.expr(x.Else))
	case *syntax.Comprehension:
		return in.comprehension(x)
	case *syntax.BuiltinCall:
		return in.builtin(x)
	case *syntax.Call:
		return in.call(x)
	}
	return nil
}

func (in *inference) subscript(x *syntax.Subscript) typ {
	in.expr(x.Index)
	switch t := in.expr(x.X).(type) {
	case array:
		return t.item
	case tuple:
		if i, ok := x.Index.(*syntax.IntegerLit); ok && i.Value >= 0 && i.Value < int64(len(t.items)) {
			return t.items[i.Value]
		}
	case attribute:
		return t
	}
	return nil
}

func (in *inference) unary(x *syntax.Unary) typ {
	t := in.expr(x.X)
	if v, ok := t.(*variable); ok {
		switch x.Op {
		case syntax.Minus:
			in.bind(v, syntax.Scalar)
		case syntax.Not:
			in.bind(v, syntax.Logical)
		}
	}
	return t
}

func (in *inference) binary(x *syntax.Binary) typ {
	a, b := in.expr(x.X), in.expr(x.Y)
	compares := slices.Contains([]syntax.Op{syntax.Less, syntax.LessEqual, syntax.Greater, syntax.GreaterEqual,
		syntax.Equal, syntax.NotEqual}, x.Op)
	logical := x.Op == syntax.And || x.Op == syntax.Or
	operand := syntax.Scalar
	if logical {
		operand = syntax.Logical
	}
	tensors := false
	for _, t := range []typ{a, b} {
		if v, ok := t.(*variable); ok {
			in.bind(v, operand)
			tensors = true
		}
	}
	switch {
	case tensors && (compares || logical):
		return &variable{item: syntax.Logical}
	case tensors:
		return &variable{item: syntax.Scalar}
	case compares || logical || x.Op == syntax.In:
		return attribute{syntax.Logical}
	case x.Op == syntax.Plus:
		return in.join(a, b)
	}
	return a
}

func (in *inference) comprehension(x *syntax.Comprehension) typ {
	outer := make(map[string]typ)
	for _, it := range x.Iterators {
		t, _ := in.expr(it.In).(array)
		outer[it.Name.Name] = in.env[it.Name.Name]
		in.env[it.Name.Name] = t.item
	}
	if x.Cond != nil {
		in.expr(x.Cond)
	}
	t := array{in.expr(x.Item)}
	for name, old := range outer {
		in.env[name] = old
	}
	return t
}

func (in *inference) builtin(x *syntax.BuiltinCall) typ {
	in.expr(x.Arg)
	switch x.Func {
	case syntax.ShapeOf, syntax.RangeOf:
		return array{attribute{syntax.Integer}}
	case syntax.ToScalar:
		return attribute{syntax.Scalar}
	case syntax.ToLogical:
		return attribute{syntax.Logical}
	case syntax.ToString:
		return attribute{syntax.String}
	}
	return attribute{syntax.Integer}
}

// call types an invocation and returns the type of its result, a tuple of several.
func (in *inference) call(x *syntax.Call) typ {
	decl, params, results := in.signature(x)
	for i, arg := range x.Args {
		t := in.expr(arg.Value)
		at := i
		if arg.Name != nil {
			at = slices.IndexFunc(decl, func(p syntax.Param) bool { return p.Name.Name == arg.Name.Name })
		}
		if at >= 0 && at < len(params) {
			in.join(params[at], t)
		}
	}
	switch len(results) {
	case 0:
		return nil
	case 1:
		return results[0]
	}
	return tuple{results}
}

// signature returns the parameters of what is invoked and the types of parameters and results of this invocation.
func (in *inference) signature(x *syntax.Call) (decl []syntax.Param, params, results []typ) {
	if f := in.m.fragments[x.Name.Name]; f != nil {
		in.m.infer(f)
		if f.state == 1 { // it invokes itself: with the same types
			return f.decl.Params, f.params, f.results
		}
		vars := make(map[*variable]*variable)
		for _, t := range f.params {
			params = append(params, copied(t, vars))
		}
		for _, t := range f.results {
			results = append(results, copied(t, vars))
		}
		in.uses = append(in.uses, use{f, vars})
		return f.decl.Params, params, results
	}
	op, ok := std.Of(syntax.Provisional).Lookup(x.Name.Name)
	if !ok {
		return nil, nil, nil
	}
	generic := &variable{}
	for i := range op.Params {
		params = append(params, fresh(op.Params[i].Type, generic))
	}
	for i := range op.Results {
		results = append(results, fresh(op.Results[i].Type, generic))
	}
	return op.Params, params, results
}

// settle tells the open variables of invoked fragments what stands for them.
func (m *migration) settle(uses []use) {
	for _, u := range uses {
		for open, v := range u.vars {
			if open, item := open.root(), v.root().item; item != syntax.NoPrimitive && !slices.Contains(open.seen, item) {
				open.seen = append(open.seen, item)
			}
		}
	}
}

// decide binds the variables of a fragment that its body leaves open: to the one type that it is invoked with, else it
// becomes generic.
func (m *migration) decide(f *fragment) {
	var open []*variable
	for _, list := range [][]typ{f.params, f.results} {
		for _, t := range list {
			open = variables(open, t)
		}
	}
	for _, v := range open {
		switch {
		case len(v.seen) == 0:
			v.item = syntax.Scalar
		case len(v.seen) == 1 && v.seen[0] != syntax.GenericType:
			v.item = v.seen[0]
		default:
			v.item = syntax.GenericType
			if f.generic != nil && f.expand == "" {
				f.expand = "it is invoked with tensors of several types in more than one place"
			}
			f.generic = v
		}
	}
	if f.generic != nil && f.expand == "" {
		m.note(CodeTyped, f.decl.Name.Span, "the fragment %s becomes generic: it is invoked with tensors of several types", f.name)
	}
	// Within the body the generic type is that of what the fragment invokes.
	for _, u := range f.uses {
		for _, v := range u.vars {
			if v = v.root(); v.item == syntax.NoPrimitive && len(v.seen) == 0 {
				v.item = syntax.Scalar
			}
		}
	}
}

// variables adds the open variables of a type to a list.
func variables(list []*variable, t typ) []*variable {
	switch t := t.(type) {
	case *variable:
		if v := t.root(); v.item == syntax.NoPrimitive && !slices.Contains(list, v) {
			list = append(list, v)
		}
	case array:
		list = variables(list, t.item)
	case tuple:
		for _, item := range t.items {
			list = variables(list, item)
		}
	}
	return list
}

// written returns a declared type with the item types that were inferred.
func written(decl syntax.Type, t typ) syntax.Type {
	switch d := decl.(type) {
	case *syntax.TensorType:
		item := syntax.Scalar
		if v, ok := t.(*variable); ok {
			if found := v.root().item; found != syntax.NoPrimitive {
				item = found
			}
		}
		return &syntax.TensorType{Item: item}
	case *syntax.ArrayType:
		a, _ := t.(array)
		return &syntax.ArrayType{Item: written(d.Item, a.item)}
	case *syntax.TupleType:
		p, _ := t.(tuple)
		out := &syntax.TupleType{}
		for i, item := range d.Items {
			var inner typ
			if i < len(p.items) {
				inner = p.items[i]
			}
			out.Items = append(out.Items, written(item, inner))
		}
		return out
	case *syntax.PrimitiveType:
		return &syntax.PrimitiveType{Kind: d.Kind}
	}
	return decl
}
