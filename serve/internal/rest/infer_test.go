package rest_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/rest"
	"github.com/concord-nn/concord/tensor"
)

const headerLength = "Inference-Header-Content-Length"

// one is a request with one input of a datatype, a shape and data.
func one(datatype, shape, data string) string {
	return fmt.Sprintf(`{"inputs":[{"name":"x","datatype":"%s","shape":%s,"data":%s}]}`, datatype, shape, data)
}

// echoed is the answer to it.
func echoed(datatype, shape, data string) string {
	return fmt.Sprintf(`{"model_name":"echo","model_version":"3","outputs":[{"name":"x","datatype":"%s","shape":%s,"data":%s}]}`, datatype, shape, data)
}

// inferences are requests to echo, and its answers.
var inferences = []struct{ request, answer string }{
	{`{"inputs":[]}`, `{"model_name":"echo","model_version":"3","outputs":[]}`},
	{" {\n\t\"inputs\" :\r\n [ ] } ", `{"model_name":"echo","model_version":"3","outputs":[]}`},
	{`{"id":"4\u0032 ä\n","inputs":[]}`, `{"id":"42 ä\n","model_name":"echo","model_version":"3","outputs":[]}`},
	{`{"id":null,"parameters":null,"outputs":null,"model_name":"other","extra":[{"a":[1,-2.5e+3,"",true,false,null]}],"inputs":[]}`,
		`{"model_name":"echo","model_version":"3","outputs":[]}`},
	{`{"parameters":{"b":true,"s":"x","i":-9223372036854775808,"u":18446744073709551615,"f":1.5,"g":1e2,"binary_data_output":false},"inputs":[]}`,
		`{"model_name":"echo","model_version":"3","parameters":{"b":true,"f":1.5,"g":100,"i":-9223372036854775808,"s":"x","u":18446744073709551615},"outputs":[]}`},

	{one("FP32", "[2]", "[1.5, -2e-3]"), echoed("FP32", "[2]", "[1.5,-0.002]")},
	{one("FP32", "[2,2]", "[1,2,3,4]"), echoed("FP32", "[2,2]", "[1,2,3,4]")},
	{one("FP32", "[2,2]", "[[1,2],[3,4]]"), echoed("FP32", "[2,2]", "[1,2,3,4]")},
	{one("FP32", "[]", "[7]"), echoed("FP32", "[]", "[7]")},
	{one("FP32", "[0]", "[]"), echoed("FP32", "[0]", "[]")},
	{one("FP32", "[2,0]", "[[ ],[]]"), echoed("FP32", "[2,0]", "[]")},
	{one("FP32", "[2,0]", "[]"), echoed("FP32", "[2,0]", "[]")},
	{one("FP32", "[0,2]", "[]"), echoed("FP32", "[0,2]", "[]")},
	{one("FP32", "[1,2,1,2]", "[[[[1,2]],[[3,4]]]]"), echoed("FP32", "[1,2,1,2]", "[1,2,3,4]")},
	{one("FP32", "[6]", `["NaN","Infinity","-Infinity",NaN,Infinity,-Infinity]`),
		echoed("FP32", "[6]", `["NaN","Infinity","-Infinity","NaN","Infinity","-Infinity"]`)},
	{one("FP64", "[3]", "[-0.0,-0,0]"), echoed("FP64", "[3]", "[-0.0,-0.0,0]")},
	// 2^-24 above 1, and a little more than that: a rounding by way of FP64 would lose the little.
	{one("FP32", "[2]", "[1.000000059604644775390625,1.00000005960464477539062500000000000000001]"), echoed("FP32", "[2]", "[1,1.0000001]")},
	// The middle between two FP32 goes to the even one; a little more does not.
	{one("FP32", "[6]", "[16777217,16777219,16777217.000001,-16777217,1.6777217e7,167772170e-1]"),
		echoed("FP32", "[6]", "[1.6777216e+07,1.677722e+07,1.6777218e+07,-1.6777216e+07,1.6777216e+07,1.6777216e+07]")},
	{one("FP64", "[5]", "[1e22,1e23,123456789012345e-22,0e99999999999999999999,9999999999999999999999e-21]"),
		echoed("FP64", "[5]", "[1e+22,1e+23,1.23456789012345e-08,0,10]")},
	{one("FP32", "[3]", "[3.4028235e38,1e-45,1e-46]"), echoed("FP32", "[3]", "[3.4028235e+38,1e-45,0]")},
	{one("FP64", "[2]", "[0.1,9007199254740993]"), echoed("FP64", "[2]", "[0.1,9.007199254740992e+15]")},
	{one("BOOL", "[2]", "[true,false]"), echoed("BOOL", "[2]", "[true,false]")},
	{one("INT8", "[3]", "[-128,127,-0]"), echoed("INT8", "[3]", "[-128,127,0]")},
	{one("INT16", "[2]", "[-32768,32767]"), echoed("INT16", "[2]", "[-32768,32767]")},
	{one("INT32", "[2]", "[-2147483648,2147483647]"), echoed("INT32", "[2]", "[-2147483648,2147483647]")},
	{one("INT64", "[3]", "[-9223372036854775808,9223372036854775807,9007199254740993]"),
		echoed("INT64", "[3]", "[-9223372036854775808,9223372036854775807,9007199254740993]")},
	{one("UINT8", "[3]", "[0,255,-0]"), echoed("UINT8", "[3]", "[0,255,0]")},
	{one("UINT16", "[1]", "[65535]"), echoed("UINT16", "[1]", "[65535]")},
	{one("UINT32", "[1]", "[4294967295]"), echoed("UINT32", "[1]", "[4294967295]")},
	{one("UINT64", "[2]", "[18446744073709551615,9007199254740993]"), echoed("UINT64", "[2]", "[18446744073709551615,9007199254740993]")},

	{`{"inputs":[{"data":[[1,2]],"shape":[1,2],"datatype":"INT32","name":"x"}]}`, echoed("INT32", "[1,2]", "[1,2]")},
	{`{"inputs":[{"shape":[1],"data":[NaN],"datatype":"FP32","name":"x"}]}`, echoed("FP32", "[1]", `["NaN"]`)},
	{`{"outputs":[{"name":"b"}],"inputs":[{"name":"a","datatype":"BOOL","shape":[1],"data":[true],"parameters":{"k":1}},` +
		`{"name":"b","datatype":"BOOL","shape":[1],"data":[false],"parameters":{"k":1}}]}`,
		`{"model_name":"echo","model_version":"3","outputs":[{"name":"b","datatype":"BOOL","shape":[1],"parameters":{"k":1},"data":[false]}]}`},
}

