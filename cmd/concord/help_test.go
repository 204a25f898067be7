package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestReflowed(t *testing.T) {
	text := "One two three\nfour ähnliche five.\n\n  kept as   it is\n  and this\n\nword"
	want := "One two\nthree four\nähnliche\nfive.\n\n  kept as   it is\n  and this\n\nword"
	if got := reflowed(text, 10); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := reflowed("Superlongword a", 4); got != "Superlongword\na" {
		t.Errorf("%q", got)
	}
}

// TestAligned holds help to one column for what flags do. Package pflag counts bytes.
func TestAligned(t *testing.T) {
	for _, c := range newRoot().Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name, _ := pflag.UnquoteUsage(f); strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }) {
				t.Errorf("%s --%s %s: characters of more than one byte put the help out of line", c.Name(), f.Name, name)
			}
		})
	}
}
