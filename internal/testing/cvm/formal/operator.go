package formal

import "strings"

// operator is what the text says of an operator. Refusals are panics with *Refusal.
type operator struct {
	attrs   string              // its attributes; see attrs.parse
	inputs  func(c *call) int64 // how many operands; nil for any number from 1
	outputs int                 // how many, if not 1
	infer   func(c *call)       // checks operands and attributes and appends the outputs, without data, to c.out
	compute func(c *call)       // fills in the data of the outputs
	base    func(c *call) int64 // operations for each element of output 0, by which gas is counted; nil for 1
}

// call is the application of an operator.
type call struct {
	attrs
	in     []*Tensor
	out    []*Tensor
	strict bool // the text counts where the deployed rules differ: the precision of where is that of its choices, and left shifts are exact
}

func (c *call) yield(precision int, shape ...int64) {
	c.out = append(c.out, &Tensor{Shape: shape, Precision: precision})
}

func count(n int64) func(*call) int64 { return func(*call) int64 { return n } }

// Operators returns the names of all operators.
func Operators() []string {
	var names []string
	for name := range operators {
		names = append(names, name)
	}
	return names
}

// Outputs returns how many outputs an operator has; 1 for what is none, as a variable.
func Outputs(op string) int { return max(operators[op].outputs, 1) }

// Attributes returns the names of an operator's attributes.
func Attributes(op string) []string {
	var names []string
	for d := range strings.FieldsSeq(operators[op].attrs) {
		name, _, _ := strings.Cut(d, ":")
		names = append(names, name)
	}
	return names
}

// Infer checks an application and returns the outputs without data, and the gas of the node. Errors are *Refusal.
func Infer(op string, attributes map[string]string, in []*Tensor, strict bool) (out []*Tensor, gas int64, err error) {
	defer catch(&err)
	c, o := apply(op, attributes, in, strict)
	return c.out, o.gas(c), nil
}

// Eval returns the outputs of an application, and its gas. Errors are *Refusal.
func Eval(op string, attributes map[string]string, in []*Tensor, strict bool) (out []*Tensor, gas int64, err error) {
	defer catch(&err)
	c, o := apply(op, attributes, in, strict)
	for _, t := range c.out {
		t.Data = make([]int64, t.Len())
	}
	o.compute(c)
	for _, t := range c.out {
		for i, v := range t.Data {
			t.Data[i] = wrap(v)
		}
	}
	return c.out, o.gas(c), nil
}

func apply(op string, attributes map[string]string, in []*Tensor, strict bool) (*call, operator) {
	o, ok := operators[op]
	if !ok {
		refuseRuntime("unknown operator " + op)
	}
	c := &call{attrs: attributes, in: in, strict: strict}
	if o.attrs == "" {
		check(len(attributes) == 0, "the operator takes no attributes")
	}
	c.parse(o.attrs)
	if o.inputs == nil {
		check(len(in) > 0, "the operator takes at least one operand")
	} else {
		check(int64(len(in)) == o.inputs(c), "wrong number of operands")
	}
	checkTensors(c.in)
	o.infer(c)
	checkTensors(c.out)
	return c, o
}

func checkTensors(list []*Tensor) {
	for _, t := range list {
		checkShape(t.Shape)
		check(1 <= t.Precision && t.Precision <= 32, "precision out of range")
	}
}

func checkShape(shape []int64) {
	check(1 <= len(shape) && len(shape) <= 6, "rank out of range")
	size := int64(1)
	for _, n := range shape {
		check(1 <= n && n <= 1<<24, "extent out of range")
		size *= n
		check(size <= 1<<30, "too many elements")
	}
}

func (o operator) gas(c *call) int64 {
	base := int64(1)
	if o.base != nil {
		base = o.base(c)
	}
	gas := base * c.out[0].Len()
	for _, t := range c.out {
		gas += 5 * t.Len()
	}
	return gas
}
