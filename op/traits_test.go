package op_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// traitCases are how many generated cases hold each claim of a definition.
const traitCases = 100

// claims are what a definition may say of its applications. check returns "" where a case bears it out, "-" where it says
// nothing of the case, and else what is wrong.
var claims = []struct {
	name  string
	made  func(d *op.Def) bool
	check func(d *op.Def, c op.Case, r *op.Rand) string
}{
	{"element-wise", func(d *op.Def) bool { return d.Traits.Has(op.Elementwise) }, checkElementwise},
	{"element-wise anywhere", func(d *op.Def) bool { return d.Traits.Has(op.Elementwise) }, checkAnywhere},
	{"commutative", func(d *op.Def) bool { return d.Traits.Has(op.Commutative) }, checkCommutative},
	{"integral", func(d *op.Def) bool { return d.Traits.Has(op.Integral) }, checkIntegral},
	{"fractions", func(d *op.Def) bool { return d.Traits.Has(op.Fractions) }, checkFractions},
	{"takes", takes, checkTakes},
	{"non-negative", func(d *op.Def) bool { return d.NonNegative != nil || takes(d) }, checkNonNegative},
	{"view", func(d *op.Def) bool { return d.View != nil }, checkView},
	{"join", func(d *op.Def) bool { return d.Join != nil }, checkJoin},
	{"simplify", func(d *op.Def) bool { return d.Simplify != nil }, checkSimplify},
	{"lane", func(d *op.Def) bool { return d.Lane != nil || d.Traits.Has(op.Elementwise) }, checkLane},
}

// TestTraits holds what definitions claim of all applications against generated cases. Some case must bear out each claim.
func TestTraits(t *testing.T) {
	for _, claim := range claims {
		for _, d := range op.All() {
			if !claim.made(d) {
				continue
			}
			t.Run(claim.name+"/"+d.Name, func(t *testing.T) {
				t.Parallel()
				applied := 0
				for seed := range uint64(traitCases) {
					r := op.NewRand(seed, 1+int(seed)/20)
					c := d.Draw(r)
					switch wrong := claim.check(d, c, r); wrong {
					case "":
						applied++
					case "-":
					default:
						t.Fatalf("seed %d: %s: operands %v, attributes %v", seed, wrong, c.In, c.Attrs)
					}
				}
				if applied == 0 {
					t.Error("no generated case has anything of it")
				}
			})
		}
	}
}

// checkElementwise exchanges elements: where an operand of the result's shape keeps its own, the result does, too.
func checkElementwise(d *op.Def, c op.Case, r *op.Rand) string {
	before := evaluated(d, c)
	shape := before[0].Shape()
	if before[0].DType().IsPacked() {
		return "-" // its pieces are bytes
	}
	if n := d.Pieces(d.Applied(&op.Call{In: c.In, Out: before, Attrs: attrsOf(d, c)})); n != shape.Len() {
		return fmt.Sprintf("there are %d pieces for %d elements", n, shape.Len())
	}
	kept, others := make([]bool, shape.Len()), []int{}
	for i := range kept {
		if kept[i] = r.Bool(); !kept[i] {
			others = append(others, i)
		}
	}
	moved := op.Case{In: slices.Clone(c.In), Attrs: c.Attrs}
	for k, x := range c.In {
		if x == nil || operand(d, k).Whole || !x.Shape().Equal(shape) {
			continue
		}
		y, size := x.Clone(), x.DType().Size()
		for i, from := range r.Perm(len(others)) {
			copy(y.Bytes()[others[i]*size:][:size], x.Contiguous().Bytes()[others[from]*size:])
		}
		moved.In[k] = y
	}
	for k, after := range evaluated(d, moved) {
		if !after.Shape().Equal(shape) {
			return fmt.Sprintf("the shapes of the results differ: %v and %v", shape, after.Shape())
		}
		size := after.DType().Size()
		for i := range kept {
			if at := i * size; kept[i] && !bytes.Equal(before[k].Bytes()[at:at+size], after.Bytes()[at:at+size]) {
				return fmt.Sprintf("element %d of result %d depends on other elements", i, k)
			}
		}
	}
	return ""
}

