package export_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/internal/testing/cvm/random"
	"github.com/concord-nn/concord/nnef"
)

// TestSharedModels takes real models to text and back.
func TestSharedModels(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "cvm", "models")
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	converted := 0
	for _, name := range testdata.Some(names, 3) {
		folder := filepath.Join(dir, name.Name())
		f, err := filesOf(folder)
		if err != nil {
			continue
		}
		if _, err := cvm.Admit(f, cvm.Options{}); err != nil {
			continue // there is nothing to convert
		}
		converted++
		t.Run(name.Name(), func(t *testing.T) {
			var inputs [][]byte
			files, _ := filepath.Glob(filepath.Join(folder, "input-*.bin"))
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				inputs = append(inputs, data)
			}
			roundTrip(t, f, inputs)
			anew(t, f, inputs, true)
		})
	}
	if converted < 5 {
		t.Errorf("%d models were converted", converted)
	}
}

func filesOf(folder string) (f cvm.Files, err error) {
	symbol, params, err := cvm.Find(folder)
	if err != nil {
		return f, err
	}
	if f.Symbol, err = os.ReadFile(symbol); err == nil {
		f.Params, err = os.ReadFile(params)
	}
	return f, err
}

// TestRandomModels takes random models to text and back, with their statements and without.
func TestRandomModels(t *testing.T) {
	all, admitted, accepted := testdata.Cases(16, 400), 0, 0
	for seed := range uint64(all) {
		m := random.New(seed, random.Options{Strict: true})
		f := cvm.Files{Symbol: m.Symbol, Params: m.Params}
		if _, err := cvm.Admit(f, cvm.Options{}); err != nil {
			continue
		}
		admitted++
		roundTrip(t, f, m.Inputs)
		if anew(t, f, m.Inputs, false) {
			accepted++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if admitted < all/2 || accepted < admitted/2 {
		t.Errorf("of %d models %d are legal, and %d were converted without statements", all, admitted, accepted)
	}
}

// throughText writes the text form of a model and reads it back.
func throughText(t *testing.T, f cvm.Files) *nnef.Model {
	t.Helper()
	g, statements, err := export.ToGraph(f)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "text.tar")
	if err := nnef.Save(path, g, statements...); err != nil {
		t.Fatal(err)
	}
	m, err := nnef.Load(path, nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// roundTrip holds that the model which comes back is admitted alike, in all that admission says, and gives the same bytes.
func roundTrip(t *testing.T, f cvm.Files, inputs [][]byte) {
	t.Helper()
	m := throughText(t, f)
	back, err := export.FromGraph(m.Graph, export.Options{
		Statements: m.Statements,
		Note: func(text string) {
			if !strings.HasSuffix(text, "they become zeros") {
				t.Error(text)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := cvm.Admit(f, cvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := cvm.Admit(back, cvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("admission says\n%+v\nin place of\n%+v", got, want)
	}
	first, err := symbol.Parse(f.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	s, err := symbol.Parse(back.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range first.Nodes {
		if n.Op != s.Nodes[i].Op || n.Attrs != nil && n.Attrs.FuncName != s.Nodes[i].Attrs.FuncName || n.Op != "null" && first.OpAttrs[i] != s.OpAttrs[i] {
			t.Errorf("node %d is %+v %s in place of %+v %s", i, s.Nodes[i], s.OpAttrs[i], n, first.OpAttrs[i])
		}
	}
	sameRuns(t, f, back, inputs)
}

// anew converts the text form without what its statement says of variables and nodes, and reports whether CVM can express it.
func anew(t *testing.T, f cvm.Files, inputs [][]byte, must bool) bool {
	t.Helper()
	m := throughText(t, f)
	s, err := symbol.Parse(f.Symbol)
	if err != nil {
		t.Fatal(err)
	}
	back, err := export.FromGraph(m.Graph, export.Options{Statements: []string{symbolOf(t, &symbol.Symbol{Postprocess: s.Postprocess})}})
	if err != nil {
		if must {
			t.Error(err)
		} else {
			t.Log(err)
		}
		return false
	}
	sameRuns(t, f, back, inputs)
	return true
}

// sameRuns compares the outputs of two models: their values, as precisions may differ.
func sameRuns(t *testing.T, f, back cvm.Files, inputs [][]byte) {
	t.Helper()
	first, err := cvm.Load(f, cvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := cvm.Load(back, cvm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, input := range inputs {
		want, wantErr := first.Run(context.Background(), input)
		got, err := second.Run(context.Background(), input)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("the error is %v in place of %v", err, wantErr)
		}
		if !bytes.Equal(widened(second, got), widened(first, want)) {
			t.Errorf("the outputs differ: %x in place of %x", got, want)
		}
	}
}

// widened returns outputs of 1 byte as ones of 4.
func widened(m *cvm.Model, data []byte) []byte {
	if m.Admission().OutputTypeSize == 4 {
		return data
	}
	var out []byte
	for _, b := range data {
		sign := byte(int8(b) >> 7)
		out = append(out, b, sign, sign, sign)
	}
	return out
}
