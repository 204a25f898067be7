package session_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// first is the standard's first example as a builder session: C = 0.2 * A + B.
const first = `{"webnnSession":1,"calls":[
{"on":"ml","call":"createContext","id":"context"},
{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"builder"},
{"on":"builder","call":"constant","args":["float32",0.2],"id":"constant"},
{"on":"builder","call":"input","args":["A",{"dataType":"float32","shape":[2,2]}],"id":"A"},
{"on":"builder","call":"input","args":["B",{"dataType":"float32","shape":[2,2]}],"id":"B"},
{"on":"builder","call":"mul","args":[{"$ref":"A"},{"$ref":"constant"}],"id":"AMul"},
{"on":"builder","call":"add","args":[{"$ref":"AMul"},{"$ref":"B"}],"id":"C"},
{"on":"builder","call":"build","args":[{"C":{"$ref":"C"}}],"id":"graph"}
]}`

// compute runs the graph of the first example.
const compute = `{"webnnSession":1,"calls":[
{"on":"context","call":"createTensor","args":[{"dataType":"float32","shape":[2,2],"writable":true}],"id":"tensorA"},
{"on":"context","call":"createTensor","args":[{"dataType":"float32","shape":[2,2],"writable":true}],"id":"tensorB"},
{"on":"context","call":"createTensor","args":[{"dataType":"float32","shape":[2,2],"readable":true}],"id":"tensorC"},
{"on":"context","call":"writeTensor","args":[{"$ref":"tensorA"},{"$buffer":{"type":"Float32Array","length":4,"fill":1}}]},
{"on":"context","call":"writeTensor","args":[{"$ref":"tensorB"},{"$buffer":{"type":"Float32Array","at":[0,16]}}]},
{"on":"context","call":"dispatch","args":[{"$ref":"graph"},{"A":{"$ref":"tensorA"},"B":{"$ref":"tensorB"}},{"C":{"$ref":"tensorC"}}]},
{"on":"context","call":"readTensor","args":[{"$ref":"tensorC"}]}
]}`

// point8 is four times 0.8 in float32.
var point8 = []byte{0xcd, 0xcc, 0x4c, 0x3f, 0xcd, 0xcc, 0x4c, 0x3f, 0xcd, 0xcc, 0x4c, 0x3f, 0xcd, 0xcc, 0x4c, 0x3f}

func newHost(t *testing.T) *session.Host {
	h := session.NewHost(session.HostOptions{})
	t.Cleanup(h.Close)
	return h
}

func checkOnes(t *testing.T, r session.Reply) {
	t.Helper()
	got, _ := (&session.Buffer{Type: "Float32Array", Data: r.Data}).Elements()
	if want := []session.Value{1.0, 1.0, 1.0, 1.0}; r.Error != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("C is %v, %v; want %v", got, r.Error, want)
	}
}

func TestHostRunsScript(t *testing.T) {
	h := newHost(t)
	for _, r := range slices.Concat(run(t, h, first, nil), run(t, h, compute, point8)) {
		if r.Error != nil {
			t.Fatalf("call %d: %v", r.Call, r.Error)
		}
		if r.ByteLength != nil {
			checkOnes(t, r)
		}
	}
	text, err := json.Marshal(run(t, h, `{"on":"context","call":"readTensor","args":[{"$ref":"tensorC"}],"id":"r"}`, nil))
	if want := `[{"call":0,"id":"r","async":true,"byteLength":16}]`; err != nil || string(text) != want {
		t.Errorf("the reply is %s, %v; want %s", text, err, want)
	}
	text, err = json.Marshal(run(t, h, `{"on":"builder","call":"relu","args":[{"$ref":"A"}]}`, nil)[0].Error)
	if err != nil || !strings.Contains(string(text), `"name":"InvalidStateError"`) || !strings.Contains(string(text), `"rule":"relu.state"`) {
		t.Errorf("the reply is %s, %v", text, err)
	}
}

