package cvm

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// runCase is a shared case of one operator.
type runCase struct {
	ID, Op string
	Attrs  map[string]string
	Inputs []struct {
		Shape     []int
		Precision int
		Data      []int32
	}
	Expect struct {
		Status  string
		Outputs []struct {
			Shape []int
			Data  []int32
		}
	}
}

// files makes a model of the case: its first operand is the input, the others are parameters.
func (c *runCase) files(t *testing.T) (Files, []byte) {
	m := new(modelText)
	var input []byte
	var in []int
	for i, x := range c.Inputs {
		name := fmt.Sprint("p", i)
		if i == 0 {
			name = "data"
			for _, v := range x.Data {
				if input = append(input, byte(v)); x.Precision > 8 {
					input = append(input, byte(v>>8), byte(v>>16), byte(v>>24))
				}
			}
		}
		in = append(in, m.variable(name, x.Precision, x.Shape, x.Data))
	}
	var shapes []tensor.Shape
	for _, o := range c.Expect.Outputs {
		shapes = append(shapes, o.Shape)
	}
	node := m.operator(c.Op, c.Attrs, in, shapes...)
	for k := range shapes {
		m.Heads = append(m.Heads, symbol.Entry{Node: node, Output: k})
	}
	return m.files(t), input
}

// modelText is a model under construction. Each entry has a storage of its own.
type modelText struct {
	symbol.Symbol
	params []params.Param
}

// variable adds a variable, and a parameter unless it is called data, and returns the number of the node.
func (m *modelText) variable(name string, precision int, shape tensor.Shape, data []int32) int {
	if name != DataName {
		x, err := tensor.FromSlice(data, shape...)
		if err != nil {
			panic(err)
		}
		m.params = append(m.params, params.Param{Name: name, Tensor: x})
	}
	m.Nodes = append(m.Nodes, symbol.Node{Op: "null", Name: name})
	m.ArgNodes = append(m.ArgNodes, len(m.Nodes)-1)
	m.entries(precision, shape)
	m.OpAttrs = append(m.OpAttrs, "{}")
	return len(m.Nodes) - 1
}

// operator adds an operator on the first outputs of nodes and returns the number of its node.
func (m *modelText) operator(name string, attrs map[string]string, in []int, shapes ...tensor.Shape) int {
	n := symbol.Node{Op: "cvm_op", Name: fmt.Sprint(name, len(m.Nodes)), Attrs: &symbol.NodeAttrs{FuncName: name}}
	for _, i := range in {
		n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
	}
	m.Nodes = append(m.Nodes, n)
	m.OpAttrs = append(m.OpAttrs, symbol.FormatAttrs(attrs))
	m.entries(-1, shapes...)
	return len(m.Nodes) - 1
}

func (m *modelText) entries(precision int, shapes ...tensor.Shape) {
	m.NodeRowPtr = append(m.NodeRowPtr, len(m.Shape))
	for _, s := range shapes {
		m.StorageID = append(m.StorageID, len(m.Shape))
		m.Shape = append(m.Shape, s)
		m.Precision = append(m.Precision, precision)
		m.DLType = append(m.DLType, "int32")
	}
}

