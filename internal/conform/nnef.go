package conform

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// numericCase is an entry of the index of numeric cases: a document with inputs and outputs.
type numericCase struct {
	File, Data string
	RTol, ATol float64
}

type numericTensor struct {
	DType string
	Shape []int
	Data  json.RawMessage
}

// run evaluates the document on the inputs and compares the outputs.
func (c *numericCase) run(ctx context.Context, dir string, e *evaluator) error {
	text, err := readFile(dir, c.File)
	if err != nil {
		return err
	}
	g, err := nnef.Parse(c.File, text, nnef.Options{})
	if err != nil {
		return err
	}
	text, err = readFile(dir, c.Data)
	if err != nil {
		return err
	}
	var data struct{ Inputs, Outputs map[string]numericTensor }
	if err := json.Unmarshal(text, &data); err != nil {
		return fmt.Errorf("%s: %w", c.Data, err)
	}
	inputs, err := numericTensors(data.Inputs)
	if err != nil {
		return err
	}
	want, err := numericTensors(data.Outputs)
	if err != nil {
		return err
	}
	got, err := e.eval(ctx, g, inputs)
	if err != nil {
		return err
	}
	for _, o := range g.Outputs {
		if want[o.Name] == nil {
			return fmt.Errorf("output %s is not expected", o.Name)
		}
	}
	return sameOutputs(got, want, c.RTol, c.ATol)
}

// sameOutputs compares outputs by their names, in the order of the names.
func sameOutputs(got, want map[string]*tensor.Tensor, rtol, atol float64) error {
	for _, name := range naming.Sorted(want) {
		if err := compareNear(got[name], want[name], rtol, atol); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
	}
	return nil
}

func numericTensors(list map[string]numericTensor) (map[string]*tensor.Tensor, error) {
	out := make(map[string]*tensor.Tensor)
	for _, name := range naming.Sorted(list) {
		n := list[name]
		t, err := n.tensor()
		if err != nil {
			return nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		out[name] = t
	}
	return out, nil
}

func (n *numericTensor) tensor() (*tensor.Tensor, error) {
	switch n.DType {
	case "scalar":
		return decoded[float32](n)
	case "integer":
		return decoded[int64](n)
	case "logical":
		return decoded[bool](n)
	}
	return nil, fmt.Errorf("the type %q is not known", n.DType)
}

func decoded[T tensor.Element](n *numericTensor) (*tensor.Tensor, error) {
	var data []T
	if err := json.Unmarshal(n.Data, &data); err != nil {
		return nil, err
	}
	return tensor.FromSlice(data, n.Shape...)
}
