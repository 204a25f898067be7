package lint_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/lint"
	"github.com/concord-nn/concord/nnef"
)

func TestGraph(t *testing.T) {
	for _, tt := range []struct {
		shape, statement string
		want             string // what the hint says; empty for no warning
	}{
		{"[3]", "add(x, b)", "[1, 3]"},
		{"[3]", "add(b, x)", "[1, 3]"},
		{"[8]", "mul(x, b)", "[1, 1, 1, 8]"},
		{"[8]", "prelu(x, b)", "[1, 1, 1, 8]"},
		{"[5]", "select(b < x, x, b)", "no hint"},
		{"[1]", "add(x, b)", ""},
		{"[1, 3]", "add(x, b)", ""},
		{"[2, 3, 8, 8]", "add(x, b)", ""},
		{"[]", "add(x, b)", ""},
		{"[1, 4]", "conv(sum_reduce(x, axes = [1]), constant(shape = [4, 1, 1, 1], value = [1.0]), b)", ""},
	} {
		text := "version 1.0;\nextension KHR_enable_operator_expressions;\ngraph g( x ) -> ( y )\n{\nx = external(shape = [1,3,8,8]);\n" +
			"b = constant(shape = " + tt.shape + ", value = [1.0]);\ny = " + tt.statement + ";\n}\n"
		f, err := nnef.OpenText("test", []byte(text), nnef.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := f.Flatten(flat.User)
		if err != nil {
			t.Fatal(err)
		}
		list := lint.Graph(g)
		switch {
		case tt.want == "":
			if len(list) != 0 {
				t.Errorf("%s with %s: %s", tt.statement, tt.shape, list.Render())
			}
		case len(list) == 0 || list[0].Code != lint.CodeBroadcast || list[0].Position().Line != 7:
			t.Errorf("%s with %s: %s", tt.statement, tt.shape, list.Render())
		case tt.want == "no hint" && list[0].Hint != "" || tt.want != "no hint" && !strings.HasSuffix(list[0].Hint, "the shape "+tt.want):
			t.Errorf("%s with %s: hint %q", tt.statement, tt.shape, list[0].Hint)
		}
	}
}
