package session_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// TestElements holds what arrays make of the values that are assigned to them; an empty want says that these are refused.
func TestElements(t *testing.T) {
	for _, c := range []struct{ view, values, want string }{
		{"Int8Array", `-129, 200, 1.9, "NaN"`, "[127 -56 1 0]"},
		{"Uint8Array", `-1, 256, -1.9, "Infinity"`, "[255 0 255 0]"},
		{"Uint8ClampedArray", `-1, 256, 1.5, 2.5, "NaN"`, "[0 255 2 2 0]"},
		{"Int16Array", `32768, -32769`, "[-32768 32767]"},
		{"Uint16Array", `-1, 65536`, "[65535 0]"},
		{"Int32Array", `2147483648, -2147483649`, "[-2.147483648e+09 2.147483647e+09]"},
		{"Uint32Array", `-1, 4294967296`, "[4.294967295e+09 0]"},
		{"Float16Array", `0.1, 65520, -0, "NaN"`, "[0.0999755859375 +Inf -0 NaN]"},
		{"Float32Array", `0.5, 1e39, "-Infinity", -0`, "[0.5 +Inf -Inf -0]"},
		{"Float64Array", `0.1, 1e300`, "[0.1 1e+300]"},
		{"BigInt64Array", `9223372036854775808, {"$bigint":"-9223372036854775809"}, "-1"`, ""},
		{"BigInt64Array", `{"$bigint":"9223372036854775808"}, {"$bigint":"-9223372036854775809"}, "-1"`,
			"[-9223372036854775808 9223372036854775807 -1]"},
		{"BigUint64Array", `{"$bigint":"18446744073709551616"}, "-1", 7`, "[0 18446744073709551615 7]"},
	} {
		text := fmt.Sprintf(`{"call":"f","args":[{"$buffer":{"type":%q,"values":[%s]}}]}`, c.view, c.values)
		call, err := session.DecodeCall([]byte(text), nil, nil)
		if err != nil {
			if c.want != "" {
				t.Errorf("%s: %v", c.view, err)
			}
			continue
		}
		elements, ok := call.Args[0].(*session.Buffer).Elements()
		if got := fmt.Sprint(elements); !ok || got != c.want {
			t.Errorf("%s of %s: %v, %v; want %s", c.view, c.values, got, ok, c.want)
		}
	}
	for _, name := range []string{"", "ArrayBuffer", "SharedArrayBuffer", "DataView", "List"} {
		if _, ok := (&session.Buffer{Type: name, Data: []byte{1}}).Elements(); ok {
			t.Errorf("%q has elements", name)
		}
	}
}

func TestTypedArray(t *testing.T) {
	for _, d := range webnn.DataTypes {
		b := session.Buffer{Type: session.TypedArray(d), Data: make([]byte, 8)}
		if elements, ok := b.Elements(); !ok || len(elements) != 8/d.Size() {
			t.Errorf("%v: the elements of %q are %v", d, b.Type, elements)
		}
	}
	if got := session.TypedArray(tensor.Float16); got != "Float16Array" {
		t.Errorf("float16: %q", got)
	}
	for _, d := range []tensor.DType{tensor.Invalid, tensor.Bool} {
		if got := session.TypedArray(d); got != "" {
			t.Errorf("%v: %q", d, got)
		}
	}
}

func TestNonFinite(t *testing.T) {
	for f, want := range map[float64]string{math.Inf(1): "Infinity", math.Inf(-1): "-Infinity", math.MaxFloat64: "", math.Copysign(0, -1): ""} {
		if got, ok := session.NonFinite(f); got != want || ok != (want != "") {
			t.Errorf("%v: %q, %v", f, got, ok)
		}
	}
	if got, ok := session.NonFinite(math.NaN()); got != "NaN" || !ok {
		t.Errorf("NaN: %q, %v", got, ok)
	}
}
