package cvm

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/operators"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// sketch is a symbol that a test builds node by node, in version 1.0.0 with every list, each entry on a storage of its own.
type sketch struct{ symbol.Symbol }

func newSketch() *sketch {
	return &sketch{symbol.Symbol{Version: symbol.V100, NodeRowPtr: []int{0}}}
}

// add adds a node with outputs of the given shapes and returns its number.
func (s *sketch) add(n symbol.Node, attrs string, precision int, shapes ...tensor.Shape) int {
	if n.Op == "null" {
		s.ArgNodes = append(s.ArgNodes, len(s.Nodes))
	}
	s.Nodes = append(s.Nodes, n)
	s.OpAttrs = append(s.OpAttrs, attrs)
	for _, shape := range shapes {
		s.StorageID = append(s.StorageID, len(s.Shape))
		s.Shape = append(s.Shape, shape)
		s.Precision = append(s.Precision, precision)
		s.DLType = append(s.DLType, "int32")
	}
	s.NodeRowPtr = append(s.NodeRowPtr, len(s.Shape))
	return len(s.Nodes) - 1
}

func (s *sketch) variable(name string, precision int, shape ...int) int {
	return s.add(symbol.Node{Op: "null", Name: name, Inputs: []symbol.Entry{}}, "{}", precision, shape)
}

// apply adds an operator with one output, whose operands are the first outputs of nodes.
func (s *sketch) apply(operator, attrs string, shape tensor.Shape, in ...int) int {
	n := symbol.Node{Op: "cvm_op", Name: operator + "_node", Inputs: []symbol.Entry{}, Attrs: &symbol.NodeAttrs{FuncName: operator}}
	for _, i := range in {
		n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
	}
	return s.add(n, attrs, -1, shape)
}

func (s *sketch) head(nodes ...int) *sketch {
	for _, i := range nodes {
		s.Heads = append(s.Heads, symbol.Entry{Node: i})
	}
	return s
}

// text writes the symbol down, so that what is read has places.
func (s *sketch) text(t testing.TB) []byte {
	t.Helper()
	b, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// small is data, a parameter w, their sum and its relu.
func small() *sketch {
	s := newSketch()
	data, w := s.variable("data", 8, 2, 3), s.variable("w", 8, 2, 3)
	sum := s.apply("elemwise_add", "{}", tensor.Shape{2, 3}, data, w)
	return s.head(s.apply("relu", "{}", tensor.Shape{2, 3}, sum))
}

// refusal is what a test expects of an error.
type refusal struct {
	class fault.Class
	stage fault.Stage
	node  int
	part  string
}

func (r refusal) check(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got %v, want an error of stage %s", err, r.stage)
	}
	if got := (refusal{e.Class, e.Stage, e.Node, e.Part}); got != r {
		t.Errorf("got %+v, want %+v: %v", got, r, err)
	}
	if e.Node >= 0 && e.Stage != fault.Params && (e.Line < 1 || e.Column < 1) {
		t.Errorf("no place: %v", err)
	}
	if e.Msg == "" && e.Want == "" && e.Err == nil {
		t.Errorf("no message: %v", err)
	}
}

