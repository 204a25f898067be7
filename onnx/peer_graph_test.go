package onnx_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testing/onnx/peer"
	"github.com/concord-nn/concord/internal/testing/onnx/random"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// graphs returns random graphs, as many as are asked for.
func graphs(n, short int) []*random.Model {
	if testing.Short() {
		n = short
	}
	if *peerModels > 0 {
		n = *peerModels
	}
	out := make([]*random.Model, n)
	for i := range out {
		out[i] = random.Graph(*peerSeed + uint64(i))
	}
	return out
}

func sameBits(got, want model.Values) error {
	for name, w := range want {
		if g := got[name]; g == nil || g.DType() != w.DType() || !g.Shape().Equal(w.Shape()) || string(tensor.AppendRaw(nil, g)) != string(tensor.AppendRaw(nil, w)) {
			return fmt.Errorf("%s is %v; the references say %v", name, g, w)
		}
	}
	return nil
}

// TestPeerGraphs compares random graphs with ONNX Runtime.
func TestPeerGraphs(t *testing.T) {
	runtime := peer.Find(t)
	all := graphs(300, 30)
	var cases []peer.Case
	for _, m := range all {
		cases = append(cases, caseOf(m))
	}
	c := &tallies{refused: make(map[string]int)}
	for i, theirs := range runtime.Run(t, cases, peer.AsWritten) {
		m := all[i]
		ours, err := runRandom(m)
		switch {
		case theirs.Error != "" && err != nil:
			c.both++
			c.refused[brief(theirs.Error)+" | "+brief(err.Error())]++
		case theirs.Error != "":
			c.theirs++
			c.refused[brief(theirs.Error)]++
		case err != nil:
			c.gaps++
			t.Errorf("%s\n\trefused: %v", describe(m), err)
		default:
			err := within(m, ours, theirs.Outputs)
			if err == nil {
				c.agree++
				continue
			}
			first, found := firstToDiffer(t, runtime, m)
			if found == nil && disputed(first, theirs) != "" {
				c.disputed++
				continue
			}
			c.differ++
			if found != nil {
				t.Errorf("seed %d: %v\n%s\n\t(%v)", m.Seed, err, describe(m), found)
			} else {
				t.Errorf("seed %d: %v\n%s", m.Seed, err, describe(first))
			}
			keep(t, m, ours, theirs)
		}
	}
	t.Logf("%d agree, %d differ, %d disputed, %d gaps, %d refused by ORT, %d by both %v", c.agree, c.differ, c.disputed, c.gaps, c.theirs, c.both, c.refused)
	if c.agree < len(all)*9/10 {
		t.Errorf("only %d of %d graphs agree", c.agree, len(all))
	}
}

// within compares the outputs of a graph with what they may differ by: see Errors of random.Model.
func within(m *random.Model, ours, theirs model.Values) error {
	for _, o := range m.Proto.Graph.Output {
		got, want := ours[o.Name], theirs[o.Name]
		if got == nil || want == nil || got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
			return fmt.Errorf("%s is %v; ORT has %v", o.Name, got, want)
		}
		x, y := tensor.Data[float64](must(tensor.Cast(got, tensor.Float64))), tensor.Data[float64](must(tensor.Cast(want, tensor.Float64)))
		for i := range x {
			if !(math.Abs(x[i]-y[i]) <= 2*m.Errors[o.Name]) {
				return fmt.Errorf("%s: element %d of %v is %v; ORT has %v, and they may differ by %v", o.Name, i, want, x[i], y[i], 2*m.Errors[o.Name])
			}
		}
	}
	return nil
}

// firstToDiffer returns a model of the first node of a graph whose result differs though all that it reads does not. It is an error if there
// is none, as when only the whole graph differs.
func firstToDiffer(t *testing.T, runtime *peer.Runtime, m *random.Model) (*random.Model, error) {
	t.Helper()
	bare := *m.Proto.Graph
	bare.Output = nil
	whole := *m.Proto
	whole.Graph = &bare
	for _, n := range bare.Node {
		for _, name := range n.Output {
			if _, ok := m.Errors[name]; ok {
				bare.Output = append(bare.Output, &proto.ValueInfo{Name: name})
			}
		}
	}
	theirs := runtime.Run(t, []peer.Case{{Model: &whole, Inputs: m.Inputs}}, peer.AsWritten)[0]
	ours, err := runWith(&whole, m.Inputs, engine.Options{Threads: 1})
	if err != nil || theirs.Error != "" {
		return nil, errors.Join(err, errors.New(theirs.Error))
	}
	for _, n := range bare.Node {
		for _, name := range n.Output {
			one := *m
			g := bare
			g.Output = slices.DeleteFunc(slices.Clone(bare.Output), func(o *proto.ValueInfo) bool { return o.Name != name })
			one.Proto = &proto.Model{Graph: &g}
			if err := within(&one, ours, theirs.Outputs); err != nil {
				first := &random.Model{Op: n.OpType, Seed: m.Seed, Opset: m.Opset, Node: n, Proto: &proto.Model{Graph: &proto.Graph{Node: []*proto.Node{n}}},
					Inputs: make(model.Values)}
				for _, x := range n.Input {
					first.Proto.Graph.Input = append(first.Proto.Graph.Input, &proto.ValueInfo{Name: x})
					if first.Inputs[x] = ours[x]; ours[x] == nil {
						first.Inputs[x] = m.Inputs[x]
					}
					for _, p := range bare.Initializer {
						if p.Name == x {
							first.Inputs[x] = must(p.Value(nil))
						}
					}
				}
				return first, nil
			}
		}
	}
	return nil, errors.New("no single node differs")
}
