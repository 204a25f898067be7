package evaluate

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// module is a graph as a WebAssembly module in a runtime.
type module struct {
	*wasm.Module
	runtime  wazero.Runtime
	instance api.Module
	at       map[*graph.Value]int // the positions of outputs
}

func newModule(g *graph.Graph, opts Options) (Evaluation, error) {
	if opts.Nodes {
		p := op.NewInterpreter(g)
		p.Node = moduleNode(opts.Options)
		return stepwise{p}, nil
	}
	made, err := wasm.Compile(g, wasm.Options{Limits: opts.Limits})
	if err != nil {
		return nil, err
	}
	m := &module{Module: made, at: make(map[*graph.Value]int)}
	for i, o := range g.Outputs {
		m.at[o.Value] = i
	}
	ctx := context.Background()
	m.runtime = wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCloseOnContextDone(true))
	if m.instance, err = m.runtime.InstantiateWithConfig(ctx, made.Code, wazero.NewModuleConfig()); err != nil {
		m.Close()
		return nil, fmt.Errorf("the module is refused: %w", err)
	}
	var weights bytes.Buffer
	if err := errors.Join(made.WriteWeights(&weights), m.write(made.WeightsAt, weights.Bytes())); err != nil {
		m.Close()
		return nil, err
	}
	if reset := m.instance.ExportedFunction("reset"); reset != nil {
		if _, err := reset.Call(ctx); err != nil {
			m.Close()
			return nil, err
		}
	}
	return m, nil
}

// moduleNode computes a node as a module of its own.
func moduleNode(opts engine.Options) func(context.Context, *graph.Node, []*tensor.Tensor) ([]*tensor.Tensor, error) {
	return func(ctx context.Context, n *graph.Node, in []*tensor.Tensor) ([]*tensor.Tensor, error) {
		g, inputs, err := alone(n, in)
		if err != nil {
			return nil, err
		}
		e, err := newModule(g, Options{Options: opts})
		if err != nil {
			return nil, err
		}
		defer e.Close()
		if err := e.Begin(ctx, inputs); err != nil {
			return nil, err
		}
		out := make([]*tensor.Tensor, len(g.Outputs))
		for i, o := range g.Outputs {
			out[i] = e.Value(o.Value)
		}
		return out, nil
	}
}

func (m *module) write(at int, b []byte) error {
	if !m.instance.Memory().Write(uint32(at), b) {
		return fmt.Errorf("%d bytes do not lie in the memory of the module", len(b))
	}
	return nil
}

func (m *module) Begin(ctx context.Context, inputs []*tensor.Tensor) error {
	for i, t := range inputs {
		if err := m.write(m.Inputs[i].At, tensor.Raw(t)); err != nil {
			return err
		}
	}
	_, err := m.instance.ExportedFunction("run").Call(ctx)
	return err
}

func (m *module) Node(context.Context, *graph.Node) ([]*tensor.Tensor, error) { return nil, nil }

func (m *module) Value(v *graph.Value) *tensor.Tensor {
	p := m.Outputs[m.at[v]]
	b, ok := m.instance.Memory().Read(uint32(p.At), uint32(p.Type.Bytes()))
	if !ok {
		return nil
	}
	t, err := tensor.FromRaw(p.Type.DType, p.Type.Shape, bytes.Clone(b))
	if err != nil {
		return nil
	}
	return t
}

func (m *module) End() {}

func (m *module) Close() { _ = m.runtime.Close(context.Background()) }
