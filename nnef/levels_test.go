package nnef_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
)

// TestLevels flattens the documents of the shared cases with and without the standard's compounds: the results have equal
// types and shapes, and both graphs read back equal.
func TestLevels(t *testing.T) {
	for _, name := range testdata.Documents(t) {
		if filepath.Ext(name) != ".nnef" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := nnef.OpenText(filepath.Base(name), text, nnef.Options{})
		if err != nil {
			continue
		}
		user, err := f.Flatten(flat.User)
		if err != nil {
			continue
		}
		all, err := f.Flatten(flat.All)
		if err != nil {
			t.Errorf("%s: with compounds expanded: %v", name, err)
			continue
		}
		if got, want := types(all), types(user); got != want {
			t.Errorf("%s: with compounds expanded the results are %s; want %s", name, got, want)
		}
		for _, g := range []*flat.Graph{user, all} {
			var b bytes.Buffer
			if err := g.Write(&b); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			back, err := nnef.OpenText("written", b.Bytes(), nnef.Options{})
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, b.String())
				continue
			}
			again, err := back.Flatten(flat.User)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, b.String())
				continue
			}
			if second := textOf(t, again); second != b.String() || types(again) != types(g) {
				t.Errorf("%s: what was written reads back differently: %s", name, second)
			}
		}
	}
}

// textOf writes a flattened graph.
func textOf(t testing.TB, g *flat.Graph) string {
	t.Helper()
	var b strings.Builder
	if err := g.Write(&b); err != nil {
		t.Error(err)
	}
	return b.String()
}

// types writes the types and shapes of the outputs of a graph.
func types(g *flat.Graph) string {
	var b strings.Builder
	for _, t := range g.Outputs {
		fmt.Fprint(&b, t.Type, t.Shape, t.Known, " ")
	}
	return b.String()
}
