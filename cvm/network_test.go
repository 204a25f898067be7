package cvm

import (
	"bytes"
	"errors"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/testing/cvm/cases"
	"github.com/concord-nn/concord/tensor"
)

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
		{"the second mistake does not count", func(s *sketch) { s.Precision[3], s.Version = 33, "" },
			refusal{logic, fault.Limits, 3, "precision[3]"}},
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

// sketchOf makes the model of a case. Where the case does not say what the shapes are, the operator's rule does.
func sketchOf(c *cases.Operator) *sketch {
	s := newSketch()
	call := operators.Call{}
	var in []int
	for i, x := range c.Inputs {
		in = append(in, s.operand(i, x.Precision, x.Shape, x.Data))
		call.In = append(call.In, operators.Tensor{Shape: x.Shape, Precision: x.Precision})
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
	node := s.operator(c.Op, symbol.FormatAttrs(c.Attrs), in, shapes...)
	for k := range shapes {
		s.Heads = append(s.Heads, symbol.Entry{Node: node, Output: k})
	}
	return s
}

// TestOperatorCases holds graphs of one operator against the shared cases: gas, storage, shapes and precisions, or class and stage of
// the refusal.
func TestOperatorCases(t *testing.T) {
	cases.Operators(t, func(t *testing.T, c *cases.Operator) {
		checkCase(t, c, true)
		if c.Op != "where" { // whose precision is another
			checkCase(t, c, false)
		}
	})
}

func checkCase(t *testing.T, c *cases.Operator, compat bool) {
	t.Helper()
	s, err := symbol.Parse(sketchOf(c).text(t))
	if err != nil {
		t.Fatal(err)
	}
	n, err := resolve(s, compat)
	var gas int64
	if err == nil {
		gas, _, err = n.gas()
	}
	if c.Refused() {
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Class != c.Expect.Class || e.Stage != c.Expect.Stage {
			t.Errorf("compat %t: got %v, want class %v of stage %s", compat, err, c.Expect.Class, c.Expect.Stage)
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
