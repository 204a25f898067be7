package symbol_test

import (
	"strconv"
	"testing"

	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/tensor"
)

// chain returns a graph of n nodes, one after the other.
func chain(n int) *symbol.Symbol {
	s := &symbol.Symbol{Version: symbol.V110, Heads: []symbol.Entry{{Node: n - 1}}}
	for i := range n {
		node := symbol.Node{Op: "null", Name: "data"}
		attrs := "{}"
		if i > 0 {
			node = symbol.Node{Op: "cvm_op", Name: "node" + strconv.Itoa(i), Inputs: []symbol.Entry{{Node: i - 1}},
				Attrs: &symbol.NodeAttrs{FuncName: "clip_" + strconv.Itoa(i), NumInputs: "1", NumOutputs: "1", FlattenData: "0"}}
			attrs = symbol.FormatAttrs(map[string]string{"a_min": "-127", "a_max": "127"})
		}
		s.Nodes = append(s.Nodes, node)
		s.OpAttrs = append(s.OpAttrs, attrs)
		s.Shape = append(s.Shape, tensor.Shape{1, 16, 32, 32})
		s.Precision = append(s.Precision, -1)
		s.StorageID = append(s.StorageID, i)
		s.DLType = append(s.DLType, "int32")
	}
	return s
}

func BenchmarkParse(b *testing.B) {
	text, err := chain(10_000).AppendText(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := symbol.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendText(b *testing.B) {
	s := chain(10_000)
	text, err := s.AppendText(nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if text, err = s.AppendText(text[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
