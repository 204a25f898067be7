package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
)

// TestDiffCells compares lines that occur twice on each side, so that they are no anchors: up to the bound one of them is found equal.
func TestDiffCells(t *testing.T) {
	const lines = 1 << 7 // of which the square is the bound
	if lines*lines != limits.DiffCells {
		t.Fatal("the test does not reach the bound")
	}
	text := func(prefix string, n int) []string {
		list := []string{"same", "same"}
		for i := range n - 2 {
			list = append(list, prefix+strconv.Itoa(i/2))
		}
		return list
	}
	for _, n := range []int{lines, lines + 1} {
		// Matches of nothing at either end are what anchors gives.
		x, y := text("x", lines), text("y", n)
		list := between(x, y, []match{{0, 0}, {len(x), len(y)}})
		if found := len(list) > 2; found != (n == lines) {
			t.Errorf("%d × %d lines give %v\n%s", lines, n, list, strings.Join(y, " "))
		}
	}
}
