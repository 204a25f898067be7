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
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
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

// TestImportBlocks loads a model whose weights stand in a block: they outlive the files, too.
func TestImportBlocks(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "branch")
	x, err := b.Input("x", graph.Type{DType: tensor.Float32, Shape: tensor.Shape{64}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := b.Constant("w", "w", op.NewRand(1, 1).Tensor(tensor.Float32, tensor.Shape{64}))
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.One("add", []*graph.Value{x, w}, nil, "")
	if err == nil {
		err = b.Output("y", y)
	}
	if err != nil {
		t.Fatal(err)
	}
	block, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	outer := graph.NewBuilder(op.Rules, "net")
	c, err := outer.Input("c", graph.Type{DType: tensor.Bool, Shape: tensor.Shape{}})
	if err != nil {
		t.Fatal(err)
	}
	if x, err = outer.Input("x", x.Type); err != nil {
		t.Fatal(err)
	}
	out, err := outer.Add(graph.Node{Op: "if", In: []*graph.Value{c, x}, Blocks: []*graph.Graph{block, block}})
	if err == nil {
		err = outer.Output("y", out[0])
	}
	if err != nil {
		t.Fatal(err)
	}
	g, err := outer.Build()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "branch.nnef")
	if err := nnef.Save(dir, g); err != nil {
		t.Fatal(err)
	}
	if g, err = concord.ImportNNEF(dir); err != nil {
		t.Fatal(err)
	}
	constants := 0
	for b := range g.Graphs() {
		for v := range b.Constants() {
			constants++
			v.Const.Bytes()[0]++ // the process would end here if it were mapped
		}
	}
	if constants != 2 {
		t.Errorf("%d constants are loaded; want one for each block", constants)
	}
}
