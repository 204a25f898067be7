package export

import (
	"slices"

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
var table = kit.NewTable(slices.Concat(elementwiseRows, layerRows, shapeRows),
	func(r *row) string { return r.op }, func(d *op.Def) row { return row{op: d.Name} })
