package cvm

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/limits"
)

// write writes a file of a folder, or makes one of a size without contents.
func write(t *testing.T, dir, name string, data []byte, size int64) string {
	t.Helper()
	path := filepath.Join(dir, name)
	err := os.WriteFile(path, data, 0o600)
	if err == nil && size > 0 {
		err = os.Truncate(path, size)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRead finds the two files under the names that they may have.
func TestRead(t *testing.T) {
	text, file := small().text(t), smallParams(t)
	for _, names := range [][2]string{{"graph.json", "params.bin"}, {"symbol", "params"}, {"a net (1).json", "a net (1).params"}, {"x.json", "y.params"}} {
		dir := t.TempDir()
		graph := write(t, dir, names[0], text, 0)
		alone, err := Read(graph)
		if err != nil || alone.Params != nil || alone.ParamsPath != "" {
			t.Errorf("%s alone: %q %v", names[0], alone.ParamsPath, err)
		}
		write(t, dir, names[1], file, 0)
		for _, path := range []string{dir, graph} {
			f, err := Read(path)
			if err != nil || string(f.Symbol) != string(text) || string(f.Params) != string(file) ||
				filepath.Base(f.SymbolPath) != names[0] || filepath.Base(f.ParamsPath) != names[1] {
				t.Errorf("%s: %q %q %v", path, f.SymbolPath, f.ParamsPath, err)
			}
		}
	}
	garbage := t.TempDir() // a file that has the name of a graph is what admission refuses
	name := write(t, garbage, "symbol", []byte("[]"), 0)
	if f, err := Read(garbage); err != nil || f.SymbolPath != name {
		t.Errorf("a graph that is none: %q %v", f.SymbolPath, err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent folder: %v", err)
	}
}

// TestReadTooLarge refuses a file before its contents are in memory.
func TestReadTooLarge(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "symbol", small().text(t), 0)
	large := write(t, dir, "params", nil, math.MaxInt32+1)
	_, err := Read(dir)
	if e, ok := errors.AsType[*Error](err); !ok || e.File != large || !strings.Contains(e.Error(), "at most 2147483647 bytes") {
		t.Errorf("%v", err)
	}
}

// TestReadTooLargeGraph refuses a graph by a limit of its own.
func TestReadTooLargeGraph(t *testing.T) {
	large := write(t, t.TempDir(), "graph.json", nil, limits.CVMSymbol+1)
	for _, read := range []func(string) (Files, error){Read, ReadSymbol} {
		if _, err := read(large); fault.ClassOf(err) != fault.Runtime || !strings.Contains(fmt.Sprint(err), "at most 268435456 bytes") {
			t.Errorf("%v", err)
		}
	}
}

// TestReadStream holds devices, which have no end, to a limit that memory keeps to.
func TestReadStream(t *testing.T) {
	const zeros, none = "/dev/zero", "/dev/null"
	if _, err := os.Stat(zeros); err != nil {
		t.Skip("there are no devices")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(zeros)
	runtime.ReadMemStats(&after)
	if e, ok := errors.AsType[*Error](err); !ok || e.File != zeros || !strings.Contains(e.Error(), "at most 67108864 bytes") {
		t.Errorf("%v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > limits.CVMStream+limits.CVMStream/4 {
		t.Errorf("reading takes %d bytes", took)
	}
	if f, err := ReadSymbol(none); err != nil || f.Symbol == nil || len(f.Symbol) != 0 || cap(f.Symbol) > 1<<10 {
		t.Errorf("an empty device: %d bytes of %d, %v", len(f.Symbol), cap(f.Symbol), err)
	}
}

// TestReadSymbol reads a graph and finds its parameters, but does not read them.
func TestReadSymbol(t *testing.T) {
	dir := t.TempDir()
	graph, file := write(t, dir, "symbol", small().text(t), 0), write(t, dir, "params", smallParams(t), 0)
	f, err := ReadSymbol(dir)
	if err != nil || string(f.Symbol) != string(small().text(t)) || f.Params != nil || f.SymbolPath != graph || f.ParamsPath != file {
		t.Errorf("%q %q %v", f.SymbolPath, f.ParamsPath, err)
	}
}

// TestErrorsNameFiles holds every way to a model to errors that name the file at fault.
func TestErrorsNameFiles(t *testing.T) {
	text, file := small().text(t), smallParams(t)
	for _, test := range []struct {
		symbol, params []byte
		place          string
	}{
		{text[1:], file, "symbol:1:"},
		{text, file[:len(file)-1], "params:offset "},
	} {
		dir := t.TempDir()
		write(t, dir, "symbol", test.symbol, 0)
		write(t, dir, "params", test.params, 0)
		f, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, admitted := Admit(f, Options{})
		_, loaded := Load(f, Options{})
		_, formal := Formal(f)
		_, network := Network(f, Options{})
		_, opened := Open(dir, Options{})
		for i, err := range []error{admitted, loaded, formal, network, opened} {
			if _, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(err.Error(), filepath.Join(dir, test.place)) {
				t.Errorf("%s, way %d: %v", test.place, i, err)
			}
		}
	}
	lone := write(t, t.TempDir(), "net.json", text, 0)
	_, err := Open(lone, Options{})
	if fault.ClassOf(err) != fault.Runtime || err == nil || !strings.HasPrefix(err.Error(), lone+": there is no parameter file") {
		t.Errorf("a graph alone: %v", err)
	}
}
