package bulk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/bulk"
	"github.com/concord-nn/concord/tensor"
)

// TestChangedMeanwhile changes an input when it has been computed, and its record is not yet noted: the next run does not take it for the one that
// was read.
func TestChangedMeanwhile(t *testing.T) {
	model := network(t, "graph n(x) -> (y)\n{\n    x = external<scalar>(shape = [1,3]);\n    y = add(x, x);\n}\n")
	dir := t.TempDir()
	array := func(k int, values ...float32) {
		t.Helper()
		x, err := tensor.FromSlice(values, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := tensor.WriteNPY(&b, x); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, fmt.Sprintf("%d.npy", k))
		write(t, name, b.Bytes())
		if err := os.Chtimes(name, time.Time{}, time.Unix(int64(values[0]), 0)); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 3 {
		array(k, 1, 2, float32(k))
	}
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := open(t, model, bulk.Options{Inputs: []string{dir}, Batch: 2, Workers: 1}).Run(ctx, out, 0, false, func(done, _ int64) {
		switch done {
		case 1:
			array(1, 7, 8, 9)
		case 2:
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	var changed *bulk.ChangedError
	if _, err = open(t, model, bulk.Options{Inputs: []string{dir}}).Run(t.Context(), out, 0, false, nil); !errors.As(err, &changed) {
		t.Errorf("%v; want that an input has changed", err)
	}
}

// TestBegunOnly runs a list whose file is missing, and then another one: where nothing has been done, nothing keeps it from beginning.
func TestBegunOnly(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if _, err := open(t, digits, bulk.Options{Inputs: []string{"missing.png"}}).Run(t.Context(), out, 0, false, nil); err == nil {
		t.Fatal("no error")
	}
	if _, err := open(t, digits, bulk.Options{Inputs: drawings(t)[:1]}).Run(t.Context(), out, 0, false, nil); err != nil {
		t.Error(err)
	}
}

// TestTextsOfTables reads lists that begin with the mark of a table program, and ones with its line ends.
func TestTextsOfTables(t *testing.T) {
	files := drawings(t)[:2]
	var names [2]string
	for i, file := range files {
		name, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		names[i] = name
	}
	want := said(t, written(t, open(t, digits, bulk.Options{Inputs: files}), 0))
	for name, text := range map[string]string{
		"a.csv":   fmt.Sprintf("\ufeff\"path\",\"label\"\r\n%q,\"a, \"\"b\"\"\"\r\n%s,x\r\n\r\n", names[0], names[1]),
		"b.csv":   fmt.Sprintf("\ufeff%s\n%s", names[0], names[1]),
		"c.jsonl": fmt.Sprintf("\ufeff{\"x\":%q}\r\n{\"x\":%q}", names[0], names[1]),
	} {
		if got := said(t, written(t, open(t, digits, bulk.Options{Inputs: []string{listed(t, name, text)}}), 0)); !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestEmptyRows has a file of a few bytes that announces any number of rows.
func TestEmptyRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	write(t, name, tensor.NPYHeader("<f4", tensor.Shape{math.MaxInt >> 11, 1, 0, 28}))
	_, err := open(t, digits, bulk.Options{Inputs: []string{name}, Rows: true}).Write(t.Context(), 0, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "its rows have no elements") {
		t.Error(err)
	}
}
