package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// fileCase is an entry of the index of tensor files, quantization files or models.
type fileCase struct {
	File, Path, Graph, Dialect string
	Expect                     struct {
		Verdict      string
		DType        string
		Shape        []int
		Data         []json.RawMessage
		Quantization *string
		Entries      map[string]json.RawMessage
		Class        string
		Line         int
		Steps        []struct{ Inputs, Outputs map[string]numericTensor }
	}
	LineChecked *bool `json:"line_checked"`
	RTol, ATol  float64
}

// hasFiles recognises a folder by the first case of its index.json: its key names a file with an extension.
func hasFiles(key, ext string) func(dir string, files []string) bool {
	return func(dir string, files []string) bool {
		if !hasIndex(key)(dir, files) {
			return false
		}
		index, err := readIndex(dir)
		var name string
		return err == nil && json.Unmarshal(index[0][key], &name) == nil && strings.HasSuffix(name, ext)
	}
}

// refused compares what a reader said with the verdict. It returns true if the case is decided.
func (c *fileCase) refused(err error) (bool, error) {
	switch {
	case c.Expect.Verdict == "reject" && err == nil:
		return true, errors.New("it is accepted; it must be rejected")
	case c.Expect.Verdict == "reject":
		return true, nil
	}
	return err != nil, err
}

// tensor runs a case on a tensor file.
func (c *fileCase) tensor(_ context.Context, dir string, _ *evaluator) error {
	data, err := readFile(dir, c.File)
	if err != nil {
		return err
	}
	f, err := tensorfile.Parse(data)
	var t *tensor.Tensor
	if err == nil {
		t, err = f.Tensor()
	}
	if done, err := c.refused(err); done {
		return err
	}
	switch want := &c.Expect; {
	case f.DType() != want.DType:
		return fmt.Errorf("the items are of type %s; want %s", f.DType(), want.DType)
	case !slices.Equal(t.Shape(), want.Shape):
		return fmt.Errorf("the shape is %v; want %v", t.Shape(), want.Shape)
	case want.Quantization != nil && f.Quantization != *want.Quantization:
		return fmt.Errorf("the quantization is %q; want %q", f.Quantization, *want.Quantization)
	case c.Dialect == "provisional" && !f.Provisional:
		return errors.New("the header is taken for one of the final standard")
	}
	items, err := itemTexts(t)
	if err != nil {
		return err
	}
	if len(items) != len(c.Expect.Data) {
		return fmt.Errorf("there are %d items; want %d", len(items), len(c.Expect.Data))
	}
	for i, want := range c.Expect.Data {
		if !sameNumber(items[i], strings.Trim(string(want), `"`)) {
			return fmt.Errorf("item %d is %s; want %s", i, items[i], want)
		}
	}
	return nil
}

// itemTexts returns the items of a tensor file as exact texts.
func itemTexts(t *tensor.Tensor) ([]string, error) {
	var list []string
	switch {
	case t.DType().IsInteger():
		integers, err := integersOf(t)
		for _, x := range integers {
			list = append(list, x.String())
		}
		return list, err
	case t.DType() == tensor.Bool:
		for _, x := range tensor.Data[bool](t) {
			list = append(list, strconv.FormatBool(x))
		}
	default:
		wide, err := tensor.Cast(t, tensor.Float64)
		if err != nil {
			return nil, err
		}
		for _, x := range tensor.Data[float64](wide) {
			list = append(list, strconv.FormatFloat(x, 'g', -1, 64))
		}
	}
	return list, nil
}

// sameNumber compares the texts of two logicals, integers or floats.
func sameNumber(a, b string) bool {
	x, okX := new(big.Int).SetString(a, 10)
	y, okY := new(big.Int).SetString(b, 10)
	if okX && okY {
		return x.Cmp(y) == 0
	}
	f, errF := strconv.ParseFloat(a, 64)
	g, errG := strconv.ParseFloat(b, 64)
	if errF != nil || errG != nil {
		return a == b
	}
	return f == g || f != f && g != g
}

// quantization runs a case on a quantization file.
func (c *fileCase) quantization(_ context.Context, dir string, _ *evaluator) error {
	path, err := within(dir, c.Graph)
	if err != nil {
		return err
	}
	m, err := nnef.Open(path, nnef.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = m.Close() }() // it was only read
	g, err := m.Flatten(flat.User)
	if err != nil {
		return err
	}
	text, err := readFile(dir, c.File)
	if err != nil {
		return err
	}
	q, err := syntax.ParseQuant(c.File, text, g.Dialect, syntax.Options{Strict: true})
	if err == nil {
		err = quant.Check(q, g).Err()
	}
	if done, wrong := c.refused(err); done {
		if wrong == nil {
			wrong = c.sameMistake(err)
		}
		return wrong
	}
	entries, _ := quant.Read(q, g.Dialect)
	if len(entries) != len(c.Expect.Entries) {
		return fmt.Errorf("there are %d entries; want %d", len(entries), len(c.Expect.Entries))
	}
	for i := range entries {
		e := &entries[i]
		got, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if err := sameJSON(got, c.Expect.Entries[e.Tensor]); err != nil {
			return fmt.Errorf("the entry for %s: %w", e.Tensor, err)
		}
	}
	return nil
}

// sameMistake compares the class and the line of the first mistake with those that are expected.
func (c *fileCase) sameMistake(err error) error {
	var found syntax.Diagnostics
	if !errors.As(err, &found) {
		return fmt.Errorf("the error has no place: %w", err)
	}
	first := &found[0]
	line := first.Position().Line
	wrongLine := line != c.Expect.Line && c.Expect.Line > 0 && (c.LineChecked == nil || *c.LineChecked)
	if c.Expect.Class != "" && first.Class().String() != c.Expect.Class || wrongLine {
		return fmt.Errorf("want a mistake of class %s in line %d; got: %w", c.Expect.Class, c.Expect.Line, first)
	}
	return nil
}

// sameJSON compares two values; numbers within a relative tolerance of 1e-6.
func sameJSON(got, want json.RawMessage) error {
	var g, w any
	if err := errors.Join(json.Unmarshal(got, &g), json.Unmarshal(want, &w)); err != nil {
		return err
	}
	if !equalJSON(g, w) {
		return fmt.Errorf("got %s; want %s", got, want)
	}
	return nil
}

func equalJSON(g, w any) bool {
	switch g := g.(type) {
	case float64:
		w, ok := w.(float64)
		return ok && math.Abs(g-w) <= 1e-6*math.Abs(w)
	case []any:
		w, ok := w.([]any)
		return ok && slices.EqualFunc(g, w, equalJSON)
	case map[string]any:
		w, ok := w.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for key, x := range g {
			if y, ok := w[key]; !ok || !equalJSON(x, y) {
				return false
			}
		}
		return true
	}
	return g == w
}

// model runs a case on a model: several runs of one session.
func (c *fileCase) model(ctx context.Context, dir string, e *evaluator) error {
	path, err := within(dir, c.Path)
	if err != nil {
		return err
	}
	m, err := nnef.Load(path, nnef.Options{})
	if err == nil {
		defer func() { _ = m.Close() }() // it was only read
	}
	if done, err := c.refused(err); done {
		return err
	}
	s, err := e.open(m.Graph)
	if err != nil {
		return err
	}
	defer s.close()
	for i, step := range c.Expect.Steps {
		inputs, err := numericTensors(step.Inputs)
		if err != nil {
			return err
		}
		want, err := numericTensors(step.Outputs)
		if err != nil {
			return err
		}
		got, err := s.run(ctx, inputs)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := sameOutputs(got, want, c.RTol, c.ATol); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}
