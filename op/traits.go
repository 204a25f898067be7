package op

import (
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
)

// Traits are properties that every application of an operator has.
type Traits uint8

const (
	// Elementwise says that each element of a result is a piece. It depends on the elements at its own index of those operands that have the
	// result's shape, and on anything in the others, which broadcast, hold parameters or are marked Whole. All results have one shape. So the
	// result may lie in the memory of an operand (see [Def.InPlace]), and the operator may be evaluated element by element right behind those
	// that yield its operands. Where the other operands have one element each, the index does not matter: a table of all values that an element
	// can have says what the operator does.
	Elementwise Traits = 1 << iota
	// Commutative says that exchanging the first two operands changes no bit.
	Commutative
	// Integral says that elements of float results are whole numbers, infinite or NaN.
	Integral
	// Weights says that a result weighs what is summed next, and is best made and used a few rows at a time, while they are near.
	Weights
	// Fractions says that elements of results lie between 0 and 1, as probabilities do, or are NaN.
	Fractions
)

var traitNames = []string{"element-wise", "commutative", "integral", "weights", "fractions"}

// Has reports whether all of the given traits are there.
func (t Traits) Has(other Traits) bool { return t&other == other }

// String lists the traits with commas between them.
func (t Traits) String() string {
	var names []string
	for i, name := range traitNames {
		if t.Has(1 << i) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// withTraits adds traits to d.
func withTraits(t Traits, d *Def) *Def {
	d.Traits |= t
	return d
}

// withOrder adds byOrder to d.
func withOrder(d *Def) *Def {
	d.Takes = byOrder
	return d
}

// withSign adds a rule [Def.NonNegative] to d.
func withSign(rule func(s *Sig, in []bool) bool, d *Def) *Def {
	d.NonNegative = rule
	return d
}

// InPlace reports whether results may lie in the memory of operand i where that has their type: nothing is read there after
// it has been written.
func (d *Def) InPlace(i int) bool { return d.Traits.Has(Elementwise) && !d.operand(i).Whole }

// Copies reports whether the operator returns its operand, bit by bit, whatever that is.
func (d *Def) Copies() bool { return d.Traits.Has(Elementwise) && d.View != nil }

// SumsProducts reports whether the results are sums of products of elements of the first two operands, whose integer types may
// differ and whose sums have a wider one.
func (d *Def) SumsProducts() bool {
	return len(d.Out) > 0 && d.Out[0].Like != "" && d.Out[0].TypeAttr != ""
}

// HasZeroPoints reports whether a node takes zero points from the factors of its sums of products.
func HasZeroPoints(n *graph.Node) bool {
	d, ok := operator(n)
	if !ok || !d.SumsProducts() {
		return false
	}
	for i, v := range n.In {
		if o := d.operand(i); v != nil && o.Name == o.Like+zeroSuffix {
			return true
		}
	}
	return false
}

// Views returns, for a node whose results are runs of the elements of its first operand, where each begins there: see
// [Def.View]. It returns nil for any other node.
func Views(n *graph.Node) []int {
	if d, ok := operator(n); ok && d.View != nil {
		return d.runs(n, d.View)
	}
	return nil
}

// Joins returns, for a node whose operands are runs of the elements of its result, where each begins there: see [Def.Join].
// It returns nil for any other node.
func Joins(n *graph.Node) []int {
	if d, ok := operator(n); ok && d.Join != nil {
		return d.runs(n, d.Join)
	}
	return nil
}

func (d *Def) runs(n *graph.Node, find func(*Sig, []Type) []int) []int {
	return find(&Sig{Def: d, In: graph.TypesOf(n.In), Attrs: n.Attrs}, graph.TypesOf(n.Out))
}

// Reshapes reports whether the only result of n has all elements of its first operand, in their order.
func Reshapes(n *graph.Node) bool {
	return n != nil && len(n.Out) == 1 && Views(n) != nil && n.In[0].Type.Shape.Len() == n.Out[0].Type.Shape.Len()
}

// Simplify returns what may stand for n: see [Def.Simplify].
func Simplify(n *graph.Node) (same *graph.Value, simpler *graph.Node) {
	if d, ok := operator(n); ok && d.Simplify != nil {
		return d.Simplify(n)
	}
	return nil, nil
}

// Taken says that each element of a result is one of the operands From…To-1, or the least or greatest number where there is none to take.
// What is done to each element by itself may then be done before in place of after, but with Ordered only what keeps their order, as that decides which
// is taken. The zero value says nothing.
type Taken struct {
	From, To int
	Ordered  bool
}

// TakenBy returns of which operands of n each element of a result is one.
func TakenBy(n *graph.Node) Taken {
	d, ok := operator(n)
	switch {
	case !ok:
	case d.Takes != nil:
		return d.Takes(&Sig{Def: d, In: graph.TypesOf(n.In), Attrs: n.Attrs})
	case d.View != nil:
		return Taken{To: 1}
	case d.Join != nil:
		return Taken{To: len(n.In)}
	}
	return Taken{}
}

// NonNegative reports whether no element of a result of n is below 0 if none is of the operands for which in is true: see
// [Def.NonNegative].
func NonNegative(n *graph.Node, in []bool) bool {
	d, ok := operator(n)
	switch {
	case !ok:
		return false
	case d.Traits.Has(Fractions):
		return true
	case d.NonNegative != nil:
		return d.NonNegative(&Sig{Def: d, In: graph.TypesOf(n.In), Attrs: n.Attrs}, in)
	}
	s := TakenBy(n)
	return s.To > 0 && ifAll(nil, in[s.From:s.To])
}

// Rules of operators, for the fields Takes, NonNegative, View, Join and Simplify of definitions.

// fromFirst is for operators whose results have elements of the first operand, fromSecond for those whose have elements of the second.
func fromFirst(*Sig) Taken  { return Taken{To: 1} }
func fromSecond(*Sig) Taken { return Taken{From: 1, To: 2} }

// byOrder is for operators that take one of several elements by their order.
func byOrder(s *Sig) Taken { return Taken{To: len(s.In), Ordered: true} }

// always is for operators of which no result is below 0.
func always(*Sig, []bool) bool { return true }

// ifAll is for operators of which no result is below 0 if no operand is.
func ifAll(_ *Sig, in []bool) bool { return !slices.Contains(in, false) }

// ofFloats restricts a rule to floats, where integers wrap.
func ofFloats(rule func(*Sig, []bool) bool) func(*Sig, []bool) bool {
	return func(s *Sig, in []bool) bool { return s.In[0].DType.IsFloat() && rule(s, in) }
}

// whole is the view of operators that keep all elements in their order.
func whole(*Sig, []Type) []int { return []int{0} }

// parts is the view of operators that cut their operand along the attribute axis, for rows before which there is only one.
func parts(s *Sig, out []Type) []int { return chunks(s, s.In[0], out) }

// joined is the reverse of parts.
func joined(s *Sig, out []Type) []int { return chunks(s, out[0], s.In) }

func chunks(s *Sig, all Type, list []Type) []int {
	if len(list) > 1 && all.Shape[:s.Int("axis")].Len() > 1 {
		return nil
	}
	offsets, next := make([]int, len(list)), 0
	for i, t := range list {
		offsets[i] = next
		next += t.Shape.Len()
	}
	return offsets
}

// ifSameType simplifies operators that change nothing where the result has the type of the operand.
func ifSameType(n *graph.Node) (*graph.Value, *graph.Node) {
	if n.In[0].Type.Equal(n.Out[0].Type) {
		return n.In[0], nil
	}
	return nil, nil
}

// ifWhole simplifies operators that select elements where they select all, in their order.
func ifWhole(n *graph.Node) (*graph.Value, *graph.Node) {
	if !Reshapes(n) {
		return nil, nil
	}
	return ifSameType(n)
}

// ifSingle simplifies operators that join one operand to itself.
func ifSingle(n *graph.Node) (*graph.Value, *graph.Node) {
	if len(n.In) == 1 {
		return n.In[0], nil
	}
	return nil, nil
}

// shorter simplifies operators that only change the shape: it removes those that change nothing, and joins one with those above.
func shorter(n *graph.Node) (*graph.Value, *graph.Node) {
	from := n.In[0]
	if from.Type.Equal(n.Out[0].Type) {
		return from, nil
	}
	if p := from.Producer; p != nil && Reshapes(p) {
		return nil, asReshape(n, p.In[0])
	}
	return nil, nil
}

// asReshape returns a reshape of from that stands for n, or nil if an extent is 0, which a reshape reads as "keep".
func asReshape(n *graph.Node, from *graph.Value) *graph.Node {
	to := n.Out[0].Type.Shape
	if slices.Contains(to, 0) {
		return nil
	}
	return &graph.Node{Op: "reshape", In: []*graph.Value{from}, Out: n.Out, Attrs: graph.Attrs{{Name: "shape", Value: []int(to)}}, Label: n.Label}
}
