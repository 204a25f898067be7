package syntax_test

import (
	"strings"
	"testing"

	"github.com/concord-nn/concord/nnef/syntax"
)

// TestArguments finds arguments of a call by their names, and where they begin.
func TestArguments(t *testing.T) {
	doc := mustParse(t, "version 1.0; graph g( x ) -> ( y ) { y = f(x, axes = [1]); }", syntax.Options{})
	call := doc.Graph.Body[0].Right.(*syntax.Call)
	if call.Named("size") != nil || call.Named("axes") != &call.Args[1] {
		t.Errorf("the arguments are %v", call.Args)
	}
	for i, want := range []string{"x", "axes"} {
		if from := call.Args[i].Pos(); !strings.HasPrefix(doc.Source.Text[from:], want) {
			t.Errorf("argument %d begins at %v", i, doc.Source.Position(from))
		}
	}
}

// TestPlaces writes diagnostics and positions with and without a text that they belong to.
func TestPlaces(t *testing.T) {
	word := strings.Repeat("x", 100)
	a, b := syntax.NewSource("a", "one\ntwo"), syntax.NewSource("b", word+" "+word)
	at := func(s *syntax.Source, severity syntax.Severity, from syntax.Pos) syntax.Diagnostic {
		return syntax.Diagnostic{Source: s, Severity: severity, Span: syntax.Span{From: from, To: from + 1}, Message: "odd"}
	}
	list := syntax.Diagnostics{at(b, syntax.Error, 100), at(b, syntax.Warning, 1), at(b, syntax.Error, 0), at(a, syntax.Error, 4)}
	list.Sort()
	for want, got := range map[string]string{
		"a:2:1: unknown error [NNEF0000]: odd (and 2 more)": list.Error(),
		"no errors":                         syntax.Diagnostics{at(a, syntax.Note, 0)}.Error(),
		"0:0":                               (*syntax.Source)(nil).Position(3).String(),
		"2:1":                               syntax.Position{Line: 2, Column: 1}.String(),
		"unknown":                           syntax.Class(99).String(),
		"unknown warning [NNEF0000]: odd\n": (&syntax.Diagnostic{Severity: syntax.Warning, Message: "odd"}).Render(),
		"b:1:101: unknown error [NNEF0000]: odd\n  1 | …" + word[:60] + " " + word[:59] + "…\n    | " + strings.Repeat(" ", 61) + "^\n": list[3].Render(),
	} {
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
