package migrate

import "github.com/concord-nn/concord/nnef/syntax"

// Quantization returns a quantization file of a provisional model as one of the final dialect. names holds the
// identifiers that have other names there; see [Names]. The file itself is not changed.
func Quantization(q *syntax.Quantization, names map[string]string) *syntax.Quantization {
	out := &syntax.Quantization{Comments: q.Comments}
	for _, e := range q.Entries {
		if name, ok := names[e.Tensor.Value]; ok {
			e.Tensor = &syntax.StringLit{Value: name}
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}