func TestInfer(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	for _, c := range inferences {
		w := ask(h, "POST", "/v2/models/echo/versions/3/infer", c.request)
		if w.Code != 200 || w.Body.String() != c.answer || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s:\n%d %s\nwant\n%s", c.request, w.Code, w.Body, c.answer)
		}
		if !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: the answer is no JSON", c.request)
		}
	}
}

// TestParametersPass: a service gets the parameters as they were given, without those of the transport.
func TestParametersPass(t *testing.T) {
	f := &fake{}
	const text = `{"id":"7","parameters":{"sequence_id":42,"sequence_start":true,
		"priority":1,"timeout":1000,"binary_data_output":true},"inputs":[{"name":"x","datatype":"BOOL","shape":[1],"parameters":{"binary_data_size":1,"a":"b"}}],
		"outputs":[{"name":"x","parameters":{"binary_data":false,"c":2.5}}]}`
	ask(rest.New(f, rest.Options{}), "POST", "/v2/models/echo/versions/3/infer", text+"\x01", headerLength, strconv.Itoa(len(text)))
	if f.last == nil {
		t.Fatal("the service was not asked")
	}
	f.last.Inputs[0].Data = nil
	want := &oip.Request{Model: "echo", Version: "3", ID: "7",
		Parameters: oip.Parameters{oip.SequenceID: int64(42), oip.SequenceStart: true, oip.Priority: int64(1), oip.Timeout: int64(1000)},
		Inputs:     []oip.Tensor{{Name: "x", Parameters: oip.Parameters{"a": "b"}}},
		Outputs:    []oip.Requested{{Name: "x", Parameters: oip.Parameters{"c": 2.5}}}}
	if !reflect.DeepEqual(f.last, want) {
		t.Errorf("%+v; want %+v", f.last, want)
	}
}

