// Package operators is the table of CVM's operators: their attributes and how these are spelled, how many operands they take, the rules
// of shapes and precisions, what they cost, and what they are on the operators of package op.
//
// What they are called, take and mean is declared in operators.txt. Their rules stand in a file for each family of the formalisation.
package operators

import (
	"cmp"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/tensor"
)

//go:generate go test -run ^TestPage$ . -update

// Limits of tensors and attributes.
const (
	MaxRank      = limits.CVMRank     // of dimensions; there is at least one
	MaxExtent    = limits.CVMExtent   // of a dimension; the least is 1
	MaxElements  = limits.CVMElements // of a tensor
	MaxPrecision = 32                 // of a tensor; the least is 1
	MaxFactor    = 8                  // precision of data and weight of conv2d and dense
	maxAttr      = limits.CVMAttr     // of paddings, strides, dilations and the like
)

// Operator is a row of the table. The fields of declaration stand in operators.txt.
type Operator struct {
	Name string
	declaration

	Outputs int   // how many; 1 where a row says nothing
	Fillers []int // outputs that may have 1 or -1 of the operator's own, which take two bits whatever the precision is
	Clips   bool  // whether the attribute precision bounds the outputs, however many bits the operands have

	// The rules. Each stops at the first check that fails, with refuse and its like: the class of an error depends on which comes first.

	Shape     func(c *Call) []tensor.Shape // checks operands and attributes and returns the shapes of the outputs
	Precision Precision
	Gas       Gas
	Lower     func(a *Application) []*graph.Value // adds the operator to a graph, on operators of package op
}

// Precision is a rule of precisions, in words and as a function for one of the outputs: by the deployed rules or, for a strict call, those of
// the formalisation. Out is set.
type Precision struct {
	Text string
	of   func(c *Call, output int) int
}

// Gas says how many operations count for each element of the first output, in words and as a function. The zero Gas is 1. Out is set.
type Gas struct {
	Text string
	base func(c *Call) int64
}

// declaration is what is known of an operator without its rules.
type declaration struct {
	Aliases  []string // further names, by which gas is counted but nothing is run
	Doc      string   // one sentence, and the section of the formalisation
	Operands string   // their names; one in brackets is there with use_bias, and … is any number of the one before
	Attrs    []Attr
	InPlace  bool // whether an output may have the storage of an input
}

// Attr declares an attribute.
type Attr struct {
	Name     string
	Kind     *Kind
	Doc      string
	Default  any // nil if it must be given
	Min, Max int // bounds that the spelling itself has (a violation is a Runtime error); both 0 for those of the kind
	Enum     []string
}

// Tensor is what is known of a tensor before anything runs.
type Tensor struct {
	Shape     tensor.Shape
	Precision int // 1…32: every element x satisfies |x| ≤ 2^(Precision-1) - 1
}

// Call is the application of an operator.
type Call struct {
	Operator *Operator
	Attrs    graph.Attrs // as ParseAttrs returns them
	In       []Tensor
	Out      []tensor.Shape // set once shapes are inferred
	Compat   bool           // use the deployed rules where these differ from the formalisation
}

// OptionalInt returns an integer attribute, and false for None.
func (c *Call) OptionalInt(name string) (int, bool) {
	if p, _ := c.Attrs.Get(name).(*int); p != nil {
		return *p, true
	}
	return 0, false
}

// table has the operators in the order of their names, and finds them by these, aliases included.
var table = sync.OnceValues(func() ([]*Operator, map[string]*Operator) {
	all := slices.Concat(reduceOperators, broadcastOperators, nnOperators, elemwiseOperators, transformOperators, visionOperators)
	slices.SortFunc(all, func(a, b *Operator) int { return cmp.Compare(a.Name, b.Name) })
	declared, names := declarations(), map[string]*Operator{}
	for _, o := range all {
		o.declaration, o.Outputs = *declared[o.Name], max(o.Outputs, 1)
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			names[name] = o
		}
	}
	return all, names
})

// All lists the operators in the order of their names.
func All() []*Operator {
	all, _ := table()
	return slices.Clone(all)
}

