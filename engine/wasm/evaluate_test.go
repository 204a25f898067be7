package wasm_test

import (
	"bytes"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// TestEvaluation evaluates generated cases of operators as a program without references does, and compares the bits.
func TestEvaluation(t *testing.T) {
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(ctx)
	evaluate := func(d *op.Def, c *op.Call, pieces int) error {
		m, err := wasm.Evaluation(d, c, pieces)
		if err != nil {
			return err
		}
		made, err := r.InstantiateWithConfig(ctx, m.Code, wazero.NewModuleConfig().WithName(""))
		if err != nil {
			return err
		}
		defer made.Close(ctx)
		return evaluated(t, made, m, c)
	}
	all := op.All()
	for i := range testdata.Cases(60, 10*len(all)) {
		d, seed := all[7*i%len(all)], uint64(i/len(all))
		c := d.Draw(op.NewRand(seed, 3))
		want, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
		if err != nil {
			t.Fatal(err)
		}
		op.Evaluate = evaluate
		got, err := op.Eval(d, c.In, c.Attrs, c.Blocks...)
		op.Evaluate = nil
		if err != nil {
			t.Fatalf("%s, seed %d: %v", d.Name, seed, err)
		}
		for i := range want {
			if !bytes.Equal(got[i].Bytes(), want[i].Bytes()) {
				t.Errorf("%s, seed %d: result %d is %v; want %v", d.Name, seed, i, got[i], want[i])
			}
		}
	}
}

// evaluated runs a module and takes the results of the call from its memory.
func evaluated(t *testing.T, made api.Module, m *wasm.Module, c *op.Call) error {
	made.Memory().Write(uint32(m.WeightsAt), testdata.Written(t, m.WriteWeights))
	if _, err := made.ExportedFunction("run").Call(t.Context()); err != nil {
		return err
	}
	for i, p := range m.Outputs {
		b, _ := made.Memory().Read(uint32(p.At), uint32(len(c.Out[i].Bytes())))
		copy(c.Out[i].Bytes(), tensor.Native(c.Out[i].DType(), b))
	}
	return nil
}
