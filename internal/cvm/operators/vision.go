package operators

import (
	"math"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/tensor"
)

// Operators on the boxes of detectors: rows of an identifier, a score and further numbers.
var visionOperators = []*Operator{
	{Name: "get_valid_counts", Outputs: 2, Fillers: []int{1}, Shape: func(c *Call) []tensor.Shape {
		data := c.In[0].Shape
		c.rank(0, 3)
		within(fault.Shape, c.operand(0), data[2], 2, 31)
		return []tensor.Shape{{data[0]}, data}
	}, Precision: Precision{"of the counts: the bits of (the elements of one batch + 1), + 1; of the rows: that of the input", func(c *Call, k int) int {
		if data := c.In[0]; k == 0 {
			return numberPrecision(data.Shape[1] * data.Shape[2])
		}
		return c.In[0].Precision
	}}, Lower: func(a *Application) []*graph.Value {
		// It fills with -1, which the type of the rows holds; see [Call.Bits].
		out := a.Nodes("valid_count", emit.Attr("score_threshold", a.Attrs.Int("score_threshold")), a.Cast(a.Args[0], a.Want[1]))
		if len(out) == 2 && a.Together {
			return []*graph.Value{a.filledOver(out[0]), out[1]}
		}
		return out
	}},
	{Name: "non_max_suppression", Fillers: []int{0}, Shape: func(c *Call) []tensor.Shape {
		c.rank(0, 3)
		c.rank(1, 1)
		data, counts := c.In[0].Shape, c.In[1].Shape
		if data[2] != 6 {
			refuse(c.operand(0), "6", "dimension 2 is %d", data[2])
		}
		if counts[0] != data[0] {
			refuse(c.operand(1), strconv.Itoa(data[0]), "dimension 0 is %d", counts[0])
		}
		c.must("coord_start", 2)
		c.must("score_index", 1)
		c.must("id_index", 0)
		c.int("iou_threshold", 1, math.MaxInt32)
		c.must("return_indices", false)
		c.must("invalid_to_bottom", true)
		return []tensor.Shape{data}
	}, Precision: firstOf, Lower: one(func(a *Application) *graph.Value {
		return a.Node("non_max_suppression", emit.Attr("iou_threshold", a.Attrs.Int("iou_threshold"), "max_output_size", a.Attrs.Int("max_output_size"),
			"top_k", a.Attrs.Int("top_k"), "force_suppress", a.Attrs.Bool("force_suppress")),
			a.Cast(a.Args[0], a.Want[0]), a.Cast(wholeCounts(a.Args[1]), tensor.Int32))
	}), Gas: Gas{"20 × the number of batches", func(c *Call) int64 { return 20 * int64(c.In[0].Shape[0]) }}},
}

// filledOver is what the deployed runtime leaves of the counts if they lie in the storage of the rows: a first batch without rows is
// filled after it is counted.
func (a *Application) filledOver(counts *graph.Value) *graph.Value {
	d, n := counts.Type.DType, counts.Type.Shape[0]
	first := First(a.Emitter, counts, 1)
	first = a.Node("select", nil, a.Cast(first, tensor.Bool), first, a.number(-1, d))
	if n == 1 {
		return first
	}
	return a.Node("concat", emit.Attr("axis", 0), first, a.Node("slice", emit.Attr("axes", []int{0}, "begin", []int{1}, "end", []int{n}), counts))
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
