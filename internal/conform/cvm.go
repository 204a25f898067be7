package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// cvmCase is the application of one CVM operator.
type cvmCase struct {
	ID, Op string
	Attrs  json.RawMessage // an object of strings; anything else stands for itself, and a string for its text
	Inputs []cvmTensor
	Expect cvmExpect
}

type cvmTensor struct {
	Shape     []int
	Precision int
	Data      []int32
}

type cvmExpect struct {
	Status  string // "ok" or "reject"
	Outputs []cvmTensor
	Gas     int64  `json:"graph_gas"`
	Storage *int64 `json:"graph_storage"`
	Load    bool   `json:"load_only"` // the graph is admitted and not run
	Stage   string
	Class   string `json:"error_class"`
}

// hasCVM recognises a folder of operator cases by the first case of its first file.
func hasCVM(dir string, files []string) bool {
	i := slices.IndexFunc(files, isJSON)
	if i < 0 {
		return false
	}
	f, err := openFile(dir, files[i])
	if err != nil {
		return false
	}
	defer f.Close()
	d := json.NewDecoder(f)
	if open, err := d.Token(); err != nil || open != json.Delim('[') {
		return false
	}
	var first map[string]json.RawMessage
	return d.Decode(&first) == nil && first["op"] != nil && first["inputs"] != nil && first["expect"] != nil
}

func isJSON(name string) bool { return filepath.Ext(name) == ".json" }

