package migrate

import (
	"strings"

	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// How an operation of the provisional dialect is written in the final one says [std.Successors]; a parameter whose default differs is written out.

// notes say what else a reader should know of operations that are not the same.
var notes = map[string]string{"linear_quantize": reordered, "logarithmic_quantize": reordered}

const reordered = "the final dialect writes the same formula in another order; the last digit may differ"

// biased are the operations that divide by a norm plus bias, where the final dialect takes the greater of that and an
// epsilon that is 0.0 if it is left out. That is the same unless bias is negative.
var biased = map[string]bool{"local_variance_normalization": true, "local_contrast_normalization": true,
	"l1_normalization": true, "l2_normalization": true}

var one = &syntax.IntegerLit{Value: 1}

// fillers has, for the parameters of windows, whose trailing items may be left out in the provisional dialect, the item that changes nothing.
var fillers = map[string]syntax.Expr{"size": one, "stride": one, "dilation": one,
	"padding": &syntax.Tuple{Items: []syntax.Expr{&syntax.IntegerLit{}, &syntax.IntegerLit{}}}}

// listsOf returns the parameters of an operation that are completed to the rank of the first argument, and how many extents less they have: a window
// as large as a filter has none over batch and channels.
func listsOf(operation string) (lists []string, less int) {
	if f, ok := std.Of(syntax.Provisional).Lookup(operation); ok {
		for i := range f.Params {
			if name := f.Params[i].Name.Name; fillers[name] != nil {
				lists = append(lists, name)
			} else if strings.HasSuffix(name, "filter") {
				less = 2
			}
		}
	}
	return lists, less
}
