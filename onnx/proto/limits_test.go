package proto

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/wire"
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
	if bounds.Memory != limits.ONNXMemory {
		t.Errorf("messages may take %d bytes", bounds.Memory)
	}
	taken := int64(wire.Of[Graph]().Size + 2*wire.Of[Node]().Size + 2*int(reflect.TypeFor[string]().Size()))
	for spare, ok := range map[int64]bool{taken: true, taken - 1: false} {
		err := wire.Decode(new(Model), b, wire.Bounds{Depth: limits.ONNXDepth, Memory: spare})
		if (err == nil) != ok || !ok && !errors.Is(err, ErrLimit) {
			t.Errorf("%d bytes where %d are allowed: %v", taken, spare, err)
		}
	}

	// Tensors that share their bytes make a message of any length.
	raw := make([]byte, 1<<26)
	m := &Model{Graph: &Graph{}}
	for range 1<<31>>26 - 1 {
		m.Graph.Initializer = append(m.Graph.Initializer, &Tensor{RawData: raw})
	}
	rest := &Tensor{RawData: raw[:limits.ONNXBytes-wire.Measure(m).Len()-10]} // two tags and lengths take 10 bytes
	m.Graph.Initializer = append(m.Graph.Initializer, rest)
	if n, err := m.WriteTo(io.Discard); err != nil || n != limits.ONNXBytes {
		t.Errorf("%d bytes are written: %v", n, err)
	}
	rest.RawData = raw[:len(rest.RawData)+1]
	if n, err := m.WriteTo(io.Discard); err == nil {
		t.Errorf("%d bytes are written", n)
	}
}