// TestHostCallByCall gives each call of the script as a message of its own.
func TestHostCallByCall(t *testing.T) {
	h := newHost(t)
	var last session.Reply
	for _, script := range []string{first, compute} {
		lines := strings.Split(script, "\n")
		for _, line := range lines[1 : len(lines)-1] {
			replies := run(t, h, strings.TrimSuffix(line, ","), point8)
			if len(replies) != 1 || replies[0].Error != nil {
				t.Fatalf("%s: %v", line, replies[0].Error)
			}
			last = replies[0]
		}
	}
	checkOnes(t, last)
	if got := run(t, h, `{"on":"C","call":"shape"}`, nil)[0].Value; !reflect.DeepEqual(got, []int{2, 2}) {
		t.Errorf("the shape is %v", got)
	}
}

// call is a call on objects that the test has made, and what must come of it.
type call struct {
	text string
	want string // the result as JSON has it, or the error's name
}

func check(t *testing.T, h *session.Host, calls ...call) {
	t.Helper()
	for _, c := range calls {
		r := run(t, h, c.text, nil)[0]
		got, _ := json.Marshal(r.Result)
		if r.Error != nil {
			got = []byte(r.Error.Name + ": " + r.Error.Message)
		}
		if !strings.Contains(string(got), c.want) {
			t.Errorf("%s: %s; want %s", c.text, got, c.want)
		}
	}
}

// builder makes "c", "b" and the operand "x" of type float32 and shape [2,3].
func builder(t *testing.T) *session.Host {
	t.Helper()
	h := newHost(t)
	check(t, h,
		call{`{"on":"ml","call":"createContext","args":[null],"id":"c"}`, `{"accelerated":true,"interface":"MLContext"}`},
		call{`{"call":"MLGraphBuilder","args":[{"$ref":"c"}],"id":"b"}`, `{"interface":"MLGraphBuilder"}`},
		call{`{"on":"b","call":"input","args":["x",{"dataType":"float32","shape":[2,3]}],"id":"x"}`,
			`{"dataType":"float32","interface":"MLOperand","shape":[2,3]}`})
	return h
}

