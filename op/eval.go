package op

import (
	"context"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// Call is one evaluation: operands and results in memory. All tensors are contiguous. The results do not overlap the
// operands, but for what [Def.InPlace] allows, and what they hold before the evaluation is undefined. A kernel must not allocate.
type Call struct {
	In  []*tensor.Tensor // with as many entries as Sig.In; nil for an absent operand
	Out []*tensor.Tensor
	graph.Attrs
	// Scratch is as many bytes as Reference.Scratch asked for, aligned, with undefined content. It is for this call alone: calls at the same
	// time have different ones.
	Scratch []byte
	// Shared is memory of the whole evaluation, for all of its calls, that a fast kernel has asked for. What it holds before is undefined.
	Shared []byte
	// Packed has constants in the forms that a fast kernel has asked for. References have none.
	Packed [][]byte
	// Stop reports whether nobody waits for the results any more. A kernel whose pieces may take long asks now and then, and
	// then returns without having computed them. It may be nil.
	Stop func() bool
}

// Has reports whether operand i is given.
func (c *Call) Has(i int) bool { return i < len(c.In) && c.In[i] != nil }

// Kernel computes the pieces lo…hi-1 of the results, at least one.
type Kernel func(c *Call, lo, hi int)

// Reference evaluates an operator, piece by piece.
type Reference struct {
	// By is the index of the operand whose element type selects the kernel.
	By int
	// Kernels has a kernel for each element type of operand By. Where there is none for float16 or bfloat16 but one for
	// float32, the operator computes in float32 and rounds once: see [Def.Widens].
	Kernels Kernels
	// PerElement says that each element of the first result is a piece, in row-major order, or each byte where several elements share one. Pieces is
	// nil then.
	PerElement bool
	// Pieces returns how many independent pieces an evaluation has, which may be computed in any order and at the same
	// time. Nil means one. It is asked, as are the kernels, only if a result has elements.
	Pieces func(s *Sig, out []Type) int
	// Scratch returns how many bytes of working memory a worker needs, whatever pieces it computes. Nil means none.
	Scratch func(s *Sig, out []Type) int
}

// Kernels is a table of kernels by element type.
type Kernels [tensor.NumDTypes]Kernel

// Widens reports whether the operator computes elements of type t in float32: its operands of that type are converted
// before and its results after the evaluation, with one rounding.
func (d *Def) Widens(t tensor.DType) bool {
	k := &d.Ref.Kernels
	return t.IsHalf() && k[t] == nil && k[tensor.Float32] != nil
}

// Eval evaluates one application by the operator's reference, on the calling goroutine. The operands may be strided
// views; absent ones are nil. It returns new tensors. The blocks must be valid graphs.
func Eval(d *Def, in []*tensor.Tensor, attrs graph.Attrs, blocks ...*graph.Graph) ([]*tensor.Tensor, error) {
	return eval(context.Background(), d, in, attrs, blocks)
}

func eval(ctx context.Context, d *Def, in []*tensor.Tensor, attrs graph.Attrs, blocks []*graph.Graph) ([]*tensor.Tensor, error) {
	s, outTypes, err := d.Bind(typesOf(in), attrs, blocks...)
	if err != nil {
		return nil, err
	}
	c := &Call{In: make([]*tensor.Tensor, len(s.In)), Out: make([]*tensor.Tensor, len(outTypes)), Attrs: s.Attrs}
	for i, t := range in {
		if t == nil {
			continue
		}
		if c.In[i] = t.Contiguous(); d.Widens(t.DType()) {
			if c.In[i], err = tensor.Cast(t, tensor.Float32); err != nil {
				return nil, err
			}
		}
	}
	for i, t := range outTypes {
		if d.Widens(t.DType) {
			t.DType = tensor.Float32
		}
		if c.Out[i], err = tensor.New(t.DType, t.Shape); err != nil {
			return nil, err
		}
	}
	if d.Control != nil {
		r, err := interpret(ctx, s, c.In)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
		if err := d.Control(c, r); err != nil {
			return nil, err
		}
		return c.Out, nil
	}
	evaluated, results := d.Applied(c)
	kernel := d.Kernel(evaluated)
	if kernel == nil {
		return nil, fmt.Errorf("%s: there is no evaluation for %v", d.Name, c.In[d.Ref.By].Describe())
	}
	if d.Ref.Scratch != nil {
		scratch, err := tensor.New(tensor.Uint8, tensor.Shape{d.Ref.Scratch(s, outTypes)})
		if err != nil {
			return nil, fmt.Errorf("%s: working memory: %w", d.Name, err)
		}
		c.Scratch = scratch.Bytes()
	}
	switch n := d.Pieces(evaluated, results); {
	case n == 0:
	case Evaluate != nil:
		if err := Evaluate(d, c, n); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name, err)
		}
	default:
		kernel(c, 0, n)
	}
	for i, t := range outTypes {
		if c.Out[i].DType() != t.DType {
			if c.Out[i], err = tensor.Cast(c.Out[i], t.DType); err != nil {
				return nil, err
			}
		}
	}
	return c.Out, nil
}

// Evaluate computes all pieces of a call for [Eval], with the bits of the reference, where it is not nil: in executables that have no references, as that of
// web/build. It is set before anything is evaluated.
var Evaluate func(d *Def, c *Call, pieces int) error

// typesOf returns the types of tensors, the zero Type for nil.
func typesOf(list []*tensor.Tensor) []Type {
	out := make([]Type, len(list))
	for i, t := range list {
		if t != nil {
			out[i] = graph.TypeOf(t)
		}
	}
	return out
}

// EvalNode is [Eval] for a node, of which the operands are given. Loops end with the context.
func EvalNode(ctx context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
	if n == nil {
		return nil, errNoNode
	}
	d, ok := Lookup(n.Op)
	if !ok {
		return nil, fmt.Errorf("there is no operator %q", n.Op)
	}
	return eval(ctx, d, in, n.Attrs, n.Blocks)
}

// Applied returns the operator applied to the operands of c, and the types of the results.
func (d *Def) Applied(c *Call) (*Sig, []Type) {
	return &Sig{Def: d, In: typesOf(c.In), Attrs: c.Attrs}, typesOf(c.Out)
}

// Kernel returns the kernel for the operands of s, nil if there is none.
func (d *Def) Kernel(s *Sig) Kernel { return d.Ref.Kernels[s.In[d.Ref.By].DType] }

// Pieces returns the number of independent pieces of an evaluation: 0 if no result has an element. The other extents of such results
// may be any numbers, so that no kernel must ever walk through them.
func (d *Def) Pieces(s *Sig, out []Type) int {
	switch {
	case !slices.ContainsFunc(out, func(t Type) bool { return t.Shape.Len() > 0 }):
		return 0
	case d.Ref.PerElement && out[0].DType.IsPacked():
		return out[0].DType.Bytes(out[0].Shape.Len())
	case d.Ref.PerElement:
		return out[0].Shape.Len()
	case d.Ref.Pieces == nil:
		return 1
	}
	return d.Ref.Pieces(s, out)
}
