package cvm_test

import (
	"slices"
	"testing"

	"github.com/concord-nn/concord/internal/testing/cvm/formal"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
)

// TestRandomModelsHaveAll makes sure that every operator occurs, that models evaluate, and that a plan without overlap has no conflict.
func TestRandomModelsHaveAll(t *testing.T) {
	counts := map[string]int{}
	for seed := range uint64(200) {
		m := random.New(seed, random.Options{Strict: seed%2 == 0})
		if m.Graph.Conflicts() {
			t.Errorf("seed %d: the storage plan has a conflict", seed)
		}
		if _, err := m.Graph.Eval(m.Graph.Decode(m.Inputs[0])); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		for _, n := range m.Graph.Nodes {
			counts[n.Op]++
		}
	}
	for _, op := range formal.Operators() {
		if counts[op] < 10 {
			t.Errorf("%s occurs %d times", op, counts[op])
		}
	}
}

// TestRandomModelsAreTheSame makes sure that a seed always makes the same model.
func TestRandomModelsAreTheSame(t *testing.T) {
	a, b := random.New(3, random.Options{}), random.New(3, random.Options{})
	if !slices.Equal(a.Symbol, b.Symbol) || !slices.Equal(a.Params, b.Params) || !slices.Equal(a.Inputs[2], b.Inputs[2]) {
		t.Error("two models of one seed differ")
	}
}
