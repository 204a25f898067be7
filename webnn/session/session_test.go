package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// everything has one of each kind of value.
func everything() *session.Session {
	return &session.Session{Calls: []session.Call{
		{On: "ml", Method: "createContext", Args: []session.Value{session.Dict{"accelerated": true}}, ID: "context"},
		{Method: "MLGraphBuilder", Args: []session.Value{session.Ref("context")}, ID: "builder"},
		{On: "builder", Method: "split", Args: []session.Value{
			nil, false, "a \"name\" <with> $signs and \u2028", 1.5, -3.0, 1e300, new(big.Int).Lsh(big.NewInt(1), 70),
			session.Dict{"$ref": session.Ref("x"), "": []session.Value{}, "$$": session.Dict{}, "ünïcode": nil},
			&session.Buffer{Data: []byte{1, 2, 3}},
			&session.Buffer{Type: "Float32Array", Data: []byte{0, 0, 128, 63}, ByteOffset: 4, BufferByteLength: 16, Shared: true},
		}, IDs: []string{"a", "b"}},
	}}
}

func TestEncodeDecode(t *testing.T) {
	for _, weights := range []string{"", "weights.bin"} {
		s := everything()
		s.Weights = weights
		text, write, err := s.Encode()
		if err != nil {
			t.Fatal(err)
		}
		data := testdata.Written(t, write)
		if !json.Valid(text) {
			t.Errorf("the document is no JSON: %s", text)
		}
		got, err := session.Decode(text, data, nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("decoded:\n%#v\nwant\n%#v", got, s)
		}
		again, writeAgain, err := got.Encode()
		if err != nil || !bytes.Equal(again, text) || !bytes.Equal(testdata.Written(t, writeAgain), data) {
			t.Errorf("encoding again gives\n%s, %v\nwant\n%s", again, err, text)
		}
	}
}