// checkAnywhere moves all elements, where the operands that are not of the result's shape have one element each: the results move with them.
func checkAnywhere(d *op.Def, c op.Case, r *op.Rand) string {
	before := evaluated(d, c)
	n, moves := before[0].Len(), r.Perm(before[0].Len())
	permuted := func(x *tensor.Tensor) *tensor.Tensor {
		y, size := x.Clone(), x.DType().Size()
		for i, from := range moves {
			copy(y.Bytes()[i*size:][:size], x.Contiguous().Bytes()[from*size:])
		}
		return y
	}
	moved := op.Case{In: slices.Clone(c.In), Attrs: c.Attrs}
	for k, x := range c.In {
		switch {
		case x == nil || operand(d, k).Whole:
		case x.Shape().Equal(before[0].Shape()) && x.DType().Size() > 0 && before[0].DType().Size() > 0:
			moved.In[k] = permuted(x)
		case x.Len() != 1 || n == 0:
			return "-"
		}
	}
	return differ([]*tensor.Tensor{permuted(before[0])}, evaluated(d, moved)[:1])
}

// TestWhole finds elements in a table of the result's shape, of which each may depend on all, so that it cannot be overwritten.
func TestWhole(t *testing.T) {
	d, _ := op.Lookup("lookup")
	got := evaluated(d, op.Case{In: []*tensor.Tensor{vec[int8](1, 0), vec[int8](5, 6)}})
	if w := differ([]*tensor.Tensor{vec[int8](6, 5)}, got); w != "" || d.InPlace(1) || !d.InPlace(0) {
		t.Errorf("%s; in place of the indices: %v, of the table: %v", w, d.InPlace(0), d.InPlace(1))
	}
}

func checkCommutative(d *op.Def, c op.Case, _ *op.Rand) string {
	swapped := slices.Clone(c.In)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	return differ(evaluated(d, c), evaluated(d, op.Case{In: swapped, Attrs: c.Attrs}))
}

func checkIntegral(d *op.Def, c op.Case, _ *op.Rand) string {
	for _, o := range evaluated(d, c) {
		if !o.DType().IsFloat() {
			return "-"
		}
		for i, x := range tensor.Data[float64](must(tensor.Cast(o, tensor.Float64))) {
			if x == x && x != math.Trunc(x) {
				return fmt.Sprintf("element %d is %v", i, x)
			}
		}
	}
	return ""
}

func checkFractions(d *op.Def, c op.Case, _ *op.Rand) string {
	for _, o := range evaluated(d, c) {
		if slices.ContainsFunc(tensor.Data[float64](must(tensor.Cast(o, tensor.Float64))), func(x float64) bool { return x < 0 || x > 1 }) {
			return "an element is not between 0 and 1"
		}
	}
	return ""
}

func takes(d *op.Def) bool { return d.Takes != nil || d.View != nil || d.Join != nil }

// checkTakes changes each of the elements that may be taken: the results change so, too. Doubling keeps their order.
func checkTakes(d *op.Def, c op.Case, _ *op.Rand) string {
	taken := op.TakenBy(nodeOf(d, c))
	if taken.To == 0 || !op.Floats.Has(c.In[taken.From].DType()) {
		return "-"
	}
	changed := func(x *tensor.Tensor) *tensor.Tensor {
		if taken.Ordered {
			return evaluated(def("add"), op.Case{In: []*tensor.Tensor{x, x}})[0]
		}
		return evaluated(def("neg"), op.Case{In: []*tensor.Tensor{x}})[0]
	}
	before := op.Case{In: slices.Clone(c.In), Attrs: c.Attrs}
	for i, x := range c.In[:taken.To] {
		if i >= taken.From && x != nil {
			before.In[i] = changed(x)
		}
	}
	behind := evaluated(d, c)
	for i, y := range evaluated(d, before) {
		if !bytes.Equal(y.Contiguous().Bytes(), changed(behind[i]).Bytes()) {
			return fmt.Sprintf("result %d has other elements than operands %d to %d", i, taken.From, taken.To-1)
		}
	}
	return ""
}

// checkNonNegative takes the magnitudes of some operands first.
func checkNonNegative(d *op.Def, c op.Case, r *op.Rand) string {
	c.In = slices.Clone(c.In)
	in := make([]bool, len(c.In))
	for i, x := range c.In {
		if x != nil && (x.DType().IsFloat() || x.DType().IsInteger()) && r.IntN(4) > 0 {
			c.In[i] = evaluated(def("abs"), op.Case{In: []*tensor.Tensor{x}})[0]
		}
		in[i] = x == nil || !anyNegative(c.In[i])
	}
	if !op.NonNegative(nodeOf(d, c), in) {
		return "-"
	}
	if slices.ContainsFunc(evaluated(d, c), anyNegative) {
		return "an element of a result is below 0"
	}
	return ""
}

func anyNegative(t *tensor.Tensor) bool {
	if t.DType().IsInteger() {
		return slices.ContainsFunc(tensor.Data[int64](must(tensor.Cast(t, tensor.Int64))), func(x int64) bool { return x < 0 }) && t.DType().IsSigned()
	}
	return slices.ContainsFunc(tensor.Data[float64](must(tensor.Cast(t, tensor.Float64))), func(x float64) bool { return x < 0 })
}

