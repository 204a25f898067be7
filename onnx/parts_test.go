package onnx_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/tensor"
)

// TestPartsMemory runs a model in parts with ever new shapes and elements, and then again and again with the same: what it keeps does not grow.
func TestPartsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles hundreds of parts")
	}
	f, err := onnx.New(modelOf(17, graphOf("x: float[rows,4] -> y", node("NonZero", "x -> at"), node("Cast", "at -> number", "to", 1),
		node("ReduceSum", "number -> sum", "keepdims", 0), node("Add", "x, sum -> y"))))
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Network()
	if err != nil {
		t.Fatal(err)
	}
	programs := model.NewPrograms(n, engine.Options{Threads: 2}, 0)
	defer programs.Close()
	input := func(rows, ones int) *tensor.Tensor {
		x := make([]float32, rows*4)
		for i := range ones {
			x[i] = 1
		}
		return must(tensor.FromSlice(x, rows, 4))
	}
	run := func(x *tensor.Tensor) {
		if _, err := programs.Run(context.Background(), model.Values{"x": x}); err != nil {
			t.Fatal(err)
		}
	}
	round := func() {
		for rows := 20; rows < 32; rows++ {
			for ones := range 12 {
				run(input(rows, ones))
			}
		}
		s, err := programs.Session(model.Shapes{"rows": {16}})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 100 {
			if err := s.SetInput(0, input(16, i%40)); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := func() uint64 {
		for range 3 {
			runtime.GC()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round()
	before, workers := kept(), runtime.NumGoroutine()
	for range 3 {
		round()
	}
	if after := kept(); after > before+before/2+1<<20 {
		t.Errorf("after the first round %d bytes are in use, after four %d", before, after)
	}
	if now := runtime.NumGoroutine(); now > 2*workers+50 {
		t.Errorf("after the first round there are %d goroutines, after four %d", workers, now)
	}
}
