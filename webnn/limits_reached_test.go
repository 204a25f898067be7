package webnn

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// TestLimitsAreReached makes what is as large as is allowed, and what is larger.
func TestLimitsAreReached(t *testing.T) {
	testdata.Wide(t)
	context := func(o *ContextOptions) (*Context, error) { return ML{}.CreateContext(o) }
	described := func(d tensor.DType, shape ...int) error {
		c, err := context(nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewGraphBuilder(c)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.Input("x", OperandDescriptor{d, shape})
		return err
	}
	operands := func(n int) (*GraphBuilder, []*Operand) {
		s := newStage(t, nil)
		b := s.builder()
		x, err := b.Input("x", OperandDescriptor{tensor.Uint8, tensor.Shape{n}})
		if err != nil {
			t.Fatal(err)
		}
		return b, slices.Repeat([]*Operand{x}, n)
	}
	for name, c := range map[string]struct {
		most int
		make func(n int) error
	}{
		"tensors of concat": {limits.WebNNTensors, func(n int) error {
			b, list := operands(n)
			_, err := b.Concat(list, 0, nil)
			return err
		}},
		"tensors of split": {limits.WebNNTensors, func(n int) error {
			b, list := operands(n)
			_, err := b.Split(list[0], n, nil)
			return err
		}},
		"rank":   {limits.WebNNRank, func(n int) error { return described(tensor.Float32, slices.Repeat([]int{1}, n)...) }},
		"extent": {limits.WebNNExtent, func(n int) error { return described(tensor.Uint8, n) }},
		"elements": {limits.WebNNExtent / 3, func(n int) error {
			if f := (OperandDescriptor{tensor.Float32, tensor.Shape{3, n}}).check(math.MaxInt64); f != nil {
				return TypeError
			}
			return nil
		}},
		"tensor bytes": {limits.WebNNTensorBytes / 4, func(n int) error { return described(tensor.Float32, n) }},
		"threads": {limits.WebNNThreads, func(n int) error {
			_, err := context(&ContextOptions{Threads: n})
			return err
		}},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if err := c.make(n); (err == nil) != (n == c.most) || err != nil && !errors.Is(err, TypeError) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
}

// TestMemoryLimit takes all memory, which is counted and not there.
func TestMemoryLimit(t *testing.T) {
	for _, m := range []*Memory{NewMemory(0), NewMemory(1000)} {
		if h := m.holding(); !h.grow(m.most) || h.grow(1) {
			t.Errorf("of %d bytes %d are free", m.most, h.free())
		}
	}
	if m := NewMemory(0); m.most != limits.WebNNMemory {
		t.Errorf("the default is %d bytes", m.most)
	}
}
