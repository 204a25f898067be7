package export

import "github.com/concord-nn/concord/op"

// Operators returns the operators that the table has, and those whose definitions say them in others: whether it has them.
func Operators() map[string]bool {
	out := make(map[string]bool)
	for i, d := range op.All() {
		if has := table.Rows[i].emit != nil; has || d.Body != "" || d.Expand != nil {
			out[d.Name] = has
		}
	}
	return out
}
