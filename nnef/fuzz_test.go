package nnef_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// smallLimits keep one input of a fuzzer cheap.
var smallLimits = nnef.Limits{
	Text: syntax.Limits{Bytes: 1 << 14, Depth: 100},
	Eval: eval.Limits{Depth: 20, Steps: 10000, Items: 5000, Calls: 500},
}

// FuzzParse holds documents to giving a valid graph or an error, and graphs to surviving printing and reading.
func FuzzParse(f *testing.F) {
	f.Add(smallModel)
	f.Add(strings.Replace(blockText("z = relu(a);\n    y = mul(z, 2.0);", goodCall), "[N, 3]", "[4, 3]", 1))
	f.Add("version 1.0;\nextension concord_operators;\nextension concord_symbol N;\nextension concord_type x int8;\nextension concord_name x 'a b';\n" +
		"graph g( x ) -> ( y, z )\n{\n    x = external<integer>(shape = [N, 2]);\n    (y, z) = valid_count(x);\n}\n")
	f.Add("version 1.0;\nextension KHR_enable_fragment_definitions, KHR_enable_operator_expressions;\n" +
		"fragment f<?>( x: tensor<?>, n: integer = 2 ) -> ( y: tensor<?>[] ) { y = [for i in range_of([0] * n) yield x]; }\n" +
		"graph g( x ) -> ( y )\n{\n    x = external(shape = [2,3]);\n    [a, b] = f(x);\n    s = variable(shape = [2,3], label = 's_2_3');\n" +
		"    y = (a + s) * 0.5 if shape_of(b)[0] == 2 else b;\n    n = update(s, y);\n}\n")
	for _, name := range testdata.Glob(f, "conformance", "nnef", "*", "*.nnef") {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, err := nnef.Parse("fuzz", []byte(text), nnef.Options{Variables: boundedZeros, Limits: smallLimits, Lenient: true})
		if err != nil || countElements(g) > 1<<16 {
			return
		}
		if err := graph.Verify(g, op.Rules); err != nil {
			t.Fatalf("%v\n%s", err, graph.Text(g, op.Rules))
		}
		printed := graph.Text(g, op.Rules)
		var saved strings.Builder
		if err := nnef.Write(&saved, g); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{printed, saved.String()} {
			back, err := nnef.Parse("printed", []byte(text), nnef.Options{Variables: storedTensors(g)})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if again := graph.Text(back, op.Rules); again != printed {
				t.Fatalf("got\n%s\nwant\n%s", again, printed)
			}
		}
	})
}

// FuzzFile holds the steps of a file to agreeing: what the check finds no error in can be flattened, and what was flattened
// is written so that it reads back with the same shapes.
func FuzzFile(f *testing.F) {
	f.Add("version 1.0\ngraph g( x ) -> ( y )\n{\n    x = external(shape = [0,2])\n    y = max_pool(x, size = [1,2,1], stride = [1])\n}\n")
	for _, name := range testdata.Glob(f, "conformance", "nnef", "*", "*.nnef") {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := nnef.OpenText("fuzz", []byte(text), nnef.Options{Limits: smallLimits, Lenient: true})
		if err != nil {
			return
		}
		found := file.Check()
		g, err := file.Flatten(flat.User)
		if (err == nil) != (found.Err() == nil) {
			t.Fatalf("flattening gives %v; the check found %v", err, found.Err())
		}
		if _, err := file.Flatten(flat.All); err != nil && g != nil && !errors.As(err, new(syntax.Diagnostics)) {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		var b strings.Builder
		if err := g.Write(&b); err != nil {
			return // a name or text that only other engines have
		}
		back, err := nnef.OpenText("written", []byte(b.String()), nnef.Options{Lenient: true})
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		again, err := back.Flatten(flat.User)
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if second := textOf(t, again); second != b.String() || types(g) != types(again) {
			t.Fatalf("%s\n%s", second, b.String())
		}
	})
}

func boundedZeros(label string) (*tensor.Tensor, error) {
	if len(label) > 40 || strings.Count(label, "_") > 6 || len(strings.Trim(label, "abcdefghijklmnopqrstuvwxyz_012345")) > 0 {
		return nil, os.ErrNotExist
	}
	t, err := zeros(label)
	if err == nil && t.Len() > 1<<12 {
		return nil, os.ErrNotExist
	}
	return t, err
}

func countElements(g *graph.Graph) int {
	n := 0
	for v := range g.Constants() {
		n += v.Const.Len()
	}
	return n
}
