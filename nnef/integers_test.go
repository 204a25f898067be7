package nnef_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// integerCases have integers of more than 32 bits, which mean the same on every processor. What a graph has as an int must be refused where
// that has 32 bits, and is what it is on others.
var integerCases = []struct {
	statement string
	want      string // the result's type, or a part of the mistake
	narrow    string // the same where an int has 32 bits, if that is another one
}{
	{"y = slice(x, axes = [1], begin = [1], end = [9223372036854775807]);", "float32[2,2]", ""},
	{"y = slice(x, axes = [1], begin = [-9223372036854775808], end = [4294967298]);", "float32[2,3]", ""},
	{"y = slice(x, axes = [1], begin = [0], end = [3], stride = [4294967297]);", "float32[2,1]", ""},
	{"y = slice(x, axes = [4294967297], begin = [0], end = [1]);", "NNEF1101", ""},
	{"y = sum_reduce(x, axes = [4294967296]);", "NNEF1101", ""},
	{"y = linear_quantize(x, 0.0, 1.0, bits = 4294967300);", "NNEF1101", ""},
	{"y = concat([x, x], axis = 4294967296);", "NNEF1101", ""},
	{"y = transpose(x, axes = [4294967297, 0]);", "NNEF1101", ""},
	{"y = reshape(x, shape = [4294967302]);", "NNEF1201", "NNEF1101"},
	{"y = reshape(x, shape = [2, 3], axis_count = 4294967298);", "NNEF1101", ""},
	{"y = unstack(x, axis = 4294967296)[0];", "NNEF1101", ""},
	{"y = max_pool(x, size = [4294967297, 1], border = 'ignore');", "NNEF1101", ""},
	{"y = copy_n(x, times = 4294967297)[0];", "NNEF1101", ""},
	{"y = pad(x, padding = [(4294967296, 0), (0, 0)]);", "float32[4294967298,3]", "too large for this processor"},
	{"y = tile(x, repeats = [4294967296, 1]);", "float32[8589934592,3]", "too large for this processor"},
	{"y = 0.0 * external(shape = [4294967297]);", "float32[4294967297]", "too large for this processor"},
	{"y = x * scalar(4294967298 / 2 * 2 - 4294967296);", "float32[2,3]", ""},
	{"y = reshape(x, shape = [4294967302 - 4294967296]);", "float32[6]", ""},
	{"y = reshape(x, shape = [integer('4294967302') - integer(4294967296.0)]);", "float32[6]", ""},
	{"y = reshape(x, shape = [[7, 6][4294967297 - 4294967296]]);", "float32[6]", ""},
	{"y = reshape(x, shape = [[7, 6][4294967297]]);", "NNEF1001", ""},
	{"y = reshape(x, shape = [6 if 4294967298 > 2 && 4294967298 != 2 else 5]);", "float32[6]", ""},
	{"y = reshape(x, shape = 4294967296 * [] + [6]);", "float32[6]", ""},
	{"y = reshape(x, shape = [length_of('a' * -4294967295) + 6]);", "float32[6]", ""},
	{"y = x * scalar(9223372036854775807 + 1);", "not an integer of 64 bits", ""},
	{"y = x * scalar(4294967296 * 4294967296);", "not an integer of 64 bits", ""},
	{"y = x * scalar(-9223372036854775808 - 1);", "not an integer of 64 bits", ""},
	{"y = x * scalar(2 ^ 63);", "not an integer of 64 bits", ""},
	{"y = x * scalar(-9223372036854775808 / -1);", "not an integer of 64 bits", ""},
	{"y = x * scalar(9223372036854775808);", "NNEF01", ""},
}

// TestIntegers holds every integer of a document to 64 bits.
func TestIntegers(t *testing.T) {
	for _, c := range integerCases {
		body := "    x = external(shape = [2, 3]);\n    "
		if i := strings.Index(c.statement, "external"); i >= 0 {
			body = ""
			c.statement = "x = " + c.statement[i:] + "\n    y = copy(x);"
		}
		text := "version 1.0;\nextension KHR_enable_operator_expressions;\n\ngraph net( x ) -> ( y )\n{\n" + body + c.statement + "\n}\n"
		want := c.want
		if math.MaxInt == math.MaxInt32 && c.narrow != "" {
			want = c.narrow
		}
		g, err := nnef.Parse("net.nnef", []byte(text), nnef.Options{})
		got := fmt.Sprint(err)
		if err == nil {
			got = g.Outputs[0].Value.Type.String()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n\tgot %s\n\twant %s", c.statement, got, want)
		}
	}
}

// TestIntegerElements takes elements of 64 bits through constants and casts.
func TestIntegerElements(t *testing.T) {
	g, err := nnef.Parse("net.nnef", []byte(`version 1.0;

graph net( x ) -> ( y, z )
{
    x = external(shape = [3]);
    c = constant<integer>(shape = [3], value = [4294967298, -4294967297, 9007199254740993]);
    y = cast<scalar>(c);
    z = cast<integer>(x);
}
`), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := tensor.FromSlice([]float32{4294967296, -4294967296, 9e18}, 3)
	if err != nil {
		t.Fatal(err)
	}
	out := evaluate(t, g, map[string]*tensor.Tensor{"x": x})
	if y := tensor.Data[float32](out["y"]); !slices.Equal(y, []float32{4294967296, -4294967296, 9007199254740992}) {
		t.Errorf("as scalars: %v", y)
	}
	if z := tensor.Data[int64](out["z"]); !slices.Equal(z, []int64{4294967296, -4294967296, 9000000202358128640}) {
		t.Errorf("as integers: %v", z)
	}
}