// mistakes are requests that are wrong, and parts of what is said about them.
var mistakes = []struct{ request, message string }{
	{``, "byte 0 of the request: the JSON ends where the request, an object, has to be"},
	{`{}`, "the request lacks its inputs"},
	{`[]`, `there is \"[]\" where the request, an object, has to be`},
	{`{}x`, "where the end has to be"},
	{`{"inputs":[]} {}`, "where the end has to be"},
	{`{"inputs":[]`, "the JSON ends where a comma or the end of the request has to be"},
	{`{"inputs":[],}`, "where the name of a member, a string, has to be"},
	{`{"inputs":[{}]}`, "lacks its name, datatype or shape"},
	{`{"inputs":[],"inputs":[]}`, `the member \"inputs\" of the request is there twice`},
	{`{"inputs":{}}`, "where the inputs, an array, has to be"},
	{`{"inputs" []}`, "where a colon has to be"},
	{`{"inputs":[] "id":"x"}`, "where a comma or the end of the request has to be"},
	{one("BOOL", "[1 1]", "[true]"), "where a comma or the end of the extents has to be"},
	{one(strings.Repeat("x", 200), "[1]", "[true]"), `the datatype is \"` + strings.Repeat("x", 80) + `\"…`},
	{`{"id":7,"inputs":[]}`, "where the id, a string, has to be"},
	{"{\"id\":\"\xff\",\"inputs\":[]}", "not UTF-8"},
	{"{\"id\":\"\n\",\"inputs\":[]}", "control character 10"},
	{`{"id":"\q","inputs":[]}`, "not JSON"},
	{`{"id":"\`, "the end of a string"},
	{`{"a":01}`, "where a number has to be"},
	{`{"a":1.}`, "where a number has to be"},
	{`{"a":1e}`, "where a number has to be"},
	{`{"a":-}`, "where a number has to be"},
	{`{"a":+1}`, "where a value has to be"},
	{`{"a":tru}`, "where a value has to be"},
	{`{"parameters":{"a":[]}}`, "a string, a number, true or false"},
	{`{"parameters":{"a":null}}`, "a string, a number, true or false"},
	{`{"parameters":{"a":1,"a":1}}`, `the member \"a\" of the parameters is there twice`},
	{`{"parameters":{"a":18446744073709551616}}`, "a number of at most 64 bits"},
	{`{"parameters":{"a":1e999}}`, "a number of at most 64 bits"},
	{`{"parameters":{"binary_data_output":1},"inputs":[]}`, "binary_data_output of the request has to be true or false"},
	{`{"outputs":[{}]}`, "an output lacks its name"},
	{`{"outputs":[{"name":"y"},{"name":"y"}]}`, `the output \"y\" is there twice`},
	{`{"outputs":[{"name":"y","parameters":{"binary_data":"yes"}}]}`, `binary_data of the output \"y\" has to be true or false`},
	{strings.Replace(`{"inputs":[{"name":"x","datatype":"BOOL","shape":[0],"data":[]},X]}`, "X", `{"name":"x","datatype":"BOOL","shape":[0],"data":[]}`, 1),
		`the input \"x\" is there twice`},
	{`{"inputs":[{"name":"x","datatype":"BOOL","shape":[1]}]}`, "either data or the parameter binary_data_size"},
	{`{"inputs":[{"name":"x","datatype":"BOOL","shape":[1],"data":[true],"parameters":{"binary_data_size":1}}]}`, "either data or the parameter binary_data_size"},
	{`{"inputs":[{"name":"x","datatype":"BOOL","shape":[1],"parameters":{"binary_data_size":1}}]}`, "the header Inference-Header-Content-Length says"},

	{one("BYTES", "[1]", `["a"]`), "no model here takes or yields strings"},
	{one("FP8", "[1]", "[1]"), "FP16, BF16, FP32 or FP64"},
	{one("FP16", "[1]", "[1]"), "has no JSON form: send it as binary data"},
	{one("BF16", "[1]", "[1]"), "has no JSON form: send it as binary data"},
	{one("FP32", "[-1]", "[1]"), "no open extents"},
	{one("FP32", "[1.0]", "[1]"), "an integer, without fraction"},
	{one("FP32", "[9223372036854775808]", "[1]"), "no open extents"},
	{one("FP32", "[18446744073709551616]", "[1]"), "at most 64 bits"},
	{one("FP32", "[2147483647,2147483647]", "[1]"), "more elements than can be addressed"},
	{one("FP32", "[100000000]", "[1]"), "has 100000000 elements, more than follow"},
	{one("FP32", "[3]", "[1,2]"), "a comma: the shape wants 3 elements"},
	{one("FP32", "[1]", "[1,2]"), "the end of a list: the shape wants 1 elements"},
	{one("FP32", "[0]", "[1]"), "the end of a list: the shape wants 0 elements"},
	{one("FP32", "[2,2]", "[[1,2,3],[4]]"), "the end of a list: the shape wants 2 elements"},
	{one("FP32", "[2,2]", "[[1,2]]"), "a comma: this dimension has 2 lists"},
	{one("FP32", "[1,2]", "[[1,2],[3,4]]"), "the end of a list: this dimension has 1"},
	{one("FP32", "[1,2,2]", "[[1,2,3,4]]"), "a list of 2 elements"},
	{one("FP32", "[2]", "[[1,2]]"), "a number"},
	{one("FP32", "[1]", "5"), "a list of 1 elements"},
	{one("FP32", "[]", "[[1]]"), "nested deeper than the shape"},
	{one("FP32", "[1]", "[null]"), `a number, \"NaN\", \"Infinity\" or \"-Infinity\"`},
	{one("FP32", "[1]", `["1"]`), `a number, \"NaN\", \"Infinity\" or \"-Infinity\"`},
	{one("FP32", "[1]", "[3.5e38]"), "a number of FP32"},
	{one("FP64", "[1]", "[1e400]"), "a number of FP64"},
	{one("FP64", "[1]", "[1e18446744073709551617]"), "a number of FP64"},
	{one("FP32", "[1]", "[0x10]"), "where the end of a list"},
	{one("BOOL", "[1]", "[1]"), "true or false"},
	{one("INT8", "[1]", "[128]"), "an integer of INT8"},
	{one("INT8", "[1]", "[-129]"), "an integer of INT8"},
	{one("INT64", "[1]", "[9223372036854775808]"), "an integer of INT64"},
	{one("INT64", "[1]", "[-9223372036854775809]"), "an integer of INT64"},
	{one("INT32", "[1]", "[1.0]"), "an integer, without fraction"},
	{one("INT32", "[1]", "[1e3]"), "an integer, without fraction"},
	{one("INT32", "[1]", "[00]"), "an integer, without fraction"},
	{one("UINT8", "[1]", "[256]"), "an integer of UINT8"},
	{one("UINT8", "[1]", "[-1]"), "an integer of UINT8"},
	{one("UINT64", "[1]", "[18446744073709551616]"), "at most 64 bits"},
}

func TestMistakes(t *testing.T) {
	f := &fake{}
	h := rest.New(f, rest.Options{})
	for _, m := range mistakes {
		w := ask(h, "POST", "/v2/models/echo/infer", m.request)
		if w.Code != 400 || !strings.Contains(w.Body.String(), m.message) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s:\n%d %s\nwant\n400 …%s…", m.request, w.Code, w.Body, m.message)
		}
	}
	for _, p := range []string{"classification", "shared_memory_region"} {
		if w := ask(h, "POST", "/v2/models/echo/infer", `{"inputs":[],"outputs":[{"name":"y","parameters":{"`+p+`":2}}]}`); w.Code != 501 {
			t.Errorf("%s: %d %s", p, w.Code, w.Body)
		}
	}
	if f.last != nil {
		t.Error("the service was asked for what is wrong")
	}
}

