package main

import "testing"

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
