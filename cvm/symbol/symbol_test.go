package symbol_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/tensor"
)

// unplaced returns the symbol without places.
func unplaced(s *symbol.Symbol) *symbol.Symbol {
	c := *s
	c.Nodes = append([]symbol.Node{}, s.Nodes...)
	for i := range c.Nodes {
		c.Nodes[i].Pos, c.Nodes[i].AttrsPos = symbol.Pos{}, symbol.Pos{}
	}
	return &c
}

// roundTrip writes a symbol that Parse returned, and reads and writes it again.
func roundTrip(t *testing.T, s *symbol.Symbol) []byte {
	t.Helper()
	text, err := s.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := symbol.Parse(text)
	if err != nil {
		t.Fatalf("the written text does not parse: %v\n%s", err, text)
	}
	if !reflect.DeepEqual(unplaced(s), unplaced(again)) {
		t.Fatalf("read back, it differs:\n%+v\n%+v", s, again)
	}
	if twice, err := again.AppendText([]byte("x")); err != nil || string(twice) != "x"+string(text) {
		t.Fatalf("written twice, it differs: %v\n%s\n%s", err, text, twice)
	}
	return text
}

// malformed lists the shared models that Parse decides, with their classes.
var malformed = map[string]fault.Class{
	"bad-attrkey": fault.Runtime, "bad-json-empty": fault.Runtime, "bad-json-garbage": fault.Runtime, "bad-nodekey": fault.Runtime,
	"bad-topkey": fault.Runtime, "bad-nofuncname": fault.Logic, "bad-nostorage": fault.Logic, "bad-optype": fault.Logic,
}

func TestSharedModels(t *testing.T) {
	root := testdata.Shared(t, "conformance", "cvm", "models")
	dirs, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		t.Run(dir.Name(), func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, dir.Name(), "graph.json"))
			if err != nil {
				t.Fatal(err)
			}
			s, err := symbol.Parse(text)
			if got := fault.ClassOf(err); got != malformed[dir.Name()] {
				t.Fatalf("class %v, want %v: %v", got, malformed[dir.Name()], err)
			}
			if err != nil {
				return
			}
			written := roundTrip(t, s)
			// Most models are written without spaces and repeated keys, and come back to the byte but for defaults.
			text = bytes.Replace(text, []byte(`,"postprocess":""`), nil, 1)
			if bytes.HasPrefix(text, []byte(`{"nodes":[{`)) && !bytes.Equal(text, written) {
				t.Errorf("%d bytes were written differently, in %d", len(text), len(written))
			}
			for i, n := range s.Nodes {
				if n.Op == "null" || dir.Name() == "bad-opattr-num" {
					continue
				}
				attrs, err := symbol.ParseAttrs(s.OpAttrs[i], n.AttrsPos)
				if err != nil {
					t.Fatal(err)
				}
				again, err := symbol.ParseAttrs(symbol.FormatAttrs(attrs), symbol.Pos{})
				if err != nil || !reflect.DeepEqual(attrs, again) {
					t.Errorf("attributes %v came back as %v: %v", attrs, again, err)
				}
				if text[n.AttrsPos.Column-1] != '"' {
					t.Errorf("node %d: its attributes do not begin in column %d", i, n.AttrsPos.Column)
				}
			}
		})
	}
}

// graphOf puts parts into a complete graph.
func graphOf(nodes, lists, rest string) string {
	return `{"nodes":[` + nodes + `],"heads":[[0,0]],"attrs":{"op_attrs":["list_str",["{}"]],"storage_id":["list_int",[0]],` +
		`"shape":["list_shape",[[1]]]` + lists + `}` + rest
}

const node = `{"op":"null","name":"data","inputs":[]}`

