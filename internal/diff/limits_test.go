package diff_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/diff"
	"github.com/concord-nn/concord/internal/limits"
)

// TestSourcesAreBounded replaces a chain of operators by another operator, which is seen where what both read is looked at.
func TestSourcesAreBounded(t *testing.T) {
	for _, n := range []int{limits.DiffSources, limits.DiffSources + 1} {
		s, other := newScript(t), newScript(t)
		v := s.input("x", 1)
		for range n {
			v = s.op("neg", nil, v)
		}
		r := diff.Compare(diff.FromGraph(s.build(v), nil), diff.FromGraph(other.build(other.op("sin", nil, other.input("x", 1))), nil))
		if replaced := slices.ContainsFunc(r.Differences, func(d diff.Difference) bool { return d.Kind == diff.Replaced }); replaced != (n == limits.DiffSources) {
			t.Errorf("behind %d values an operator is replaced: %v", n, replaced)
		}
	}
}
