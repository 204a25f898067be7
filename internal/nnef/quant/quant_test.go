package quant_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

func Example() {
	q, err := syntax.ParseQuant("graph.quant", []byte(`"w": linear_quantize(min = -1.0, max = 1, bits = 8);`), syntax.Final, syntax.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, found := quant.Read(q, syntax.Final)
	fmt.Print(found.Render())
	// Output:
	// graph.quant:1:40: type error [NNEF0701]: the argument max is 1; it must be scalar
	//   1 | "w": linear_quantize(min = -1.0, max = 1, bits = 8);
	//     |                                        ^
	//   hint: write 1.0
}

func ExampleEntry_Decode() {
	e, err := quant.ReadString("w.dat", "linear_quantize(min = -1.0, max = 1.0, bits = 2)")
	if err != nil {
		fmt.Println(err)
		return
	}
	codes, err := tensor.FromSlice([]uint8{0, 3}, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := e.Decode(codes)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tensor.Data[float32](x))
	// Output: [-1 1]
}

// sample has a scalar tensor x (1,3,4,4), an integer tensor i and a tensor u of unknown shape.
func sample() *flat.Graph {
	return &flat.Graph{Dialect: syntax.Final, Inputs: []*flat.Tensor{
		{Name: "x", Type: syntax.Scalar, Shape: []int{1, 3, 4, 4}, Known: true},
		{Name: "i", Type: syntax.Integer, Shape: []int{1}, Known: true},
		{Name: "u", Type: syntax.Scalar},
	}}
}

func TestCheck(t *testing.T) {
	const rest = ", bits = 8, signed = false, symmetric = false);"
	for _, c := range []struct{ text, want string }{
		{``, ""},
		{`# nothing`, ""},
		{`"x": linear_quantize(min = 0.0, max = 1.0, bits = 8);`, ""},
		{`'x': linear_quantize(bits = 64, max = [[1.0, 2.0, 3.0]], min = [[0.0]]);`, ""},
		{`"x": zero_point_linear_quantize(zero_point = [[1, -2, 3]], scale = 0.5` + rest, ""},
		{`"u": logarithmic_quantize(max = [[[1.0, 2.0]]], bits = 8);`, ""},
		{`"z": linear_quantize(min = 0.0, max = 1.0, bits = 8);`, "501"},
		{"\"x\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n\"x\": linear_quantize(min = 0.0, max = 1.0, bits = 8);", "503"},
		{`"x": fancy_quantize(min = 0.0);`, "502"},
		{`"x": relu();`, "206"},
		{`"x": relu(x = 1.0);`, "502"},
		{`"x": linear_quantize(x = 0.0, min = 0.0, max = 1.0, bits = 8);`, "604"},
		{`"x": linear_quantize(low = 0.0, min = 0.0, max = 1.0, bits = 8);`, "604"},
		{`"x": linear_quantize(min = 0.0, min = 0.0, max = 1.0, bits = 8);`, "603"},
		{`"x": linear_quantize(min = 0.0, bits = 8);`, "602"},
		{`"x": linear_quantize(0.0, max = 1.0, bits = 8);`, "605"},
		{`"x": linear_quantize(min = x, max = 1.0, bits = 8);`, "501"},
		{`"x": linear_quantize(min = [x, 2.0], max = 1.0, bits = 8);`, "202"},
		{`"x": linear_quantize(min = 0.0, max = 1.0, bits = 8.0);`, "701"},
		{`"x": linear_quantize(min = 0, max = 1.0, bits = 8);`, "701"},
		{`"x": linear_quantize(min = 'a', max = 1.0, bits = 8);`, "701"},
		{`"x": linear_quantize(min = (0.0, 1.0), max = 1.0, bits = 8);`, "701"},
		{`"x": linear_quantize(min = [0.0, 1], max = 1.0, bits = 8);`, "701"},
		{`"x": linear_quantize(min = 0.0, max = 1.0, bits = [8]);`, "701"},
		{`"x": linear_quantize(min = [0.0, [1.0]], max = 1.0, bits = 8);`, "1201"},
		{`"x": linear_quantize(min = [[0.0], [1.0, 2.0]], max = 1.0, bits = 8);`, "1201"},
		{`"x": linear_quantize(min = [[0.0, 0.5]], max = 1.0, bits = 8);`, "1201"},
		{`"x": linear_quantize(min = [[[[[0.0]]]]], max = 1.0, bits = 8);`, "1201"},
		{`"x": linear_quantize(min = 0.0, max = 1.0, bits = 0);`, "1101"},
		{`"x": linear_quantize(min = 0.0, max = 1.0, bits = 65);`, "1101"},
		{`"x": linear_quantize(min = 1.0, max = 1.0, bits = 8);`, "1101"},
		{`"x": linear_quantize(min = [[0.0, 0.0, 3.0]], max = 1.0, bits = 8);`, "1101"},
		{`"x": linear_quantize(min = 0.0, max = 1.0e39, bits = 8);`, "1101"},
		{`"x": logarithmic_quantize(max = -1.0, bits = 8);`, "1101"},
		{`"x": zero_point_linear_quantize(zero_point = 0, scale = 0.0` + rest, "1101"},
		{`"x": min_max_linear_quantize(min = 0.0, max = 1.0, bits = 1, signed = true, symmetric = true);`, "1101"},
		{`"u": linear_quantize(min = [[0.0], [1.0, 2.0]], max = 9.0, bits = 8);`, "1201"},
		{`"u": linear_quantize(min = [[0.0, 1.0], [2.0], [3.0, 4.0, 5.0]], max = 9.0, bits = 8);`, "1201"},
		{`"u": linear_quantize(min = [[0.0], 1.0], max = 9.0, bits = 8);`, "1201"},
		{`"u": linear_quantize(min = [], max = 9.0, bits = 8);`, "1201"},
		{`"u": linear_quantize(min = [[], []], max = 9.0, bits = 8);`, "1201"},
		{`"i": linear_quantize(min = 0.0, max = 1.0, bits = 8);`, "701"},
		{`"x": linear_quantize(min = 1.0, max = 0.0, bits = 8); "z": linear_quantize(min = 0.0, bits = 8);`, "1101 501 602"},
	} {
		got := check(c.text)
		if got != c.want {
			t.Errorf("%s\ngives %q; want %q", c.text, got, c.want)
		}
	}
}

// TestItself says that the quantized tensor is no argument.
func TestItself(t *testing.T) {
	q, err := syntax.ParseQuant("graph.quant", []byte(`"x": linear_quantize(x = 0.0, min = 0.0, max = 1.0, bits = 8);`), syntax.Final, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := quant.Check(q, sample()).Error(); got != "graph.quant:1:22: argument error [NNEF0604]: x is the quantized tensor itself, which the entry names in front" {
		t.Errorf("got %s", got)
	}
}

// check returns the codes of what is wrong with a text.
func check(text string) string {
	q, err := syntax.ParseQuant("graph.quant", []byte(text), syntax.Final, syntax.Options{})
	var list syntax.Diagnostics
	if !errors.As(err, &list) {
		list = quant.Check(q, sample())
	}
	var codes []string
	for _, d := range list {
		codes = append(codes, strconv.Itoa(int(d.Code)))
	}
	return strings.Join(codes, " ")
}

// TestTwice shows both entries for one tensor.
func TestTwice(t *testing.T) {
	const entry = `"x": linear_quantize(min = 0.0, max = 1.0, bits = 8);`
	q, err := syntax.ParseQuant("graph.quant", []byte(entry+"\n"+entry), syntax.Final, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, found := quant.Read(q, syntax.Final); !strings.Contains(found.Render(), "graph.quant:1:1: the other one is here") {
		t.Error(found.Render())
	}
}

// TestMisaligned asks for arguments that do not align with a tensor.
func TestMisaligned(t *testing.T) {
	codes, err := tensor.FromSlice([]int8{1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"linear_quantize([[0.0, 1.0]], 2.0, 8)":     "min of linear_quantize must be a number, or nested arrays of numbers that align with the tensor",
		"linear_quantize([0.0, 1.0, 1.5], 2.0, 8)":  "min of linear_quantize has shape [3], which does not align with [2]",
		"linear_quantize([0.0, 1.0, 1.5], 2.0, 8.)": "w.dat:1:42: lexical error",
	} {
		e, err := quant.ReadString("w.dat", text)
		if err == nil {
			_, err = e.Decode(codes)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	if _, _, err := new(quant.Entry).Numbers("min", 3); err == nil {
		t.Error("an argument that is missing has numbers")
	}
}

// TestManyMistakes bounds what is reported.
func TestManyMistakes(t *testing.T) {
	for _, entry := range []string{`"z%d": linear_quantize(min = 0.0, max = 1.0, bits = 8);`, `"x": linear_quantize(min = 0.0, max = %d, bits = 8);`} {
		var text strings.Builder
		for i := range 200 {
			fmt.Fprintf(&text, entry+"\n", i)
		}
		if n := len(strings.Fields(check(text.String()))); n != limits.NNEFErrors {
			t.Errorf("%d mistakes are reported", n)
		}
	}
}

func TestReadString(t *testing.T) {
	for _, c := range []struct {
		text string
		ok   bool
	}{
		{"linear_quantize(min = 0.0, max = 1.0, bits = 8)", true},
		{"linear_quantize(0.0, 1.0, 8)", true},
		{"linear_quantize(0.0, 1.0, bits = 8);", true},
		{"logarithmic_quantize(max = 1.0, bits = 8)", true},
		{"", false},
		{"linear_quantize", false},
		{"linear_quantize(0.0, 1.0, 8) 'y': linear_quantize(0.0, 1.0, 8)", false},
		{"linear_quantize(0.0, 1.0, 8, 9)", false},
		{"min_max_linear_quantize(0.0, 1.0, 8, true, true)", false},
	} {
		if _, err := quant.ReadString("w.dat", c.text); (err == nil) != c.ok || !c.ok && strings.Contains(err.Error(), "w.dat: ") != (strings.Contains(c.text, "'y'")) {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestJSON(t *testing.T) {
	q, err := syntax.ParseQuant("", []byte(`"w": zero_point_linear_quantize(scale = [[0.25]], zero_point = -3, bits = 8, signed = true, symmetric = false);`),
		syntax.Final, syntax.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, found := quant.Read(q, syntax.Final)
	if len(found) > 0 || len(list) != 1 {
		t.Fatal(list, found)
	}
	got, err := json.Marshal(&list[0])
	want := `{"op":"zero_point_linear_quantize","args":{"bits":8,"scale":[[0.25]],"signed":true,"symmetric":false,"zero_point":-3}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestDecode(t *testing.T) {
	unsigned, _ := tensor.FromSlice([]uint8{0, 1, 2, 3}, 2, 2)
	signed, _ := tensor.FromSlice([]int8{-2, -1, 0, 1}, 2, 2)
	wide, _ := tensor.FromSlice([]uint64{0, 1, 2, math.MaxUint64}, 2, 2)
	for _, c := range []struct {
		text  string
		codes *tensor.Tensor
		want  []float32
	}{
		{`zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 2, signed = false, symmetric = false)`, unsigned, []float32{-0.5, 0, 0.5, 1}},
		{`zero_point_linear_quantize(zero_point = [1, 2], scale = [[0.5, 1.0]], bits = 2, signed = false, symmetric = false)`, unsigned, []float32{-0.5, 0, 0, 1}},
		{`linear_quantize(min = 0.0, max = 3.0, bits = 2)`, unsigned, []float32{0, 1, 2, 3}},
		{`linear_quantize(min = 0.0, max = 3.0, bits = 2)`, signed, []float32{0, 1, 2, 3}},
		{`min_max_linear_quantize(min = [0.0, 1.0], max = [3.0, 4.0], bits = 2, signed = true, symmetric = false)`, signed, []float32{0, 1, 3, 4}},
		{`min_max_linear_quantize(min = -1.0, max = 1.0, bits = 2, signed = true, symmetric = true)`, signed, []float32{-2, -1, 0, 1}},
		{`linear_quantize(min = 0.0, max = 1.0, bits = 64)`, wide, []float32{0, 1.0 / (1 << 64), 2.0 / (1 << 64), 1}},
		{`logarithmic_quantize(max = 7.5, bits = 2)`, unsigned, []float32{1, 2, 4, 8}},
		{`logarithmic_quantize(max = [8.0, 1.0], bits = 2)`, signed, []float32{-4, -2, 0, 0.25}},
	} {
		q, err := syntax.ParseQuant("", []byte("'w': "+c.text+";"), syntax.Final, syntax.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list, found := quant.Read(q, syntax.Final)
		if len(list) != 1 {
			t.Fatal(found)
		}
		got, err := list[0].Decode(c.codes)
		if err != nil || !slices.Equal(tensor.Data[float32](got), c.want) {
			t.Errorf("%s: %v, %v; want %v", c.text, got, err, c.want)
			if err == nil {
				t.Log(tensor.Data[float32](got))
			}
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(`"x": linear_quantize(min = [[0.0, 0.5, 1.0]], max = 2.0, bits = 8);`)
	f.Add(`'u': zero_point_linear_quantize(zero_point = [[1], [2]], scale = 0.5, bits = 4, signed = true, symmetric = true); # end`)
	f.Add(`"x": logarithmic_quantize(max = 8.0, bits = 3)`)
	codes, err := tensor.FromSlice([]int8{-128, -1, 0, 1, 127, 3}, 1, 3, 2)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range []syntax.Dialect{syntax.Final, syntax.Provisional} {
			q, err := syntax.ParseQuant("graph.quant", []byte(text), d, syntax.Options{})
			if err != nil {
				continue
			}
			quant.Check(q, sample())
			list, found := quant.Read(q, d)
			_ = found.Render()
			for i := range list {
				if x, err := list[i].Decode(codes); err == nil && !x.Shape().Equal(codes.Shape()) {
					t.Errorf("the decoded tensor has shape %v", x.Shape())
				}
			}
			text, err := syntax.FormatQuant(q)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := syntax.ParseQuant("again", text, syntax.Final, syntax.Options{}); err != nil {
				t.Errorf("the formatted text cannot be read: %v\n%s", err, text)
			}
		}
	})
}

// TestLiterals reads nested lists, in brackets or parentheses, as tensors.
func TestLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"1": "[] [1] true", "[[1, 2], [3, 4]]": "[2,2] [1 2 3 4] true", "[(1, 2), (3, 4)]": "[2,2] [1 2 3 4] true", "[]": "[0] [] true",
		"[[1], [2, 3]]": "false", "['a']": "false",
	} {
		x, err := syntax.ParseExpr("", text)
		if err != nil {
			t.Fatal(err)
		}
		shape, values, ok := element.Literals(eval.Literal(x))
		got := strconv.FormatBool(ok)
		if ok {
			got = fmt.Sprint(shape, values, ok)
		}
		if got != want {
			t.Errorf("%s: got %s; want %s", text, got, want)
		}
	}
}
