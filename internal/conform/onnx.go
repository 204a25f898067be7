package conform

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// disputed are cases of the standard that are not required, and why. docs/deviations.md says more.
var disputed = map[string]string{
	"test_dft_inverse": "what it expects in place of 0 is a rounding error of its own, greater than the tolerance",
}

// onnxCase is a folder with a model and sets of inputs and outputs.
type onnxCase struct{ dir string }

func loadONNX(dir string, _ []string) ([]Case, error) {
	c := &onnxCase{dir}
	return []Case{{Folder: filepath.Dir(dir), Name: filepath.Base(dir), run: c.run, skip: c.scope()}}, nil
}

// file reads the model.
func (c *onnxCase) file() (*onnx.File, error) {
	data, err := readFile(c.dir, "model.onnx")
	if err != nil {
		return nil, err
	}
	m, err := proto.Decode(data)
	if err != nil {
		return nil, err
	}
	return onnx.New(m)
}

// scope says why the case is not required; "" if it is.
func (c *onnxCase) scope() string {
	if why := disputed[filepath.Base(c.dir)]; why != "" {
		return "not required: " + why
	}
	f, err := c.file()
	if err == nil {
		err = f.Check()
	}
	if errors.Is(err, onnx.ErrScope) {
		return "not required: strings, pictures and training are out of scope"
	}
	return ""
}

func (c *onnxCase) run(ctx context.Context, e *evaluator) error {
	f, err := c.file()
	if err != nil {
		return err
	}
	n, err := f.Network()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	sets := 0
	for _, set := range entries {
		if !strings.HasPrefix(set.Name(), "test_data_set_") {
			continue
		}
		if err := c.set(ctx, e, f, n, filepath.Join(c.dir, set.Name())); err != nil {
			return fmt.Errorf("%s: %w", set.Name(), err)
		}
		sets++
	}
	if sets == 0 {
		return errors.New("there is no folder test_data_set_0 with inputs and outputs")
	}
	return nil
}

// set runs the model on one set of inputs.
func (c *onnxCase) set(ctx context.Context, e *evaluator, f *onnx.File, n *model.Model, dir string) error {
	inputs := make(model.Values)
	for i, in := range n.Inputs() {
		err := readValue(inputs, in.Name, dir, fmt.Sprintf("input_%d.pb", i), in.Sequence)
		if err != nil && (!in.Optional || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errAbsent)) {
			return err
		}
	}
	got, err := n.Eval(inputs, func(g *graph.Graph, in model.Values) (model.Values, error) { return e.eval(ctx, g, in) })
	if err != nil {
		return err
	}
	want := make(model.Values)
	for i, o := range f.Model.Graph.Output {
		if err := readValue(want, o.Name, dir, fmt.Sprintf("output_%d.pb", i), isSequence(o.Type)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for name, t := range want {
		if err := closeONNX(got[name], t, drawn(f.Model)); err != nil {
			return fmt.Errorf("output %s: %w", name, err)
		}
	}
	for name := range got {
		if want[name] == nil {
			return fmt.Errorf("output %s: there should be none", name)
		}
	}
	return nil
}

// errAbsent is that a file has an optional without a value.
var errAbsent = errors.New("there is no value")

func isSequence(t *proto.Type) bool {
	if t != nil && t.Optional != nil {
		t = t.Optional.ElemType
	}
	return t != nil && t.Sequence != nil
}

// readValue reads the tensor of a file, or the tensors of a sequence, which are named as those of a model are.
func readValue(into model.Values, name, dir, file string, sequence bool) error {
	data, err := readFile(dir, file)
	if err != nil {
		return err
	}
	if !sequence {
		p, err := proto.DecodeTensor(data)
		if err == nil {
			var t *tensor.Tensor
			if t, err = p.Value(nil); err == nil {
				into[name] = t
				return nil
			}
		}
		o, failed := proto.DecodeOptional(data)
		switch {
		case failed != nil:
			return err
		case o.TensorValue == nil && o.ElemType == proto.ElementUndefined:
			return errAbsent
		case o.TensorValue == nil:
			return err
		}
		into[name], err = o.TensorValue.Value(nil)
		return err
	}
	s, err := proto.DecodeSequence(data)
	if err != nil {
		return err
	}
	if o, failed := proto.DecodeOptional(data); len(s.TensorValues) == 0 && failed == nil && o.SequenceValue != nil {
		s = o.SequenceValue
	}
	for i, t := range s.TensorValues {
		if into[model.Element(name, i)], err = t.Value(nil); err != nil {
			return err
		}
	}
	return nil
}

// drawn reports whether a model draws random numbers, which are judged by type and shape only.
func drawn(m *proto.Model) bool {
	for _, n := range m.Graph.Node {
		switch n.OpType {
		case "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial":
			return true
		case "Dropout": // with the third operand, training mode
			if len(n.Input) > 2 && n.Input[2] != "" {
				return true
			}
		}
	}
	return false
}

// closeONNX compares as the runner of the standard does: floats with a relative tolerance of 1e-3 and an absolute one of 1e-7, narrower ones
// with 1e-2, all else exactly.
func closeONNX(got, want *tensor.Tensor, typeOnly bool) error {
	if typeOnly {
		return compareTypes(got, want)
	}
	relative := 1e-3
	if want.DType().Bits() < 32 {
		relative = 1e-2
	}
	return compareNear(got, want, relative, 1e-7)
}
