package main

import (
	"regexp"
	"strings"
	"testing"
)

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColours colours all that is known of a diagnostic, and changes nothing else.
func TestColours(t *testing.T) {
	plain := terminal(t, "", "check", "check/several.nnef", "check/warnings.nnef")
	again, _ := execute(t, "check", "check/several.nnef", "check/warnings.nnef", "--color", "always")
	if got := escapes.ReplaceAllString(again, ""); !strings.Contains(plain, got) || got == again {
		t.Errorf("%q\nwant the text of\n%s", again, plain)
	}
	for _, want := range []string{
		"\x1b[1mcheck/several.nnef:5:28: \x1b[0m\x1b[1;31mvalue error\x1b[0m\x1b[2m [NNEF1101]\x1b[0m\x1b[1m: size: 2 numbers are given",
		"\x1b[2m    | \x1b[0m", "\x1b[1;32m^^^^^^\x1b[0m", "\x1b[36m  hint: \x1b[0m", "\x1b[1;33mname warning\x1b[0m",
	} {
		if !strings.Contains(again, want) && !strings.Contains(again, strings.ReplaceAll(want, "    | ", "    |                            ")) {
			t.Errorf("%q has no %q", again, want)
		}
	}
	if text := "a line: 1 | error\n  5 of 6\n"; inColours(text) != text {
		t.Errorf("%q", inColours(text))
	}
	if got := inColours("error: no"); got != "\x1b[1;31merror\x1b[0m\x1b[1m: no\x1b[0m" {
		t.Errorf("%q", got)
	}
}