func checkView(d *op.Def, c op.Case, _ *op.Rand) string {
	n := nodeOf(d, c)
	offsets := op.Views(n)
	if offsets == nil {
		return "-"
	}
	if w := inRuns(n.In[0].Const, offsets, evaluated(d, c)); w != "" {
		return w
	}
	if op.Reshapes(n) != (len(n.Out) == 1 && n.In[0].Const.Len() == n.Out[0].Type.Shape.Len()) {
		return "Reshapes says something else"
	}
	return ""
}

func checkJoin(d *op.Def, c op.Case, _ *op.Rand) string {
	offsets := op.Joins(nodeOf(d, c))
	if offsets == nil {
		return "-"
	}
	return inRuns(evaluated(d, c)[0], offsets, c.In)
}

// checkLane evaluates an application at one position of a lane alone.
func checkLane(d *op.Def, c op.Case, r *op.Rand) string {
	n := nodeOf(d, c)
	rank := n.Out[0].Type.Shape.Rank()
	if rank == 0 || n.Out[0].Type.Shape.Len() == 0 || n.Out[0].Type.DType.IsPacked() {
		return "-"
	}
	first := r.IntN(rank)
	for k := range rank {
		axis := (first + k) % rank
		l, extent := op.LaneOf(n, axis), n.Out[0].Type.Shape[axis]
		if l == nil || extent == 1 && k < rank-1 { // which is of interest only if there is no other
			continue
		}
		position := r.IntN(extent)
		alone := func(x *tensor.Tensor, axis int) *tensor.Tensor {
			if x == nil || axis < 0 {
				return x
			}
			return must(x.Slice(axis, position, position+1, 1)).Clone()
		}
		in := make([]*tensor.Tensor, len(c.In))
		for i, x := range c.In {
			if x != nil && x.DType().IsPacked() {
				return "-" // they cannot be cut
			}
			if x != nil && l.In[i] >= 0 && x.Shape()[l.In[i]] != extent {
				return fmt.Sprintf("operand %d does not have %d positions along dimension %d", i, extent, l.In[i])
			}
			in[i] = alone(x, l.In[i])
		}
		var want []*tensor.Tensor
		for i, y := range evaluated(d, c) {
			want = append(want, alone(y, l.Out[i]))
		}
		got, err := op.Eval(d, in, l.Attrs)
		if err != nil {
			return err.Error()
		}
		if w := differ(want, got); w != "" {
			return fmt.Sprintf("dimension %d, position %d: %s", axis, position, w)
		}
		return ""
	}
	return "-"
}

// inRuns reports where parts are not the runs of the elements of all that begin at the offsets.
func inRuns(all *tensor.Tensor, offsets []int, parts []*tensor.Tensor) string {
	if len(offsets) != len(parts) {
		return fmt.Sprintf("there are %d offsets for %d tensors", len(offsets), len(parts))
	}
	for i, p := range parts {
		if p.DType() != all.DType() || offsets[i] < 0 || offsets[i]+p.Len() > all.Len() {
			return fmt.Sprintf("%v cannot be at %d of %v", p, offsets[i], all)
		}
		size := p.DType().Size()
		if !bytes.Equal(all.Contiguous().Bytes()[offsets[i]*size:][:p.Len()*size], p.Contiguous().Bytes()) {
			return fmt.Sprintf("tensor %d is not at %d", i, offsets[i])
		}
	}
	return ""
}

// checkSimplify evaluates what may stand for a node, alone and below nodes that yield an operand of it from another tensor.
func checkSimplify(d *op.Def, c op.Case, r *op.Rand) string {
	applied := "-"
	for _, above := range []func(n *graph.Node, r *op.Rand){func(*graph.Node, *op.Rand) {}, below(flattened), below(turned), below(negated), gated} {
		n := nodeOf(d, c)
		above(n, r)
		same, simpler := d.Simplify(n)
		var got *tensor.Tensor
		switch {
		case same != nil:
			got = valueOf(same)
		case simpler != nil:
			simpler.Out = []*graph.Value{{Producer: simpler}}
			got = valueOf(simpler.Out[0])
		default:
			continue
		}
		if w := differ([]*tensor.Tensor{valueOf(n.Out[0])}, []*tensor.Tensor{got}); w != "" {
			return fmt.Sprintf("%v may not stand for it: %s", simpler, w)
		}
		applied = ""
	}
	return applied
}

