package operators

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Shapes checks operands and attributes of a call and returns the shapes of its outputs. Errors are *fault.Error, in the class of the
// original: a rule that it checks by itself is a Logic error; where it only finds that what it inferred conflicts with what the graph says, it
// is a Runtime error.
func (o *Operator) Shapes(c *Call) (out []tensor.Shape, err error) {
	defer catch(&err)
	if err := o.CheckInputs(c.Attrs, len(c.In)); err != nil {
		return nil, err
	}
	for i := range c.In {
		checkShape(c.operand(i), c.In[i].Shape)
	}
	// Within these limits a rule need not think of numbers that overflow: products of two extents, or of an extent and an int32, fit in 64 bits.
	out = o.Shape(c)
	for _, s := range out {
		checkShape("output", s)
	}
	return out, nil
}

// Precisions returns the precisions of a call's outputs. One that is not in 1…32 is a Logic error. Out is set.
func (o *Operator) Precisions(c *Call) ([]int, error) {
	out, err := c.precisions()
	for k, p := range out {
		if p < 1 || p > MaxPrecision {
			return nil, fault.Logicf(fault.Precision, "the precision is %d", p).With(OutputName(k), fmt.Sprintf("1…%d", MaxPrecision))
		}
	}
	return out, err
}

// precisions returns the precisions of the outputs, which may be above 32.
func (c *Call) precisions() (out []int, err error) {
	defer catch(&err)
	list := make([]int, c.Operator.Outputs)
	for k := range list {
		list[k] = c.Operator.Precision.of(c, k)
	}
	return list, nil
}

// Unbounded are the bits of numbers of which nothing is known: any int32 may occur, even the least.
const Unbounded = MaxPrecision + 1

// Bits bounds the elements that each output really has, by |x| ≤ 2^(bits-1) - 1, if Precision are such bits of the operands, up to
// Unbounded. It follows the rules of precisions of a strict call, but knows fillers, and has a result whatever precisions the operands
// have, if the attributes are legal. Where arithmetic may wrap, that is Unbounded, unless results are clipped afterwards.
func (c *Call) Bits() []int {
	strict := *c
	strict.Compat = false
	out, err := strict.precisions()
	if err != nil {
		bits := Unbounded
		if c.Operator.Clips {
			bits = c.Attrs.Int("precision")
		}
		out = slices.Repeat([]int{bits}, c.Operator.Outputs)
	}
	for _, k := range c.Operator.Fillers {
		out[k] = max(out[k], 2)
	}
	for k := range out {
		out[k] = min(out[k], Unbounded)
	}
	return out
}

// Base returns the operations for each element of the first output, by which gas is counted. Out is set.
func (o *Operator) Base(c *Call) int64 {
	if o.Gas.base == nil {
		return 1
	}
	return o.Gas.base(c)
}

// more is the operand that stands for any number of the one before.
const more = "…"

// Inputs returns the number of operands for parsed attributes; -1 for any number.
func (o *Operator) Inputs(attrs graph.Attrs) int {
	names := strings.Split(o.Operands, ", ")
	switch last := names[len(names)-1]; {
	case last == more:
		return -1
	case last[0] == '[' && !attrs.Bool("use_bias"):
		return len(names) - 1
	}
	return len(names)
}

// CheckInputs reports a wrong number of operands, as a Logic error of stage NumInputs. Where there may be any number, only the rule of shapes asks
// for one.
func (o *Operator) CheckInputs(attrs graph.Attrs, n int) error {
	if want := o.Inputs(attrs); n != want && want >= 0 {
		return fault.Logicf(fault.NumInputs, "the number of inputs is %d", n).With("", strconv.Itoa(want))
	}
	return nil
}

// operand returns the name of operand i.
func (c *Call) operand(i int) string {
	names := strings.Split(c.Operator.Operands, ", ")
	if names[len(names)-1] == more {
		return fmt.Sprintf("%s[%d]", names[0], i)
	}
	return strings.Trim(names[i], "[]")
}

// OutputName is how errors call output k of an operator.
func OutputName(k int) string { return fmt.Sprintf("output %d", k) }

// CheckShape reports a shape that no tensor may have, as a Logic error of stage Limits without a Part.
func CheckShape(s tensor.Shape) (err error) {
	defer catch(&err)
	checkShape("", s)
	return nil
}

func checkShape(part string, s tensor.Shape) {
	if len(s) < 1 || len(s) > MaxRank {
		refuseAt(fault.Limits, part, fmt.Sprintf("1…%d", MaxRank), "the number of dimensions is %d", len(s))
	}
	n := int64(1)
	for i, d := range s {
		if d < 1 || d > MaxExtent {
			refuseAt(fault.Limits, part, fmt.Sprintf("1…%d", MaxExtent), "dimension %d is %d", i, d)
		}
		if n *= int64(d); n > MaxElements {
			refuseAt(fault.Limits, part, fmt.Sprintf("at most %d", MaxElements), "the shape %v has too many elements", s)
		}
	}
}

// Bound returns the greatest value of a precision, 2^(precision-1) - 1; its negation is the smallest. It is 0 of what is
// no precision.
func Bound(precision int) int {
	if precision < 1 || precision > MaxPrecision {
		return 0
	}
	return int(int64(1)<<(precision-1) - 1)
}

