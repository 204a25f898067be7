package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestTableFits cuts the longest cells for a terminal, and nothing in a pipe.
func TestTableFits(t *testing.T) {
	laid := func(text string, width int, spare []int) string {
		var b bytes.Buffer
		x := newTable(&b, 0)
		x.width, x.spare = width, spare
		fmt.Fprint(x, text)
		if err := x.Flush(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	write := func(width int) string {
		return laid("#\tNAME\tTYPE\tVALUE\n0\tähnlich_lange_namen_sind_selten\tfloat32[1,3,224,224]\tsomething that is longer than it is wide\n1\tb\tint8[1]\tx\n", width, nil)
	}
	whole := write(0)
	if strings.Contains(whole, "…") || write(200) != whole {
		t.Errorf("cut:\n%s", whole)
	}
	for _, width := range []int{100, 80, 60, 40, 30} {
		got := write(width)
		for line := range strings.Lines(got) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > width {
				t.Errorf("%d columns: %d in %q", width, n, line)
			}
		}
		if width < 90 && !strings.Contains(got, "…") || !strings.Contains(got, "1  b ") {
			t.Errorf("%d columns:\n%s", width, got)
		}
	}
	want := "#  NAME         TYPE          VALUE\n0  ähnlich_la…  float32[1,3…  something t…\n1  b            int8[1]       x\n"
	if got := write(42); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	numbers := []string{"#\tTIME\tMULTIPLY-ADDS\tNAME", "0\t12.75 ms\t1,234\tconvolution"}
	if gap := narrow(numbers, 28); gap != 2 || numbers[1] != "0\t12.75 ms\t1,234\tconvol…" || numbers[0] != "#\tTIME\tMULTI…\tNAME" {
		t.Errorf("%d, %q", gap, numbers)
	}
	if gap := narrow(numbers, 10); gap != 1 || numbers[1] != "0\t12.75 ms\t1,234\tconvo…" {
		t.Errorf("%d, %q", gap, numbers)
	}
	facts := "result\t" + strings.Repeat("0", 64) + "\nmemory\tweights 1, packed 2, arena 3 MiB\n"
	if got, want := laid(facts, 30, nil), "result  "+strings.Repeat("0", 64)+"\nmemory  weights 1, packed 2,\n        arena 3 MiB\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got, want := laid("A\tB\tC\n1\t12345678\t3\n", 8, []int{1}), "A  C\n1  3\n"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
