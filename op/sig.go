package op

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Type is the element type and shape of an operand or result. The zero Type is that of an absent operand.
type Type = graph.Type

// Sig is one application of an operator as its rules see it: the types of the operands, with as many entries as there
// are declared operands (or more or one less, if the last is variadic), the complete attributes and the blocks.
type Sig struct {
	Def *Def
	In  []Type
	graph.Attrs
	Blocks []*graph.Graph
}

// Has reports whether operand i is given.
func (s *Sig) Has(i int) bool { return s != nil && i < len(s.In) && s.In[i].DType != tensor.Invalid }

// Error is a violated rule of an operator.
type Error struct {
	Op      string // the operator
	Operand string // the operand, attribute or result at fault; may be empty
	Msg     string // what is wrong and what would be right
	Misfit  bool   // whether an attribute has a value that would be right for operands of other extents

	TooLarge bool // whether nothing is wrong but the size of a result, which no tensor could have
}

// Error writes the operator, the operand and the message.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	if e.Operand == "" {
		return e.Op + ": " + e.Msg
	}
	return e.Op + ": " + e.Operand + ": " + e.Msg
}

// Errorf returns an *Error on the operand or attribute of that name.
func (s *Sig) Errorf(operand, format string, args ...any) error {
	return &Error{Op: s.operator(), Operand: operand, Msg: message(format, args...)}
}

// Misfit returns an *Error on the attribute of that name, whose value would be right for operands of other extents.
func (s *Sig) Misfit(attr, format string, args ...any) error {
	return &Error{Op: s.operator(), Operand: attr, Msg: message(format, args...), Misfit: true}
}

// operator is the name of the operator, if there is one.
func (s *Sig) operator() string {
	if s == nil || s.Def == nil {
		return ""
	}
	return s.Def.Name
}

// message is [fmt.Sprintf], but writes the items of lists with commas between them, as shapes are written.
func message(format string, args ...any) string {
	args = slices.Clone(args)
	for i, x := range args {
		if list, ok := x.([]int); ok {
			args[i] = strings.ReplaceAll(fmt.Sprint(list), " ", ",")
		}
	}
	return fmt.Sprintf(format, args...)
}