// TestRules breaks each rule of graphs that needs no parameters.
func TestRules(t *testing.T) {
	const logic, runtime = fault.Logic, fault.Runtime
	tests := []struct {
		name  string
		spoil func(s *sketch)
		want  refusal
	}{
		{"variables of one name", func(s *sketch) { s.Nodes[1].Name = "data" }, refusal{runtime, fault.Graph, 1, ""}},
		{"a variable listed twice", func(s *sketch) { s.ArgNodes[1] = 0 }, refusal{runtime, fault.Graph, 0, ""}},
		{"op_attrs too short", func(s *sketch) { s.OpAttrs = s.OpAttrs[1:] }, refusal{logic, fault.Graph, -1, "op_attrs"}},
		{"unknown operator", func(s *sketch) { s.Nodes[3].Attrs.FuncName = "relu0" }, refusal{runtime, fault.Lookup, 3, ""}},
		{"no operator", func(s *sketch) { s.Nodes[3].Attrs = nil }, refusal{runtime, fault.Lookup, 3, ""}},
		{"attributes that are no object", func(s *sketch) { s.OpAttrs[3] = "[]" }, refusal{runtime, fault.Attrs, 3, ""}},
		{"attributes that the operator does not have", func(s *sketch) { s.OpAttrs[3] = `{"axis":"1"}` },
			refusal{logic, fault.Attrs, 3, "axis"}},
		{"too few operands", func(s *sketch) { s.Nodes[2].Inputs = s.Nodes[2].Inputs[:1] }, refusal{logic, fault.NumInputs, 2, ""}},
		{"storage_id too long", func(s *sketch) { s.StorageID = append(s.StorageID, 9) }, refusal{logic, fault.Graph, -1, "storage_id"}},
		{"negative storage id", func(s *sketch) { s.StorageID[2] = -1 }, refusal{logic, fault.Graph, 2, "storage_id[2]"}},
		{"shape too short", func(s *sketch) { s.Shape = s.Shape[:3] }, refusal{logic, fault.Graph, -1, "shape"}},
		{"rank 0", func(s *sketch) { s.Shape[0] = tensor.Shape{} }, refusal{logic, fault.Limits, 0, "shape[0]"}},
		{"rank 7", func(s *sketch) { s.Shape[0] = tensor.Shape{1, 1, 1, 1, 1, 1, 1} }, refusal{logic, fault.Limits, 0, "shape[0]"}},
		{"an extent of 0", func(s *sketch) { s.Shape[1] = tensor.Shape{0} }, refusal{logic, fault.Limits, 1, "shape[1]"}},
		{"an extent beyond 2^24", func(s *sketch) { s.Shape[1] = tensor.Shape{1<<24 + 1} }, refusal{logic, fault.Limits, 1, "shape[1]"}},
		{"more than 2^30 elements", func(s *sketch) { s.Shape[1] = tensor.Shape{1 << 24, 1 << 24, 1 << 24} },
			refusal{logic, fault.Limits, 1, "shape[1]"}},
		{"no precisions", func(s *sketch) { s.Precision = []int{} }, refusal{logic, fault.Graph, -1, "precision"}},
		{"precision 33", func(s *sketch) { s.Precision[3] = 33 }, refusal{logic, fault.Limits, 3, "precision[3]"}},
		{"precision -2", func(s *sketch) { s.Precision[3] = -2 }, refusal{logic, fault.Limits, 3, "precision[3]"}},
		{"devices", func(s *sketch) { s.DeviceIdx = []int{1, 1, 1, 1} }, refusal{logic, fault.Graph, -1, "device_index"}},
		{"unknown version", func(s *sketch) { s.Version = "cvm_1.2.0" }, refusal{runtime, fault.Graph, -1, "version"}},
		{"dltype too short", func(s *sketch) { s.DLType = s.DLType[1:] }, refusal{logic, fault.Graph, -1, "dltype"}},
		{"another type", func(s *sketch) { s.DLType[2] = "int8" }, refusal{logic, fault.Graph, 2, "dltype[2]"}},
		{"node_row_ptr too short", func(s *sketch) { s.NodeRowPtr = s.NodeRowPtr[1:] }, refusal{logic, fault.Graph, -1, "node_row_ptr"}},
		{"wrong node_row_ptr", func(s *sketch) { s.NodeRowPtr[4] = 5 }, refusal{logic, fault.Graph, -1, "node_row_ptr"}},
		{"arg_nodes too short", func(s *sketch) { s.ArgNodes = s.ArgNodes[1:] }, refusal{logic, fault.Graph, -1, "arg_nodes"}},
		{"wrong arg_nodes", func(s *sketch) { s.ArgNodes = []int{1, 0} }, refusal{logic, fault.Graph, -1, "arg_nodes"}},
		{"arg_nodes beyond the nodes", func(s *sketch) { s.ArgNodes[1] = 4 }, refusal{logic, fault.Graph, -1, "arg_nodes"}},
		{"a cycle", func(s *sketch) {
			s.Nodes[2].Inputs[1].Node = 2
			s.Nodes[2].Attrs.FuncName = "relu"
			s.Nodes[2].Inputs = s.Nodes[2].Inputs[1:]
		},
			refusal{logic, fault.Graph, 2, "inputs"}},
		{"an operand of a later node", func(s *sketch) { s.Nodes[2].Inputs[1].Node = 3 }, refusal{logic, fault.Graph, 2, "inputs"}},
		{"an operand of no node", func(s *sketch) { s.Nodes[2].Inputs[1].Node = 1<<31 - 1 }, refusal{logic, fault.Graph, 2, "inputs"}},
		{"a variable with operands", func(s *sketch) { s.Nodes[1].Inputs = []symbol.Entry{{Node: 3}} }, refusal{logic, fault.Graph, 1, "inputs"}},
		{"operands that do not fit", func(s *sketch) { s.Shape[1] = tensor.Shape{3, 2} }, refusal{logic, fault.Shape, 2, ""}},
		{"another declared shape", func(s *sketch) { s.Shape[3] = tensor.Shape{3, 2} }, refusal{logic, fault.Shape, 3, "output 0"}},
		{"a variable without precision", func(s *sketch) { s.Precision[1] = -1 }, refusal{logic, fault.Precision, 1, ""}},
		{"a sum of 33 bits", func(s *sketch) { s.Precision[1] = 32 }, refusal{logic, fault.Precision, 2, "output 0"}},
		{"the second mistake does not count", func(s *sketch) { s.Precision[3], s.Version = 33, "" }, refusal{logic, fault.Limits, 3, "precision[3]"}},
		{"shapes before precisions", func(s *sketch) { s.Precision[1], s.Shape[3] = 32, tensor.Shape{3, 2} },
			refusal{logic, fault.Shape, 3, "output 0"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := small()
			test.spoil(s)
			parsed, err := symbol.Parse(s.text(t))
			if err != nil {
				t.Fatal(err)
			}
			_, err = resolve(parsed, false)
			if part := test.want.part; part == "" {
				if e, ok := errors.AsType[*fault.Error](err); ok {
					test.want.part = e.Part // the operator's own
				}
			}
			test.want.check(t, err)
		})
	}
}

