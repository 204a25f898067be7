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
