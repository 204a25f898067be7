package element_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

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