// TestArguments has arguments of all types.
func TestArguments(t *testing.T) {
	h := builder(t)
	input := func(rest string) string { return `{"on":"b","call":"input","args":["y",` + rest + `]}` }
	onX := func(method, rest string) string {
		return `{"on":"b","call":"` + method + `","args":[{"$ref":"x"},` + rest + `]}`
	}
	check(t, h,
		// Missing arguments and members, null, unknown members.
		call{`{"on":"b","call":"input","args":["y"]}`, "TypeError: MLGraphBuilder.input: descriptor: the argument is missing; there are 1"},
		call{input(`null`), "TypeError: MLGraphBuilder.input: descriptor: the value is null; it must be a dictionary"},
		call{input(`{"dataType":"float32"}`), "shape: the value is null"},
		call{input(`3`), "TypeError"},
		call{onX("gelu", `{"nothing":1,"label":"l"}`), `[l] MLGraphBuilder.gelu: there is no option "nothing"`},
		call{onX("gelu", `null`), "arguments given: 2"},
		call{onX("gelu", `{},{},7`), "arguments given: 4"},
		// What is no string is no word of an enumeration.
		call{input(`{"dataType":"float64","shape":[]}`), "TypeError: MLGraphBuilder.input: float64 is no MLOperandDataType"},
		call{onX("pad", `[0,0],[0,0],{"mode":"symmetric"}`), "TypeError"},
		// Integers are whole and in range; JavaScript has converted what a page gives.
		call{onX("softmax", `0.5`), "the value 0.5 is no integer"},
		call{onX("softmax", `true`), "the value is bool; it must be an int"},
		call{onX("reduceSum", `{"keepDimensions":1}`), "it must be a bool"},
		call{`{"on":"b","call":"softmax","args":[{"$ref":"x"}]}`, `"shape"`}, // as an older interface allowed for rank 2
		call{`{"on":"b","call":"softmax","args":[{"$ref":"x"},{"label":"l"}]}`, `"shape"`},
		call{onX("softmax", `2`), "TypeError: MLGraphBuilder.softmax: axis: axis 2"},
		call{onX("softmax", `-1`), "TypeError: MLGraphBuilder.softmax: axis: the value is -1; it must be from 0 to " + strconv.FormatInt(min(math.MaxUint32, math.MaxInt), 10)},
		call{onX("softmax", `4294967296`), "TypeError"},
		call{onX("softmax", `"one"`), "TypeError: MLGraphBuilder.softmax: axis: the value is string; it must be an int"},
		call{onX("softmax", `"Infinity"`), "TypeError"},
		call{onX("softmax", `1e999`), "TypeError"},
		call{onX("softmax", `{"$bigint":"1"}`), "TypeError: MLGraphBuilder.softmax: axis: the value is *big.Int"},
		// Sequences are lists.
		call{onX("reshape", `[3,"2"]`), "item 1: the value is string"},
		call{onX("reshape", `6`), "TypeError: MLGraphBuilder.reshape: newShape: the value is float64; it must be a []int"},
		call{onX("reshape", `{"length":1,"0":6}`), "TypeError"},
		call{onX("split", `3,{"axis":1}`), ""},
		call{onX("split", `[1,2],{"axis":1}`), ""},
		// Numbers: a double is finite, an MLNumber is not, and may be a BigInt.
		call{onX("elu", `{"alpha":"NaN","label":"act"}`), "TypeError: [act] MLGraphBuilder.elu: alpha: the value is NaN; it must be finite"},
		call{onX("clamp", `{"minValue":"-Infinity","maxValue":99999999999999999999}`), `"shape":[2,3]`},
		call{onX("clamp", `{"maxValue":{"$bigint":"1"}}`), "TypeError: MLGraphBuilder.clamp: maxValue: a BigInt is for int64 and uint64; for float32 give a number"},
		call{onX("resample2d", `{"scales":[1e39,1]}`), "TypeError"},
		// Objects.
		call{onX("add", `{"$ref":"c"}`), `TypeError: MLGraphBuilder.add: b: the value is *webnn.Context; it must be an *Operand`},
		call{onX("add", `null`), "TypeError: MLGraphBuilder.add: b: the value is <nil>"},
		call{onX("add", `{"$ref":"gone"}`), `no object has the id "gone"`},
		call{`{"on":"b","call":"build","args":[[]]}`, "TypeError"},
		// Overloads.
		call{`{"on":"b","call":"constant","args":["int64",{"$bigint":"9007199254740993"}]}`, `"dataType":"int64","interface":"MLOperand","shape":[]`},
		call{`{"on":"b","call":"constant","args":[{"dataType":"uint8","shape":[1]},{"$buffer":{"byteLength":1}}]}`, `"shape":[1]`},
		call{`{"on":"b","call":"constant","args":[{"dataType":"uint8","shape":[1]},{"$buffer":{"type":"DataView","byteLength":1}}]}`, "TypeError"},
		call{`{"on":"b","call":"constant","args":[{"$ref":"x"}]}`, "TypeError"},
		call{`{"on":"b","call":"constant","args":[]}`, "TypeError: MLGraphBuilder.constant: arguments given: 0"},
		call{`{"on":"ml","call":"createContext","args":[{"powerPreference":"much"}]}`, "TypeError"},
		call{`{"on":"ml","call":"createContext","args":["fast"]}`, "TypeError"},
		// Today's softmax and the form for rank 2 that left the axis out.
		call{`{"on":"b","call":"softmax","args":[{"$ref":"x"}]}`, `"shape":[2,3]`},
		call{onX("softmax", `{"label":"s"}`), `"shape":[2,3]`},
	)
}

