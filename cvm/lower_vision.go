package cvm

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// lowerValidCounts fills with -1, which the type of the rows holds; see entry.bits.
func lowerValidCounts(a *application) []*graph.Value {
	out := a.Nodes("valid_count", emit.Attr("score_threshold", a.Attrs.Int("score_threshold")), a.Cast(a.in[0], a.want[1]))
	if len(out) == 2 && a.together {
		return []*graph.Value{a.filledOver(out[0]), out[1]}
	}
	return out
}

// filledOver is what the deployed runtime leaves of the counts if they lie in the storage of the rows: a first batch without rows is
// filled after it is counted.
func (l *lowering) filledOver(counts *graph.Value) *graph.Value {
	d, n := counts.Type.DType, counts.Type.Shape[0]
	first := l.first(counts, 1)
	first = l.Node("select", nil, l.Cast(first, tensor.Bool), first, l.number(-1, d))
	if n == 1 {
		return first
	}
	return l.Node("concat", emit.Attr("axis", 0), first, l.Node("slice", emit.Attr("axes", []int{0}, "begin", []int{1}, "end", []int{n}), counts))
}

func lowerSuppression(a *application) *graph.Value {
	return a.Node("non_max_suppression", emit.Attr("iou_threshold", a.Attrs.Int("iou_threshold"), "max_output_size", a.Attrs.Int("max_output_size"),
		"top_k", a.Attrs.Int("top_k"), "force_suppress", a.Attrs.Bool("force_suppress")),
		a.Cast(a.in[0], a.want[0]), a.Cast(wholeCounts(a.in[1]), tensor.Int32))
}

// wholeCounts returns counts as valid_count made them, where a value is these in fewer bits, which hold them.
func wholeCounts(v *graph.Value) *graph.Value {
	if n := v.Producer; n != nil && n.Op == "cast" {
		if of := n.In[0].Producer; of != nil && of.Op == "valid_count" {
			return n.In[0]
		}
	}
	return v
}
