package export

import (
	"slices"

	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/webnn"
)

// row is a row with what makes the calls. It makes none and returns nil where WebNN does not say the operator so.
type row struct {
	kit.Row // To names the methods
	emit    func(c *emission) []*webnn.Operand
}

var table = kit.NewTable(
	func(r *row) string { return r.Op },
	func(d *op.Def) row {
		switch {
		case d.Spec.WebNN != "":
			return direct(d.Name, d.Spec.WebNN, said(), notes[d.Name])
		case d.Body == "" && d.Expand == nil:
			return refusedRow(d.Name, "no methods are known that express it")
		}
		return row{kit.Row{Op: d.Name, Form: kit.Body, Tolerance: d.BodyTol, Note: notes[d.Name]}, func(*emission) []*webnn.Operand { return nil }}
	},
	elementwiseRows, reductionRows, layerRows, windowRows, shapeRows, indexRows, refusedRows)

// Table returns a row for each operator, in the order of op.All.
func Table() []kit.Row { return kit.Described(table, func(r *row) kit.Row { return r.Row }) }

// notes are those of operators without a row: that the method with their name says, or else what their definitions make of them.
var notes = map[string]string{
	"leaky_relu": roundedNote, "elu": roundedNote, "hard_sigmoid": roundedNote, "affine": roundedNote, "layer_normalization": roundedNote, "gemm": roundedNote,

	"argmax_reduce": "several axes: transpose and reshape to one",
	"argmin_reduce": "several axes: transpose and reshape to one",
	"softmax":       "several axes, or none: the operator's body",

	"argmax_pool": "at most 1024 window positions, and places in them",
	"sample":      "at most 1024 window positions",
	"desample":    "at most 1024 window positions",
	"bit_length":  "refused in rank 8",
	"requantize":  "sums of int32; blocks that do not divide an extent are refused",
	"rescale":     "factor and shift constant, one for all elements; refused for uint64, and where they may exceed the 63 bits of int64",
}

// refusedRows are operators that WebNN has no means for.
var refusedRows = slices.Concat(
	refused("the extents of the regions are data, and WebNN fixes every extent when a graph is built", "avg_roi_pool", "max_roi_pool", "roi_pool"),
	refused("WebNN does not sample at places that are data", "roi_resample"),
	refused("WebNN has neither sorting nor loops over data", "non_max_suppression", "box_suppression"),
	refused("WebNN does not move rows to places that depend on data", "valid_count"),
	refused("WebNN evaluates no graphs within graphs", "if", "loop", "scan"),
)

func refused(why string, names ...string) (rows []row) {
	for _, name := range names {
		rows = append(rows, refusedRow(name, why))
	}
	return rows
}

func refusedRow(name, why string) row {
	return row{kit.Row{Op: name, Form: kit.Refused, To: why}, func(*emission) []*webnn.Operand {
		kit.Refuse("%s", why)
		return nil
	}}
}

// direct is a row of an operator that a method means.
func direct(name, method string, emit func(c *emission) []*webnn.Operand, note ...string) row {
	r := row{kit.Row{Op: name, Form: kit.Direct, To: method}, emit}
	if len(note) > 0 {
		r.Note = note[0]
	}
	return r
}

// nearly is direct for an operator whose body, which says what the method does not, is not the same to the bit.
func nearly(name, method string, emit func(c *emission) []*webnn.Operand, note string) row {
	r := direct(name, method, emit, note)
	r.Tolerance = tolerance(name)
	return r
}