// below returns what puts a node above another one, which yields the first operand of that.
func below(producer func(x *tensor.Tensor, r *op.Rand) *graph.Node) func(n *graph.Node, r *op.Rand) {
	return func(n *graph.Node, r *op.Rand) {
		if p := producer(n.In[0].Const, r); p != nil {
			n.In[0] = p.Out[0]
		}
	}
}

// gated makes one operand of a product the sigmoid of the other one.
func gated(n *graph.Node, r *op.Rand) {
	if n.Op == "mul" && n.In[0].Type.Equal(n.In[1].Type) && n.In[0].Type.DType.IsFloat() {
		i := r.IntN(2)
		p := &graph.Node{Op: "sigmoid", In: []*graph.Value{n.In[i]}}
		p.Out = []*graph.Value{{Type: n.In[i].Type, Producer: p}}
		n.In[1-i] = p.Out[0]
	}
}

// flattened returns a node that yields x from a tensor of rank 1.
func flattened(x *tensor.Tensor, _ *op.Rand) *graph.Node {
	if x.Len() == 0 {
		return nil
	}
	return producing(x, "reshape", graph.AttrsOf("shape", []int(x.Shape())), must(x.Contiguous().Reshape(x.Len())))
}

// turned returns a node that yields x from a tensor with its dimensions in another order.
func turned(x *tensor.Tensor, r *op.Rand) *graph.Node {
	axes := r.Perm(x.Rank())
	back := make([]int, len(axes))
	for i, a := range axes {
		back[a] = i
	}
	d, _ := op.Lookup("transpose")
	return producing(x, "transpose", graph.AttrsOf("axes", back), evaluated(d, op.Case{In: []*tensor.Tensor{x}, Attrs: graph.AttrsOf("axes", axes)})[0])
}

// negated returns a node that yields x from its negation.
func negated(x *tensor.Tensor, _ *op.Rand) *graph.Node {
	if x.DType() != tensor.Bool {
		return nil
	}
	d, _ := op.Lookup("not")
	return producing(x, "not", nil, evaluated(d, op.Case{In: []*tensor.Tensor{x}})[0])
}

// producing returns a node that yields x.
func producing(x *tensor.Tensor, name string, attrs graph.Attrs, in *tensor.Tensor) *graph.Node {
	d, _ := op.Lookup(name)
	n := nodeOf(d, op.Case{In: []*tensor.Tensor{in}, Attrs: attrs})
	n.Out[0].Type = graph.TypeOf(x)
	return n
}

// valueOf evaluates a value by references.
func valueOf(v *graph.Value) *tensor.Tensor {
	if v.Const != nil {
		return v.Const
	}
	in := make([]*tensor.Tensor, len(v.Producer.In))
	for i, x := range v.Producer.In {
		if x != nil {
			in[i] = valueOf(x)
		}
	}
	d, _ := op.Lookup(v.Producer.Op)
	return evaluated(d, op.Case{In: in, Attrs: v.Producer.Attrs})[slices.Index(v.Producer.Out, v)]
}

// nodeOf returns a case as a node of a graph, of constants.
func nodeOf(d *op.Def, c op.Case) *graph.Node {
	n := &graph.Node{Op: d.Name, Attrs: attrsOf(d, c)}
	for _, x := range c.In {
		var v *graph.Value
		if x != nil {
			v = &graph.Value{Type: graph.TypeOf(x), Const: x}
		}
		n.In = append(n.In, v)
	}
	for _, x := range evaluated(d, c) {
		n.Out = append(n.Out, &graph.Value{Type: graph.TypeOf(x), Producer: n})
	}
	return n
}

// attrsOf returns the attributes of a case with those that have defaults.
func attrsOf(d *op.Def, c op.Case) graph.Attrs {
	types := make([]op.Type, len(c.In))
	for i, x := range c.In {
		if x != nil {
			types[i] = graph.TypeOf(x)
		}
	}
	s, _, err := d.Bind(types, c.Attrs)
	return must(s, err).Attrs
}

func evaluated(d *op.Def, c op.Case) []*tensor.Tensor { return must(op.Eval(d, c.In, c.Attrs)) }

// differ says where two lists of tensors differ in type or in a bit.
func differ(want, got []*tensor.Tensor) string {
	if len(want) != len(got) {
		return fmt.Sprintf("there are %d results and %d", len(want), len(got))
	}
	for i, w := range want {
		if g := got[i]; g.DType() != w.DType() || !g.Shape().Equal(w.Shape()) || !bytes.Equal(g.Contiguous().Bytes(), w.Contiguous().Bytes()) {
			return fmt.Sprintf("%v is not %v", g, w)
		}
	}
	return ""
}
