package op

import (
	"cmp"
	"context"
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Budget bounds evaluations of what constants decide.
type Budget struct {
	Bytes      int64 // of all results together, with working memory
	Operations int64 // multiply-adds and others of all evaluations together
	Result     int64 // bytes that one evaluation may always take
	Growth     int   // one may take more than that, up to so many times the bytes of its operands
}

// BudgetError says that an evaluation would exceed a budget.
type BudgetError struct {
	Op            string
	What          string // "bytes" or "operations"
	Need, Allowed int64
}

// Error says what would be needed.
func (e *BudgetError) Error() string {
	e = cmp.Or(e, new(BudgetError))
	return fmt.Sprintf("%s: to evaluate it beforehand takes %d %s; at most %d are allowed", e.Op, e.Need, e.What, e.Allowed)
}

// Eval is [Eval] for an application that the budget allows, or else a *[BudgetError]. It spends nothing.
func (b Budget) Eval(d *Def, in []*tensor.Tensor, attrs graph.Attrs, blocks ...*graph.Graph) ([]*tensor.Tensor, error) {
	s, out, err := d.Bind(typesOf(in), attrs, blocks...)
	if err != nil {
		return nil, err
	}
	if err := b.spend(s, out); err != nil {
		return nil, err
	}
	return Eval(d, in, attrs, blocks...)
}

// spend takes an application's share of the budget.
func (b *Budget) spend(s *Sig, out []Type) error {
	cost := s.Def.Cost(s, out)
	bytes, operations := limits.Add(cost.Written, blockBytes(s.Blocks)), limits.Add(cost.MACs, cost.Ops)
	if s.Def.Ref.Scratch != nil {
		bytes = limits.Add(bytes, int64(s.Def.Ref.Scratch(s, out)))
	}
	if most := min(b.Bytes, max(b.Result, limits.Times(cost.Read, int64(b.Growth)))); bytes > most {
		return &BudgetError{s.Def.Name, "bytes", bytes, most}
	}
	if operations > b.Operations {
		return &BudgetError{s.Def.Name, "operations", operations, b.Operations}
	}
	b.Bytes -= bytes
	b.Operations -= operations
	return nil
}

// blockBytes is the memory of all values that blocks compute.
func blockBytes(blocks []*graph.Graph) int64 {
	sum := int64(0)
	for _, b := range blocks {
		for g := range b.Graphs() {
			for v := range g.Values() {
				if v.Const == nil {
					sum = limits.Add(sum, v.Type.Bytes())
				}
			}
		}
	}
	return sum
}

// Folder evaluates what constants alone decide, by references.
type Folder struct {
	left  Budget
	known map[*graph.Value]folded
}

// folded is what is known of a value: its elements, or neither if something else than constants decides it.
type folded struct {
	elements *tensor.Tensor
	err      error
}

// NewFolder returns a folder that may spend so much.
func NewFolder(b Budget) *Folder { return &Folder{b, make(map[*graph.Value]folded)} }

// Constant returns the elements of a value that constants alone decide, which must not be changed, and nil for another. An error says
// why the node that yields it cannot be evaluated, such as a *[BudgetError]; what depends on it then counts as not decided.
func (f *Folder) Constant(v *graph.Value) (*tensor.Tensor, error) {
	if v == nil {
		return nil, nil
	}
	type visit struct {
		value *graph.Value
		next  int // the operand of its node to look at
	}
	for todo := []visit{{value: v}}; len(todo) > 0; { // not recursively: any number of nodes may stand one behind the other
		top := &todo[len(todo)-1]
		if f.settled(top.value) {
			todo = todo[:len(todo)-1]
			continue
		}
		n := top.value.Producer
		for top.next < len(n.In) && f.settled(n.In[top.next]) {
			// Without this what the other operands are would be asked for nothing.
			if top.next++; f.undecided(n.In[top.next-1]) {
				top.next = len(n.In)
			}
		}
		if top.next < len(n.In) {
			todo = append(todo, visit{value: n.In[top.next]})
			continue
		}
		results, err := f.node(n)
		for i, out := range n.Out {
			if f.known[out] = (folded{err: err}); results != nil {
				f.known[out] = folded{elements: results[i]}
			}
		}
	}
	return f.decided(v)
}

// settled reports whether it is known if constants decide a value.
func (f *Folder) settled(v *graph.Value) bool {
	if v == nil || v.Const != nil || v.Producer == nil {
		return true
	}
	_, known := f.known[v]
	return known
}

// undecided reports whether a settled value is one that constants do not decide.
func (f *Folder) undecided(v *graph.Value) bool {
	if v == nil {
		return false
	}
	t, _ := f.decided(v)
	return t == nil
}

// decided returns what is known of a value.
func (f *Folder) decided(v *graph.Value) (*tensor.Tensor, error) {
	if v.Const != nil || v.Producer == nil {
		return v.Const, nil
	}
	return f.known[v].elements, f.known[v].err
}

// node returns the results of a node, nil if not all of its operands are constants.
func (f *Folder) node(n *graph.Node) ([]*tensor.Tensor, error) {
	in := make([]*tensor.Tensor, len(n.In))
	for i, v := range n.In {
		if f.undecided(v) {
			return nil, nil
		}
		if v != nil {
			in[i], _ = f.decided(v)
		}
	}
	if Reshapes(n) {
		view, err := in[0].Reshape(n.Out[0].Type.Shape...)
		if err != nil {
			return nil, err
		}
		return []*tensor.Tensor{view}, nil
	}
	s, err := Of(n)
	if err != nil {
		return nil, err
	}
	if err := f.left.spend(s, graph.TypesOf(n.Out)); err != nil {
		return nil, err
	}
	return EvalNode(context.Background(), n, in)
}
