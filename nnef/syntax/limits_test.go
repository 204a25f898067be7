package syntax_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/nnef/syntax"
)

// TestLimitsAreReached has texts at each default limit, which are read, and just beyond it, which are not.
func TestLimitsAreReached(t *testing.T) {
	many := strings.Repeat
	empty := len(finalGraph("y = x;"))
	for _, c := range []struct {
		name string
		most int
		text func(n int) string
		code syntax.Code
	}{
		{"bytes", limits.TextBytes, func(n int) string { return finalGraph("y = x;" + many(" ", n-empty)) }, syntax.CodeSize},
		{"tokens", 1000, func(n int) string { return finalGraph("y = [" + many("-", n%2) + "1" + many(",1", (n-20)/2) + "];") }, syntax.CodeSize},
		{"depth", limits.TextDepth, func(n int) string { return finalGraph("y = " + many("[", n) + many("]", n) + ";") }, syntax.CodeDepth},
		{"height", limits.TextDepth, func(n int) string { return finalGraph("y = 1" + many(" + 1", n-1) + ";") }, syntax.CodeDepth},
		{"identifier", limits.TextLiteral, func(n int) string { return finalGraph(many("y", n) + " = 1;") }, syntax.CodeLiteralLength},
		{"string", limits.TextLiteral, func(n int) string { return finalGraph("y = '" + many("a", n-2) + "';") }, syntax.CodeLiteralLength},
		{"errors", limits.TextErrors, func(n int) string { return finalGraph(many("y = ;\n", n)) }, syntax.CodeTooMany},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			opts := syntax.Options{}
			if c.name == "tokens" {
				opts.Limits.Tokens = c.most // the default takes seconds
			}
			_, err := syntax.Parse("test.nnef", []byte(c.text(n)), opts)
			var list syntax.Diagnostics
			beyond := errors.As(err, &list) && list[len(list)-1].Code == c.code
			if beyond != (n > c.most) || err != nil && c.code != syntax.CodeTooMany && !beyond {
				t.Errorf("%s: %d give %v", c.name, n, err)
			}
		}
	}
	doc := mustParse(t, finalGraph(many("y = f(x)\nz = g(y);\n", 10)), syntax.Options{Lenient: true, Limits: syntax.Limits{Errors: 3}})
	if len(doc.Warnings) != 3 {
		t.Errorf("of 10 warnings there are %d", len(doc.Warnings))
	}
	if got := (syntax.Limits{}).Filled().Tokens; got != limits.TextTokens {
		t.Errorf("a text may have %d tokens", got)
	}
	if got := (syntax.Limits{Bytes: math.MaxInt}).Filled().Bytes; int64(got) != min(limits.TextOffset, math.MaxInt) {
		t.Errorf("a text may have %d bytes", got)
	}
}
