package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/tensor"
)

// Complete reports what of a graph is nil that must not be, blocks included: less than [Verify], for functions that take valid graphs.
func (g *Graph) Complete() error {
	if g == nil {
		return errors.New("the graph is nil")
	}
	isNil := func(v *Value) bool { return v == nil }
	if slices.ContainsFunc(g.Inputs, isNil) || slices.ContainsFunc(g.Outputs, func(o Output) bool { return o.Value == nil }) ||
		slices.ContainsFunc(g.States, func(s *State) bool { return s == nil || s.Value == nil || s.Init == nil }) {
		return fmt.Errorf("graph %s has an input, an output or a state that is nil", g.Name)
	}
	for _, n := range g.Nodes {
		if n == nil || slices.ContainsFunc(n.Out, isNil) {
			return fmt.Errorf("graph %s has a node or a result that is nil", g.Name)
		}
		for _, b := range n.Blocks {
			if err := b.Complete(); err != nil {
				return err
			}
		}
	}
	return nil
}

var errNoRules = errors.New("the rules of operators are nil")

// Verify checks g against the rules of its operators and returns every violation, joined as by errors.Join, or nil. A
// graph made by a Builder or by Rewrite is valid; Verify is for graphs made by hand and for the authors of passes.
func Verify(g *Graph, rules Rules) error {
	if g == nil {
		return errors.New("the graph is nil")
	}
	if rules == nil {
		return errNoRules
	}
	v := verifier{rules: rules, names: make(map[string]*Value, 2*len(g.Nodes)), known: make(map[*Value]bool, 2*len(g.Nodes))}
	for _, in := range g.Inputs {
		if v.define(in, "input"); in == nil {
			continue
		}
		if in.Producer != nil || in.Const != nil {
			v.fail("input %s is also a constant or a result", in.Name)
		}
		if err := checkType(in.Type); err != nil {
			v.fail("input %s: %v", in.Name, err)
		}
	}
	for _, s := range g.States {
		if s == nil || s.Value == nil {
			v.fail("a state is nil")
			continue
		}
		v.define(s.Value, "state")
		if s.Init == nil || !TypeOf(s.Init).Equal(s.Value.Type) {
			v.fail("state %s is %v; its first content is %v", s.Value.Name, s.Value.Type, s.Init.Describe())
		}
	}
	for i, n := range g.Nodes {
		if n == nil {
			v.fail("node %d is nil", i)
			continue
		}
		v.node(i, n)
	}
	outputs := make(map[string]bool)
	for _, o := range g.Outputs {
		if outputs[o.Name] {
			v.fail("output %q is named twice", o.Name)
		}
		outputs[o.Name] = true
		v.use(o.Value, fmt.Sprintf("output %q", o.Name))
	}
	if len(g.Outputs) == 0 {
		v.fail("the graph has no output")
	}
	for _, s := range g.States {
		if s == nil || s.Value == nil || s.Next == nil {
			continue
		}
		v.use(s.Next, "the update of state "+s.Value.Name)
		if !s.Next.Type.Equal(s.Value.Type) {
			v.fail("state %s is %v; its update %s is %v", s.Value.Name, s.Value.Type, s.Next.Name, s.Next.Type)
		}
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	rules Rules
	names map[string]*Value
	known map[*Value]bool
	errs  []error
}

func (v *verifier) fail(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

// define notes that a value is available from here on.
func (v *verifier) define(x *Value, what string) {
	if x == nil {
		v.fail("nil stands for the %s", what)
		return
	}
	if old := v.names[x.Name]; old != nil && old != x {
		v.fail("two values are named %s", x.Name)
	}
	if v.known[x] && x.Const == nil {
		v.fail("value %s is defined twice", x.Name)
	}
	v.names[x.Name] = x
	v.known[x] = true
}

// use checks that a value is available at its reader.
func (v *verifier) use(x *Value, reader string) {
	switch {
	case x == nil:
		v.fail("%s is nil", reader)
	case v.known[x]:
	case x.Const == nil:
		v.fail("%s reads %s before it is computed", reader, x.Name)
	default:
		v.define(x, "constant")
		if x.Const.DType() == tensor.Invalid || !TypeOf(x.Const).Equal(x.Type) {
			v.fail("constant %s is declared as %v and holds %v", x.Name, x.Type, x.Const.Describe())
		}
		if !x.Const.IsContiguous() {
			v.fail("constant %s is not contiguous", x.Name)
		}
	}
}

func (v *verifier) node(i int, n *Node) {
	place := fmt.Sprintf("node %d (%s)", i, n.Op)
	if n.Label != "" {
		place = fmt.Sprintf("node %d (%s [%s])", i, n.Op, n.Label)
	}
	for _, x := range n.In {
		if x != nil {
			v.use(x, place)
		}
	}
	var err error
	for _, b := range n.Blocks {
		err = errors.Join(err, verifyBlock(b, v.rules))
	}
	var attrs Attrs
	var types []Type
	if err == nil {
		attrs, types, err = v.rules.Infer(n.Op, TypesOf(n.In), n.Attrs, n.Blocks)
	}
	if err != nil {
		v.fail("%s: %w", place, err)
	} else {
		if len(attrs) != len(n.Attrs) {
			v.fail("%s: its attributes are not complete", place)
		}
		if len(types) != len(n.Out) {
			v.fail("%s has %d results; there must be %d", place, len(n.Out), len(types))
		}
	}
	for k, x := range n.Out {
		v.define(x, "result of "+place)
		if x == nil {
			continue
		}
		if x.Producer != n || x.Const != nil {
			v.fail("%s: result %s names another producer or is a constant", place, x.Name)
		}
		if k < len(types) && !x.Type.Equal(types[k]) {
			v.fail("%s: result %s is declared as %v; it must be %v", place, x.Name, x.Type, types[k])
		}
	}
}

// verifyBlock checks a graph that a node owns.
func verifyBlock(b *Graph, rules Rules) error {
	switch {
	case b == nil:
		return errors.New("a block is nil")
	case len(b.States) > 0:
		return fmt.Errorf("block %s has states; only a whole graph can", b.Name)
	}
	if err := Verify(b, rules); err != nil {
		return fmt.Errorf("block %s: %w", b.Name, err)
	}
	return nil
}
