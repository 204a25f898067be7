package symbol_test

import (
	"fmt"

	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

func ExampleParse() {
	s, err := symbol.Parse([]byte(`{
  "nodes": [
    {"op": "null", "name": "data", "inputs": []},
    {"op": "cvm_op", "name": "act", "inputs": [[0, 0]], "attrs": {"func_name": "relu"}}
  ],
  "heads": [[1, 0]],
  "attrs": {
    "op_attrs": ["list_str", ["{}", "{}"]],
    "shape": ["list_shape", [[1, 4], [1, 4]]],
    "precision": ["list_int", [8, -1]],
    "storage_id": ["list_int", [0, 0]]
  },
  "version": "cvm_1.1.0"
}`))
	if err != nil {
		panic(err)
	}
	for _, n := range s.Nodes {
		fmt.Println(n.Name, n.Op, n.Inputs, n.Pos.Line)
	}
	_, err = symbol.Parse([]byte(`{"nodes": [{"op": "relu"}]}`))
	fmt.Println(err)
	// Output:
	// data null [] 3
	// act cvm_op [{0 0 0}] 4
	// 1:19: node 0: op: found "relu"; want null or cvm_op
}

func ExampleSymbol_AppendText() {
	s := symbol.Symbol{
		Version:   symbol.V110,
		Nodes:     []symbol.Node{{Op: "null", Name: "data"}},
		Heads:     []symbol.Entry{{Node: 0}},
		OpAttrs:   []string{"{}"},
		Shape:     []tensor.Shape{{1, 4}},
		Precision: []int{8},
		StorageID: []int{0},
	}
	text, err := s.AppendText(nil)
	fmt.Println(string(text), err)
	// Output:
	// {"nodes":[{"op":"null","name":"data","inputs":[]}],"heads":[[0,0,0]],"attrs":{"op_attrs":["list_str",["{}"]],"shape":["list_shape",[[1,4]]],"precision":["list_int",[8]],"storage_id":["list_int",[0]]},"version":"cvm_1.1.0"} <nil>
}

func ExampleFormatAttrs() {
	text := symbol.FormatAttrs(map[string]string{"units": "12", "use_bias": "True"})
	fmt.Println(text)
	attrs, err := symbol.ParseAttrs(text, symbol.Pos{})
	fmt.Println(attrs, err)
	// Output:
	// {"units": "12", "use_bias": "True"}
	// map[units:12 use_bias:True] <nil>
}
