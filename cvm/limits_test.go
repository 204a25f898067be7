package cvm

import (
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// TestGasLimits has graphs that take as much gas as is allowed, or nearly, and more.
func TestGasLimits(t *testing.T) {
	const width = limits.CVMElements / limits.CVMExtent // of the widest tensor that is as long as possible
	large := tensor.Shape{limits.CVMExtent, width}
	sums := func(axes string, shape tensor.Shape, n int) *sketch {
		s := newSketch()
		data := s.variable(DataName, 1, large...)
		for range n {
			s.head(s.apply("sum", `{"axis": "`+axes+`"}`, shape, data))
		}
		return s
	}
	reluctant := func(n int) *sketch {
		s := newSketch()
		x := s.variable(DataName, 8, large...)
		for range n {
			x = s.apply("relu", "{}", large, x)
		}
		return s.head(x)
	}
	product := func() *sketch { // three operations for each of nearly 2^30 weights
		s := newSketch()
		shape := tensor.Shape{1, 1 << 10, 1 << 10, 1<<10 - 1}
		attrs := `{"channels": "1", "kernel_size": "(1024, 1023)", "use_bias": "False"}`
		return s.head(s.apply("conv2d", attrs, tensor.Shape{1, 1, 1, 1}, s.variable(DataName, 1, shape...), s.variable("w", 1, shape...)))
	}
	const rows = limits.CVMOperations / limits.CVMElements // sums of all rows that are allowed
	const traffic = limits.CVMTraffic / (5 * limits.CVMElements)
	for name, c := range map[string]struct {
		of *sketch
		ok bool
	}{
		"base":             {sums("()", tensor.Shape{1}, 1), true},
		"a larger base":    {product(), false},
		"operations":       {sums("(1,)", tensor.Shape{limits.CVMExtent}, rows), true},
		"more operations":  {sums("(1,)", tensor.Shape{limits.CVMExtent}, rows+1), false},
		"traffic":          {reluctant(traffic - 1), true}, // data counts, too
		"more for traffic": {reluctant(traffic), false},
	} {
		_, _, err := resolved(t, c.of, false).gas()
		if (err == nil) != c.ok || err != nil && fault.ClassOf(err) != fault.Logic {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMemoryLimit admits a model with as much memory as it takes, and with a byte less.
func TestMemoryLimit(t *testing.T) {
	if got := Limits(engine.Limits{}).Memory; got != min(limits.CVMMemory, math.MaxInt) {
		t.Errorf("the default is %d bytes", got)
	}
	s := newSketch()
	f := s.head(s.apply("relu", "{}", tensor.Shape{100}, s.variable(DataName, 8, 100))).files(t)
	m, err := Load(f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	need := m.Admission().Memory
	for _, n := range []int64{need, need - 1} {
		m, err := Load(f, Options{Engine: engine.Options{Limits: engine.Limits{Memory: n}}})
		if (err == nil) != (n == need) || err != nil && fault.ClassOf(err) != fault.Runtime {
			t.Errorf("%d bytes of %d: %v", n, need, err)
		}
		if m != nil {
			m.Close()
		}
	}
}

// TestHeadLimit has files whose first key ends at the end of what is looked at, and behind it.
func TestHeadLimit(t *testing.T) {
	const key = `"nodes"`
	for _, n := range []int{limits.CVMHead, limits.CVMHead + 1} {
		file := write(t, t.TempDir(), "graph.json", []byte("{"+strings.Repeat(" ", n-1-len(key))+key+": []}"), 0)
		if Recognizes(file, false) != (n == limits.CVMHead) {
			t.Errorf("a key that ends at %d", n)
		}
	}
}