// What rules refuse is a panic with the error, which ends the rule; catch makes it the error of the function that defers it.

func catch(err *error) {
	if e := fault.Caught(recover()); e != nil {
		*err = e
	}
}

// refuse ends a rule of shapes with a Logic error.
func refuse(part, want, format string, args ...any) {
	refuseAt(fault.Shape, part, want, format, args...)
}

func refuseAt(stage fault.Stage, part, want, format string, args ...any) {
	panic(fault.Logicf(stage, format, args...).With(part, want))
}

// equal checks that an operand has the shape that is inferred, else with a Runtime error.
func (c *Call) equal(i int, want tensor.Shape) {
	if got := c.In[i].Shape; !got.Equal(want) {
		panic(fault.Runtimef(fault.Shape, "the shape is %v", got).With(c.operand(i), want.String()))
	}
}

// rank checks the number of dimensions of operand i.
func (c *Call) rank(i, want int) {
	if n := c.In[i].Shape.Rank(); n != want {
		refuse(c.operand(i), strconv.Itoa(want), "the number of dimensions is %d", n)
	}
}

// within checks the bounds of a number, and returns it.
func within(stage fault.Stage, part string, v, least, most int) int {
	if v < least || v > most {
		refuseAt(stage, part, fmt.Sprintf("%d…%d", least, most), "the value is %d", v)
	}
	return v
}

// int checks the bounds of an integer attribute, and returns it.
func (c *Call) int(name string, least, most int) int {
	return within(fault.Shape, name, c.Attrs.Int(name), least, most)
}

// pair checks that an attribute has two items, and the bounds of these, and returns it.
func (c *Call) pair(name string, least, most int) []int {
	t := c.Attrs.Ints(name)
	if len(t) != 2 {
		refuse(name, "2", "the number of items is %d", len(t))
	}
	return items(name, t, least, most)
}

func items(name string, t []int, least, most int) []int {
	for _, v := range t {
		within(fault.Shape, name, v, least, most)
	}
	return t
}

// must checks an attribute that has one legal value.
func (c *Call) must(name string, want any) {
	if v := c.Attrs.Get(name); v != want {
		refuse(name, fmt.Sprint(want), "the value is %v", v)
	}
}

// axis counts the attribute axis, of a tensor of n dimensions, from the front.
func (c *Call) axis(n int) int { return axisOf("axis", c.Attrs.Int("axis"), n) }

func axisOf(name string, axis, n int) int {
	if within(fault.Shape, name, axis, -n, n-1); axis < 0 {
		axis += n
	}
	return axis
}

// axes counts the axes that an attribute lists from the front, keeping their order and repetitions.
func (c *Call) axes(name string, n int) []int {
	out := slices.Clone(c.Attrs.Ints(name))
	for i, a := range out {
		out[i] = axisOf(name, a, n)
	}
	return out
}

// distinct checks that no axis is listed twice, and returns the list.
func distinct(name string, axes []int) []int {
	for i, a := range axes {
		if slices.Contains(axes[:i], a) {
			refuse(name, "each axis once", "axis %d is listed twice", a)
		}
	}
	return axes
}

// nearest returns a number as an int, or the int nearest to it where that has 32 bits only. What is beyond is beyond every limit, too.
func nearest(v int64) int { return int(min(max(v, math.MinInt), math.MaxInt)) }

// times returns an extent that is multiplied, which may be beyond its limit then.
func times(extent, factor int) int { return nearest(int64(extent) * int64(factor)) }

// leadingOnes returns a copy of s with ones in front to n dimensions, if it has fewer.
func leadingOnes(s []int, n int) tensor.Shape {
	return append(slices.Repeat(tensor.Shape{1}, max(n-len(s), 0)), s...)
}

// sameShape is the rule of the operators on one tensor, element by element.
func sameShape(c *Call) []tensor.Shape { return []tensor.Shape{c.In[0].Shape} }

// The most frequent rules of precisions.
var (
	same           = Precision{"that of the input", precisionOf(0)}
	firstOf        = Precision{"that of the first input", precisionOf(0)}
	secondOf       = Precision{"that of the second input", precisionOf(1)}
	greatest       = Precision{"the greatest of the inputs", func(c *Call, _ int) int { return c.greatest() }}
	oneMore        = Precision{"the greater of the inputs + 1", func(c *Call, _ int) int { return c.greatest() + 1 }}
	givenPrecision = Precision{"the attribute `precision`", func(c *Call, _ int) int { return c.given() }}
)

// precisionOf is the rule of those that keep the precision of an operand.
func precisionOf(i int) func(*Call, int) int {
	return func(c *Call, _ int) int { return c.In[i].Precision }
}

// given checks the attribute precision, and returns it.
func (c *Call) given() int {
	return within(fault.Precision, "precision", c.Attrs.Int("precision"), 1, MaxPrecision)
}

// greatest returns the greatest precision of the operands.
func (c *Call) greatest() (p int) {
	for _, t := range c.In {
		p = max(p, t.Precision)
	}
	return p
}