// TestEncodeNumbers holds numbers to what a page reads: the numbers that JSON lacks are strings, and -0 keeps its sign.
func TestEncodeNumbers(t *testing.T) {
	s := &session.Session{Calls: []session.Call{{On: "b", Method: "f", Args: []session.Value{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 3, []int{4}, []float64{0.5}, []string{"zrn"},
	}}}}
	text, _, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"args":["NaN","Infinity","-Infinity",-0,3,[4],[0.5],["zrn"]]`; !strings.Contains(string(text), want) {
		t.Errorf("encoded: %s; want %s", text, want)
	}
}

func TestEncodeRejects(t *testing.T) {
	for name, s := range map[string]*session.Session{
		"value":   {Calls: []session.Call{{Method: "f", Args: []session.Value{struct{}{}}}}},
		"UTF-8":   {Calls: []session.Call{{Method: "f", Args: []session.Value{"\xff"}}}},
		"view":    {Calls: []session.Call{{Method: "f", Args: []session.Value{&session.Buffer{Type: "List"}}}}},
		"weights": {Weights: "../x.bin"},
	} {
		if _, _, err := s.Encode(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestDecodeBuffers(t *testing.T) {
	for _, tt := range []struct {
		buffer string
		want   session.Buffer
	}{
		{`{"byteLength":3}`, session.Buffer{Data: []byte{0, 0, 0}}},
		{`{"type":"ArrayBuffer","byteLength":2,"fill":258}`, session.Buffer{Data: []byte{2, 2}}},
		{`{"type":"Int16Array","values":[-2,70000]}`, session.Buffer{Type: "Int16Array", Data: []byte{0xfe, 0xff, 0x70, 0x11}}},
		{`{"type":"Uint8ClampedArray","values":[-5,2.5,300,"NaN"]}`, session.Buffer{Type: "Uint8ClampedArray", Data: []byte{0, 2, 255, 0}}},
		{`{"type":"Float32Array","values":["-Infinity","-0"]}`,
			session.Buffer{Type: "Float32Array", Data: []byte{0, 0, 0x80, 0xff, 0, 0, 0, 0x80}}},
		{`{"type":"Float16Array","length":2,"fill":1}`, session.Buffer{Type: "Float16Array", Data: []byte{0, 0x3c, 0, 0x3c}}},
		// Just above the middle of two halves: rounding by way of float32 would go to even.
		{`{"type":"Float16Array","values":[1.00048828125000001,1.000488281250001]}`,
			session.Buffer{Type: "Float16Array", Data: []byte{0, 0x3c, 1, 0x3c}}},
		{`{"type":"BigInt64Array","values":["-1",{"$bigint":"2"}]}`,
			session.Buffer{Type: "BigInt64Array", Data: []byte{255, 255, 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0, 0, 0}}},
		{`{"at":[1,2]}`, session.Buffer{Data: []byte{8, 9}}},
		{`{"type":"Uint8Array","byteOffset":4,"byteLength":2,"length":2,"bufferByteLength":6,"base64":"AQI="}`,
			session.Buffer{Type: "Uint8Array", ByteOffset: 4, Data: []byte{1, 2}}},
	} {
		c, err := session.DecodeCall([]byte(`{"call":"f","args":[{"$buffer":`+tt.buffer+`}]}`), []byte{7, 8, 9}, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.buffer, err)
			continue
		}
		if got := c.Args[0].(*session.Buffer); !reflect.DeepEqual(*got, tt.want) {
			t.Errorf("%s: %+v; want %+v", tt.buffer, *got, tt.want)
		}
	}
}

func TestDecodeRejects(t *testing.T) {
	call := func(c string) string { return `{"webnnSession":1,"calls":[{"call":"f"},` + c + `]}` }
	arg := func(v string) string { return call(`{"call":"f","args":[` + v + `]}`) }
	for _, tt := range []struct {
		text, want string
		call       int
	}{
		{``, "ends too early", -1},
		{`{"webnnSession":1,"calls":[{"call":"MLGr`, "ends too early", 0},
		{`[]`, "the document is an array; it must be an object", -1},
		{`{"calls":[],"webnnSession":1}`, `the first member is "calls"`, -1},
		{`{"webnnSession":2,"calls":[]}`, "webnnSession is 2; it must be 1", -1},
		{`{"webnnSession":1}`, "must be given", -1},
		{`{"webnnSession":1,"calls":[],"calls":[]}`, `the member "calls" twice`, -1},
		{`{"webnnSession":1,"more":1}`, `no member "more"`, -1},
		{`{"webnnSession":1,"weights":"a/b","calls":[]}`, "no plain file name", -1},
		{`{"webnnSession":1,"calls":[]} x`, "something follows", -1},
		{call(`3`), "the call is 3; it must be an object", 1},
		{call(`{"on":"b"}`), `no member "call"`, 1},
		{call(`{"call":"f","on":""}`), "on is", 1},
		{call(`{"call":"f","id":""}`), "id is empty", 1},
		{call(`{"call":"f","id":"a","ids":[]}`), "both id and ids", 1},
		{call(`{"call":"f","argument":[]}`), `no member "argument"`, 1},
		{arg(strings.Repeat("[", 40)), "deeper than 16 levels", 1},
		{arg(`{"$ref":"a","b":1}`), "must stand alone", 1},
		{arg(`{"b":1,"$ref":"a"}`), "must stand alone", 1},
		{arg(`{"$date":"a"}`), `there is no "$date"`, 1},
		{arg(`{"$bigint":"1.5"}`), "$bigint is", 1},
		{arg(`{"$buffer":{}}`), "byteLength is -1", 1},
		{arg(`{"$buffer":{"type":"List"}}`), "no type of a buffer", 1},
		{arg(`{"$buffer":{"type":"Float32Array","byteLength":3}}`), "multiple of 4", 1},
		{arg(`{"$buffer":{"byteLength":3,"base64":"AQI="}}`), "3 bytes by one of its members and 2 by another", 1},
		{arg(`{"$buffer":{"byteLength":3,"fill":{}}}`), "fill: the value is a dictionary", 1},
		{arg(`{"$buffer":{"fill":1,"values":[]}}`), "both given", 1},
		{arg(`{"$buffer":{"at":[0,1]}}`), "at is [0, 1], which takes 1 bytes; there are 0 beside the document", 1},
		{arg(`{"$buffer":{"at":[0]}}`), "must be [offset, length]", 1},
		{arg(`{"$buffer":{"byteLength":99999999999}}`), "must be a whole number", 1},
		{arg(`{"$buffer":{"byteOffset":8,"bufferByteLength":9,"byteLength":2}}`), "the view ends at byte 10", 1},
		{arg(`{"$buffer":{"byteLength":1000000000}},{"$buffer":{"byteLength":1000000000}}`), "more than", 1},
		{"\ufeff" + call(`{"call":"f"}`), "", 0},
	} {
		_, err := session.Decode([]byte(tt.text), nil, nil)
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		var e *session.SyntaxError
		if !errors.As(err, &e) || !strings.Contains(e.Reason, tt.want) || e.Call != tt.call {
			t.Errorf("%.80s: the error is %v; want %q in call %d", tt.text, err, tt.want, tt.call)
		}
	}
	limits := &session.Limits{Calls: 1, Text: 60}
	for _, text := range []string{call(`{"call":"f"}`), `{"webnnSession":1,"calls":[` + strings.Repeat(" ", 60) + `]}`} {
		if _, err := session.Decode([]byte(text), nil, limits); err == nil {
			t.Errorf("%s is within the limits", text)
		}
	}
}

// record builds a small graph of every form of value, with a recorder attached.
func record(t *testing.T) (*session.Recorder, *graph.Graph) {
	t.Helper()
	must := func(o *webnn.Operand, err error) *webnn.Operand {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		t.Fatal(err)
	}
	r := session.Record(b)
	call := func(name string, args []any, options webnn.Options) *webnn.Operand {
		t.Helper()
		out, err := b.Call(name, args, options)
		if err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	x := must(b.Input("an input\u202e", webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{2, 4}}))
	w := must(b.Constant(webnn.OperandDescriptor{DataType: tensor.Float32, Shape: tensor.Shape{4}}, []float32{1, 2, 3, 4}))
	k := must(b.ConstantNumber(tensor.Float32, webnn.Float(0.25)))
	i := must(b.ConstantNumber(tensor.Int64, webnn.Uint(math.MaxInt64)))
	y := call("add", []any{x, w}, webnn.Options{"label": "sum"})
	y = call("mul", []any{y, k}, nil)
	y = call("clamp", []any{y}, webnn.Options{"minValue": -1.5, "maxValue": math.Inf(1)})
	y = call("concat", []any{[]*webnn.Operand{y, x}, 0}, nil)
	y = call("reduceMean", []any{y}, webnn.Options{"axes": []int{0}, "keepDimensions": true})
	parts, err := b.Call("split", []any{y, []int{1, 3}}, webnn.Options{"axis": 1})
	if err != nil {
		t.Fatal(err)
	}
	z := call("cast", []any{i, tensor.Uint8}, nil)
	g, err := b.Network(webnn.NamedOperands{"$ref": parts[0], "rest": parts[1], "z": z})
	if err != nil {
		t.Fatal(err)
	}
	return r, g
}

func TestRecorderAndGraph(t *testing.T) {
	r, want := record(t)
	s, err := r.Session()
	if err != nil {
		t.Fatal(err)
	}
	for _, weights := range []string{"", "weights.bin"} {
		s.Weights = weights
		path := filepath.Join(t.TempDir(), "model.json")
		if err := s.Save(path); err != nil {
			t.Fatal(err)
		}
		if !session.Recognizes(path, false) {
			t.Error("the file is not recognised")
		}
		loaded, err := session.Load(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Graph(nil)
		if err != nil {
			t.Fatal(err)
		}
		if g, w := graph.Text(got, op.Rules), graph.Text(want, op.Rules); g != w {
			t.Errorf("the graph is\n%s\nwant\n%s", g, w)
		}
	}
}

func TestGraphRejects(t *testing.T) {
	const head = `{"call":"MLGraphBuilder","args":[{"$ref":"page"}],"id":"b"}`
	for _, tt := range []struct{ calls, want string }{
		{head, "call 1, build: the session ends without"},
		{head + `,` + head, "two builders"},
		{`{"call":"MLGraphBuilder","args":[{"$ref":"page"}]}`, "no id"},
		{head + `,{"on":"ml","call":"createContext","id":"c"},{"on":"c","call":"destroy"}`, `the call is on "c"`},
		{head + `,{"on":"b","call":"relu","args":[{"$ref":"x"}]}`, `no object has the id "x"`},
		{head + `,{"on":"b","call":"build","args":[{}]}`, "there is no output"},
	} {
		s, err := session.Decode([]byte(`{"webnnSession":1,"calls":[`+tt.calls+`]}`), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Graph(nil)
		var e *session.CallError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v; want %q", tt.calls, err, tt.want)
		}
	}
}

func TestNetwork(t *testing.T) {
	s, err := session.Decode([]byte(first), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := s.Network()
	for _, shape := range []tensor.Shape{{3, 2, 2}, {5, 2, 2}} {
		g, err := m.Graph(model.Shapes{"B": shape})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Outputs[0].Value.Type.Shape; !got.Equal(shape) {
			t.Errorf("the output has shape %v; want %v", got, shape)
		}
	}
	if _, err := m.Graph(model.Shapes{"C": nil}); err == nil {
		t.Error("an output is given a shape")
	}
}

// run performs a message whose replies must come.
func run(t *testing.T, h *session.Host, message string, data []byte) []session.Reply {
	t.Helper()
	replies, err := h.Run(context.Background(), []byte(message), data)
	if err != nil {
		t.Fatal(err)
	}
	return replies
}
