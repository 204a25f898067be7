package operators

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// What the rules of several operators share. A rule that the original checks by itself is a Logic error; where it only finds that what
// it inferred conflicts with what the graph says, it is a Runtime error.

// CheckShape reports a shape that no tensor may have, as a Logic error of stage Limits without a Part.
func CheckShape(s tensor.Shape) error { return checkShape("", s) }

func checkShape(part string, s tensor.Shape) error {
	if len(s) < 1 || len(s) > MaxRank {
		return refuseAt(fault.Limits, part, fmt.Sprintf("1…%d", MaxRank), "the number of dimensions is %d", len(s))
	}
	n := int64(1)
	for i, d := range s {
		if d < 1 || d > MaxExtent {
			return refuseAt(fault.Limits, part, fmt.Sprintf("1…%d", MaxExtent), "dimension %d is %d", i, d)
		}
		if n *= int64(d); n > MaxElements {
			return refuseAt(fault.Limits, part, fmt.Sprintf("at most %d", MaxElements), "the shape %v has too many elements", s)
		}
	}
	return nil
}

// CheckInputs reports a wrong number of operands, as a Logic error of stage NumInputs.
func (o *Operator) CheckInputs(v Values, n int) error {
	want := o.Inputs(v)
	if n == want || want < 0 {
		return nil
	}
	return refuseAt(fault.NumInputs, "", strconv.Itoa(want), "the number of inputs is %d", n)
}

// checked returns a shape rule that holds its operands and results within the limits of tensors, so that the rule itself need not think
// of numbers that overflow: products of two extents, or of an extent and an int32, fit in 64 bits.
func checked(rule func(*Call) ([]tensor.Shape, error)) func(*Call) ([]tensor.Shape, error) {
	return func(c *Call) ([]tensor.Shape, error) {
		if err := c.complete(); err != nil {
			return nil, err
		}
		if err := c.Operator.CheckInputs(c.Attrs, len(c.In)); err != nil {
			return nil, err
		}
		for i := range c.In {
			if err := checkShape(c.operand(i), c.In[i].Shape); err != nil {
				return nil, err
			}
		}
		out, err := rule(c)
		if err != nil {
			return nil, err
		}
		return out, checkOutputs(out)
	}
}

// complete reports a call that was made by hand without what [Operator.ParseAttrs] gives.
func (c *Call) complete() error {
	if c.Operator == nil {
		return fault.Runtimef(fault.Lookup, "the call has no operator")
	}
	for i := range c.Operator.Attrs {
		a := &c.Operator.Attrs[i]
		if !spellings[a.Kind].is(c.Attrs[a.Name]) {
			return refuseAt(fault.Attrs, a.Name, a.Want(), "the value is %v", c.Attrs[a.Name])
		}
	}
	return nil
}

func checkOutputs(out []tensor.Shape) error {
	for _, s := range out {
		if err := checkShape("output", s); err != nil {
			return err
		}
	}
	return nil
}

// limited returns a rule of precisions that holds its results within 1…32.
func limited(rule func(*Call) ([]int, error)) func(*Call) ([]int, error) {
	return func(c *Call) ([]int, error) {
		out, err := rule(c)
		if err != nil {
			return nil, err
		}
		for k, p := range out {
			if p < 1 || p > MaxPrecision {
				return nil, refuseAt(fault.Precision, OutputName(k), fmt.Sprintf("1…%d", MaxPrecision), "the precision is %d", p)
			}
		}
		return out, nil
	}
}

// OutputName is how errors call output k of an operator.
func OutputName(k int) string { return fmt.Sprintf("output %d", k) }

// refuse returns a Logic error of the shape rules.
func refuse(part, want, format string, args ...any) error {
	return refuseAt(fault.Shape, part, want, format, args...)
}

func refuseAt(stage fault.Stage, part, want, format string, args ...any) error {
	e := fault.Logicf(stage, format, args...)
	e.Part, e.Want = part, want
	return e
}

// conflict returns the Runtime error of an operand whose shape is not the one inferred.
func (c *Call) conflict(i int, want tensor.Shape) error {
	e := fault.Runtimef(fault.Shape, "the shape is %v", c.In[i].Shape)
	e.Part, e.Want = c.operand(i), want.String()
	return e
}

