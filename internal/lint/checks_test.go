package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"
)

// TestChecks runs all checks over a package that is wrong in each way that this program knows beside the analyzers of others.
func TestChecks(t *testing.T) {
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, "./testdata/checked")
	if err != nil {
		t.Fatal(err)
	}
	clear(loaded[0].Imports) // nothing is said of the standard library
	graph, err := checker.Analyze(analyzers(), loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	type finding struct {
		line int
		says string
	}
	var found []finding
	for _, act := range graph.Roots {
		if act.Err != nil {
			t.Fatal(act.Err)
		}
		for _, d := range act.Diagnostics {
			found = append(found, finding{act.Package.Fset.Position(d.Pos).Line, d.Message})
		}
	}
	slices.SortFunc(found, func(a, b finding) int { return cmp.Or(a.line-b.line, strings.Compare(a.says, b.says)) })
	want := []finding{
		{1, "at least one file in a package should have a package comment (ST1000)"},
		{6, "the result of math.Exp differs between processors; use internal/fmath (docs/numerics.md) (portable)"},
		{8, "Root has no comment (documented)"},
		{15, "U has no comment (documented)"},
		{16, "type v is unused (unused)"},
		{19, `comment on exported function Power should be of the form "Power ..." (ST1020)`},
		{22, "M has no comment (documented)"},
		{30, "errcheck finds nothing here (nolint)"},
		{30, "var again is unused (unused)"},
		{32, "unnecessary conversion (unconvert)"},
		{32, "var more is unused (unused)"},
	}
	if !slices.Equal(found, want) {
		t.Errorf("found\n%v\nwant\n%v", found, want)
	}
}
