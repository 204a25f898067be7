package limits

import (
	"fmt"
	"math"
	"math/bits"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testdata/golden"
)

// TestPage holds the page to the table.
func TestPage(t *testing.T) {
	testdata.Wide(t) // some limits are those of an int
	golden.Compare(t, filepath.Join(testdata.Root(t), "docs", "limits.md"), page())
}

// page returns the table as the page docs/limits.md.
func page() string {
	var sections []string
	rows := make(map[string][]Row)
	for _, r := range All {
		section, _, _ := strings.Cut(r.Name, ".")
		if rows[section] == nil {
			sections = append(sections, section)
		}
		rows[section] = append(rows[section], r)
	}
	var b strings.Builder
	b.WriteString("# Limits\n\nWritten by `go generate ./internal/limits` from the table in that package.\n\n" +
		"Every bound on what a foreign model, document or file can cost is a row here, and a test reaches it. Where a program can set a bound, as by " +
		"`engine.Limits`, this is the default.\n")
	for _, section := range sections {
		usual := usually(rows[section])
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		if usual != "" {
			fmt.Fprintf(&b, "Beyond a bound, unless the last column says otherwise: %s.\n\n", usual)
		}
		b.WriteString("| name | limit | what is bounded | beyond it |\n| --- | --- | --- | --- |\n")
		for _, r := range rows[section] {
			beyond := r.Beyond
			if beyond == usual {
				beyond = ""
			}
			fmt.Fprintf(&b, "| `%s` | %s %s | %s | %s |\n", r.Name, amount(r.Value), r.Unit, r.Bounds, beyond)
		}
	}
	return b.String()
}

// usually returns what happens beyond most of the bounds, if there are several for which it is the same.
func usually(rows []Row) (most string) {
	counts := make(map[string]int)
	for _, r := range rows {
		if counts[r.Beyond]++; counts[r.Beyond] > 2 && counts[r.Beyond] > counts[most] {
			most = r.Beyond
		}
	}
	return most
}

// amount writes a number so that it can be read: large round ones as powers of two.
func amount(n int64) string {
	plain := strconv.FormatInt(n, 10)
	switch {
	case n == TensorElements:
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