// TestRequestLimits reaches each bound, and one less.
func TestRequestLimits(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	list := func(n int, item string) string {
		all := make([]string, n)
		for i := range all {
			all[i] = strings.ReplaceAll(item, "#", strconv.Itoa(i))
		}
		return strings.Join(all, ",")
	}
	for _, c := range []struct {
		bound int
		make  func(n int) string
	}{
		{limits.ServeTensors, func(n int) string {
			return `{"inputs":[` + list(n, `{"name":"#","datatype":"BOOL","shape":[0],"data":[]}`) + `]}`
		}},
		{limits.ServeTensors, func(n int) string { return `{"inputs":[],"outputs":[` + list(n, `{"name":"#"}`) + `]}` }},
		{limits.ServeParameters, func(n int) string { return `{"inputs":[],"parameters":{` + list(n, `"#":#`) + `}}` }},
		{limits.ServeDepth, func(n int) string { return `{"inputs":[],"a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }},
		{tensor.MaxRank, func(n int) string { return one("BOOL", "["+list(n, "1")+"]", "[true]") }},
	} {
		if w := ask(h, "POST", "/v2/models/echo/infer", c.make(c.bound)); w.Code != 200 {
			t.Errorf("%d: %d %s", c.bound, w.Code, w.Body)
		}
		if w := ask(h, "POST", "/v2/models/echo/infer", c.make(c.bound+1)); w.Code != 400 {
			t.Errorf("%d: %d %s; want 400", c.bound+1, w.Code, w.Body)
		}
	}
}

// TestBinary has binary inputs and outputs among others.
func TestBinary(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	const inputs = `"inputs":[{"name":"a","datatype":"UINT16","shape":[2],"parameters":{"binary_data_size":4},"data":null},` +
		`{"name":"b","datatype":"INT8","shape":[1],"data":[-1]},{"name":"c","datatype":"FP16","shape":[1],"parameters":{"binary_data_size":2}}]`
	const data = "\x01\x02\x03\x04\x00\x3c"
	const a, b, c = `{"name":"a","datatype":"UINT16","shape":[2],"parameters":{"binary_data_size":4}}`, `{"name":"b","datatype":"INT8","shape":[1],"data":[-1]}`,
		`{"name":"c","datatype":"FP16","shape":[1],"parameters":{"binary_data_size":2}}`
	const begin = `{"model_name":"echo","model_version":"3","outputs":[`
	for _, e := range []struct{ request, answer, data string }{
		{`{"parameters":{"binary_data_output":true},` + inputs + `}`, begin + a + `,{"name":"b","datatype":"INT8","shape":[1],"parameters":{"binary_data_size":1}},` + c + `]}`,
			"\x01\x02\x03\x04\xff\x00\x3c"},
		{`{"parameters":{"binary_data_output":true},"outputs":[{"name":"a"},{"name":"b","parameters":{"binary_data":false}},{"name":"c"}],` + inputs + `}`,
			begin + a + `,` + b + `,` + c + `]}`, data},
		{`{"outputs":[{"name":"c","parameters":{"binary_data":true}},{"name":"b"}],` + inputs + `}`, begin + b + `,` + c + `]}`, "\x00\x3c"},
		{`{"outputs":[{"name":"a"}],` + inputs + `}`, begin + `{"name":"a","datatype":"UINT16","shape":[2],"data":[513,1027]}]}`, ""},
	} {
		w := ask(h, "POST", "/v2/models/echo/infer", e.request+data, headerLength, strconv.Itoa(len(e.request)))
		wantLength, contentType := strconv.Itoa(len(e.answer)), "application/octet-stream"
		if e.data == "" {
			wantLength, contentType = "", "application/json"
		}
		if w.Code != 200 || w.Body.String() != e.answer+e.data || w.Header().Get(headerLength) != wantLength || w.Header().Get("Content-Type") != contentType {
			t.Errorf("%s:\n%d %v %q\nwant\n%s %q", e.request, w.Code, w.Header(), w.Body, e.answer, e.data)
		}
	}
	for _, e := range []struct {
		request, data, length, message string
	}{
		{`{` + inputs + `}`, data, "", `the output \"c\" is of datatype FP16, which has no JSON form: ask for it with the parameter binary_data`},
		{`{` + inputs + `}`, data[:5], "", "the body ends 1 bytes into the 2 of the input"},
		{`{` + inputs + `}`, data + "x", "", "1 bytes behind those of the last input"},
		{`{` + inputs + `}`, data, "9999", "is 9999; the body has"},
		{`{` + inputs + `}`, data, "-1", "it must be a number of bytes"},
		{`{` + inputs + `}`, data, "3", "byte 3 of the request: the JSON ends"},
		{strings.Replace(`{`+inputs+`}`, "4}", "5}", 1), data, "", "is 5; UINT16[2] takes 4"},
		{strings.Replace(`{`+inputs+`}`, "4}", "-4}", 1), data, "", "has to be a number of bytes"},
		{strings.Replace(`{`+inputs+`}`, "4}", "4.0}", 1), data, "", "has to be a number of bytes"},
		{strings.Replace(`{`+inputs+`}`, "4}", "18446744073709551615}", 1), data, "", "has to be a number of bytes"},
		{strings.Replace(`{`+inputs+`}`, "UINT16", "BOOL", 1), data, "", "is 4; BOOL[2] takes 2"},
		{`{"inputs":[{"name":"x","datatype":"BOOL","shape":[2],"parameters":{"binary_data_size":2}}]}`, "\x01\x02", "", "it must be 0 or 1"},
	} {
		if e.length == "" {
			e.length = strconv.Itoa(len(e.request))
		}
		w := ask(h, "POST", "/v2/models/echo/infer", e.request+e.data, headerLength, e.length)
		if w.Code != 400 || !strings.Contains(w.Body.String(), e.message) {
			t.Errorf("%s %q:\n%d %s\nwant\n400 …%s…", e.request, e.data, w.Code, w.Body, e.message)
		}
	}
}

