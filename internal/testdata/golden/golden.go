// Package golden compares what tests make with files that hold what they made before. With the flag -update the files are written instead.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether golden files are to be written anew.
func Updating() bool { return *update }

// Compare holds a text to that of a file, whose path is relative to the package or absolute.
func Compare(tb testing.TB, path, got string) {
	tb.Helper()
	if written(tb, path, []byte(got)) {
		return
	}
	file, err := os.ReadFile(path)
	if want := strings.ReplaceAll(string(file), "\r\n", "\n"); err != nil || got != want {
		tb.Errorf("%s differs (%v); if that is meant, run go test with -update\n%s", path, err, firstDifference(got, want))
	}
}

// Bytes is [Compare] for data that is no text.
func Bytes(tb testing.TB, path string, got []byte) {
	tb.Helper()
	if written(tb, path, got) {
		return
	}
	if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		tb.Errorf("%s differs (%v); if that is meant, run go test with -update", path, err)
	}
}

// written writes a file if that is asked for, and reports whether.
func written(tb testing.TB, path string, data []byte) bool {
	tb.Helper()
	if !*update {
		return false
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return true
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %q; want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines; want %d", len(g), len(w))
}

// Table holds the table in a page of the folder docs, between two comments, to what the source says, with equal rows joined: see [joined].
func Table(tb testing.TB, page, table string) {
	tb.Helper()
	path := filepath.Join(testdata.Root(tb), "docs", page)
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	const begin, end = "<!-- table -->\n", "<!-- end of the table -->"
	head, rest, ok1 := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		tb.Fatalf("%s has no place for the table", path)
	}
	Compare(tb, path, head+begin+joined(table)+end+tail)
}

// joined makes one row of those of a table, of operators and what they become, that differ in nothing but the operator. What has the name of its
// operator, however that is spelled, is "the same".
func joined(table string) string {
	plain := strings.NewReplacer("_", "", " ", "")
	var lines []string
	rows := make(map[string]int)
	for line := range strings.Lines(table) {
		name, rest, row := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		to, more, _ := strings.Cut(rest, " | ")
		if row && name != "---" && strings.EqualFold(plain.Replace(name), plain.Replace(to)) {
			rest = "the same | " + more
		}
		if i, ok := rows[rest]; row && ok {
			lines[i] = strings.TrimSuffix(lines[i], " | "+rest) + ", " + name + " | " + rest
			continue
		}
		rows[rest] = len(lines)
		if row {
			line = "| " + name + " | " + rest
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "")
}
