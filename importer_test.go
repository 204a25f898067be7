package concord_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/openvx"
)

// An NNEF model becomes a kernel of OpenVX.
func ExampleImportNNEF() {
	ctx, err := openvx.NewContext(openvx.Options{Importers: map[string]openvx.Importer{"nnef": concord.ImportNNEF}})
	if err != nil {
		panic(err)
	}
	k, err := ctx.ImportKernel("nnef", "examples/digits/model.nnef")
	if err != nil {
		panic(err)
	}
	fmt.Println(k.KernelName(), "has", k.NumParameters(), "parameters")
	// Output:
	// model.nnef has 2 parameters
}

// TestImportNNEF loads a model whose files then go away, by path and by URL.
func TestImportNNEF(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a model.nnef")
	if err := os.CopyFS(dir, os.DirFS("examples/digits/model.nnef")); err != nil {
		t.Fatal(err)
	}
	locations := []string{dir, (&url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}).String()}
	for _, location := range locations {
		g, err := concord.ImportNNEF(location)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Inputs) != 1 || len(g.Outputs) != 1 {
			t.Errorf("%s: the graph has %d inputs and %d outputs", location, len(g.Inputs), len(g.Outputs))
		}
		for v := range g.Constants() {
			for i := range v.Const.Bytes() { // a mapped file would not let itself be written
				v.Const.Bytes()[i]++
			}
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for _, location := range locations {
		if _, err := concord.ImportNNEF(location); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the error is %v", location, err)
		}
	}
	for _, location := range []string{"https://example.org/model.nnef", "file://elsewhere/model.nnef", "file://%zz"} {
		if _, err := concord.ImportNNEF(location); err == nil {
			t.Errorf("%s is loaded", location)
		}
	}
}
