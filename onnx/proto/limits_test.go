package proto

import (
	"errors"
	"io"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

// nestedGraphs returns a model with graphs in attributes: each takes three messages.
func nestedGraphs(n int) *Model {
	g := &Graph{}
	for range n {
		g = &Graph{Node: []*Node{{Attribute: []*Attribute{{G: g}}}}}
	}
	return &Model{Graph: g}
}

func TestLimitsAreReached(t *testing.T) {
	for n, ok := range map[int]bool{limits.ONNXDepth / 3: true, limits.ONNXDepth/3 + 1: false} {
		b, err := Encode(nestedGraphs(n))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(b); (err == nil) != ok || !ok && !errors.Is(err, ErrLimit) {
			t.Errorf("%d messages in one another: %v", 3*n+1, err)
		}
	}

	b, err := Encode(&Model{Graph: &Graph{Node: []*Node{{Input: []string{"", ""}}, {}}}})
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(b)
	if r.spare != limits.ONNXMemory {
		t.Errorf("messages may take %d bytes", r.spare)
	}
	if err := modelFields.decode(r, new(Model)); err != nil {
		t.Fatal(err)
	}
	taken := limits.ONNXMemory - r.spare
	if want := int64(graphFields.size + 2*nodeFields.size + 2*16); taken != want && ^uint(0)>>32 > 0 {
		t.Errorf("the messages take %d bytes; want %d", taken, want)
	}
	for spare, ok := range map[int64]bool{taken: true, taken - 1: false} {
		r := newReader(b)
		r.spare = spare
		if err := modelFields.decode(r, new(Model)); (err == nil) != ok || !ok && !errors.Is(err, ErrLimit) {
			t.Errorf("%d bytes where %d are allowed: %v", taken, spare, err)
		}
	}

	// Tensors that share their bytes make a message of any length.
	raw := make([]byte, 1<<26)
	m := &Model{Graph: &Graph{}}
	for range 1<<31>>26 - 1 {
		m.Graph.Initializer = append(m.Graph.Initializer, &Tensor{RawData: raw})
	}
	var w writer
	modelFields.encode(&w, m)
	rest := &Tensor{RawData: raw[:limits.ONNXBytes-w.n-10]} // two tags and lengths take 10 bytes
	m.Graph.Initializer = append(m.Graph.Initializer, rest)
	if n, err := m.WriteTo(io.Discard); err != nil || n != limits.ONNXBytes {
		t.Errorf("%d bytes are written: %v", n, err)
	}
	rest.RawData = raw[:len(rest.RawData)+1]
	if n, err := m.WriteTo(io.Discard); err == nil {
		t.Errorf("%d bytes are written", n)
	}
}
