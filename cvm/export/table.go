package export

import (
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/op"
)

// row says what an operator of package op becomes.
type row struct {
	op      string
	emit    func(c *call) []operand // adds nodes and returns what stands for the results; it may refuse, or return nil if CVM does not say it so
	keeps   bool                    // whether each element of a result is one of an operand
	logical bool                    // whether it takes logical operands of which only the truth is known
	numbers bool                    // whether the operands behind the first are numbers that it reads itself, which become no parameters
}

// table has the operators that CVM has. Others are said in these, as far as they can be.
var table = kit.NewTable([]row{
	{op: "copy", emit: same, keeps: true, logical: true},
	{op: "cast", emit: cast, logical: true},

	{op: "neg", emit: unary("negative")},
	{op: "abs", emit: unary("abs")},
	{op: "relu", emit: unary("relu"), keeps: true},
	{op: "bit_length", emit: unary("cvm_precision")},
	{op: "add", emit: binary("broadcast_add")},
	{op: "sub", emit: binary("broadcast_sub")},
	{op: "mul", emit: binary("broadcast_mul")},
	{op: "div", emit: binary("broadcast_div")},
	{op: "max", emit: binary("broadcast_max"), keeps: true},
	{op: "min", emit: least, keeps: true},
	{op: "gt", emit: binary("broadcast_greater")},
	{op: "lt", emit: less},
	{op: "ne", emit: nonZero},
	{op: "select", emit: where, keeps: true, logical: true},

	{op: "clamp", emit: clamp, keeps: true, numbers: true},
	{op: "clamp_precision", emit: clampPrecision, keeps: true},
	{op: "rescale", emit: rescale, numbers: true},
	{op: "lookup", emit: lookup, keeps: true},

	{op: "sum_reduce", emit: sum},
	{op: "max_reduce", emit: maximum, keeps: true},
	{op: "min_reduce", emit: minimum, keeps: true},

	{op: "conv", emit: conv},
	{op: "linear", emit: linear},
	{op: "matmul", emit: matmul},
	{op: "max_pool", emit: maxPool, keeps: true},
	{op: "resample", emit: resample, keeps: true},

	{op: "reshape", emit: reshape, keeps: true, logical: true},
	{op: "squeeze", emit: reshape, keeps: true, logical: true},
	{op: "unsqueeze", emit: reshape, keeps: true, logical: true},
	{op: "transpose", emit: transpose, keeps: true},
	{op: "tile", emit: tile, keeps: true},
	{op: "expand", emit: tile, keeps: true},
	{op: "concat", emit: concat, keeps: true},
	{op: "slice", emit: slice, keeps: true},
	{op: "gather", emit: gather, keeps: true},

	{op: "valid_count", emit: validCount},
	{op: "non_max_suppression", emit: suppress},
}, func(r *row) string { return r.op }, func(d *op.Def) row { return row{op: d.Name} })
