package cvm

import (
	"errors"
	"slices"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testing/cvm/cases"
	"github.com/concord-nn/concord/tensor"
)

// TestModels admits the shared models in both modes. Those of class quirk are refused in strict mode.
func TestModels(t *testing.T) {
	for _, want := range cases.Models(t) {
		t.Run(want.Name(), func(t *testing.T) { checkModel(t, want) })
	}
}

func checkModel(t *testing.T, want *cases.Model) {
	files := Files{Symbol: want.File(t, "graph.json"), Params: want.File(t, "params.bin")}
	gas, err := Gas(files.Symbol)
	if fault.ClassOf(err) != want.Gas.Class || gas != want.Gas.Gas {
		t.Errorf("gas is %d, %v, want %d, class %v", gas, err, want.Gas.Gas, want.Gas.Class)
	}
	for _, compat := range []bool{true, false} {
		a, err := Admit(files, Options{Compat: compat})
		if want.Class == "quirk" && !compat {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Class != fault.Logic || e.Stage != fault.Storage {
				t.Errorf("strict: got %v, want a logic error of the storage plan", err)
			}
			continue
		}
		if fault.ClassOf(err) != want.Load.Class {
			t.Errorf("compat %t: got %v, want class %v", compat, err, want.Load.Class)
		}
		if a == nil {
			continue
		}
		got := want.Load
		got.Gas, got.Storage, got.Postprocess = a.Gas, a.Storage, a.Postprocess
		got.InputLength, got.OutputLength = a.InputLength, a.OutputLength
		got.InputTypeSize, got.OutputTypeSize = a.InputTypeSize, a.OutputTypeSize
		if got != want.Load {
			t.Errorf("compat %t: got %+v, want %+v", compat, got, want.Load)
		}
		checkSums(t, a)
	}
}

// checkSums holds the sums of an admission against its nodes and tensors.
func checkSums(t *testing.T, a *Admission) {
	t.Helper()
	var gas int64
	tensors := 0
	for _, n := range a.Nodes {
		gas += n.Gas
		for _, out := range n.Outputs {
			if out != tensors {
				t.Errorf("node %s has output %d, want %d", n.Name, out, tensors)
			}
			tensors++
		}
		if n.Inputs == nil || n.Operator == "" && len(n.Inputs) > 0 {
			t.Errorf("node %s has inputs %v", n.Name, n.Inputs)
		}
	}
	if gas != a.Gas || tensors != len(a.Tensors) {
		t.Errorf("%d gas and %d tensors by node; in all %d and %d", gas, tensors, a.Gas, len(a.Tensors))
	}
	if a.Memory <= 0 {
		t.Errorf("memory %d", a.Memory)
	}
}

