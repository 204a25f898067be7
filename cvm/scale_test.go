package cvm

import (
	"testing"

	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// TestLegalSizes admits graphs as large as the standard allows: of more nodes than the engine takes by default, and with a storage plan of
// 2^32 bytes. Nothing of the size of their tensors is allocated.
func TestLegalSizes(t *testing.T) {
	many, huge := newSketch(), newSketch()
	x, shape := many.variable(DataName, 8, 2), tensor.Shape{2}
	for range testdata.Cases(100, 70_000) {
		x = many.apply("relu", "{}", shape, x)
	}
	many.head(x)
	shape = tensor.Shape{1 << 24, 1 << 6}
	x = huge.variable(DataName, 30, shape...)
	for range 3 {
		x = huge.apply("relu", "{}", shape, x)
	}
	huge.head(x)
	clear(huge.StorageID)
	for name, s := range map[string]*sketch{"nodes": many, "storage": huge} {
		if name == "storage" && sessionMemory < 4*limits.CVMStorage {
			continue // what a machine of 32 bits cannot address
		}
		if _, err := Admit(Files{Symbol: s.text(t)}, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNames gives outputs of one name others, however many there are.
func TestNames(t *testing.T) {
	s := newSketch()
	x := s.variable(DataName, 8, 1)
	s.Heads = make([]symbol.Entry, 50_000)
	f, err := Encode(&s.head(x).Symbol, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Network(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(g.Outputs); n != 50_001 {
		t.Errorf("%d outputs", n)
	}
}
