package operators

import (
	"cmp"
	"math"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Operators on the boxes of detectors: rows of an identifier, a score and further numbers.
var visionOperators = []*Operator{validCountsOperator, suppressionOperator}

var validCountsOperator = &Operator{
	Name:     "get_valid_counts",
	Doc:      "How many rows have a score above a threshold, and these rows, moved to the front (Vision Operators, get_valid_count).",
	Operands: []string{"data"},
	Attrs: []Attr{
		{Name: "score_threshold", Kind: Int, Default: 0, Doc: "the threshold"},
	},
	Outputs:   2,
	Fillers:   []int{1},
	Inputs:    inputs(1),
	Shapes:    validCountsShape,
	Precision: "of the counts: the bits of (the elements of one batch + 1), + 1; of the rows: that of the input",
	Precisions: func(c *Call) ([]int, error) {
		data := c.In[0]
		return []int{numberPrecision(data.Shape[1] * data.Shape[2]), data.Precision}, nil
	},
}

var suppressionOperator = &Operator{
	Name:     "non_max_suppression",
	Aliases:  []string{"vision.non_max_suppression"},
	Doc:      "The rows in the order of their scores, without boxes that overlap a better one (Vision Operators, non_max_suppression).",
	Operands: []string{"data", "valid_count"},
	Attrs: []Attr{
		{Name: "max_output_size", Kind: Int, Default: -1, Doc: "how many boxes are kept at most; all if negative"},
		{Name: "iou_threshold", Kind: Int, Default: 50, Doc: "the overlap in percent from which a box is dropped, greater than 0"},
		{Name: "force_suppress", Kind: Bool, Default: false, Doc: "whether boxes of other identifiers count, too"},
		{Name: "top_k", Kind: Int, Default: -1, Doc: "how many rows are considered at most; all if negative"},
		{Name: "coord_start", Kind: Int, Default: 2, Doc: "2"},
		{Name: "score_index", Kind: Int, Default: 1, Doc: "1"},
		{Name: "id_index", Kind: Int, Default: 0, Doc: "0"},
		{Name: "return_indices", Kind: Bool, Default: false, Doc: "false"},
		{Name: "invalid_to_bottom", Kind: Bool, Default: true, Doc: "true"},
	},
	Outputs:    1,
	Fillers:    []int{0},
	Inputs:     inputs(2),
	Shapes:     suppressionShape,
	Precision:  firstOf,
	Precisions: one(firstPrecision),
	Gas:        "20 × the number of batches",
	Base:       func(c *Call) int64 { return 20 * int64(c.In[0].Shape[0]) },
}

func validCountsShape(c *Call) ([]tensor.Shape, error) {
	data := c.In[0].Shape
	if err := c.rank(0, 3); err != nil {
		return nil, err
	}
	if err := within(fault.Shape, c.operand(0), data[2], 2, 31); err != nil {
		return nil, err
	}
	return []tensor.Shape{{data[0]}, data}, nil
}

func suppressionShape(c *Call) ([]tensor.Shape, error) {
	if err := cmp.Or(c.rank(0, 3), c.rank(1, 1)); err != nil {
		return nil, err
	}
	data, counts := c.In[0].Shape, c.In[1].Shape
	if data[2] != 6 {
		return nil, refuse(c.operand(0), "6", "dimension 2 is %d", data[2])
	}
	if counts[0] != data[0] {
		return nil, refuse(c.operand(1), strconv.Itoa(data[0]), "dimension 0 is %d", counts[0])
	}
	if err := cmp.Or(c.must("coord_start", 2), c.must("score_index", 1), c.must("id_index", 0),
		within(fault.Shape, "iou_threshold", c.Attrs.Int("iou_threshold"), 1, math.MaxInt32),
		c.must("return_indices", false), c.must("invalid_to_bottom", true)); err != nil {
		return nil, err
	}
	return []tensor.Shape{data}, nil
}
