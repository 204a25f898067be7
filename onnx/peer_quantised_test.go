package onnx_test

import (
	"testing"

	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
)

// TestPeerQuantised compares quantised networks, which are integers here and floats there: codes behind one operator differ by one at most, and
// behind more by what docs/numerics.md says.
func TestPeerQuantised(t *testing.T) {
	runtime := peer.Find(t)
	count := 200
	if testing.Short() {
		count = 20
	}
	if *peerModels > 0 {
		count = *peerModels
	}
	for n := 1; n <= 4; n++ {
		c := &tallies{refused: make(map[string]int)}
		var all []*random.Model
		var cases []peer.Case
		for i := range count {
			m := random.Quantised(*peerSeed+uint64(i), n)
			all, cases = append(all, m), append(cases, caseOf(m))
		}
		for i, theirs := range runtime.Run(t, cases, peer.AsWritten) {
			c.judge(t, all[i], theirs)
		}
		t.Logf("%d in a row: %d agree, %d differ, %d gaps, %d refused by ORT, %d by both %v", n, c.agree, c.differ, c.gaps, c.theirs, c.both, c.refused)
	}
}