func loadCVM(dir string, files []string) ([]Case, error) {
	var cases []Case
	for _, name := range files {
		if !isJSON(name) {
			continue
		}
		text, err := readFile(dir, name)
		if err != nil {
			return nil, err
		}
		var list []cvmCase
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range list {
			c := Case{Folder: dir, Name: list[i].ID, run: list[i].run}
			if narrow && slices.ContainsFunc(list[i].Inputs, func(in cvmTensor) bool { return tensor.Shape(in.Shape).Check() != nil }) {
				c.skip = noRoom
			}
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// run admits the graph of the operator by the deployed rules, and evaluates it.
func (c *cvmCase) run(ctx context.Context, e *evaluator) error {
	files, err := c.files()
	if err != nil {
		return err
	}
	opts := cvm.Options{Compat: true, Lazy: true}
	if c.Expect.Status == "reject" {
		_, err := cvm.Admit(files, opts)
		return c.refused(err)
	}
	if c.Expect.Load {
		files.Params = nil // there are no elements
	}
	a, err := cvm.Admit(files, opts)
	if err != nil {
		return err
	}
	if err := c.admitted(a, files.Symbol); err != nil || c.Expect.Load {
		return err
	}
	m, err := cvm.Load(files, opts)
	if err != nil {
		return err
	}
	defer m.Close()
	g := m.Graph()
	data, err := c.Inputs[0].tensor(g.Inputs[0].Type.DType)
	if err != nil {
		return err
	}
	got, err := e.eval(ctx, g, map[string]*tensor.Tensor{cvm.DataName: data})
	if err != nil {
		return err
	}
	for i, want := range c.Expect.Outputs {
		if err := want.same(got[g.Outputs[i].Name]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// files makes the graph of one operator: a variable for each input, of which the first is data and the others are parameters, and the
// operator, each tensor on a storage of its own.
func (c *cvmCase) files() (cvm.Files, error) {
	s := &symbol.Symbol{Version: symbol.V110}
	attrs := c.attributes()
	apply := symbol.Node{Op: symbol.Operator, Name: "node", Attrs: &symbol.NodeAttrs{FuncName: c.Op}}
	var list []params.Param
	for i, in := range c.Inputs {
		name := cvm.DataName
		if i > 0 {
			name = fmt.Sprintf("in%d", i)
		}
		s.Nodes = append(s.Nodes, symbol.Node{Op: symbol.Variable, Name: name})
		s.OpAttrs = append(s.OpAttrs, "{}")
		s.Shape = append(s.Shape, in.Shape)
		s.Precision = append(s.Precision, in.Precision)
		apply.Inputs = append(apply.Inputs, symbol.Entry{Node: i})
		if in.Data == nil || i == 0 {
			continue
		}
		t, err := in.tensor(tensor.Int32)
		if err != nil {
			return cvm.Files{}, fmt.Errorf("input %d: %w", i, err)
		}
		list = append(list, params.Param{Name: name, Tensor: t})
	}
	s.Nodes, s.OpAttrs = append(s.Nodes, apply), append(s.OpAttrs, attrs)
	for i, shape := range c.shapes(attrs) {
		s.Heads = append(s.Heads, symbol.Entry{Node: len(c.Inputs), Output: i})
		s.Shape = append(s.Shape, shape)
		s.Precision = append(s.Precision, -1)
	}
	for i := range s.Shape {
		s.StorageID = append(s.StorageID, i)
	}
	text, err := s.AppendText(nil)
	if err != nil || c.Expect.Status == "reject" {
		return cvm.Files{Symbol: text}, err
	}
	data, err := params.Append(nil, list)
	return cvm.Files{Symbol: text, Params: data}, err
}

// attributes returns the text of the attributes.
func (c *cvmCase) attributes() string {
	var dict map[string]string
	if json.Unmarshal(c.Attrs, &dict) == nil {
		return symbol.FormatAttrs(dict)
	}
	var text string
	if json.Unmarshal(c.Attrs, &text) == nil {
		return text
	}
	return string(c.Attrs)
}

// shapes returns the shapes that the graph declares for the outputs: those that the case expects. A case that is refused expects none,
// and a graph with other shapes would be refused for these; so they are inferred, as far as the rules allow it.
func (c *cvmCase) shapes(attrs string) []tensor.Shape {
	if c.Expect.Status != "reject" {
		list := make([]tensor.Shape, len(c.Expect.Outputs))
		for i, out := range c.Expect.Outputs {
			list[i] = out.Shape
		}
		return list
	}
	o, _ := operators.Lookup(c.Op)
	if o == nil {
		return []tensor.Shape{{1}}
	}
	call := &operators.Call{Operator: o, Compat: true}
	for _, in := range c.Inputs {
		call.In = append(call.In, operators.Tensor{Shape: in.Shape, Precision: in.Precision})
	}
	dict, err := symbol.ParseAttrs(attrs, symbol.Pos{})
	if err == nil {
		call.Attrs, err = o.ParseAttrs(dict)
	}
	if err == nil {
		if n := o.Inputs(call.Attrs); n == len(call.In) || n < 0 && len(call.In) > 0 {
			if list, err := o.Shapes(call); err == nil {
				return list
			}
		}
	}
	return slices.Repeat([]tensor.Shape{{1}}, o.Outputs)
}

// refused checks that a graph is refused as the case expects it.
func (c *cvmCase) refused(err error) error {
	if err == nil {
		return fmt.Errorf("it is accepted; want a %s error in stage %s", c.Expect.Class, c.Expect.Stage)
	}
	if got := fault.ClassOf(err).String(); got != c.Expect.Class {
		return wrongClass{fmt.Errorf("class: %s; want %s: %w", got, c.Expect.Class, err)}
	}
	if got := stageOf(err); c.Expect.Stage != "" && string(got) != c.Expect.Stage {
		return minor{fmt.Errorf("stage: %s; want %s: %w", got, c.Expect.Stage, err)}
	}
	return nil
}

// admitted compares what is known before a run.
func (c *cvmCase) admitted(a *cvm.Admission, text []byte) error {
	alone, err := cvm.Gas(text)
	if err != nil {
		return fmt.Errorf("gas from the graph alone: %w", err)
	}
	for _, n := range []struct {
		what      string
		got, want int64
	}{
		{"gas", a.Gas, c.Expect.Gas},
		{"gas from the graph alone", alone, c.Expect.Gas},
		{"outputs", int64(len(a.Heads)), int64(len(c.Expect.Outputs))},
	} {
		if n.got != n.want {
			return fmt.Errorf("%s: %d; want %d", n.what, n.got, n.want)
		}
	}
	if want := c.Expect.Storage; want != nil && a.Storage != *want {
		return fmt.Errorf("storage: %d; want %d", a.Storage, *want)
	}
	for i, want := range c.Expect.Outputs {
		got := a.Tensors[a.Heads[i]]
		if !got.Shape.Equal(want.Shape) || got.Precision != want.Precision {
			return fmt.Errorf("output %d has shape %v and precision %d; want %v and %d", i, got.Shape, got.Precision, want.Shape, want.Precision)
		}
	}
	return nil
}

// tensor returns the elements of an input in a type that has its precision.
func (t *cvmTensor) tensor(d tensor.DType) (*tensor.Tensor, error) {
	wide, err := tensor.FromSlice(t.Data, t.Shape...)
	if err != nil {
		return nil, err
	}
	return tensor.Cast(wide, d)
}

// same compares an output of a run.
func (t *cvmTensor) same(got *tensor.Tensor) error {
	switch {
	case got == nil:
		return fmt.Errorf("it is missing")
	case got.DType() != tensor.Int32 || !got.Shape().Equal(t.Shape):
		return fmt.Errorf("got %v; want int32%v", got.Describe(), t.Shape)
	}
	for i, x := range tensor.Data[int32](got.Contiguous()) {
		if x != t.Data[i] {
			return fmt.Errorf("element %d is %d; want %d", i, x, t.Data[i])
		}
	}
	return nil
}

// sameBytes compares the bytes of an output.
func sameBytes(got, want []byte) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d bytes; want %d", len(got), len(want))
	}
	if !bytes.Equal(got, want) {
		i := 0
		for got[i] == want[i] {
			i++
		}
		return fmt.Errorf("byte %d is %#02x; want %#02x", i, got[i], want[i])
	}
	return nil
}
