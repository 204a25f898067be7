package nnef_test

import (
	"context"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// TestTractEmpty runs a model whose cache is empty at first, as one that speaks begins.
func TestTractEmpty(t *testing.T) {
	const text = `version 1.0;

extension tract_symbol P;
extension tract_assert P >= 0;
extension tract_registry tract_core;

graph past( past, x ) -> ( y, z, n, s )
{
    past = tract_core_external(shape = [1, P, 3], datum_type = 'f32');
    x = tract_core_external(shape = [1, 2, 3], datum_type = 'f32');
    keys = concat([past, x], axis = 1);
    y = matmul(softmax(matmul(x, keys, transposeB = true), axes = [2]), keys);
    z = concat([relu(past) * 2.0, slice(keys, axes = [1], begin = [1], end = [0])], axis = 1);
    n = transpose(past, axes = [0, 2, 1]);
    s = sum_reduce(past, axes = [1]);
}
`
	for _, extent := range []int{0, 2} {
		shape := tensor.Shape{1, extent, 3}
		g, err := nnef.Parse("graph.nnef", []byte(text), nnef.Options{Shapes: map[string]tensor.Shape{"past": shape}})
		if err != nil {
			t.Fatal(err)
		}
		past, errPast := tensor.New(tensor.Float32, shape)
		x, errX := tensor.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 1, 2, 3)
		if errPast != nil || errX != nil {
			t.Fatal(errPast, errX)
		}
		inputs := map[string]*tensor.Tensor{"past": past, "x": x}
		want := evaluate(t, g, inputs)
		for _, optimise := range []bool{false, true} {
			p, err := engine.Compile(g, engine.Options{NoOptimize: !optimise})
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Run(context.Background(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			for name, w := range want {
				if !got[name].Shape().Equal(w.Shape()) || string(tensor.Raw(got[name])) != string(tensor.Raw(w)) {
					t.Errorf("P = %d, optimised %v: %s is %v; want %v", extent, optimise, name, got[name], w)
				}
			}
			p.Close()
		}
		if s := want["y"].Shape(); !s.Equal(tensor.Shape{1, 2, 3}) {
			t.Errorf("y has the shape %v", s)
		}
	}
}