// anyOf says which words are allowed.
func anyOf(words []string) string {
	if len(words) == 1 {
		return strconv.Quote(words[0])
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return "one of " + strings.Join(quoted, ", ")
}

var errNoOperator = errors.New("there is no operator: the definition is nil, or has no rule for shapes")

// Bind checks an application of d against the declarations of operands, attributes and blocks and runs its shape rule. It
// returns the signature with complete attributes, and the types of the results. An absent operand has the zero Type. The blocks
// must be valid graphs.
func (d *Def) Bind(in []Type, attrs graph.Attrs, blocks ...*graph.Graph) (*Sig, []Type, error) {
	if d == nil || d.Shape == nil && d.Results == nil {
		return nil, nil, errNoOperator
	}
	s, err := d.declared(in, attrs)
	if err == nil {
		err = s.ranks()
	}
	if err == nil {
		err = s.own(blocks)
	}
	if err != nil {
		return nil, nil, err
	}
	out, err := s.results()
	if err != nil {
		return nil, nil, err
	}
	for i, t := range out {
		if err := t.Shape.Check(); err != nil {
			return nil, nil, &Error{Op: d.Name, Operand: d.result(i).Name, Msg: err.Error(), TooLarge: true}
		}
	}
	return s, out, nil
}

// BlockTypes returns the types that the inputs of a block must have in an application with these operands and attributes, for whoever
// makes the block.
func (d *Def) BlockTypes(in []Type, attrs graph.Attrs, block int) ([]Type, error) {
	if d == nil || d.Shape == nil && d.Results == nil {
		return nil, errNoOperator
	}
	s, err := d.declared(in, attrs)
	if err != nil {
		return nil, err
	}
	if err := s.ranks(); err != nil {
		return nil, err
	}
	return d.BlockInputs(s, block)
}

// ranks checks the shapes of the operands against their declarations.
func (s *Sig) ranks() error {
	for i, t := range s.In {
		if t.DType == tensor.Invalid {
			continue
		}
		o := s.Def.operand(i)
		if err := t.Shape.Check(); err != nil {
			return s.Errorf(o.Name, "%v", err)
		}
		if r := t.Shape.Rank(); r < o.Rank.Min || r > o.Rank.Max {
			return s.Errorf(o.Name, "rank %d of %v is not allowed; it must be %v", r, t, o.Rank)
		}
	}
	return nil
}

// own makes blocks those of s, after checking what they take.
func (s *Sig) own(blocks []*graph.Graph) error {
	if len(blocks) != len(s.Def.Blocks) {
		return s.Errorf("", "%d blocks are given; there must be %d", len(blocks), len(s.Def.Blocks))
	}
	for i, b := range blocks {
		name := s.Def.Blocks[i].Name
		if b == nil {
			return s.Errorf(name, "the block is missing")
		}
		if len(b.States) > 0 {
			return s.Errorf(name, "the block has states; only a whole graph can")
		}
		in, err := s.Def.BlockInputs(s, i)
		if err != nil {
			return err
		}
		if len(b.Inputs) != len(in) {
			return s.Errorf(name, "the block has %d inputs; it must have %d", len(b.Inputs), len(in))
		}
		for k, v := range b.Inputs {
			if !v.Type.Equal(in[k]) {
				return s.Errorf(name, "input %s of the block is %v; it must be %v", v.Name, v.Type, in[k])
			}
		}
	}
	s.Blocks = blocks
	return nil
}

// results returns the types of the results.
func (s *Sig) results() ([]Type, error) {
	if s.Def.Results != nil {
		return s.Def.Results(s)
	}
	shapes, err := s.Def.Shape(s)
	if err != nil {
		return nil, err
	}
	out := make([]Type, len(shapes))
	for i, shape := range shapes {
		out[i] = Type{DType: s.Def.resultType(i, s), Shape: shape}
	}
	return out, nil
}

// String writes the range as "2", "2 or more", "1 to 4" or "any".
func (r Ranks) String() string {
	switch {
	case r == AnyRank:
		return "any"
	case r.Min == r.Max:
		return strconv.Itoa(r.Min)
	case r.Max == tensor.MaxRank:
		return fmt.Sprintf("%d or more", r.Min)
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

// declared checks all that can be checked without shapes.
func (d *Def) declared(in []Type, attrs graph.Attrs) (*Sig, error) {
	s := d.sig(in)
	if n := len(d.In); len(s.In) > n && (n == 0 || !d.In[n-1].Variadic) {
		return nil, s.Errorf("", "%d operands are given; there are %d", len(s.In), n)
	}
	for i, t := range s.In {
		o := d.operand(i)
		if t.DType == tensor.Invalid {
			if !o.Optional || o.Variadic {
				return nil, s.Errorf(o.Name, "the operand is missing")
			}
			continue
		}
		if !o.Types.Has(t.DType) {
			return nil, s.Errorf(o.Name, "the element type %v is not allowed; it must be %v", t.DType, o.Types)
		}
		if o.Like != "" {
			if like := s.In[d.index(o.Like)].DType; like != t.DType && like != tensor.Invalid {
				return nil, s.Errorf(o.Name, "the element type is %v; it must be %v, that of %s", t.DType, like, o.Like)
			}
		}
	}
	var err error
	s.Attrs, err = d.complete(s, attrs)
	return s, err
}

// sig returns the signature of an application with these operands, absent ones included. An optional list of operands may be empty.
func (d *Def) sig(in []Type) *Sig {
	s := &Sig{Def: d, In: slices.Clone(in)}
	least := len(d.In)
	if least > 0 && d.In[least-1].Variadic && d.In[least-1].Optional {
		least--
	}
	for len(s.In) < least {
		s.In = append(s.In, Type{})
	}
	return s
}

// operand returns the declaration of actual operand i.
func (d *Def) operand(i int) *Operand { return &d.In[min(i, len(d.In)-1)] }

// result returns the declaration of actual result i.
func (d *Def) result(i int) *Result { return &d.Out[min(i, len(d.Out)-1)] }

// index returns the position of the operand of that name, which the definition guarantees.
func (d *Def) index(name string) int {
	return slices.IndexFunc(d.In, func(o Operand) bool { return o.Name == name })
}

func (d *Def) resultType(i int, s *Sig) tensor.DType {
	r := d.result(i)
	if r.Like != "" {
		if like := s.In[d.index(r.Like)].DType; r.TypeAttr == "" || like.IsFloat() {
			return like
		}
	}
	if r.TypeAttr != "" {
		return s.DType(r.TypeAttr)
	}
	return r.Type
}

// complete checks the given attributes and returns all of them, in the order of the definition.
func (d *Def) complete(s *Sig, given graph.Attrs) (graph.Attrs, error) {
	for i, a := range given {
		if !slices.ContainsFunc(d.Attrs, func(x Attr) bool { return x.Name == a.Name }) {
			return nil, s.Errorf(a.Name, "the operator has no such attribute")
		}
		if slices.ContainsFunc(given[:i], func(x graph.Attr) bool { return x.Name == a.Name }) {
			return nil, s.Errorf(a.Name, "the attribute is given twice")
		}
	}
	full := make(graph.Attrs, len(d.Attrs))
	for i := range d.Attrs {
		a := &d.Attrs[i]
		v := given.Get(a.Name)
		if v == nil {
			if a.Default == nil {
				return nil, s.Errorf(a.Name, "the attribute is missing")
			}
			v = a.Default
		}
		if err := a.check(v); err != nil {
			return nil, s.Errorf(a.Name, "%v", err)
		}
		full[i] = graph.Attr{Name: a.Name, Value: v}
	}
	return full, nil
}

// check reports a value that the declaration does not allow.
func (a *Attr) check(v any) error {
	if k := graph.KindOf(v); k != a.Kind {
		return fmt.Errorf("the value %v is %v; it must be %v", v, k, a.Kind)
	}
	within := func(x float64, text string) error {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s is not finite", text)
		}
		if a.Range != [2]float64{} && !(x >= a.Range[0] && x <= a.Range[1]) {
			return fmt.Errorf("%s is out of range; it must be %s", text, a.Bounds())
		}
		return nil
	}
	allowed := func(x string) error {
		if a.Enum != nil && !slices.Contains(a.Enum, x) {
			return fmt.Errorf("%q is not allowed; it must be %s", x, anyOf(a.Enum))
		}
		return nil
	}
	inRange := func(x float64) error { return within(x, decimal(x)) }
	whole := func(x int) error { return within(float64(x), strconv.Itoa(x)) }
	switch v := v.(type) {
	case int:
		return whole(v)
	case float64:
		return inRange(v)
	case string:
		return allowed(v)
	case tensor.DType:
		if a.Types != 0 && !a.Types.Has(v) {
			return fmt.Errorf("%v is not allowed; it must be %v", v, a.Types)
		}
	case []int:
		return each(v, whole)
	case []float64:
		return each(v, inRange)
	case []string:
		return each(v, allowed)
	}
	return nil
}

func each[T any](list []T, check func(T) error) error {
	for i, x := range list {
		if err := check(x); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}