func TestHostRejects(t *testing.T) {
	h := builder(t)
	check(t, h,
		call{`{"on":"b","call":"nothing"}`, "TypeError: MLGraphBuilder.nothing: there is no such method"},
		call{`{"on":"b","call":"constructor","args":[{"$ref":"c"}]}`, "there is no such member"},
		call{`{"call":"MLTensor"}`, "there is no such member"},
		call{`{"on":"gone","call":"destroy"}`, "ReferenceError"},
		call{`{"on":"b","call":"relu","args":[{"$ref":"x"}],"id":"x"}`, `ReferenceError: host: the id "x" names an object already`},
		call{`{"on":"b","call":"relu","args":[{"$ref":"x"}],"id":"host"}`, "ReferenceError"},
		call{`{"on":"host","call":"release","args":[1]}`, "TypeError"},
		call{`{"on":"host","call":"stop","args":[]}`, "the host has no such method"},
		call{`{"on":"b",`, "SyntaxError: webnn session"},
		call{`{"webnnSession":1}`, "SyntaxError"},
		call{`{"on":"b","call":"split","args":[{"$ref":"x"},3,{"axis":1}],"ids":["p"]}`, "TypeError: MLGraphBuilder.split: 1 ids are given for 3 results"},
	)
	split := `{"on":"b","call":"split","args":[{"$ref":"x"},3,{"axis":1}],"id":"p"}`
	if got := run(t, h, split, nil)[0].IDs; !slices.Equal(got, []string{"p.0", "p.1", "p.2"}) {
		t.Errorf("the results of split are %q", got)
	}
	check(t, h,
		call{`{"on":"b","call":"relu","args":[{"$ref":"p.2"}]}`, `"shape":[2,1]`},
		call{split, `ReferenceError: host: the id "p.0" names`},
		call{`{"on":"host","call":"release","args":["p.0","p.1","p.2"]}`, "null"})
	check(t, h, call{`{"on":"host","call":"release","args":["x","b","nothing","ml"]}`, "null"})
	check(t, h,
		call{`{"on":"x","call":"shape"}`, "ReferenceError"},
		call{`{"on":"b","call":"relu"}`, "ReferenceError"},
		call{`{"call":"MLGraphBuilder","args":[{"$ref":"c"}]}`, "MLGraphBuilder"},
		call{`{"on":"ml","call":"createContext"}`, "MLContext"}) // which is never released
	small := session.NewHost(session.HostOptions{MaxObjects: 2, Context: webnn.ContextOptions{MaxTensorByteLength: 8}})
	defer small.Close()
	check(t, small,
		call{`{"on":"ml","call":"createContext","id":"c"}`, `"MLContext"`},
		call{`{"on":"c","call":"createTensor","args":[{"dataType":"int64","shape":[1]}],"id":"t"}`, "UnknownError: host: there are 2 objects"},
		call{`{"on":"c","call":"createTensor","args":[{"dataType":"int64","shape":[2]}]}`, "TypeError"},
		call{`{"on":"c","call":"destroy"}`, "null"},
	)
}

// TestHostReadings holds readings to what pages see of promises.
func TestHostReadings(t *testing.T) {
	const read = `{"on":"c","call":"readTensor","args":[{"$ref":"t"},{"$buffer":{"byteLength":8}}],"id":"r"}`
	for name, tt := range map[string]struct{ calls, want string }{
		"read":              {read, ""},
		"buffer too small":  {strings.ReplaceAll(read, `"byteLength":8`, `"byteLength":7`), "TypeError"},
		"larger buffer":     {strings.ReplaceAll(read, `"byteLength":8`, `"byteLength":9`), ""},
		"context destroyed": {read + `,{"on":"c","call":"destroy"}`, "InvalidStateError"},
		"tensor destroyed":  {read + `,{"on":"t","call":"destroy"}`, "InvalidStateError"},
	} {
		h := builder(t)
		check(t, h, call{`{"on":"c","call":"createTensor","args":[{"dataType":"int8","shape":[8],"readable":true}],"id":"t"}`,
			`{"constant":false,"dataType":"int8","interface":"MLTensor","readable":true,"shape":[8],"writable":false}`})
		got := "nothing"
		for _, r := range run(t, h, `{"webnnSession":1,"calls":[`+tt.calls+`]}`, nil) {
			if r.Call != 0 {
				continue
			}
			got = ""
			if r.Error != nil {
				got = r.Error.Name
			} else if !slices.Equal(r.Data, make([]byte, 8)) {
				t.Errorf("%s: the bytes are %v", name, r.Data)
			}
		}
		if got != tt.want {
			t.Errorf("%s: the error is %q; want %q", name, got, tt.want)
		}
	}
}

