package model

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/tensor"
)

// Values are tensors by their names.
type Values = map[string]*tensor.Tensor

// Part is a network for given shapes or, where elements that only a run knows decide about extents or about what there is to compute, its
// beginning: a graph, and how to go on when those elements are known.
//
// A run has values by name: at first the inputs of the model, and after each part what its graph has yielded. The inputs of a
// part's graph are among them.
type Part struct {
	// Graph computes what can be computed. It is nil where nothing can, or need be, before the elements of Asked are known.
	Graph *graph.Graph
	// Asked names the values whose elements decide about the rest, which are few; nothing in the last part.
	Asked []string
	// Keep names the values that later parts read, or that are outputs of the model; a run may forget the others. It is nil if all may be.
	Keep []string
	// Why says which node asks for them, for those who need a single graph; empty in the last part.
	Why string
	// Rest makes the next part. It may be called several times, also by several goroutines at once, with other elements each time. It is
	// nil in the last part.
	Rest func(asked Values) (*Part, error)
	// Size is about how many bytes Rest holds, besides the graph.
	Size int64
}

// PartsError says that a model has no single graph for the given shapes, because elements that only a run knows decide about it.
type PartsError struct {
	Asked []string // the values in question
	Why   string   // which node asks
}

// Error says what decides, and what to do.
func (e *PartsError) Error() string {
	e = cmp.Or(e, new(PartsError))
	return fmt.Sprintf("%s: what only a run knows decides about shapes or nodes behind it, so that there is no single graph; the model can be run", e.Why)
}

// RestError says that a model in parts cannot go on with the elements that a run has yielded, which follow from its inputs.
type RestError struct{ Err error }

// Error says what is wrong with the next part.
func (e *RestError) Error() string { return fmt.Sprint(cmp.Or(e, new(RestError)).Err) }

// Unwrap returns what went wrong.
func (e *RestError) Unwrap() error { return cmp.Or(e, new(RestError)).Err }

// seeds are those of two hashes of 64 bits, which nobody who makes models knows.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// key returns a text that is the same if the part, whose own key is given, goes on with equal elements of the values that it asks for, and not
// otherwise.
func (p *Part) key(own string, values Values) (string, error) {
	var hashes [len(seeds)]maphash.Hash
	for i := range hashes {
		hashes[i].SetSeed(seeds[i])
	}
	write := func(b []byte) {
		for i := range hashes {
			hashes[i].Write(b)
		}
	}
	write(strconv.AppendQuote(nil, own))
	for _, name := range p.Asked {
		t := values[name]
		if t == nil {
			return "", fmt.Errorf("the value %q, which decides how to go on, was not computed", name)
		}
		write(fmt.Appendf(nil, "%v:", t.Shape()))
		write(t.Bytes())
	}
	return fmt.Sprintf("%016x%016x", hashes[0].Sum64(), hashes[1].Sum64()), nil
}

// forget removes the values that nothing behind the part reads, but for the inputs, and returns how many bytes the others take.
func (p *Part) forget(values, inputs Values) int64 {
	if p.Keep != nil {
		keep := make(map[string]bool, len(p.Keep)+len(p.Asked))
		for _, name := range slices.Concat(p.Keep, p.Asked) {
			keep[name] = true
		}
		maps.DeleteFunc(values, func(name string, _ *tensor.Tensor) bool { return !keep[name] && inputs[name] == nil })
	}
	bytes := int64(0)
	for name, t := range values {
		if inputs[name] == nil {
			bytes = limits.Add(bytes, int64(t.DType().Bytes(t.Len())))
		}
	}
	return bytes
}

// asked picks the values that the part asks for.
func (p *Part) asked(values Values) Values {
	out := make(Values, len(p.Asked))
	for _, name := range p.Asked {
		out[name] = values[name]
	}
	return out
}

func shapesOf(inputs Values) Shapes {
	shapes := make(Shapes, len(inputs))
	for name, t := range inputs {
		if t != nil {
			shapes[name] = t.Shape()
		}
	}
	return shapes
}

// Eval runs the model once, part by part: eval evaluates a graph on its inputs. [Programs] keeps what was compiled for other runs.
func (m *Model) Eval(inputs Values, eval func(g *graph.Graph, inputs Values) (Values, error)) (Values, error) {
	p, err := m.Part(shapesOf(inputs))
	if err != nil {
		return nil, err
	}
	values := maps.Clone(inputs)
	for range limits.ModelParts {
		if p.Graph != nil {
			if eval == nil {
				return nil, errors.New("there is no function that evaluates graphs: it is nil")
			}
			in := make(Values, len(p.Graph.Inputs))
			for _, v := range p.Graph.Inputs {
				in[v.Name] = values[v.Name]
			}
			out, err := eval(p.Graph, in)
			if err != nil {
				return nil, err
			}
			maps.Copy(values, out)
		}
		if p.Rest == nil {
			return m.results(p, values), nil
		}
		p.forget(values, inputs)
		if _, err := p.key("", values); err != nil {
			return nil, err
		}
		if p, err = p.Rest(p.asked(values)); err != nil {
			return nil, err
		}
	}
	return nil, &engine.LimitError{What: "parts", Need: limits.ModelParts + 1, Allowed: limits.ModelParts}
}

// results picks the outputs of the model from the values of a run that ended with part p. Those that are sequences are there element by
// element.
func (m *Model) results(p *Part, values Values) Values {
	out := make(Values)
	if m.outputs == nil {
		for _, o := range p.Graph.Outputs {
			out[o.Name] = values[o.Name]
		}
	}
	for _, name := range m.outputs {
		if t := values[name]; t != nil {
			out[name] = t
		}
		for i := 0; values[Element(name, i)] != nil; i++ {
			out[Element(name, i)] = values[Element(name, i)]
		}
	}
	return out
}
