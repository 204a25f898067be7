// Package testdata finds the data that tests share but the repository does not hold:
// real models and conformance cases. A test that needs them skips where they are absent.
package testdata

import (
	"bytes"
	"encoding/binary"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// Heaps of tests are small, so that Go would collect their garbage all the time, at a quarter of what they cost.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

var exhaustive = flag.Bool("exhaustive", false, "also try what takes minutes: many more random cases, and what has to be compiled first")

// Exhaustive skips a test that takes long, unless tests run with -exhaustive; why says what takes so long.
func Exhaustive(tb testing.TB, why string) {
	tb.Helper()
	if !*exhaustive {
		tb.Skipf("%s: go test with -exhaustive", why)
	}
}

// Cases returns how many random cases a test tries: some, with -short a few of them, with -exhaustive many.
func Cases(some, many int) int {
	switch {
	case *exhaustive:
		return many
	case testing.Short():
		return (some + 3) / 4
	default:
		return some
	}
}

// Some returns some items of a list, one of n, and with -exhaustive all of them.
func Some[T any](list []T, n int) []T {
	if *exhaustive {
		return list
	}
	var some []T
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}

// Wide skips a test of numbers or of memory for which an int and a pointer need 64 bits, where they have 32.
func Wide(tb testing.TB) {
	tb.Helper()
	if strconv.IntSize < 64 {
		tb.Skip("it needs numbers or memory beyond 32 bits")
	}
}

// LittleEndian skips a test of what shares the bytes of files, or runs code for amd64, where the high byte comes first.
func LittleEndian(tb testing.TB) {
	tb.Helper()
	if binary.NativeEndian.Uint16([]byte{0, 1}) == 1 {
		tb.Skip("it needs memory in which the low byte comes first")
	}
}

// Written returns what a function writes.
func Written(tb testing.TB, write func(io.Writer) error) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Root returns the repository's root folder, found by walking up to go.mod.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatal("no go.mod above the working directory")
		}
		dir = parent
	}
}

// Glob returns the files in the folder "shared" that match a pattern, as [filepath.Match] has it; none where the data is
// absent. It is for the seeds of fuzz targets, which run without them, too.
func Glob(tb testing.TB, elem ...string) []string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(append([]string{Root(tb), "..", "shared"}, elem...)...))
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

// Shared returns the path of an entry in the folder "shared" beside the repository,
// and skips the test where that entry is absent.
func Shared(tb testing.TB, elem ...string) string {
	tb.Helper()
	path := filepath.Join(append([]string{Root(tb), "..", "shared"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		tb.Skipf("shared data is absent: %v", err)
	}
	return path
}

// Documents returns the paths of some NNEF documents and models of the conformance cases, with -exhaustive of all of them. It skips the test
// where there are none.
func Documents(tb testing.TB) []string {
	tb.Helper()
	var list []string
	err := filepath.WalkDir(Shared(tb, "conformance", "nnef"), func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".nnef") || strings.HasSuffix(path, ".tgz") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return Some(list, 3)
}

// WebNN returns the source of the WebNN standard, its file index.bs, of which the environment variable CONCORD_WEBNN_BS gives
// the path. It skips the test where the variable is not set.
func WebNN(tb testing.TB) string {
	tb.Helper()
	path := os.Getenv("CONCORD_WEBNN_BS")
	if path == "" {
		tb.Skip("set CONCORD_WEBNN_BS to the path of the standard's index.bs to compare with it")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}