// TestHostBuild lets calls behind a build wait for it, and answers a build that fails.
func TestHostBuild(t *testing.T) {
	h := builder(t)
	replies := run(t, h, `{"webnnSession":1,"calls":[
		{"on":"b","call":"build","args":[{"y":{"$ref":"x"}}],"id":"g"},
		{"on":"g","call":"destroy"},
		{"on":"b","call":"relu","args":[{"$ref":"x"}],"id":"y"},
		{"on":"b","call":"build","args":[{"y":{"$ref":"y"}}],"id":"g"},
		{"on":"b","call":"build","args":[{"y":{"$ref":"y"}}]},
		{"on":"g","call":"destroy"}]}`, nil)
	want := []string{"TypeError", "TypeError ReferenceError", "", "", "InvalidStateError", ""}
	if len(replies) != len(want) {
		t.Fatalf("there are %d replies; want %d", len(replies), len(want))
	}
	for _, r := range replies {
		name := ""
		if r.Error != nil {
			name = r.Error.Name
		}
		if name != want[r.Call] && (name == "" || !strings.Contains(want[r.Call], name)) {
			t.Errorf("call %d: %v; want %q", r.Call, r.Error, want[r.Call])
		}
	}
}

// TestHostPromises destroys the context in the script that has asked for something.
func TestHostPromises(t *testing.T) {
	for _, pending := range []string{
		`{"on":"c","call":"createTensor","args":[{"dataType":"int8","shape":[8]}],"id":"t"}`,
		`{"on":"c","call":"createConstantTensor","args":[{"dataType":"int8","shape":[1]},{"$buffer":{"byteLength":1}}]}`,
		`{"on":"b","call":"build","args":[{"y":{"$ref":"y"}}],"id":"g"}`,
	} {
		h := builder(t)
		check(t, h, call{`{"on":"b","call":"relu","args":[{"$ref":"x"}],"id":"y"}`, `"shape":[2,3]`})
		replies := run(t, h, `{"webnnSession":1,"calls":[`+pending+`,{"on":"c","call":"destroy"}]}`, nil)
		last := replies[len(replies)-1]
		if last.Call != 0 || !last.Async || last.Error == nil || last.Error.Name != "InvalidStateError" || last.Result != nil {
			t.Errorf("%s: the last reply is %+v", pending, last)
		}
	}
}

func TestHostLost(t *testing.T) {
	h := builder(t)
	r := run(t, h, `{"webnnSession":1,"calls":[{"on":"c","call":"lost"},{"on":"c","call":"destroy"}]}`, nil)
	if len(r) != 2 || r[1].Call != 0 || r[1].Value == nil {
		t.Errorf("the replies are %+v", r)
	}
}

func TestHostCloses(t *testing.T) {
	h := builder(t)
	done := make(chan session.Reply, 1)
	h.Do([]byte(`{"on":"c","call":"lost"}`), nil, func(r session.Reply) { done <- r })
	h.Close()
	if r := <-done; r.Error == nil && r.Value == nil {
		t.Errorf("the reply is %+v", r)
	}
	check(t, h, call{`{"on":"ml","call":"createContext"}`, "ReferenceError"})
}

