package diff

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// locate finds where the runs part.
func (r *runner) locate() {
	var first *Row
	for _, rows := range [][]*Row{r.out.Rows, r.out.Outputs} {
		for _, row := range rows {
			if row.Step > 0 && (first == nil || row.Step < first.Step) {
				first = row
			}
		}
	}
	if first == nil {
		return
	}
	r.out.First = &First{Row: first}
	if p, q := first.nodes[0], first.nodes[1]; p != nil && q != nil && first.Kind != outputKind {
		r.out.First.Attributes = attributes(p, q)
		r.out.First.Operands = r.operands(p, q)
	}
}

// operands compares the operands of two nodes.
func (r *runner) operands(p, q *graph.Node) []Operand {
	var list []Operand
	sig := make(signatures).of(p.Op)
	for i := range max(len(p.In), len(q.In)) {
		var v, w *graph.Value
		if i < len(p.In) {
			v = p.In[i]
		}
		if i < len(q.In) {
			w = q.In[i]
		}
		if v == nil && w == nil {
			continue
		}
		o := Operand{Name: strconv.Itoa(i), A: valueName(v), B: valueName(w), State: r.operandState(v, w)}
		if n := len(sig.Operands); n > 0 {
			o.Name = sig.Operands[min(i, n-1)].Name
		}
		list = append(list, o)
	}
	return list
}

func valueName(v *graph.Value) string {
	if v == nil {
		return "absent"
	}
	return v.Name
}

// attributes lists the attributes of both nodes.
func attributes(p, q *graph.Node) []Change {
	var out []Change
	sigs := make(signatures)
	for i, n := range []*graph.Node{p, q} {
		for _, a := range sigs.of(n.Op).Attrs {
			k := slices.IndexFunc(out, func(c Change) bool { return c.Name == a.Name })
			if k < 0 {
				k = len(out)
				out = append(out, Change{Name: a.Name})
			}
			if text := a.Literal(n.Attrs.Get(a.Name)); i == 0 {
				out[k].A = text
			} else {
				out[k].B = text
			}
		}
	}
	return out
}

// operandState says how two operands compare.
func (r *runner) operandState(v, w *graph.Value) string {
	v, w = original(v), original(w)
	switch {
	case v == nil || w == nil:
		return "absent on one side"
	case v.Const != nil && w.Const != nil:
		d, err := Measure(v.Const, w.Const, r.opts.Tolerance)
		if err != nil {
			return fmt.Sprintf("constants %v and %v", v.Const.Describe(), w.Const.Describe())
		}
		return "constants, " + d.summary()
	case v.Producer == nil && w.Producer == nil && v.Const == nil && w.Const == nil:
		return "given"
	}
	for i, row := range r.rows[v.Producer] {
		if row.nodes[1] != w.Producer || v.Producer.Out[i] != v || w.Producer.Out[i] != w {
			continue
		}
		if row.Delta == nil {
			return row.Types[0] + " and " + row.Types[1]
		}
		return row.Delta.summary()
	}
	switch {
	case v.Producer != nil && r.partners[v.Producer] == nil:
		return valueName(v) + " has no counterpart in B"
	case w.Producer != nil && !r.wanted[w.Producer]:
		return valueName(w) + " has no counterpart in A"
	}
	return "not compared: they do not correspond"
}

// original returns the value that v is a copy of.
func original(v *graph.Value) *graph.Value {
	for v != nil && v.Producer != nil && isCopy(v.Producer) {
		v = v.Producer.In[0]
	}
	return v
}

// summary says in words how far tensors are apart.
func (d *Delta) summary() string {
	if d.Differ == 0 {
		return "equal"
	}
	s := fmt.Sprintf("%d of %d elements differ", d.Differ, d.Elements)
	if d.MaxULP > 0 {
		s += fmt.Sprintf(", at most by %.3g", float64(d.MaxAbs))
	}
	if d.NaN != [2]int{} {
		s += fmt.Sprintf(", NaN: %d in A, %d in B", d.NaN[0], d.NaN[1])
	}
	if w := d.Worst; w != nil {
		s += fmt.Sprintf(" (element %v is %s in A, %s in B)", tensor.Shape(w.At), w.A, w.B)
	}
	return s
}
