package op

import (
	"math"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Def is the definition of an operator.
type Def struct {
	// Name is the operator's canonical name. Where NNEF has an operation of the same name, the operator means the same
	// and its first operands and attributes are NNEF's, so that a graph prints as NNEF.
	Name string
	// Doc says what the operator computes, with its formula and the clause it follows. Its first sentence is a summary.
	Doc string
	// Spec names the operator in the standards.
	Spec Spec

	In    []Operand
	Out   []Result
	Attrs []Attr

	// Shape checks operands and attributes beyond their declarations and returns the shapes of the results, one for
	// each declared result or, if the last is variadic, for each actual one.
	Shape func(s *Sig) ([]tensor.Shape, error)
	// Ref defines the result bits.
	Ref Reference
	// Body is the same meaning written with simpler operators: the statements of an NNEF fragment whose parameters are
	// the operands and attributes and whose results are Out. Empty for a primitive. BodyTol is the greatest difference
	// between body and reference, relative to max(1, |reference|), on generated cases.
	Body    string
	BodyTol float64
	// Expand adds the same meaning in simpler operators where a body cannot say it, as extents, attributes or constants decide what they are:
	// see [Def.Expanded]. BodyTol holds for it, too. Nil means that there are none.
	Expand func(x *Expansion) []*graph.Value

	// Blocks declares the graphs that a node of the operator owns. The functions below are for operators with blocks; Results and
	// Control take the places of Shape and Ref.
	Blocks []Block
	// BlockInputs checks the attributes that describe blocks, and returns the types that the inputs of a block must have.
	BlockInputs func(s *Sig, block int) ([]Type, error)
	// Captures returns which inputs of a block have the elements of operands in every evaluation: n inputs, from number input on, those of the n
	// operands from number operand on.
	Captures func(s *Sig, block int) (input, operand, n int)
	// Results checks the outputs of the blocks and returns the types of the results. The inputs of the blocks have been checked.
	Results func(s *Sig) ([]Type, error)
	// Control defines the results by evaluations of the blocks. It fills their inputs, but for captures. It must not allocate.
	Control func(c *Call, b BlockRunner) error
	// Inline returns what stands for the results of a node whose constants say that a block is evaluated exactly once, or never: the nodes of the
	// block, or the initial values. It returns nil for another node, and may be nil.
	Inline func(l *Inliner, r *graph.Rewriter, n *graph.Node, in []*graph.Value) ([]*graph.Value, error)

	// Traits are what passes, planners and front-ends may rely on in any application.
	Traits Traits
	// Takes says of which operands each element of a result is one: see [TakenBy]. Nil means that it is not known or, of an operator with a View or
	// a Join, which only moves elements, that it is one of operand 0 or of all.
	Takes func(s *Sig) Taken
	// NonNegative reports whether no element of a result is below 0, given that the operands for which in is true have none below 0. Nil means
	// that it is not known or, of an operator that takes elements, that it is so if it is of those operands. Of Fractions it is known.
	NonNegative func(s *Sig, in []bool) bool
	// View returns, if the elements of each result are a run of those of operand 0, in their order and bit by bit, the index of the element at
	// which each result begins, and else nil. A nil View always returns nil.
	View func(s *Sig, out []Type) []int
	// Join is the reverse: if the elements of each operand are a run of those of the one result, the index at which each operand begins.
	Join func(s *Sig, out []Type) []int
	// Simplify returns what may stand for a node with one result: a value that equals the result bit for bit, or a simpler
	// node, or neither. Of n.Out only the types are of interest. Each simplification leads to fewer nodes or to a cheaper
	// operator, so that repeating them ends. A rule that does not hold for a NaN, a signed zero or an overflow is none. Nil means
	// that there is nothing to gain.
	Simplify func(n *graph.Node) (same *graph.Value, simpler *graph.Node)
	// Work returns the arithmetic that one evaluation takes. Nil means one operation for each element of the results.
	Work func(s *Sig, out []tensor.Shape) Work
	// Lane says whether the positions of a dimension of the first result do not depend on one another: see [LaneOf]. A nil Lane knows of none, but
	// for element-wise operators, whose operands broadcast. For operators without blocks.
	Lane func(s *Sig, out []Type, axis int) *Lane
	// Generate returns a random legal case.
	Generate func(r *Rand) Case
	// Further returns a random legal case with operands or types that Generate leaves out, so that the sums of the bits of Generate's cases, which
	// tests hold, stay when an operator is extended. Nil for most. [Def.Draw] draws from both.
	Further func(r *Rand) Case
}

// Spec names an operator in the standards that have it; empty where one does not.
type Spec struct {
	NNEF, WebNN, OpenVX, CVM string
}

// Operand declares an operand of an operator.
type Operand struct {
	Name     string
	Doc      string
	Types    Types  // the element types that it may have
	Like     string // if not empty, the operand whose element type it must share
	Rank     Ranks
	Optional bool
	Variadic bool // one or more tensors; only the last operand may be
	Whole    bool // of an element-wise operator: an element of the result may depend on any element of this operand
}

// Result declares a result of an operator. Its element type is that of the operand Like, the value of the attribute
// TypeAttr, or Type. With both Like and TypeAttr it is that of the operand Like if that is a float, and else the value
// of the attribute: so sums of products of small integers have a wider type. [Def.Results] says more than any of them.
type Result struct {
	Name     string
	Doc      string
	Like     string
	TypeAttr string
	Type     tensor.DType
	Variadic bool // as many tensors as Shape returns; only the last result may be
}

// Attr declares an attribute of an operator.
type Attr struct {
	Name    string
	Kind    graph.Kind
	Doc     string     // meaning, unit and range
	Default any        // nil if it must be given
	Enum    []string   // the strings that are allowed; nil for any
	Types   Types      // the element types that are allowed, for KindDType
	Pairs   bool       // a list of integers, two for each dimension, that NNEF writes as a list of pairs
	Range   [2]float64 // inclusive bounds of numbers and of the items of lists; both zero for none
	Place   bool       // positions: an integer that an int of 32 bits cannot hold means the same as the nearest that it can
}

// Bounds writes the range as "from 0 to 31", and "" if there is none.
func (a *Attr) Bounds() string {
	if a.Range == [2]float64{} {
		return ""
	}
	return "from " + decimal(a.Range[0]) + " to " + decimal(a.Range[1])
}

// decimal writes a number without an exponent where it is read more easily so.
func decimal(x float64) string {
	switch {
	case x == math.MaxInt: // as a float, one more where it has 64 bits
		return strconv.Itoa(math.MaxInt)
	case math.Abs(x) < math.MaxInt64 && x == math.Trunc(x):
		return strconv.FormatInt(int64(x), 10) // every digit: the shortest form of a float would end in zeros
	case 1e-5 < math.Abs(x) && math.Abs(x) < 1e19:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Ranks is a range of ranks.
type Ranks struct{ Min, Max int }

// AnyRank allows every rank.
var AnyRank = Ranks{0, tensor.MaxRank}

// Rank returns the range of exactly one rank.
func Rank(n int) Ranks { return Ranks{n, n} }

// AtLeast returns the range from rank n.
func AtLeast(n int) Ranks { return Ranks{n, tensor.MaxRank} }

// Types is a set of element types.
type Types uint32

// TypeSet returns the set of the given types.
func TypeSet(types ...tensor.DType) Types {
	var set Types
	for _, d := range types {
		set |= 1 << d
	}
	return set
}

// The sets that operators commonly allow.
var (
	Floats   = Singles | TypeSet(tensor.Float64)
	Signed   = TypeSet(tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64)
	Unsigned = TypeSet(tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)
	Integers = Signed | Unsigned
	Numbers  = Floats | Integers
	Bools    = TypeSet(tensor.Bool)
	AnyType  = Numbers | Bools
	// Singles are the floats that are computed in float32.
	Singles = TypeSet(tensor.Float16, tensor.BFloat16, tensor.Float32)
	// Packed and SmallFloats are types of which elements are kept, moved and converted but not computed with; Movable has all types of whole
	// bytes, and Stored every type.
	Packed      = TypeSet(tensor.Int4, tensor.Uint4, tensor.Int2, tensor.Uint2, tensor.Float4E2M1)
	SmallFloats = TypeSet(tensor.Float4E2M1, tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ, tensor.Float8E8M0)
	Movable     = AnyType | SmallFloats&^Packed
	Stored      = Movable | Packed
)

// Has reports whether d is in the set.
func (t Types) Has(d tensor.DType) bool { return t&(1<<d) != 0 }

// List returns the members in ascending order.
func (t Types) List() []tensor.DType {
	var list []tensor.DType
	for _, d := range tensor.DTypes() {
		if t.Has(d) {
			list = append(list, d)
		}
	}
	return list
}

// String names the set, by its members unless it is a common one.
func (t Types) String() string {
	switch t {
	case Stored, Movable:
		return AnyType.String() + ", " + (t &^ AnyType).String()
	case AnyType:
		return "any"
	case Numbers:
		return "number"
	case Floats:
		return "float"
	case Integers:
		return "integer"
	case Signed:
		return "signed integer"
	case Unsigned:
		return "unsigned integer"
	}
	s := ""
	for i, d := range t.List() {
		if i > 0 {
			s += ", "
		}
		s += d.String()
	}
	return s
}

// Work is the arithmetic of one evaluation.
type Work struct {
	MACs int64 // multiply-accumulate steps
	Ops  int64 // other operations on elements: additions, comparisons, function evaluations
}

// Cost is what one evaluation takes.
type Cost struct {
	Work
	Read    int64 // bytes of all operands
	Written int64 // bytes of all results
}

// Plus returns the sum of two costs. A count beyond the range of int64 is its greatest value.
func (c Cost) Plus(o Cost) Cost {
	return Cost{Work{limits.Add(c.MACs, o.MACs), limits.Add(c.Ops, o.Ops)}, limits.Add(c.Read, o.Read), limits.Add(c.Written, o.Written)}
}

// Cost returns the cost of an application with operands and attributes s whose results have the given types. A count
// beyond the range of int64 is its greatest value.
func (d *Def) Cost(s *Sig, out []Type) Cost {
	var c Cost
	shapes := make([]tensor.Shape, len(out))
	for i, t := range out {
		shapes[i] = t.Shape
		c.Written = limits.Add(c.Written, t.Bytes())
		c.Ops = limits.Add(c.Ops, int64(t.Shape.Len()))
	}
	for _, t := range s.In {
		c.Read = limits.Add(c.Read, t.Bytes())
	}
	if d.Work != nil {
		c.Work = d.Work(s, shapes)
	}
	return c
}

// sumsAttr is the attribute that gives sums of integer products their type, for results that are Like an operand and
// have this TypeAttr.
var sumsAttr = Attr{Name: "dtype", Kind: graph.KindDType, Default: tensor.Int32, Types: TypeSet(tensor.Int32, tensor.Int64),
	Doc: "element type of the result where the operands are integers; sums wrap in it. Floats ignore it"}
