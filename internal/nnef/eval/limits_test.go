package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/nnef/syntax"
)

// TestLimitsAreReached evaluates with as much as an expression takes, and with one less.
func TestLimitsAreReached(t *testing.T) {
	if want := (Limits{limits.EvalDepth, limits.EvalSteps, limits.EvalItems, limits.EvalCalls, limits.EvalErrors}); New(Limits{}).limits != want {
		t.Errorf("the defaults are %+v; want %+v", New(Limits{}).limits, want)
	}
	for _, text := range []string{"[for i in [0, 1] * 100 yield neg(x)]", "sum([x, y, x, y])", "'a' * 100 == 'b' * 99", "pair(x)"} {
		e := New(Limits{})
		if _, err := evaluateBy(t, e, text); err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]struct {
			took   int
			limits func(n int) Limits
		}{
			"steps": {e.steps, func(n int) Limits { return Limits{Steps: n} }},
			"items": {e.items, func(n int) Limits { return Limits{Items: n} }},
			"calls": {e.calls, func(n int) Limits { return Limits{Calls: n} }},
		} {
			if l.took < 2 {
				continue // there is no limit of 0
			}
			if _, err := evaluate(t, text, l.limits(l.took)); err != nil {
				t.Errorf("%s with %d %s: %v", text, l.took, name, err)
			}
			if _, err := evaluate(t, text, l.limits(l.took-1)); !beyond(err) {
				t.Errorf("%s with one of %d %s less: %v", text, l.took, name, err)
			}
		}
	}
	for n, want := range map[int]bool{limits.EvalDepth - 1: false, limits.EvalDepth: true} { // and the invocation that ends it
		if _, err := evaluate(t, "sum(["+strings.Repeat("x,", n-1)+"x])", Limits{}); beyond(err) != want {
			t.Errorf("%d in one another: %v", n+1, err)
		}
	}
	e := New(Limits{})
	for n := range limits.EvalErrors + 3 {
		e.Report(syntax.Diagnostic{Severity: syntax.Error, Code: CodeType, Source: syntax.NewSource("s", "")})
		list := e.Diagnostics()
		if last := list[len(list)-1].Code; len(list) != min(n, limits.EvalErrors)+1 || (last == syntax.CodeTooMany) != (n >= limits.EvalErrors) {
			t.Errorf("after %d mistakes %d are reported, with code %d at last", n+1, len(list), last)
		}
	}
}

func beyond(err error) bool {
	var d *fault
	return errors.As(err, &d) && d.Code == CodeLimit
}

// TestEveryLimit evaluates expressions within less and less: what is refused is refused for the limit, and what is not stays within it.
func TestEveryLimit(t *testing.T) {
	for _, text := range []string{
		"[for i in range_of('abc'), j in [1, 2, 3] yield (i, j)]", "range_of([1, 2, 3])", "'ab' + 'cd' == 'ab' * 2", "integer('12')", "[1, 2] + [3] if true else [4] * 3",
		"pair(x)[0]", "same([x, y][0])", "sum([x, y])", "'abc'[0:2]", "((1, 'a'), [2, 3]) == ((1, 'a'), [2, 3])", "1 in [[1, 2][0], 2]",
	} {
		for _, checking := range []bool{false, true} {
			for _, steps := range []bool{false, true} {
				for n := 1; ; n++ {
					limits := Limits{Items: n}
					if steps {
						limits = Limits{Steps: n}
					}
					e := New(limits)
					e.checking = checking
					_, err := evaluateBy(t, e, text)
					var refused *fault
					if errors.As(err, &refused) && refused.Code == CodeLimit && n < 1000 {
						continue
					}
					if used := e.Used(); err == nil && (steps && used.Steps > n || !steps && used.Items > n) || err != nil && n == 1000 {
						t.Errorf("%s (checking: %t) within %+v: %v, used %+v", text, checking, limits, err, used)
					}
					break
				}
			}
		}
	}
}

// TestResultLimit counts what a result holds before it is held to its type.
func TestResultLimit(t *testing.T) {
	lib := newFakes(t, library+"fragment f( x: tensor<scalar> ) -> ( y: tensor<scalar> ) { y = (x, x); }")
	for n, want := range map[int]syntax.Code{2: CodeLimit, 4: CodeResultType} {
		e := New(Limits{Items: n})
		if e.CheckFragment(lib["f"]); len(e.Diagnostics()) != 1 || e.Diagnostics()[0].Code != want {
			t.Errorf("within %d items: %v", n, e.Diagnostics())
		}
	}
}

// TestParsedStrings converts strings to scalars.
func TestParsedStrings(t *testing.T) {
	for text, want := range map[string]Value{"scalar('1.5')": 1.5, "scalar('2')": 2.0, "scalar('-3e2')": -300.0, "scalar(' 1')": nil, "scalar('x')": nil, "scalar('true')": nil, "scalar('1 #')": nil} {
		if v, err := evaluate(t, text, Limits{}); v != want || (err == nil) != (want != nil) {
			t.Errorf("%s = %v, %v; want %v", text, v, err, want)
		}
	}
}
