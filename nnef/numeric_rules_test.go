package nnef_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// numericTensor is a tensor of testdata/numeric; its README says what the files hold.
type numericTensor struct {
	DType string
	Shape []int
	Data  json.RawMessage
}

type numericTensors map[string]numericTensor

// numericCases reads a file of testdata/numeric.
func numericCases[T any](t *testing.T, file string) (cases []T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "numeric", file))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return cases
}

// TestOperationValues holds the execution of each operation to values computed from its definition, by the engine and
// by the reference of the operators.
func TestOperationValues(t *testing.T) {
	files, err := filepath.Glob("testdata/numeric/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, file := range files {
		file = filepath.Base(file)
		if file == "states.json" || file == "errors.json" {
			continue
		}
		t.Run(strings.TrimSuffix(file, ".json"), func(t *testing.T) {
			for _, c := range numericCases[struct {
				ID, Document    string
				Inputs, Outputs numericTensors
			}](t, file) {
				g, err := nnef.Parse(c.ID, []byte(c.Document), nnef.Options{})
				if err != nil {
					t.Errorf("%v", err)
					continue
				}
				inputs := c.Inputs.tensors(t)
				p, err := engine.Compile(g, engine.Options{})
				if err != nil {
					t.Errorf("%s: %v", c.ID, err)
					continue
				}
				got, err := p.Run(context.Background(), inputs)
				if err != nil {
					t.Errorf("%s: %v", c.ID, err)
				}
				c.Outputs.compare(t, c.ID+" (engine)", got)
				p.Close()
				c.Outputs.compare(t, c.ID+" (reference)", evaluate(t, g, inputs))
			}
		})
	}
}

// TestVariableStates holds variables to keep what update gives them from one run to the next, and not sooner.
func TestVariableStates(t *testing.T) {
	for _, c := range numericCases[struct {
		ID, Document string
		Variables    numericTensors
		Steps        []struct{ Inputs, Outputs numericTensors }
	}](t, "states.json") {
		t.Run(c.ID, func(t *testing.T) {
			variables := c.Variables.tensors(t)
			g, err := nnef.Parse(c.ID, []byte(c.Document), nnef.Options{Variables: func(label string) (*tensor.Tensor, error) {
				if v := variables[label]; v != nil {
					return v, nil
				}
				return nil, fmt.Errorf("there is no variable %s", label)
			}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := engine.Compile(g, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			s, err := p.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			for round := range 2 {
				for n, step := range c.Steps {
					runStep(t, fmt.Sprintf("round %d, step %d", round, n), g, s, step.Inputs, step.Outputs)
				}
				s.Reset()
			}
		})
	}
}

func runStep(t *testing.T, place string, g *graph.Graph, s *engine.Session, inputs, want numericTensors) {
	t.Helper()
	tensors := inputs.tensors(t)
	for i, v := range g.Inputs {
		if err := s.SetInput(i, tensors[v.Name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]*tensor.Tensor)
	for i, o := range g.Outputs {
		got[o.Name] = s.Output(i)
	}
	want.compare(t, place, got)
}

// TestOperationErrors holds each rule on attributes and shapes to the class of the error that its violation gives.
func TestOperationErrors(t *testing.T) {
	for _, c := range numericCases[struct {
		Class, Graph string
		Body         []string
		Line         int
	}](t, "errors.json") {
		text := "version 1.0;\n\ngraph " + c.Graph + "\n{\n    " + strings.Join(c.Body, "\n    ") + "\n}\n"
		_, err := nnef.Parse("net", []byte(text), nnef.Options{Variables: func(string) (*tensor.Tensor, error) {
			return tensor.FromSlice(make([]float32, 3), 3)
		}})
		var list syntax.Diagnostics
		switch {
		case err == nil:
			t.Errorf("accepted, but there is an error of class %s:\n%s", c.Class, text)
		case !errors.As(err, &list):
			t.Errorf("no diagnostic: %v\n%s", err, text)
		case !slices.Contains(strings.Split(c.Class, "|"), list[0].Class().String()) || list[0].Position().Line != c.Line:
			t.Errorf("%v; want the class %s in line %d:\n%s", &list[0], c.Class, c.Line, text)
		}
	}
}

func (l numericTensors) tensors(t *testing.T) map[string]*tensor.Tensor {
	t.Helper()
	out := make(map[string]*tensor.Tensor)
	for name, n := range l {
		out[name] = n.tensor(t)
	}
	return out
}

func (n *numericTensor) tensor(t *testing.T) *tensor.Tensor {
	t.Helper()
	switch n.DType {
	case "scalar":
		return decoded[float32](t, n)
	case "integer":
		return decoded[int64](t, n)
	}
	return decoded[bool](t, n)
}

func decoded[T tensor.Element](t *testing.T, n *numericTensor) *tensor.Tensor {
	t.Helper()
	var data []T
	if err := json.Unmarshal(n.Data, &data); err != nil {
		t.Fatal(err)
	}
	x, err := tensor.FromSlice(data, n.Shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// compare reports the first element of each output that is not as expected.
func (l numericTensors) compare(t *testing.T, place string, got map[string]*tensor.Tensor) {
	t.Helper()
	for name, n := range l {
		want, have := n.tensor(t), got[name]
		switch {
		case have == nil || have.DType() != want.DType() || !have.Shape().Equal(want.Shape()):
			t.Errorf("%s: %s is %v; want %v%v", place, name, have, want.DType(), want.Shape())
			continue
		case want.DType() != tensor.Float32:
			if !slices.Equal(have.Contiguous().Bytes(), want.Bytes()) {
				t.Errorf("%s: %s is %v; want %v", place, name, have, want)
			}
			continue
		}
		for i, x := range tensor.Data[float32](have.Contiguous()) {
			w := float64(tensor.Data[float32](want)[i])
			if d := math.Abs(float64(x) - w); !(d <= 1e-5+2e-5*math.Abs(w)) {
				t.Errorf("%s: element %d of %s is %v; want %v", place, i, name, x, w)
				break
			}
		}
	}
}