// operand returns the name of operand i.
func (c *Call) operand(i int) string {
	names := c.Operator.Operands
	if c.Operator.Inputs(c.Attrs) < 0 {
		return fmt.Sprintf("%s[%d]", names[0], i)
	}
	return names[i]
}

// rank checks the number of dimensions of operand i.
func (c *Call) rank(i, want int) error {
	if n := c.In[i].Shape.Rank(); n != want {
		return refuse(c.operand(i), strconv.Itoa(want), "the number of dimensions is %d", n)
	}
	return nil
}

// within checks the bounds of a number.
func within(stage fault.Stage, part string, v, least, most int) error {
	if v < least || v > most {
		return refuseAt(stage, part, fmt.Sprintf("%d…%d", least, most), "the value is %d", v)
	}
	return nil
}

// tuple checks that an attribute has n items, and the bounds of these.
func (c *Call) tuple(name string, n, least, most int) error {
	t := c.Attrs.Tuple(name)
	if len(t) != n {
		return refuse(name, strconv.Itoa(n), "the number of items is %d", len(t))
	}
	return items(name, t, least, most)
}

func items(name string, t []int, least, most int) error {
	for _, v := range t {
		if err := within(fault.Shape, name, v, least, most); err != nil {
			return err
		}
	}
	return nil
}

// must checks an attribute that has one legal value.
func (c *Call) must(name string, want any) error {
	if v := c.Attrs[name]; v != want {
		return refuse(name, fmt.Sprint(want), "the value is %v", v)
	}
	return nil
}

// axisOf counts an axis of a tensor of n dimensions from the front.
func axisOf(name string, axis, n int) (int, error) {
	if err := within(fault.Shape, name, axis, -n, n-1); err != nil {
		return 0, err
	}
	if axis < 0 {
		axis += n
	}
	return axis, nil
}

// axesOf counts axes from the front, keeping their order and repetitions.
func axesOf(name string, axes []int, n int) ([]int, error) {
	out := make([]int, len(axes))
	for i, a := range axes {
		var err error
		if out[i], err = axisOf(name, a, n); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// distinct checks that no axis is listed twice.
func distinct(name string, axes []int) error {
	for i, a := range axes {
		if slices.Contains(axes[:i], a) {
			return refuse(name, "each axis once", "axis %d is listed twice", a)
		}
	}
	return nil
}

// nearest returns a number as an int, or the int nearest to it where that has 32 bits only. What is beyond is beyond every limit, too.
func nearest(v int64) int { return int(min(max(v, math.MinInt), math.MaxInt)) }

// times returns an extent that is multiplied, which may be beyond its limit then.
func times(extent, factor int) int { return nearest(int64(extent) * int64(factor)) }

// inPlace marks an operator that may give its output the storage of its input.
func inPlace(o *Operator) *Operator {
	o.InPlace = true
	return o
}

// inputs returns the number of operands of most operators.
func inputs(n int) func(Values) int { return func(Values) int { return n } }

// sameShape is the rule of the operators on one tensor, element by element.
func sameShape(c *Call) ([]tensor.Shape, error) { return []tensor.Shape{c.In[0].Shape}, nil }

// The most frequent rules of precisions, in words and as functions.
const (
	same           = "that of the input"
	firstOf        = "that of the first input"
	secondOf       = "that of the second input"
	greatest       = "the greatest of the inputs"
	oneMore        = "the greater of the inputs + 1"
	givenPrecision = "the attribute `precision`"
)

// one makes the rule of an operator with one output.
func one(infer func(*Call) int) func(*Call) ([]int, error) {
	return func(c *Call) ([]int, error) { return []int{infer(c)}, nil }
}

func firstPrecision(c *Call) int     { return c.In[0].Precision }
func secondPrecision(c *Call) int    { return c.In[1].Precision }
func maxPrecisionAndOne(c *Call) int { return maxPrecision(c) + 1 }

func maxPrecision(c *Call) int {
	p := 0
	for _, t := range c.In {
		p = max(p, t.Precision)
	}
	return p
}
