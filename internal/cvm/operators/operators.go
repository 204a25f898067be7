package operators

import (
	"github.com/concord-nn/concord/tensor"

	"github.com/concord-nn/concord/internal/limits"
)

// Limits of tensors and attributes.
const (
	MaxRank      = limits.CVMRank     // of dimensions; there is at least one
	MaxExtent    = limits.CVMExtent   // of a dimension; the least is 1
	MaxElements  = limits.CVMElements // of a tensor
	MaxPrecision = 32                 // of a tensor; the least is 1
	MaxFactor    = 8                  // precision of data and weight of conv2d and dense
	MaxAttr      = limits.CVMAttr     // of paddings, strides, dilations and the like
)

// Operator is a row of the table.
type Operator struct {
	Name      string
	Aliases   []string // further names, by which gas is counted but nothing is run
	Doc       string   // one sentence, and the section of the formalisation
	Operands  []string // their names; the last may be optional, or repeated
	Attrs     []Attr
	Outputs   int    // how many
	InPlace   bool   // whether an output may have the storage of an input
	Fillers   []int  // outputs that may have 1 or -1 of the operator's own, which take two bits whatever the precision is
	Clips     bool   // whether the attribute precision bounds the outputs, however many bits the operands have
	NewAxes   bool   // whether axis is the place of new axes, which may also be behind the last
	AlignLeft bool   // whether operands of fewer dimensions have the first ones of the output; else they have the last
	Precision string // the rule of precisions in words
	Gas       string // Base in words; empty for 1

	// Inputs returns the number of operands for parsed attributes; -1 for any number.
	Inputs func(v Values) int
	// Shapes checks operands and attributes and returns the shapes of the outputs. The result has the class of the original.
	Shapes func(c *Call) ([]tensor.Shape, error)
	// Precisions returns the precisions of the outputs, by the deployed rules or, for a strict call, those of the formalisation. One that
	// is not in 1…32 is a Logic error. Out is set.
	Precisions func(c *Call) ([]int, error)
	// Base returns the operations for each element of the first output, by which gas is counted; nil for 1. Out is set.
	Base func(c *Call) int64

	precisions func(c *Call) ([]int, error) // Precisions, but results may be above 32
}

// Attr declares an attribute.
type Attr struct {
	Name     string
	Kind     Kind
	Doc      string
	Default  any // nil if it must be given
	Min, Max int // bounds that the spelling itself has (a violation is a Runtime error); both 0 for those of the kind
	Enum     []string
}

// Kind is how an attribute is spelled.
type Kind uint8

// The kinds of attributes and the Go types of their values.
const (
	Int         Kind = iota + 1 // int, of 32 bits
	Bool                        // bool
	Tuple                       // []int
	OptionalInt                 // *int, of 32 bits; nil for None
	Enum                        // string: one that is listed
	String                      // string: any, of which the rule of shapes accepts one
)

// Values are the attributes of a node by name, defaults included. Of an attribute that the operator does not have, or of another kind, the methods return zero.
type Values map[string]any

// Int returns an integer attribute.
func (v Values) Int(name string) int {
	n, _ := v[name].(int)
	return n
}

// Bool returns a logical attribute.
func (v Values) Bool(name string) bool {
	b, _ := v[name].(bool)
	return b
}

// Tuple returns a tuple. The caller must not change it.
func (v Values) Tuple(name string) []int {
	list, _ := v[name].([]int)
	return list
}

// OptionalInt returns an integer, and false for None.
func (v Values) OptionalInt(name string) (int, bool) {
	if p, _ := v[name].(*int); p != nil {
		return *p, true
	}
	return 0, false
}

// Tensor is what is known of a tensor before anything runs.
type Tensor struct {
	Shape     tensor.Shape
	Precision int // 1…32: every element x satisfies |x| ≤ 2^(Precision-1) - 1
}

// Call is the application of an operator.
type Call struct {
	Operator *Operator
	Attrs    Values
	In       []Tensor
	Out      []tensor.Shape // set once shapes are inferred
	Compat   bool           // use the deployed rules where these differ from the formalisation
}
