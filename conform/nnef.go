package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// numericCase is an entry of the index of numeric cases: a document with inputs and outputs.
type numericCase struct {
	ID, File, Data string
	RTol, ATol     float64
	Contested      any
}

type numericTensor struct {
	DType string
	Shape []int
	Data  json.RawMessage
}

func loadNumeric(dir string, _ []string) ([]Case, error) {
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		return nil, err
	}
	var index []numericCase
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	cases := make([]Case, len(index))
	for i, c := range index {
		cases[i] = Case{Folder: dir, Name: c.ID, run: func(ctx context.Context, e *Engine) error { return c.run(ctx, dir, e) }}
		if c.Contested != nil {
			cases[i].skip = fmt.Sprintf("not required: contested: %v", c.Contested)
		}
	}
	return cases, nil
}

func (c *numericCase) run(ctx context.Context, dir string, e *Engine) error {
	text, err := os.ReadFile(filepath.Join(dir, c.File))
	if err != nil {
		return err
	}
	g, err := nnef.Parse(c.File, text, nnef.Options{})
	if err != nil {
		return err
	}
	text, err = os.ReadFile(filepath.Join(dir, c.Data))
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
	for name, t := range want {
		if err := compareNear(got[name], t, c.RTol, c.ATol); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
	}
	return nil
}

func numericTensors(list map[string]numericTensor) (map[string]*tensor.Tensor, error) {
	out := make(map[string]*tensor.Tensor)
	for name, n := range list {
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