// Lookup finds an operator by the name that a graph gives it, of which one trailing _DIGITS is dropped; the digits may be missing. It
// returns nil if there is none. The second result reports whether the name is an alias, which gas is counted for but no kernel has.
func Lookup(name string) (*Operator, bool) {
	if base, ok := strings.CutSuffix(strings.TrimRight(name, "0123456789"), "_"); ok {
		name = base
	}
	_, names := table()
	o := names[name]
	return o, o != nil && name != o.Name
}

// Application is a call that is added to a graph, on operators of package op. Its rules have been checked before, so that an error is a mistake
// of ours or a tensor beyond what the machine can address.
type Application struct {
	*emit.Emitter
	*Call
	Args    []*graph.Value
	ArgBits []int          // bounds of the operands' elements; see [Call.Bits]
	Want    []tensor.DType // the types in which the results are stored; lowering may return others that hold them

	Together bool // whether the storage plan has all results in one shared storage
}

// one makes the lowering of an operator with one result.
func one(f func(*Application) *graph.Value) func(*Application) []*graph.Value {
	return func(a *Application) []*graph.Value { return []*graph.Value{f(a)} }
}

// number adds a scalar constant of a signed integer type that holds it.
func (a *Application) number(x int, d tensor.DType) *graph.Value {
	t, err := tensor.Cast(tensor.Scalar(int64(x)), d)
	a.Fail(err)
	return a.Stored("", "", t)
}

// common casts the operands to the widest type among them and the first result.
func (a *Application) common() []*graph.Value {
	d := a.Want[0]
	for _, v := range a.Args {
		d = widest(d, v.Type.DType)
	}
	return a.all(d)
}

// all casts the operands to a type.
func (a *Application) all(d tensor.DType) []*graph.Value {
	out := make([]*graph.Value, len(a.Args))
	for i, v := range a.Args {
		out[i] = a.Cast(v, d)
	}
	return out
}

// widest returns the wider of two signed integer types.
func widest(a, b tensor.DType) tensor.DType {
	if b.Size() > a.Size() {
		return b
	}
	return a
}

// First takes the first elements along each axis, as many as the shape says.
func First(e *emit.Emitter, v *graph.Value, shape ...int) *graph.Value {
	if v.Type.Shape.Equal(shape) {
		return v
	}
	return e.Node("slice", emit.Attr("axes", emit.Counting(0, len(shape)), "begin", make([]int, len(shape)), "end", shape), v)
}

//go:embed operators.txt
var text string

// The lines of the text that are neither sentences nor comments.
var (
	operatorLine  = pattern.Of(`^(\w+)\((.*)\)((?: or \S+)*)( in place)?$`)
	attributeLine = pattern.Of(`^    (\w+): (\w+)(?: (-?\d+)…(-?\d+)| (\S+\|\S+))?(?: = (.+?))? {2,}(.+)$`)
)

var kinds = map[string]*Kind{"int": Int, "bool": Bool, "tuple": Tuple, "optional": OptionalInt, "enum": Enum, "string": String}

// declarations reads what the text says of each operator.
func declarations() map[string]*declaration {
	all := map[string]*declaration{}
	var d *declaration
	var doc *string // the sentence that the next line may continue
	for line := range strings.SplitSeq(text, "\n") {
		switch m := operatorLine.Get().FindStringSubmatch(line); {
		case line == "" || line[0] == '#':
		case m != nil:
			d = &declaration{Operands: m[2], Aliases: strings.Fields(strings.ReplaceAll(m[3], " or ", " ")), InPlace: m[4] != ""}
			all[m[1]], doc = d, &d.Doc
		case d.Doc == "":
			d.Doc = line[4:]
		case strings.HasPrefix(line, "        "):
			*doc += line[7:]
		default:
			d.Attrs = append(d.Attrs, attribute(attributeLine.Get().FindStringSubmatch(line)))
			doc = &d.Attrs[len(d.Attrs)-1].Doc
		}
	}
	return all
}

// attribute makes an attribute of the parts of its line.
func attribute(m []string) Attr {
	a := Attr{Name: m[1], Kind: kinds[m[2]], Doc: m[7]}
	if m[3] != "" {
		a.Min, _ = strconv.Atoi(m[3])
		a.Max, _ = strconv.Atoi(m[4])
	}
	if m[5] != "" {
		a.Enum = strings.Split(m[5], "|")
	}
	if m[6] != "" {
		a.Default, _ = a.Kind.parse(&a, m[6])
	}
	return a
}
