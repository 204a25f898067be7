package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/tensor"
)

// cvmFolder is a CVM model of testdata.
type cvmFolder struct {
	name   string
	symbol symbol.Symbol
	params []params.Param // nil for a graph alone
}

// cvmModels are the CVM models of testdata: one that tells the strokes of pictures of nine pixels, one whose storage plan writes over a
// parameter that is still needed, a graph without parameters that lacks an attribute, one that is right, one whose outputs cannot be joined, and
// one of which no more than the gas can be known, as it has no data and an operator by another name.
func cvmModels(t *testing.T) []cvmFolder {
	t.Helper()
	array := func(name string, data []int8, shape ...int) params.Param {
		x, err := tensor.FromSlice(data, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return params.Param{Name: name, Tensor: x}
	}
	variable := func(name string) symbol.Node { return symbol.Node{Op: "null", Name: name} }
	apply := func(name, operator string, inputs ...int) symbol.Node {
		n := symbol.Node{Op: "cvm_op", Name: name, Attrs: &symbol.NodeAttrs{FuncName: operator}}
		for _, i := range inputs {
			n.Inputs = append(n.Inputs, symbol.Entry{Node: i})
		}
		return n
	}
	strokes := symbol.Symbol{
		Version:     symbol.V110,
		Postprocess: "argmax",
		Nodes: []symbol.Node{
			variable("data"), variable("weight"), variable("bias"),
			apply("pixels", "flatten", 0), apply("sums", "dense", 3, 1, 2), apply("narrow", "cvm_right_shift", 4), apply("scores", "relu", 5),
		},
		Heads:     []symbol.Entry{{Node: 6}},
		OpAttrs:   []string{"{}", "{}", "{}", "{}", `{"units": "4"}`, `{"precision": "8", "shift_bit": "3"}`, "{}"},
		Shape:     []tensor.Shape{{1, 1, 3, 3}, {4, 9}, {4}, {1, 9}, {1, 4}, {1, 4}, {1, 4}},
		StorageID: []int{0, 1, 2, 0, 3, 3, 3},
		Precision: []int{8, 3, 8, -1, -1, -1, -1},
	}
	weight := []int8{
		-1, -1, -1, 2, 2, 2, -1, -1, -1,
		-1, 2, -1, -1, 2, -1, -1, 2, -1,
		-1, -1, 2, -1, 2, -1, 2, -1, -1,
		2, -1, -1, -1, 2, -1, -1, -1, 2,
	}
	overlap := symbol.Symbol{
		Version:   symbol.V110,
		Nodes:     []symbol.Node{variable("data"), variable("w"), apply("size", "abs", 0), apply("rest", "elemwise_sub", 2, 1)},
		Heads:     []symbol.Entry{{Node: 3}, {Node: 2}},
		OpAttrs:   []string{"{}", "{}", "{}", "{}"},
		Shape:     []tensor.Shape{{1, 4}, {1, 4}, {1, 4}, {1, 4}},
		StorageID: []int{0, 1, 1, 2},
		Precision: []int{8, 8, -1, -1},
	}
	wrong := symbol.Symbol{
		Version:   symbol.V110,
		Nodes:     []symbol.Node{variable("data"), variable("weight"), apply("sums", "dense", 0, 1)},
		Heads:     []symbol.Entry{{Node: 2}},
		OpAttrs:   []string{"{}", "{}", `{"use_bias": "False"}`},
		Shape:     []tensor.Shape{{1, 9}, {4, 9}, {1, 4}},
		StorageID: []int{0, 1, 2},
		Precision: []int{8, 8, -1},
	}
	alone := strokes
	alone.Postprocess = ""
	apart := symbol.Symbol{
		Version:   symbol.V110,
		Nodes:     []symbol.Node{variable("data"), variable("w"), apply("sum", "elemwise_add", 0, 1), apply("flat", "flatten", 2)},
		Heads:     []symbol.Entry{{Node: 2}, {Node: 3}},
		OpAttrs:   []string{"{}", "{}", "{}", "{}"},
		Shape:     []tensor.Shape{{1, 2, 2}, {1, 2, 2}, {1, 2, 2}, {1, 4}},
		StorageID: []int{0, 1, 2, 3},
		Precision: []int{8, 8, -1, -1},
	}
	priced := symbol.Symbol{
		Version:   symbol.V110,
		Nodes:     []symbol.Node{variable("x"), apply("y", "add", 0, 0)},
		OpAttrs:   []string{"{}", "{}"},
		Shape:     []tensor.Shape{{1, 2, 2}, {1, 2, 2}},
		StorageID: []int{0, 1},
		Precision: []int{8, -1},
	}
	return []cvmFolder{
		{"strokes", strokes, []params.Param{array("weight", weight, 4, 9), array("bias", []int8{0, 0, 1, 1}, 4)}},
		{"overlap", overlap, []params.Param{array("w", []int8{1, 2, 3, 4}, 1, 4)}},
		{"wrong", wrong, nil},
		{"alone", alone, nil},
		{"apart", apart, []params.Param{array("w", []int8{1, 2, 3, 4}, 1, 2, 2)}},
		{"priced", priced, nil},
	}
}

// TestCVMData holds the CVM models of testdata to what they are made of.
func TestCVMData(t *testing.T) {
	for _, m := range cvmModels(t) {
		text, err := m.symbol.AppendText(nil)
		if err != nil {
			t.Fatal(err)
		}
		golden.Bytes(t, filepath.Join("testdata", "cvm", m.name, "graph.json"), text)
		if m.params == nil {
			continue
		}
		data, err := params.Append(nil, m.params)
		if err != nil {
			t.Fatal(err)
		}
		golden.Bytes(t, filepath.Join("testdata", "cvm", m.name, "params.bin"), data)
	}
	for name, picture := range map[string]string{
		"horizontal": "...@@@...", "vertical": ".@..@..@.", "rising": "..@.@.@..", "falling": "@...@...@",
	} {
		data := bytes.ReplaceAll(bytes.ReplaceAll([]byte(picture), []byte("@"), []byte{127}), []byte("."), []byte{0})
		golden.Bytes(t, filepath.Join("testdata", "cvm", "strokes", name+".bin"), data)
	}
	golden.Bytes(t, filepath.Join("testdata", "cvm", "overlap", "four.bin"), []byte{5, 0xFB, 7, 0x80})
}
