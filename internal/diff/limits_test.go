package diff

import (
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

// TestSourcesAreBounded follows a chain of operators that the other side does not have.
func TestSourcesAreBounded(t *testing.T) {
	for _, n := range []int{limits.DiffSources, limits.DiffSources + 1} {
		s := newScript(t)
		v := s.input("x", 1)
		for range n {
			v = s.op("neg", nil, v)
		}
		net := FromGraph(s.build(v), nil)
		one := &side{net: net, match: make([]int, len(net.ops))}
		for i := range one.match {
			one.match[i] = -1
		}
		list := one.sources(net.ops[n-1])
		if reached := list[len(list)-1] == net.inputs[0]; len(list) != limits.DiffSources || reached != (n == limits.DiffSources) {
			t.Errorf("of %d sources %d are looked at", n, len(list))
		}
	}
}