func TestHostLimits(t *testing.T) {
	testdata.Wide(t)
	h := builder(t)
	limits := run(t, h, `{"on":"c","call":"opSupportLimits"}`, nil)[0].Value
	text, err := json.Marshal(limits)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		PreferredInputLayout string
		MaxTensorByteLength  int64
		Gather               struct {
			Indices struct {
				DataTypes []string
				RankRange struct{ Min, Max int }
			}
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	i := got.Gather.Indices
	sort.Strings(i.DataTypes)
	if got.MaxTensorByteLength != math.MaxInt32 || !slices.Equal(i.DataTypes, []string{"int32", "int64", "uint32"}) ||
		i.RankRange.Max != webnn.MaxRank {
		t.Errorf("the limits are %+v", got)
	}
}

func Example() {
	h := session.NewHost(session.HostOptions{})
	defer h.Close()
	show := func(r session.Reply) {
		text, err := json.Marshal(r)
		fmt.Println(string(text), err)
	}
	h.Do([]byte(`{"on":"ml","call":"createContext","args":[],"id":"context"}`), nil, show)
	h.Do([]byte(`{"on":null,"call":"MLGraphBuilder","args":[{"$ref":"context"}],"id":"builder"}`), nil, show)
	h.Do([]byte(`{"on":"builder","call":"input","args":["x",{"dataType":"float32","shape":[2,0]}],"id":"x"}`), nil, show)
	// Output:
	// {"call":0,"id":"context","async":true,"result":{"accelerated":true,"interface":"MLContext"}} <nil>
	// {"call":0,"id":"builder","result":{"interface":"MLGraphBuilder"}} <nil>
	// {"call":0,"id":"x","error":{"name":"TypeError","message":"MLGraphBuilder.input: extent 0 of dimension 1 is not from 1 to 2147483647","rule":"input.descriptor.dimension"}} <nil>
}

// TestHostBounds has what a page may not do without an end: contexts, and promises that nobody settles.
func TestHostBounds(t *testing.T) {
	h := session.NewHost(session.HostOptions{MaxPending: 2, Context: webnn.ContextOptions{MaxMemory: 200_000}})
	defer h.Close()
	names := make(map[string][]string) // the errors of a call that is made several times
	call := func(text string) {
		c, err := session.DecodeCall([]byte(text), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		name := ""
		h.Do([]byte(text), nil, func(r session.Reply) {
			if r.Error != nil {
				name = r.Error.Name + " " + r.Error.Rule
			}
		})
		names[c.Method] = append(names[c.Method], name)
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		call(`{"on":"ml","call":"createContext","id":"` + id + `"}`)
	}
	if want := []string{"", "", "", "UnknownError createContext.memory"}; !slices.Equal(names["createContext"], want) {
		t.Errorf("the contexts give %q; want %q", names["createContext"], want)
	}
	call(`{"on":"d","call":"destroy"}`)
	for range 3 {
		h.Do([]byte(`{"on":"b","call":"lost"}`), nil, func(r session.Reply) {
			if r.Error != nil && r.Error.Rule != "" {
				names["lost"] = append(names["lost"], r.Error.Name+" "+r.Error.Rule)
			}
		})
	}
	if want := []string{"UnknownError pending"}; !slices.Equal(names["lost"], want) {
		t.Errorf("the promises give %q; want %q", names["lost"], want)
	}
	_, err := session.Decode([]byte(`{"webnnSession":1,"calls":[{"call":"f","args":[{"$bigint":"`+strings.Repeat("1", 10_000_000)+`"}]}]}`), nil, nil)
	if err == nil || len(err.Error()) > 1000 {
		t.Error("a BigInt of ten million digits is read")
	}
}

// TestDataIsBounded has short documents that ask for much.
func TestDataIsBounded(t *testing.T) {
	limits := &session.Limits{Data: 10_000}
	for name, value := range map[string]string{
		"fill":   `{"$buffer":{"fill":1,"byteLength":10001}}`,
		"length": `{"$buffer":{"type":"Float64Array","length":2000}}`,
		"list":   `[` + strings.Repeat("0,", 500) + `0]`,
		"lists":  `[` + strings.Repeat("[],", 500) + `0]`,
		"values": `{"$buffer":{"values":[` + strings.Repeat("0,", 500) + `0]}}`,
	} {
		_, err := session.Decode([]byte(`{"webnnSession":1,"calls":[{"call":"f","args":[`+value+`]}]}`), nil, limits)
		if err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}

// TestHostThatChecks answers every call before Do returns, and needs no bytes beside a message.
func TestHostThatChecks(t *testing.T) {
	h := session.NewHost(session.HostOptions{Context: webnn.ContextOptions{CheckOnly: true}})
	defer h.Close()
	calls := first[:len(first)-len("\n]}")] + "," + strings.TrimPrefix(compute, `{"webnnSession":1,"calls":[`)
	replies := 0
	h.Do([]byte(calls), nil, func(r session.Reply) {
		replies++
		if r.Error != nil {
			t.Errorf("call %d: %v", r.Call, r.Error)
		}
	})
	if replies != 15 {
		t.Errorf("there are %d replies", replies)
	}
	check(t, h,
		call{`{"on":"context","call":"writeTensor","args":[{"$ref":"tensorB"},{"$buffer":{"at":[0,12]}}]}`, "the buffer has 12 bytes"},
		call{`{"on":"context","call":"readTensor","args":[{"$ref":"tensorC"},{"$buffer":{"at":[0,12]}}]}`, "the buffer has 12 bytes"})
}