// TestRaw has bodies that are the elements of the only input.
func TestRaw(t *testing.T) {
	f := &fake{}
	h := rest.New(f, rest.Options{})
	const data = "\x00\x00\x80\x3f\x00\x00\x00\x40"
	w := ask(h, "POST", "/v2/models/pair/infer", data+data, headerLength, "0")
	const want = `{"model_name":"pair","model_version":"3","outputs":[{"name":"x","datatype":"FP32","shape":[2,2],"parameters":{"binary_data_size":16}}]}`
	if w.Code != 200 || w.Body.String() != want+data+data {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	for _, c := range [][3]string{
		{"pair", data + "x", "the body has 9 bytes; the input \\\"x\\\" takes 8 as FP32[1,2]"},
		{"echo", data, "the model has 2 inputs"},
		{"nobody", data, "there is no model"},
		{"batch", data + data, "the body has 16 bytes; the input \\\"x\\\" takes 8 as FP32[1,2]"},
		{"open", data, "is [-1 -1]; a body without JSON decides about one open extent at most"},
		{"strange", data, "is of the type INT4, which the protocol does not have"},
	} {
		if w := ask(h, "POST", "/v2/models/"+c[0]+"/infer", c[1], headerLength, "0"); !strings.Contains(w.Body.String(), c[2]) {
			t.Errorf("%s: %d %s; want %s", c[0], w.Code, w.Body, c[2])
		}
	}
}

// TestBits sends random elements of each datatype there and back, in each combination of forms.
func TestBits(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	random := rand.New(rand.NewPCG(1, 2))
	for _, d := range tensor.DTypes() {
		name := oip.Datatype(d)
		if name == "" {
			continue
		}
		raw := make([]byte, 4096*d.Size())
		for i := range raw {
			raw[i] = byte(random.Uint32())
			if d == tensor.Bool {
				raw[i] &= 1
			}
		}
		x, err := tensor.FromRaw(d, tensor.Shape{64, 64}, raw)
		if err != nil {
			t.Fatal(err)
		}
		quietNaNs(x)
		raw = tensor.Raw(x)
		head := fmt.Sprintf(`{"parameters":{"binary_data_output":%%t},"inputs":[{"name":"x","datatype":"%s","shape":[64,64],%%s}]}`, name)
		binary := fmt.Sprintf(`"parameters":{"binary_data_size":%d}`, len(raw))

		// Binary to binary, then to JSON, then that to binary.
		text := fmt.Sprintf(head, true, binary)
		w := ask(h, "POST", "/v2/models/echo/infer", text+string(raw), headerLength, strconv.Itoa(len(text)))
		if n, err := strconv.Atoi(w.Header().Get(headerLength)); err != nil || !bytes.Equal(w.Body.Bytes()[n:], raw) {
			t.Errorf("%s: binary: %d %.200s", name, w.Code, w.Body)
		}
		if d == tensor.Float16 || d == tensor.BFloat16 {
			continue
		}
		text = fmt.Sprintf(head, false, binary)
		w = ask(h, "POST", "/v2/models/echo/infer", text+string(raw), headerLength, strconv.Itoa(len(text)))
		var answer struct {
			Outputs []struct{ Data json.RawMessage }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Outputs) != 1 {
			t.Errorf("%s: %d %.200s, %v", name, w.Code, w.Body, err)
			continue
		}
		w = ask(h, "POST", "/v2/models/echo/infer", fmt.Sprintf(head, true, `"data":`+string(answer.Outputs[0].Data)))
		if n, err := strconv.Atoi(w.Header().Get(headerLength)); err != nil || !bytes.Equal(w.Body.Bytes()[n:], raw) {
			t.Errorf("%s: JSON: %d %.200s", name, w.Code, w.Body)
		}
	}
}

// TestDecimals compares numbers of up to 20 digits and some powers of ten with those of strconv, to the bit.
func TestDecimals(t *testing.T) {
	f := &fake{}
	h := rest.New(f, rest.Options{})
	random := rand.New(rand.NewPCG(5, 6))
	texts := make([]string, 4000)
	for i := range texts {
		digits := strconv.FormatUint(random.Uint64()>>random.IntN(64), 10)
		if at := random.IntN(len(digits)); at > 0 {
			digits = digits[:at] + "." + digits[at:]
		}
		if i%2 == 0 { // near the middle between two FP32
			v := float64(math.Float32frombits(random.Uint32N(1 << 31)))
			digits = strconv.FormatFloat(math.Float64frombits(math.Float64bits(v)+1<<28), 'g', 5+random.IntN(14), 64)
			if v > 1e37 || v != v {
				digits = "1"
			}
		} else if random.IntN(2) == 0 {
			digits += "e" + strconv.Itoa(random.IntN(30)-28)
		}
		texts[i] = digits
	}
	for _, bits := range []int{32, 64} {
		ask(h, "POST", "/v2/models/echo/infer", one(fmt.Sprintf("FP%d", bits), "[4000]", "["+strings.Join(texts, ",")+"]"))
		if f.last == nil {
			t.Fatal("the service was not asked")
		}
		for i, text := range texts {
			want, _ := strconv.ParseFloat(text, bits)
			var got float64
			if x := f.last.Inputs[0].Data; bits == 32 {
				got = float64(tensor.Data[float32](x)[i])
			} else {
				got = tensor.Data[float64](x)[i]
			}
			if got != want {
				t.Errorf("%s as FP%d: %v; want %v", text, bits, got, want)
			}
		}
	}
}

// quietNaNs makes every NaN the one that JSON stands for.
func quietNaNs(x *tensor.Tensor) {
	switch x.DType() {
	case tensor.Float32:
		for i, v := range tensor.Data[float32](x) {
			if v != v {
				tensor.Data[float32](x)[i] = float32(math.NaN())
			}
		}
	case tensor.Float64:
		for i, v := range tensor.Data[float64](x) {
			if v != v {
				tensor.Data[float64](x)[i] = math.NaN()
			}
		}
	}
}

func compressed(encoding, text string) string {
	var b bytes.Buffer
	var z io.WriteCloser = gzip.NewWriter(&b)
	if encoding == "deflate" {
		z = zlib.NewWriter(&b)
	}
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

func TestCompression(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{})
	request, answer := one("INT8", "[2]", "[1,2]"), echoed("INT8", "[2]", "[1,2]")
	for encoding, body := range map[string]string{
		"gzip": compressed("gzip", request), "x-gzip": compressed("gzip", request), "deflate": compressed("deflate", request), "identity": request,
	} {
		if w := ask(h, "POST", "/v2/models/echo/infer", body, "Content-Encoding", encoding); w.Code != 200 || w.Body.String() != answer {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
	const text = `{"inputs":[{"name":"x","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}}]}`
	w := ask(h, "POST", "/v2/models/echo/infer", compressed("gzip", text+"\x01\x02"), "Content-Encoding", "gzip", headerLength, strconv.Itoa(len(text)))
	if w.Code != 200 || w.Body.String() != answer {
		t.Errorf("binary: %d %s", w.Code, w.Body)
	}
	for _, c := range []struct {
		encoding, body string
		status         int
	}{
		{"br", request, 415}, {"gzip, gzip", request, 415}, {"gzip", request, 400}, {"gzip", compressed("gzip", request)[:20], 400}, {"deflate", request, 400}, {"gzip", "", 400},
	} {
		if w := ask(h, "POST", "/v2/models/echo/infer", c.body, "Content-Encoding", c.encoding); w.Code != c.status {
			t.Errorf("%s: %d %s; want %d", c.encoding, w.Code, w.Body, c.status)
		}
	}

	small := one("INT8", "[1000]", "["+strings.Repeat("1,", 999)+"1]")
	if w := ask(h, "POST", "/v2/models/echo/infer", small, "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Errorf("%d bytes are compressed", w.Body.Len())
	}
	request = one("INT8", "[40000]", "["+strings.Repeat("1,", 39999)+"1]")
	binary := strings.Replace(request, "{", `{"parameters":{"binary_data_output":true},`, 1)
	if w := ask(h, "POST", "/v2/models/echo/infer", binary, "Accept-Encoding", "gzip"); w.Header().Get("Content-Encoding") != "" {
		t.Error("binary elements are compressed")
	}
	plain := ask(h, "POST", "/v2/models/echo/infer", request)
	if plain.Header().Get("Content-Encoding") != "" || plain.Body.Len() < 80000 {
		t.Errorf("it is compressed although nobody asks: %d bytes", plain.Body.Len())
	}
	for accept, want := range map[string]bool{
		"gzip": true, "br, GZip;q=0.5": true, "gzip;q=0": false, "br": false, "*": false, "": false, "x-gzip": false, "gzip; q=x": false,
	} {
		w := ask(h, "POST", "/v2/models/echo/infer", request, "Accept-Encoding", accept)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("Accept-Encoding: %s: compressed %v", accept, got)
			continue
		} else if !want {
			continue
		}
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(z); err != nil || string(text) != plain.Body.String() || w.Header().Get("Content-Length") != "" {
			t.Errorf("Accept-Encoding: %s: %v", accept, err)
		}
	}
}

func TestBodyLimits(t *testing.T) {
	h := rest.New(&fake{}, rest.Options{Body: 100})
	fits := `{"inputs":[]}` + strings.Repeat(" ", 87)
	for _, c := range []struct {
		body, encoding string
		status         int
	}{
		{fits, "", 200}, {fits + " ", "", 413},
		{compressed("gzip", fits), "gzip", 200}, {compressed("gzip", fits+" "), "gzip", 413}, {compressed("deflate", strings.Repeat(" ", 1<<20)), "deflate", 413},
		{strings.Repeat("x", 101), "gzip", 413},
	} {
		if w := ask(h, "POST", "/v2/models/echo/infer", c.body, "Content-Encoding", c.encoding); w.Code != c.status {
			t.Errorf("%d bytes, %s: %d %s; want %d", len(c.body), c.encoding, w.Code, w.Body, c.status)
		}
		r := httptest.NewRequest(http.MethodPost, "/v2/models/echo/infer", io.MultiReader(strings.NewReader(c.body))) // of unknown length
		r.Header.Set("Content-Encoding", c.encoding)
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%d bytes, %s, without a length: %d %s; want %d", len(c.body), c.encoding, w.Code, w.Body, c.status)
		}
	}

	// A request that is being answered holds its body; another one beside it is too much.
	var inside, outside *httptest.ResponseRecorder
	f := &fake{}
	f.infer = func(_ context.Context, r *oip.Request) (*oip.Response, error) {
		f.infer = nil
		inside = ask(h, "POST", "/v2/models/echo/infer", fits)
		return f.Infer(context.Background(), r)
	}
	h = budget.New(200).Handler(rest.New(f, rest.Options{}))
	outside = ask(h, "POST", "/v2/models/echo/infer", fits)
	if outside.Code != 200 || inside.Code != 429 || inside.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s, and beside it %d %s; want 200 and 429", outside.Code, outside.Body, inside.Code, inside.Body)
	}
	text := one("FP64", "[20]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]") // which takes more than it is long
	if w := ask(h, "POST", "/v2/models/echo/infer", text); w.Code != 413 {
		t.Errorf("%d bytes of text become 160 of a tensor: %d %s; want 413, as no other time is better", len(text), w.Code, w.Body)
	}
	if w := ask(h, "POST", "/v2/models/echo/infer", fits); w.Code != 200 {
		t.Errorf("nothing was given back: %d %s", w.Code, w.Body)
	}
}

