package main

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// page returns the table as the page docs/limits.md.
func page() string {
	var b strings.Builder
	b.WriteString("# Limits\n\nWritten by `go generate ./internal/limits` from the table in that package.\n\n" +
		"No model, document or file may take more than it is allowed: every bound on what foreign input can cost is a row here, and a test " +
		"reaches it. Where a program can set a bound, as by `engine.Limits`, this is the default.\n")
	section := ""
	for _, r := range limits.All {
		if part, _, _ := strings.Cut(r.Name, "."); part != section {
			section = part
			fmt.Fprintf(&b, "\n## %s\n\n| name | limit | what is bounded | beyond it |\n| --- | --- | --- | --- |\n", section)
		}
		fmt.Fprintf(&b, "| `%s` | %s %s | %s | %s |\n", r.Name, amount(r.Value), r.Unit, r.Bounds, r.Beyond)
	}
	return b.String()
}

// amount writes a number so that it can be read: large round ones as powers of two.
func amount(n int64) string {
	plain := strconv.FormatInt(n, 10)
	switch {
	case n == limits.TensorElements:
		return "(2⁶³ − 1) / 16"
	case n >= 1<<12 && n&(n-1) == 0:
		return power(bits.TrailingZeros64(uint64(n)))
	case n >= math.MaxUint16 && n&(n+1) == 0:
		return power(bits.Len64(uint64(n))) + " − 1"
	}
	return plain
}

func power(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	s := "2"
	for _, d := range strconv.Itoa(n) {
		s += string(digits[d-'0'])
	}
	return s
}