// TestLenience has what looks wrong and is not.
func TestLenience(t *testing.T) {
	for name, change := range map[string]func(s *sketch){
		"nothing":                               func(*sketch) {},
		"a suffix of the operator":              func(s *sketch) { s.Nodes[3].Attrs.FuncName = "relu_12" },
		"precisions of outputs":                 func(s *sketch) { s.Precision[2], s.Precision[3] = 1, 32 },
		"attributes of variables":               func(s *sketch) { s.OpAttrs[0] = "{" },
		"a variable with operands":              func(s *sketch) { s.Nodes[1].Inputs = []symbol.Entry{{Node: 0}} },
		"no lists in version 1.1.0":             func(s *sketch) { s.Version, s.DLType, s.ArgNodes, s.NodeRowPtr = symbol.V110, nil, nil, nil },
		"wrong lists in version 1.1.0":          func(s *sketch) { s.Version, s.NodeRowPtr, s.ArgNodes = symbol.V110, []int{7}, []int{3, 2, 99} },
		"an output of the node before":          func(s *sketch) { s.Nodes[2].Inputs[1] = symbol.Entry{Node: 0, Output: 1} },
		"a head that is none":                   func(s *sketch) { s.Heads[0].Node = 9 },
		"no data":                               func(s *sketch) { s.Nodes[0].Name = "x" },
		"a great storage id":                    func(s *sketch) { s.StorageID[3] = 1<<31 - 1 },
		"an alias":                              func(s *sketch) { s.Nodes[3].Attrs.FuncName = "nn.relu" },
		"in place where that is allowed":        func(s *sketch) { s.StorageID[3] = 2 },
		"two names alike without list in 1.1.0": func(s *sketch) { s.Version, s.ArgNodes, s.Nodes[1].Name = symbol.V110, nil, "data" },
	} {
		t.Run(name, func(t *testing.T) {
			s := small()
			change(s)
			if _, err := Gas(s.text(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOutputsWrap counts outputs modulo 2^32, also where int has no more bits.
func TestOutputsWrap(t *testing.T) {
	s := small()
	s.Nodes[2].Inputs[0] = symbol.Entry{Node: 1, Output: 777}
	for output, legal := range map[string]bool{"4294967295": true, "-1": true, "-2": false, "4294967294": false, "2147483648": false} {
		if _, err := Gas(bytes.Replace(s.text(t), []byte("777"), []byte(output), 1)); (err == nil) != legal {
			t.Errorf("[1, %s]: %v", output, err)
		}
	}
}

// opCase is a case of one operator.
type opCase struct {
	ID     string
	Op     string
	Class  string
	Attrs  map[string]string
	Inputs []struct {
		Shape     tensor.Shape
		Precision int
	}
	Expect struct {
		Status    string
		Stage     fault.Stage
		ErrorCode fault.Class `json:"error_code"`
		Outputs   []struct {
			Shape     tensor.Shape
			Precision int
		}
		Gas     *int64 `json:"graph_gas"`
		Storage *int64 `json:"graph_storage"`
	}
}

// sketch makes the graph of the case. Where the case does not say what the shapes are, the operator's rule does.
func (c *opCase) sketch() *sketch {
	s := newSketch()
	call := operators.Call{}
	for i, in := range c.Inputs {
		s.variable("in"+string(rune('0'+i%10))+strings.Repeat("_", i/10), in.Precision, in.Shape...)
		call.In = append(call.In, operators.Tensor{Shape: in.Shape, Precision: in.Precision})
	}
	n := symbol.Node{Op: "cvm_op", Name: "node", Inputs: []symbol.Entry{}, Attrs: &symbol.NodeAttrs{FuncName: c.Op}}
	for i := range c.Inputs {
		n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
	}
	var shapes []tensor.Shape
	for _, out := range c.Expect.Outputs {
		shapes = append(shapes, out.Shape)
	}
	if call.Operator, _ = operators.Lookup(c.Op); call.Operator != nil && shapes == nil {
		var err error
		if call.Attrs, err = call.Operator.ParseAttrs(c.Attrs); err == nil {
			shapes, _ = call.Operator.Shapes(&call)
		}
		for len(shapes) < call.Operator.Outputs {
			shapes = append(shapes, tensor.Shape{1})
		}
	}
	s.add(n, symbol.FormatAttrs(c.Attrs), -1, shapes...)
	for k := range shapes {
		s.Heads = append(s.Heads, symbol.Entry{Node: len(c.Inputs), Output: k})
	}
	return s
}

// TestOperatorCases holds graphs of one operator against the shared cases: gas, storage, shapes and precisions, or class and stage of
// the refusal.
func TestOperatorCases(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata.Shared(t, "conformance", "cvm", "ops"), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []opCase
		if err := json.Unmarshal(b, &cases); err != nil {
			t.Fatal(file, err)
		}
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				c.check(t, true)
				if c.Op != "where" {
					c.check(t, false)
				}
			})
		}
	}
}

func (c *opCase) check(t *testing.T, compat bool) {
	t.Helper()
	s, err := symbol.Parse(c.sketch().text(t))
	if err != nil {
		t.Fatal(err)
	}
	n, err := resolve(s, compat)
	var gas int64
	if err == nil {
		gas, _, err = n.gas()
	}
	if c.Expect.Status == "reject" {
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Class != c.Expect.ErrorCode || e.Stage != c.Expect.Stage {
			t.Errorf("compat %t: got %v, want class %v of stage %s", compat, err, c.Expect.ErrorCode, c.Expect.Stage)
		}
		return
	}
	if err != nil {
		t.Fatalf("compat %t: %v", compat, err)
	}
	if c.Expect.Gas != nil && gas != *c.Expect.Gas {
		t.Errorf("gas is %d, want %d", gas, *c.Expect.Gas)
	}
	size, err := n.storageSize()
	if want := c.Expect.Storage; want != nil && (err != nil || size != *want) {
		t.Errorf("storage is %d, %v, want %d", size, err, *want)
	}
	for k, out := range c.Expect.Outputs {
		if e := n.entries[len(c.Inputs)+k]; !e.Shape.Equal(out.Shape) || e.Precision != out.Precision {
			t.Errorf("output %d is %v of precision %d, want %v and %d", k, e.Shape, e.Precision, out.Shape, out.Precision)
		}
	}
}