// TestBroken: what does not arrive is not blamed on its encoding.
func TestBroken(t *testing.T) {
	for _, encoding := range []string{"", "gzip"} {
		r := httptest.NewRequest(http.MethodPost, "/v2/models/echo/infer", iotest.ErrReader(io.ErrUnexpectedEOF))
		r.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		rest.New(&fake{}, rest.Options{}).ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), "the body ends early") {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
}

// TestForeignType: a model that yields what the protocol has no name for is the server's mistake.
func TestForeignType(t *testing.T) {
	h := rest.New(&fake{infer: func(context.Context, *oip.Request) (*oip.Response, error) {
		x, err := tensor.New(tensor.Int4, tensor.Shape{2})
		return &oip.Response{Outputs: []oip.Tensor{{Name: "y", Data: x}}}, err
	}}, rest.Options{})
	if w := ask(h, "POST", "/v2/models/echo/infer", `{"inputs":[]}`); w.Code != 500 || !strings.Contains(w.Body.String(), "which the protocol does not have") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSlow: a server ends the wait for a body by a deadline of the connection.
func TestSlow(t *testing.T) {
	server := httptest.NewUnstartedServer(rest.New(&fake{}, rest.Options{}))
	server.Config.ReadTimeout = 500 * time.Millisecond // in which the head of the request comes, however busy the machine is
	server.Start()
	defer server.Close()
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, `{"inputs":`) }()
	answer, err := server.Client().Post(server.URL+"/v2/models/echo/infer", "application/json", r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("status %d; want 408", answer.StatusCode)
	}
}

