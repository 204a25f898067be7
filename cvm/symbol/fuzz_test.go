package symbol_test

import (
	"errors"
	"os"
	"reflect"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/testdata"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(graphOf(node, "", "}")))
	f.Add([]byte(graphOf(`{"op":"cvm_op","name":"\t\"","inputs":[[0,0],[0,-1,+02]],"attrs":{"func_name":"relu_1","op_attrs":"{}"},"precision":1}`,
		`,"dtype":["list_str",1],"precision":["list_int",[]],"dltype":["list_str",["int32"]],"device_index":["list_int",[]]`,
		`,"version":"cvm_1.1.0","postprocess":"argmax","arg_nodes":[0],"node_row_ptr":[0,1]`)))
	for _, name := range testdata.Glob(f, "conformance", "cvm", "models", "*", "graph.json") {
		if text, err := os.ReadFile(name); err == nil && len(text) < 4000 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := symbol.Parse(text)
		if err != nil {
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Line < 1 || e.Column < 1 || e.Class == fault.OK {
				t.Fatalf("an error without a place or class: %#v", err)
			}
			return
		}
		roundTrip(t, s)
	})
}

func FuzzAttrs(f *testing.F) {
	for _, text := range []string{"{}", `{"axis": "(1, 2)", "a\t\\\"": "\r\n"}`, `{"a":"1","a":"2"`, `{"a":1}`, "{\n\"a\"\v:\"\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		attrs, err := symbol.ParseAttrs(text, symbol.Pos{Line: 3, Column: 5})
		if err != nil {
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Line != 3 || e.Column < 6 || e.Column > 6+2*len(text) || e.Class != fault.Runtime {
				t.Fatalf("%#v", err)
			}
			return
		}
		again, err := symbol.ParseAttrs(symbol.FormatAttrs(attrs), symbol.Pos{})
		if err != nil || !reflect.DeepEqual(attrs, again) {
			t.Fatalf("%q came back as %q: %v", attrs, again, err)
		}
	})
}
