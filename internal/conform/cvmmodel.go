package conform

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// cvmModel is what is expected of a whole CVM model.
type cvmModel struct {
	Class string
	Graph *cvmLoad `json:"gas_from_graph"`
	Load  cvmLoad
	Runs  []cvmRun
}

// cvmLoad is what is expected of loading a model, or of counting its gas: an error or the numbers of an admission.
type cvmLoad struct {
	Error          fault.Class `json:"error_code"`
	Gas            int64
	Storage        int64 `json:"storage_size"`
	InputLength    int64 `json:"input_length"`
	OutputLength   int64 `json:"output_length"`
	InputTypeSize  int   `json:"input_type_size"`
	OutputTypeSize int   `json:"output_type_size"`
	Postprocess    string
}

type cvmRun struct {
	Input  string
	Error  fault.Class `json:"error_code"`
	Output string      `json:"output_hex"`
}

// loadCVMModel lists a folder, which is one case.
func loadCVMModel(dir string, _ []string) ([]Case, error) {
	text, err := readFile(dir, "expect.json")
	if err != nil {
		return nil, err
	}
	var c cvmModel
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("expect.json: %w", err)
	}
	return []Case{{Folder: filepath.Dir(dir), Name: filepath.Base(dir), run: func(ctx context.Context, e *evaluator) error {
		return c.run(ctx, dir, e)
	}}}, nil
}

// run judges a model by the deployed rules, and one with a quirk by the strict rules, too. A wrong class is only reported if nothing
// else is wrong.
func (c *cvmModel) run(ctx context.Context, dir string, e *evaluator) error {
	var files cvm.Files
	var err error
	if files.Symbol, err = readFile(dir, "graph.json"); err != nil {
		return err
	}
	if files.Params, err = readFile(dir, "params.bin"); err != nil {
		return err
	}
	var class error
	for _, step := range []func() error{
		func() error { return c.gas(files.Symbol) },
		func() error { return c.strict(files) },
		func() error { return c.load(files) },
		func() error { return c.runs(ctx, dir, files, e) },
	} {
		err := step()
		if !errors.As(err, new(wrongClass)) && err != nil {
			return err
		}
		if class == nil {
			class = err
		}
	}
	return class
}

// gas compares what the graph alone costs.
func (c *cvmModel) gas(text []byte) error {
	if c.Graph == nil {
		return nil
	}
	got, err := cvm.Gas(text)
	if done, err := judged("gas from the graph alone", err, c.Graph.Error); done {
		return err
	}
	if got != c.Graph.Gas {
		return fmt.Errorf("gas from the graph alone: %d; want %d", got, c.Graph.Gas)
	}
	return nil
}

// strict checks that a model with a quirk, which is an overlap in its storage plan, is refused by the strict rules.
func (c *cvmModel) strict(files cvm.Files) error {
	if c.Class != "quirk" {
		return nil
	}
	_, err := cvm.Admit(files, cvm.Options{})
	if _, err := judged("strict", err, fault.Logic); err != nil {
		return err
	}
	if got := stageOf(err); got != fault.Storage {
		return fmt.Errorf("strict: it is refused in stage %s; want %s: %w", got, fault.Storage, err)
	}
	return nil
}

// load compares what is known before a run.
func (c *cvmModel) load(files cvm.Files) error {
	a, err := cvm.Admit(files, cvm.Options{Compat: true})
	if done, err := judged("load", err, c.Load.Error); done {
		return err
	}
	got := cvmLoad{fault.OK, a.Gas, a.Storage, a.InputLength, a.OutputLength, a.InputTypeSize, a.OutputTypeSize, a.Postprocess}
	if got != c.Load {
		return fmt.Errorf("load: got %+v; want %+v", got, c.Load)
	}
	return nil
}

// runs infers on the inputs, one after another, on bytes and by the engine.
func (c *cvmModel) runs(ctx context.Context, dir string, files cvm.Files, e *evaluator) error {
	if len(c.Runs) == 0 {
		return nil
	}
	m, err := cvm.Load(files, cvm.Options{Compat: true})
	if err != nil {
		return err
	}
	defer m.Close()
	s, err := e.open(m.Graph())
	if err != nil {
		return err
	}
	defer s.close()
	for _, r := range c.Runs {
		if err := r.run(ctx, dir, m, s); err != nil {
			return fmt.Errorf("%s: %w", r.Input, err)
		}
	}
	return nil
}

func (r *cvmRun) run(ctx context.Context, dir string, m *cvm.Model, s *session) error {
	input, err := readFile(dir, r.Input)
	if err != nil {
		return err
	}
	want, err := hex.DecodeString(r.Output)
	if err != nil {
		return err
	}
	got, err := m.Run(ctx, input)
	if done, err := judged("run", err, r.Error); done {
		return err
	}
	if err := sameBytes(got, want); err != nil {
		return err
	}
	typ := m.Graph().Inputs[0].Type
	shape := typ.Shape
	data, err := tensor.FromRaw(typ.DType, shape, input)
	if err != nil {
		return err
	}
	out, err := s.run(ctx, map[string]*tensor.Tensor{cvm.DataName: data})
	if err != nil {
		return err
	}
	var heads []*tensor.Tensor
	for _, o := range m.Graph().Outputs {
		heads = append(heads, out[o.Name])
	}
	if got, err = m.Encode(heads); err != nil {
		return err
	}
	if err := sameBytes(got, want); err != nil {
		return fmt.Errorf("by the engine: %w", err)
	}
	return nil
}

// judged compares the class of an error with the one that is expected. It reports whether nothing is left to compare, and what is
// wrong.
func judged(what string, err error, want fault.Class) (bool, error) {
	switch got := fault.ClassOf(err); {
	case got == want:
		return want != fault.OK, nil
	case want == fault.OK:
		return true, fmt.Errorf("%s: %w", what, err)
	case got == fault.OK:
		return true, fmt.Errorf("%s: there is no error; want a %v error", what, want)
	default:
		return true, wrongClass{fmt.Errorf("class: %s: %v; want %v: %w", what, got, want, err)}
	}
}

// stageOf returns the stage at which a model was refused.
func stageOf(err error) fault.Stage {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Stage
	}
	return ""
}