func TestTimeouts(t *testing.T) {
	f := &fake{}
	var left time.Duration
	f.infer = func(ctx context.Context, r *oip.Request) (*oip.Response, error) {
		left = math.MaxInt64
		if d, ok := ctx.Deadline(); ok {
			left = time.Until(d)
		}
		return &oip.Response{}, nil
	}
	h := rest.New(f, rest.Options{})
	for _, c := range []struct {
		headers []string
		atMost  time.Duration // 0: no deadline; -1: refused
	}{
		{nil, 0},
		{[]string{"Grpc-Timeout", "2H"}, 2 * time.Hour}, {[]string{"grpc-timeout", "99999999H"}, math.MaxInt64}, {[]string{"Grpc-Timeout", "3M"}, 3 * time.Minute},
		{[]string{"Grpc-Timeout", "4S"}, 4 * time.Second}, {[]string{"Grpc-Timeout", "5000m"}, 5 * time.Second}, {[]string{"Grpc-Timeout", "6000000u"}, 6 * time.Second},
		{[]string{"Grpc-Timeout", "70000000n"}, 70 * time.Millisecond}, {[]string{"X-Envoy-Expected-Rq-Timeout-Ms", "15000"}, 15 * time.Second},
		{[]string{"X-Envoy-Expected-Rq-Timeout-Ms", "9223372036854775807"}, math.MaxInt64},
		{[]string{"X-Envoy-Expected-Rq-Timeout-Ms", "15000", "Grpc-Timeout", "9S", "Grpc-Timeout", "8S"}, 8 * time.Second},
		{[]string{"Grpc-Timeout", "1"}, -1}, {[]string{"Grpc-Timeout", "1s"}, -1}, {[]string{"Grpc-Timeout", "-1S"}, -1}, {[]string{"Grpc-Timeout", "123456789S"}, -1},
		{[]string{"X-Envoy-Expected-Rq-Timeout-Ms", "soon"}, -1},
	} {
		w := ask(h, "POST", "/v2/models/echo/infer", `{"inputs":[]}`, c.headers...)
		switch {
		case c.atMost < 0:
			if w.Code != 400 {
				t.Errorf("%v: %d %s; want 400", c.headers, w.Code, w.Body)
			}
		case w.Code != 200:
			t.Errorf("%v: %d %s", c.headers, w.Code, w.Body)
		case c.atMost == 0 && left != math.MaxInt64, c.atMost > 0 && (left > c.atMost || left < c.atMost/2):
			t.Errorf("%v: %v are left", c.headers, left)
		}
	}
}

