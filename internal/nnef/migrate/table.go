package migrate

import "github.com/concord-nn/concord/nnef/syntax"

// change is how an operation of the provisional dialect is written in the final one. Operations that are not in the
// table keep their names and parameters; a parameter whose default differs is written out.
type change struct {
	name   string            // of the operation, if it differs
	params map[string]string // of parameters, where they differ
	groups bool              // groups = 0 is added: one group for each channel
	note   string            // what else a reader should know; empty if the operation is the same
}

var changes = map[string]change{
	"idn":              {name: "copy"},
	"planewise_conv":   {name: "conv", groups: true},
	"planewise_deconv": {name: "deconv", groups: true},
	"transpose":        {params: map[string]string{"perm": "axes"}},
	"matmul":           {params: map[string]string{"trA": "transposeA", "trB": "transposeB"}},
	"linear_quantize":  {note: reordered}, "logarithmic_quantize": {note: reordered},
}

const reordered = "the final dialect writes the same formula in another order; the last digit may differ"

// biased are the operations that divide by a norm plus bias, where the final dialect takes the greater of that and an
// epsilon that is 0.0 if it is left out. That is the same unless bias is negative.
var biased = map[string]bool{"local_variance_normalization": true, "local_contrast_normalization": true,
	"l1_normalization": true, "l2_normalization": true}

// list is a parameter whose trailing items may be left out in the provisional dialect.
type list struct {
	name   string
	filler syntax.Expr // the item that changes nothing
}

var (
	one     = &syntax.IntegerLit{Value: 1}
	zeros   = &syntax.Tuple{Items: []syntax.Expr{&syntax.IntegerLit{}, &syntax.IntegerLit{}}}
	windows = []list{{"padding", zeros}, {"stride", one}, {"dilation", one}}
	sized   = append([]list{{"size", one}}, windows...)
)

// lists has the parameters that are completed to the rank of the first argument, less the extents that they leave out.
var lists = map[string]struct {
	less  int
	names []list
}{
	"conv": {2, windows}, "deconv": {2, windows}, "planewise_conv": {2, windows}, "planewise_deconv": {2, windows},
	"separable_conv": {2, windows}, "separable_deconv": {2, windows},
	"box": {0, sized}, "debox": {0, sized}, "argmax_pool": {0, sized}, "sample": {0, sized}, "desample": {0, sized},
	"max_pool_with_index": {0, sized}, "max_pool": {0, sized}, "avg_pool": {0, sized}, "rms_pool": {0, sized},
	"local_response_normalization": {0, sized[:1]}, "local_mean_normalization": {0, sized[:1]},
	"local_variance_normalization": {0, sized[:1]}, "local_contrast_normalization": {0, sized[:1]},
}