// smallParams has the parameter of small.
func smallParams(t *testing.T) []byte {
	t.Helper()
	w, err := tensor.New(tensor.Int8, tensor.Shape{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	b, err := params.Append(nil, []params.Param{{Name: "w", Tensor: w}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAdmission(t *testing.T) {
	a, err := Admit(Files{Symbol: small().text(t), Params: smallParams(t)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, a)
	if a.Version != "cvm_1.0.0" || a.Compat || a.InputLength != 6 || a.InputTypeSize != 1 || a.OutputLength != 24 || a.OutputTypeSize != 4 {
		t.Errorf("got %+v", a)
	}
	if a.Gas != 6*5*4+6*2 || a.Storage != 4*4*6 {
		t.Errorf("gas %d, storage %d", a.Gas, a.Storage)
	}
	if n := a.Nodes[2]; n.Name != "elemwise_add_node" || n.Operator != "elemwise_add" || !slices.Equal(n.Inputs, []int{0, 1}) || n.Gas != 36 {
		t.Errorf("got %+v", n)
	}
	if e := a.Tensors[3]; e.Name != "relu_node" || e.Precision != 9 || e.Type != "int16" ||
		e.Storage != 3 || !e.Shape.Equal(tensor.Shape{2, 3}) {
		t.Errorf("got %+v", e)
	}
	if !slices.Equal(a.Heads, []int{3}) {
		t.Errorf("heads are %v", a.Heads)
	}
}

// TestGraphAlone admits graphs without parameters.
func TestGraphAlone(t *testing.T) {
	with, err := Admit(Files{Symbol: small().text(t), Params: smallParams(t)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := Admit(Files{Symbol: small().text(t)}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if with.Gas != without.Gas || with.Storage != without.Storage || without.Memory <= 0 || without.Memory > 2*with.Memory {
		t.Errorf("with %+v, without %+v", with, without)
	}
	s := small()
	s.Nodes[0].Name = "x"
	a, err := Admit(Files{Symbol: s.text(t)}, Options{})
	if err != nil || a.InputLength != 0 || a.InputTypeSize != 0 {
		t.Errorf("without data: %+v, %v", a, err)
	}
}

// TestLoadable has what loading refuses and gas does not.
func TestLoadable(t *testing.T) {
	const logic, runtime = fault.Logic, fault.Runtime
	tests := []struct {
		name  string
		spoil func(s *sketch)
		want  refusal
	}{
		{"an alias", func(s *sketch) { s.Nodes[3].Attrs.FuncName = "nn.relu" }, refusal{logic, fault.Lookup, 3, ""}},
		{"no output", func(s *sketch) { s.Heads = nil }, refusal{logic, fault.Graph, -1, "heads"}},
		{"an output of no node", func(s *sketch) { s.Heads[0].Node = 4 }, refusal{logic, fault.Graph, -1, "heads[0]"}},
		{"an output that the last node has not", func(s *sketch) { s.Heads[0].Output = 1 }, refusal{logic, fault.Graph, -1, "heads[0]"}},
		{"no data", func(s *sketch) { s.Nodes[0].Name = "Data" }, refusal{runtime, fault.Graph, -1, "nodes"}},
		{"no data and a wrong output", func(s *sketch) { s.Nodes[0].Name = "Data"; s.Heads[0].Node = 4 },
			refusal{runtime, fault.Graph, -1, "nodes"}},
		{"an operator called data is none", func(s *sketch) { s.Nodes[0].Name = "x"; s.Nodes[3].Name = "data" },
			refusal{runtime, fault.Graph, -1, "nodes"}},
		{"data twice", func(s *sketch) { s.Version, s.ArgNodes, s.Nodes[1].Name = "cvm_1.1.0", nil, "data" },
			refusal{runtime, fault.Params, -1, "w"}},
		{"an overlap", func(s *sketch) { s.StorageID[2] = 1 }, refusal{logic, fault.Storage, 2, "w"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := small()
			test.spoil(s)
			if _, err := Gas(s.text(t)); err != nil {
				t.Errorf("gas: %v", err)
			}
			_, err := Admit(Files{Symbol: s.text(t), Params: smallParams(t)}, Options{})
			test.want.check(t, err)
		})
	}
	_, err := Admit(Files{Symbol: small().text(t), Params: []byte{}}, Options{})
	refusal{logic, fault.Params, -1, ""}.check(t, err)
}

// TestUnjoinable admits a model whose outputs cannot be joined: only its runs fail.
func TestUnjoinable(t *testing.T) {
	s := row(t, "dr0", []int{0, 1}, 1)
	s.Postprocess = detection
	a, err := Admit(Files{Symbol: s.text(t)}, Options{})
	if err != nil || a.OutputTypeSize != 4 || a.OutputLength != 0 {
		t.Errorf("got %+v, %v", a, err)
	}
}

// TestOutputLength follows the original's report of lengths.
func TestOutputLength(t *testing.T) {
	for post, want := range map[string]int64{"": 24 + 16, "argmax": 4 * (2 + 4), "detection": 4 * 2 * (3 + 1), "other": 24 + 16} {
		s := newSketch()
		s.Postprocess = post
		data := s.variable("data", 9, 1, 2, 3)
		whole := s.apply("abs", "{}", tensor.Shape{1, 2, 3}, data)
		part := s.apply("strided_slice", `{"begin":"(0,0,0)","end":"(1,2,2)"}`, tensor.Shape{1, 2, 2}, data)
		s.head(whole, s.apply("reshape", `{"shape":"(4,1)"}`, tensor.Shape{4, 1}, part))
		a, err := admit(Files{Symbol: s.text(t)}, Options{})
		if err != nil || a.OutputLength != want || a.OutputTypeSize != 4 {
			t.Errorf("%q: length %v, %v, want %d", post, a, err, want)
		}
	}
}

// TestEngineLimits reports what the engine refuses as a runtime error.
func TestEngineLimits(t *testing.T) {
	_, err := Admit(Files{Symbol: small().text(t)}, Options{Engine: engine.Options{Limits: engine.Limits{Memory: 1}}})
	refusal{fault.Runtime, fault.Limits, -1, ""}.check(t, err)
	if _, ok := errors.AsType[*engine.LimitError](err); !ok {
		t.Errorf("%v has no limit in its chain", err)
	}
}

// TestMisplacedData has an operator before data, where the deployed runtime looks up another shape.
func TestMisplacedData(t *testing.T) {
	misplaced := func(shape ...int) []byte {
		s := newSketch()
		other := s.apply("relu", "{}", tensor.Shape{3}, s.variable("w", 8, 3))
		s.head(s.apply("broadcast_add", "{}", shape, s.variable("data", 8, shape...), other))
		return s.text(t)
	}
	file, err := params.Append(nil, []params.Param{vector(t, "w", []int8{1, -2, 3}...)})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		shape  []int
		compat bool
		length int64
		class  fault.Class // of a run on as many zeros
	}{
		{[]int{3}, true, 3, fault.OK},
		{[]int{2, 3}, true, 3, fault.Logic},
		{[]int{1, 3}, true, 3, fault.Logic},
		{[]int{2, 3}, false, 6, fault.OK},
	} {
		m, err := Load(Files{Symbol: misplaced(test.shape...), Params: file}, Options{Compat: test.compat})
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Admission().InputLength; got != test.length {
			t.Errorf("%v, compat %t: the input has %d bytes, want %d", test.shape, test.compat, got, test.length)
		}
		if _, err := m.Run(t.Context(), make([]byte, test.length)); fault.ClassOf(err) != test.class {
			t.Errorf("%v, compat %t: got %v, want class %v", test.shape, test.compat, err, test.class)
		}
		m.Close()
	}
}