// FuzzInfer: whatever comes, the answer is JSON, and tensors that are answered are those that were sent.
func FuzzInfer(f *testing.F) {
	for _, c := range inferences {
		f.Add(c.request, -1)
	}
	for _, m := range mistakes {
		f.Add(m.request, -1)
	}
	f.Add(`{"inputs":[{"name":"x","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}}]}`+"\x01\x02", 91)
	f.Add("\x00\x00\x80\x3f\x00\x00\x00\x40", 0)
	h := rest.New(&fake{}, rest.Options{})
	f.Fuzz(func(t *testing.T, body string, length int) {
		var headers []string
		if length >= 0 {
			headers = []string{headerLength, strconv.Itoa(length)}
		}
		w := ask(h, "POST", "/v2/models/echo/infer", body, headers...)
		text := w.Body.Bytes()
		if n := w.Header().Get(headerLength); n != "" {
			end, err := strconv.Atoi(n)
			if err != nil || end > len(text) {
				t.Fatalf("%d %q", w.Code, text)
			}
			text = text[:end]
		}
		if !json.Valid(text) || w.Code != 200 && w.Code != 400 && w.Code != 501 {
			t.Fatalf("%d %q", w.Code, text)
		}
		if w.Code != 200 || len(headers) > 0 {
			return
		}
		// What was answered is asked again, with the same answer.
		again := ask(h, "POST", "/v2/models/echo/infer", strings.Replace(string(text), `"outputs":[`, `"inputs":[`, 1))
		if w.Header().Get(headerLength) == "" && again.Body.String() != string(text) {
			t.Fatalf("%s\nthen\n%s", text, again.Body)
		}
	})
}
