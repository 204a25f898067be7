package export

import "github.com/concord-nn/concord/internal/kit"

// Table returns a row for each operator, in the order of op.All.
func Table() []kit.Row {
	out := make([]kit.Row, len(table.Rows))
	for i := range table.Rows {
		out[i] = table.Rows[i].Row
	}
	return out
}