func TestParse(t *testing.T) {
	const full = `{ "heads" : [[1,1],[0,0,7]] , "version":"cvm_1.1.0",
 "attrs":{"shape":["list_shape",[[1,2],[],[-3]]],"op_attrs":["list_str",[ "{}",
   "{\"a\": \"b\"}"]],"storage_id":["list_int",[0,+007]],"precision":["list_int",[8,-1]],
   "dltype":["list_str",["int32"]],"device_index":["list_int",[]],"dtype":["list_int",[1]]},
 "nodes":[{"op":"null","name":"d\t\\\r\n\"é","inputs":[],"precision":8},
   {"inputs":[[0,0]],"op":"cvm_op","name":"","attrs":{"func_name":"relu","num_inputs":"1","num_outputs":"2","flatten_data":"3","op_attrs":"4"}}],
 "arg_nodes":[0],"node_row_ptr":[0,1,2],"postprocess":"argmax"} and more`
	s, err := symbol.Parse([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := &symbol.Symbol{
		Version: symbol.V110, Postprocess: "argmax",
		Nodes: []symbol.Node{
			{Op: "null", Name: "d\t\\\r\n\"é", Inputs: []symbol.Entry{}, Precision: new(8), Pos: symbol.Pos{Line: 5, Column: 11},
				AttrsPos: symbol.Pos{Line: 2, Column: 75}},
			{Op: "cvm_op", Inputs: []symbol.Entry{{Node: 0, Output: 0}}, Attrs: &symbol.NodeAttrs{FuncName: "relu", NumInputs: "1",
				NumOutputs: "2", FlattenData: "3", OpAttrs: "4"}, Pos: symbol.Pos{Line: 6, Column: 4}, AttrsPos: symbol.Pos{Line: 3, Column: 4}},
		},
		Heads:    []symbol.Entry{{Node: 1, Output: 1}, {Version: 7}},
		ArgNodes: []int{0}, NodeRowPtr: []int{0, 1, 2},
		OpAttrs: []string{"{}", `{"a": "b"}`}, Shape: []tensor.Shape{{1, 2}, {}, {-3}}, StorageID: []int{0, 7},
		Precision: []int{8, -1}, DLType: []string{"int32"}, DeviceIdx: []int{},
		DType: symbol.DType{Tag: "list_int", Numbers: []int{1}},
	}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got\n%+v\nwant\n%+v", s, want)
	}
	roundTrip(t, s)
}

// TestAccepted has the oddities that the original's reader lets pass.
func TestAccepted(t *testing.T) {
	for name, text := range map[string]string{
		"cut off":            strings.TrimSuffix(graphOf(node, "", ""), "}") + "\n",
		"cut off in a list":  `{"nodes":[` + node + `],"attrs":{"op_attrs":["list_str",[]],"storage_id":["list_int",[]],"shape":["list_shape",[]]},"heads":[[0,0`,
		"all kinds of space": strings.ReplaceAll(graphOf(node, "", "}"), ":", "\v:\f\r\n\t "),
		"zero byte":          graphOf(node, "", "}") + "\x00",
		"dtype is a number":  graphOf(node, `,"dtype":["list_str",-18446744073709551615]`, "}"),
		"raw bytes":          graphOf(`{"op":"null","name":"`+"\xff\t\x01"+`","inputs":[]}`, "", "}"),
		"second attrs":       graphOf(node, `,"precision":["list_int",[8]]`, `,"attrs":{"op_attrs":["list_str",["{}"]],"storage_id":["list_int",[0]],"shape":["list_shape",[[1]]]}}`),
	} {
		s, err := symbol.Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(s.Nodes) != 1 || len(s.Heads) != 1 || s.Version != symbol.V100 {
			t.Errorf("%s: %+v", name, s)
		}
		if name == "second attrs" && len(s.Precision) != 1 {
			t.Errorf("%s: the list of the first is lost", name)
		}
		roundTrip(t, s)
	}
}

func TestLastCounts(t *testing.T) {
	s, err := symbol.Parse([]byte(graphOf(`{"op":"cvm_op","op":"null","name":"a","name":"b","inputs":[[1,1]],"inputs":[],"attrs":{"func_name":"f","func_name":"g",`+
		`"num_inputs":"1"},"attrs":{"func_name":"h"}}`, `,"shape":["list_shape",[]],"shape":["list_shape",[[2]]]`,
		`,"version":"x","version":"y","heads":[],"heads":[[3,0]],"arg_nodes":[1,2],"arg_nodes":[-1]}`)))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(s.Nodes[0].Op, s.Nodes[0].Name, len(s.Nodes[0].Inputs), *s.Nodes[0].Attrs, s.Shape, s.Version, s.Heads, uint32(s.ArgNodes[0]))
	if want := "null b 0{h    }[[2]]y[{3 0 0}]4294967295"; strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct {
		key, text string
		want      int64 // on 32-bit machines, the nearest int or, of a number of 32 bits, its bits
		ok        bool
	}{
		{"id", "-0", 0, true}, {"id", "+5", 5, true}, {"id", "0000000000000000000000000000012", 12, true},
		{"id", "2147483647", 2147483647, true}, {"id", "2147483648", 0, false},
		{"id", "-2147483648", -2147483648, true}, {"id", "-2147483649", 0, false},
		{"id", "18446744073709551617", 0, false}, {"id", "99999999999999999999999", 0, false},
		{"id", "1.5", 0, false}, {"id", "1e2", 0, false}, {"id", "0x1", 0, false}, {"id", "-", 0, false},
		{"id", "+-1", 0, false}, {"id", "- 1", 0, false}, {"id", `"1"`, 0, false}, {"id", "null", 0, false}, {"id", "1,", 0, false},
		{"shape", "9223372036854775807", 9223372036854775807, true}, {"shape", "9223372036854775808", 0, false},
		{"shape", "-9223372036854775808", -9223372036854775808, true}, {"shape", "-9223372036854775809", 0, false},
		{"arg", "4294967295", 4294967295, true}, {"arg", "4294967296", 0, false},
		{"arg", "-1", 4294967295, true}, {"arg", "-4294967295", 1, true}, {"arg", "-4294967296", 0, false},
	}
	for _, test := range tests {
		parts := map[string]string{"id": "1", "shape": "1", "arg": "1"}
		parts[test.key] = test.text
		s, err := symbol.Parse([]byte(graphOf(node, fmt.Sprintf(`,"storage_id":["list_int",[%s]],"shape":["list_shape",[[%s]]]`, parts["id"], parts["shape"]),
			fmt.Sprintf(`,"arg_nodes":[%s]}`, parts["arg"]))))
		if !test.ok {
			if fault.ClassOf(err) != fault.Runtime {
				t.Errorf("%s %q: %v", test.key, test.text, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %q: %v", test.key, test.text, err)
			continue
		}
		got := map[string]int{"id": s.StorageID[0], "shape": s.Shape[0][0], "arg": s.ArgNodes[0]}[test.key]
		want := int(min(max(test.want, math.MinInt), math.MaxInt))
		if test.key == "arg" {
			want = int(uint32(test.want))
		}
		if got != want {
			t.Errorf("%s %q is %d, want %d", test.key, test.text, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	variable := func(inputs, rest string) string {
		return graphOf(`{"op":"null","name":"n","inputs":`+inputs+rest+`}`, "", "}")
	}
	list := func(text string) string { return graphOf(node, ","+text, "}") }
	tests := []struct {
		text  string
		class fault.Class
		want  string // what the message contains
	}{
		{"", fault.Runtime, `1:1: the text ends; want "{"`},
		{"\n [", fault.Runtime, `2:2: found "["; want "{"`},
		{"{", fault.Runtime, `1:2: the text ends; want a string`},
		{"{}", fault.Logic, `1:1: nodes: the key is missing`},
		{`{"nodes":[`, fault.Runtime, "the text ends"},
		{`{"nodes":[]`, fault.Logic, "heads: the key is missing"},
		{`{"a\u0041":1}`, fault.Runtime, "one of r n t"},
		{`{"\`, fault.Runtime, "the text ends"},
		{`{"nodes" []}`, fault.Runtime, `found "["; want ":"`},
		{`{"nodes":[],}`, fault.Runtime, `found "}"`},
		{`{"nodes":[] "heads":[]}`, fault.Runtime, `a comma or "}"`},
		{"{\"no\ndes\":[]}", fault.Runtime, `1:5: found "\n"`},
		{`{"foo":1}`, fault.Runtime, `1:2: the key "foo" is unknown`},
		{graphOf(node, "", `,"version":1}`), fault.Runtime, "version: found"},
		{graphOf(`{"op":"x","name":"n","inputs":[]}`, "", "}"), fault.Logic, `1:17: node 0: op: found "x"; want null or cvm_op`},
		{graphOf(`{"op":"null","name":"n"}`, "", "}"), fault.Logic, `1:11: node 0 "n": inputs: the key is missing`},
		{graphOf(`{"op":"null","name":"n","inputs":[],"shape":5}`, "", "}"), fault.Runtime, `"shape" is unknown`},
		{variable(`[[]]`, ""), fault.Logic, `node 0 "n": inputs: the number of numbers is 0`},
		{variable(`[[0]]`, ""), fault.Logic, "the number of numbers is 1"},
		{variable(`[[0,0,0,"x"]]`, ""), fault.Logic, "more than three"},
		{variable(`[0]`, ""), fault.Runtime, `want "["`},
		{variable(`[]`, `,"precision":"8"`), fault.Runtime, "an integer of 32 bits"},
		{variable(`[]`, `,"attrs":{}`), fault.Logic, "func_name: the key is missing"},
		{variable(`[]`, `,"attrs":{"func_name":"f","x":"y"}`), fault.Runtime, `"x" is unknown`},
		{variable(`[]`, `,"attrs":{"func_name":1}`), fault.Runtime, `func_name: found "1"`},
		{list(`"foo":[]`), fault.Runtime, `"foo" is unknown`},
		{list(`"shape":[]`), fault.Logic, "shape: there are 0 items"},
		{list(`"shape":["list_shape"]`), fault.Logic, "there are 1 items"},
		{list(`"shape":["list_int" 5]`), fault.Logic, `the tag is "list_int"; want list_shape`},
		{list(`"shape":["list_shape" 5]`), fault.Runtime, "a comma"},
		{list(`"shape":["list_shape",[],3]`), fault.Logic, "more than two"},
		{list(`"shape":[1]`), fault.Runtime, "found"},
		{list(`"dltype":["list_str",[1]]`), fault.Runtime, "dltype: found"},
		{list(`"dtype":["list_x"]`), fault.Runtime, "list_int or list_str"},
		{list(`"dtype":["list_int"]`), fault.Logic, "there are 1 items"},
		{list(`"dtype":["list_str",["a"]]`), fault.Runtime, "unsigned integer of 64 bits"},
		{`{"nodes":[],"heads":[],"attrs":{"op_attrs":["list_str",[]],"shape":["list_shape",[]]}}`, fault.Logic, "attrs: the key"},
		{"{\"" + strings.Repeat("x", 1000) + "\":1}", fault.Runtime, `x…" is unknown`},
	}
	for _, test := range tests {
		_, err := symbol.Parse([]byte(test.text))
		want := strings.Replace(test.want, "attrs: the key", "storage_id: the key", 1)
		if fault.ClassOf(err) != test.class || !strings.Contains(err.Error(), want) {
			t.Errorf("%.90s\n  is %v: %v\nwant %v: %s", test.text, fault.ClassOf(err), err, test.class, want)
		}
	}
}

func TestParseAttrs(t *testing.T) {
	got, err := symbol.ParseAttrs(` { "a":"1", "b" : "(1, 2)", "a":"\t\"" } tail`, symbol.Pos{})
	if want := map[string]string{"a": "\t\"", "b": "(1, 2)"}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if text := symbol.FormatAttrs(got); text != `{"a": "\t\"", "b": "(1, 2)"}` {
		t.Error(text)
	}
	if text := symbol.FormatAttrs(nil); text != "{}" {
		t.Error(text)
	}
	for _, text := range []string{"", "[]", "{", `{"a":1}`, `{"a":null}`, `{"a":"1",}`, `{"a"="1"}`, `{"a":"1" "b":"2"}`, `{a:"1"}`, `{"a":"`} {
		if _, err := symbol.ParseAttrs(text, symbol.Pos{}); fault.ClassOf(err) != fault.Runtime {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestAttrsPlace: an error in a string of op_attrs has its place in the graph, where quotes have backslashes before them.
func TestAttrsPlace(t *testing.T) {
	text := strings.Replace(graphOf(node, "", "}"), `["{}"]`, "[\n "+`"{\"a\": \"b\",\n \"unit\": 12}"]`, 1)
	s, err := symbol.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = symbol.ParseAttrs(s.OpAttrs[0], s.Nodes[0].AttrsPos)
	if want := `2:30: unit: found "1"; want a string`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	line := strings.Split(text, "\n")[1]
	if line[29] != '1' {
		t.Errorf("column 30 is %q", line[29])
	}
}

func TestCannotWrite(t *testing.T) {
	big := int64(1) << 31
	if int64(int(big)) != big {
		t.Skip("int has 32 bits here")
	}
	for want, s := range map[string]symbol.Symbol{
		"op: cannot write":          {Nodes: []symbol.Node{{Op: "relu"}}},
		"name: cannot write":        {Nodes: []symbol.Node{{Op: "null", Name: "\x00"}}},
		"heads: cannot write":       {Heads: []symbol.Entry{{Node: -1}}},
		"storage_id: cannot write":  {StorageID: []int{int(big)}},
		"precision: cannot write":   {Precision: []int{int(-big - 1)}},
		"dtype: cannot write \"x\"": {DType: symbol.DType{Tag: "x"}},
		"dtype: cannot write 2":     {DType: symbol.DType{Tag: "list_str", Numbers: []int{1, 2}}},
		"dtype: cannot write -1":    {DType: symbol.DType{Tag: "list_str", Numbers: []int{-1}}},
	} {
		if text, err := s.AppendText(nil); err == nil || !strings.Contains(err.Error(), want) || text != nil {
			t.Errorf("got %s, %v; want %s", text, err, want)
		}
	}
	empty := symbol.Symbol{Version: symbol.V110}
	text, err := empty.AppendText(nil)
	if err != nil || !json.Valid(text) {
		t.Errorf("%s: %v", text, err)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 1<<20), strings.Repeat(`{"nodes":`, 1<<18), `{"nodes":[` + strings.Repeat("[", 1<<20),
		`{"arg_nodes":[` + strings.Repeat("9", 1<<20), `{"version":"` + strings.Repeat(`\n`, 1<<19), strings.Repeat("\n", 1<<20),
		`{"` + strings.Repeat("k", 1<<20) + `":`,
	} {
		_, err := symbol.Parse([]byte(text))
		if fault.ClassOf(err) != fault.Runtime || len(err.Error()) > 300 {
			t.Errorf("%.20s: %.300v", text, err)
		}
	}
}

// TestTimeIsBounded would take hours if looking for places or keys took longer the longer the text is.
func TestTimeIsBounded(t *testing.T) {
	many := strings.Repeat(`"a":"",`, 1<<18)
	if _, err := symbol.ParseAttrs("{"+many, symbol.Pos{Line: 1, Column: 1}); fault.ClassOf(err) != fault.Runtime {
		t.Error(err)
	}
	if _, err := symbol.Parse([]byte("{" + strings.Repeat(`"version":"",`, 1<<18))); fault.ClassOf(err) != fault.Runtime {
		t.Error(err)
	}
}