func (m *modelText) files(t testing.TB) Files {
	t.Helper()
	m.Version = symbol.V110
	s := m.Symbol
	s.NodeRowPtr = append(s.NodeRowPtr[:len(s.Nodes):len(s.Nodes)], len(s.Shape))
	f, err := Encode(&s, m.params)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// forms are the ways to compute that must not differ.
var forms = []struct {
	name string
	form
	engine.Options
}{
	{"narrow", form{}, engine.Options{Threads: 1}},
	{"narrow, two threads", form{}, engine.Options{Threads: 2}},
	{"narrow, not optimised", form{}, engine.Options{Threads: 1, NoOptimize: true}},
	{"formal", form{formal: true}, engine.Options{Threads: 1}},
	{"formal, not optimised", form{formal: true}, engine.Options{Threads: 2, NoOptimize: true}},
}

// heads computes the heads of a model in every form, which must agree, and returns them as int32. Runs follow one another in one session.
func heads(t *testing.T, f Files, compat bool, inputs ...[]byte) [][][]int32 {
	t.Helper()
	a, err := admit(f, Options{Compat: compat})
	if err != nil {
		t.Fatal(err)
	}
	var first [][][]int32
	for _, form := range forms {
		g, err := a.net.lower(a.consts, form.form)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		p, err := engine.Compile(g, form.Options)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		s, err := p.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		var got [][][]int32
		for _, input := range inputs {
			if err := decodeInput(s.Input(0), input); err != nil {
				t.Fatal(err)
			}
			if err := s.Run(context.Background()); err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			var out [][]int32
			for i := range p.Outputs() {
				out = append(out, append([]int32{}, tensor.Data[int32](s.Output(i))...))
			}
			got = append(got, out)
		}
		p.Close()
		if first == nil {
			first = got
		} else if fmt.Sprint(first) != fmt.Sprint(got) {
			t.Fatalf("%s: %v; narrow: %v", form.name, got, first)
		}
	}
	return first
}

// TestRunOperatorCases computes every shared case of one operator that runs, in both modes and in every form.
func TestRunOperatorCases(t *testing.T) {
	folder := testdata.Shared(t, "conformance", "cvm", "ops")
	names, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cases []runCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			if c.Expect.Status != "ok" || len(c.Inputs) == 0 || c.Inputs[0].Data == nil || c.Expect.Outputs[0].Data == nil {
				continue
			}
			t.Run(c.ID, func(t *testing.T) {
				for _, compat := range []bool{false, true} {
					f, input := c.files(t)
					for k, got := range heads(t, f, compat, input)[0] {
						if want := c.Expect.Outputs[k].Data; fmt.Sprint(got) != fmt.Sprint(want) {
							t.Fatalf("output %d: %v; want %v", k, got, want)
						}
					}
				}
			})
		}
	}
}

// runModel is a shared case of a whole model.
type runModel struct {
	Class  string
	Load   struct{ Error_code int }
	Inputs []string
	Runs   []struct {
		Input      string
		Error_code int
		Output_hex string
	}
}

// runModels calls f with the shared models that load.
func runModels(t testing.TB, f func(dir string, c runModel, files Files)) {
	names, _ := filepath.Glob(filepath.Join(testdata.Shared(t, "conformance", "cvm", "models"), "*", "expect.json"))
	for _, name := range names {
		var c runModel
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		if c.Load.Error_code != 0 || c.Runs == nil {
			continue
		}
		files, err := Read(filepath.Dir(name))
		if err != nil {
			t.Fatal(err)
		}
		f(filepath.Dir(name), c, files)
	}
}

// TestRunModelCases runs every shared model that loads, in each mode that admits it, and compares the bytes. The forms agree, too.
func TestRunModelCases(t *testing.T) {
	runModels(t, func(dir string, c runModel, files Files) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			for _, compat := range []bool{false, true} {
				m, err := Open(dir, Options{Compat: compat})
				if !compat && c.Class == "quirk" {
					if fault.ClassOf(err) != fault.Logic {
						t.Fatalf("strict: %v", err)
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				var inputs [][]byte
				for _, r := range c.Runs {
					input, err := os.ReadFile(filepath.Join(dir, r.Input))
					if err != nil {
						t.Fatal(err)
					}
					out, err := m.Run(context.Background(), input)
					if int(fault.ClassOf(err)) != r.Error_code {
						t.Fatalf("%s: %v; want class %d", r.Input, err, r.Error_code)
					}
					if err != nil {
						continue
					}
					if got := hex.EncodeToString(out); got != r.Output_hex {
						t.Fatalf("%s: %s; want %s", r.Input, got, r.Output_hex)
					}
					inputs = append(inputs, input)
				}
				if testing.Short() {
					inputs = inputs[:min(len(inputs), 1)]
				}
				heads(t, files, compat, inputs...)
			}
		})
	})
}
