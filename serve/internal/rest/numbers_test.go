package rest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/serve/internal/rest"
	"github.com/concord-nn/concord/tensor"
)

func TestNumbers(t *testing.T) {
	types := map[string]tensor.DType{"f": tensor.Float32, "h": tensor.Float16, "i": tensor.Int64, "b": tensor.Bool, "u": tensor.Uint8}
	of := func(name string) (tensor.DType, tensor.Shape, error) {
		if d, ok := types[name]; ok {
			return d, map[string]tensor.Shape{"f": {1, 4}}[name], nil
		}
		return tensor.Invalid, nil, errors.New("there is no " + name)
	}
	for _, c := range []struct{ text, want string }{
		{`{"f": [1, 2, "NaN", -0.5]}`, `f float32[1,4] [[1 2 NaN -0.5]]`},
		{`{"f": [1, 2]}`, `f float32[2] [1 2]`},
		{` {"f": [[1, 2], [3, 4], [5, 6]]} `, `f float32[3,2] [[1 2] [3 4] [5 6]]`},
		{`{"i": [9007199254740993, -9223372036854775808]}`, `i int64[2] [9007199254740993 -9223372036854775808]`}, // beyond what floats keep
		{`{"b": [[true], [false]]}`, `b bool[2,1] [[true] [false]]`},
		{`{"h": [0.1]}`, `h float16[1] [0.099975586]`},
		{`{"h": []}`, `h float16[0] []`},
		{`{"u": [255, 256]}`, "an integer of UINT8"},
		{`{"u": [1.5]}`, "an integer"},
		{`{"u": 1}`, "a list of numbers"},
		{`{"f": [[1, 2], [3]]}`, "the shape wants 2 elements"},
		{`{"f": [[1], 2]}`, "a list of 1 elements"},
		{`{"f": [1, [2]]}`, "a number"},
		{`{"f": [1], "f": [2]}`, "twice"},
		{`{"z": [1]}`, "there is no z"},
		{`{"f": ` + strings.Repeat("[", 17) + "1" + strings.Repeat("]", 17) + "}", "nested deeper than 16"},
		{`{"f": [1, ` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "]}", "nested deeper than"},
		{`{"f": [1]`, "the JSON ends"}, {`{"f": [1]} x`, "the end"}, {"", "an object"}, {`{"f": [`, "the JSON ends"}, {`{"f": [1e999]}`, "a number of FP32"},
	} {
		got, err := rest.Numbers([]byte(c.text), nil, of)
		var said strings.Builder
		for name, x := range got {
			fmt.Fprint(&said, name, " ", x)
		}
		if err != nil {
			said.WriteString(err.Error())
		}
		if !strings.Contains(said.String(), c.want) {
			t.Errorf("%.60s: got %s; want %s", c.text, &said, c.want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add(`{"f": [[1, 2], [3, 4]], "i": []}`)
	f.Add(`{"i": [[[-1]]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := rest.Numbers([]byte(text), nil, func(name string) (tensor.DType, tensor.Shape, error) {
			if name == "i" {
				return tensor.Int64, nil, nil
			}
			return tensor.Float32, tensor.Shape{2, 2}, nil
		})
		for name, x := range got {
			if err != nil || x == nil || x.Len() > len(text) {
				t.Errorf("%q is %v, %v", name, x, err)
			}
		}
	})
}
