package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/export"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/nnef"
)

// The files of a CVM model that is written.
const (
	cvmSymbol = "graph.json"
	cvmParams = "params.bin"
)

// cvmForm is the folder of a CVM model.
var cvmForm = form{name: "CVM", folder: true, only: onlyCVM}

// onlyCVM finds whether a folder holds nothing but a CVM model.
func onlyCVM(dir string) error {
	symbol, params, err := cvm.Find(dir)
	if err != nil {
		return refused("%s: it is not replaced, as it is no CVM model: it has no %s", dir, cvmSymbol)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var foreign []string
	for _, e := range list {
		if path := filepath.Join(dir, e.Name()); path != symbol && path != params && !isManifest(e) {
			foreign = append(foreign, e.Name())
		}
	}
	if len(foreign) > 0 {
		return refused("%s: it is not replaced, as it holds files that are no part of a model: %s", dir, few(foreign))
	}
	return nil
}

// readCVM reads the files of a CVM model. Both must be there.
func readCVM(path string) (f cvm.Files, err error) {
	f, err = cvm.Read(path)
	if err == nil && f.Params == nil {
		err = fmt.Errorf("%s: there is no parameter file beside it, %s or one that ends in .params", f.SymbolPath, cvmParams)
	}
	return f, err
}

// graphCVM returns the network of a CVM model and the extension statements that say the rest.
func graphCVM(src string) (*graph.Graph, []string, error) {
	f, err := readCVM(src)
	if err != nil {
		return nil, nil, err
	}
	g, statements, err := export.ToGraph(f)
	return g, statements, strictOnly(err, f, "concord convert follows the strict rules: its text form has no storages that tensors share and no precisions that values exceed")
}

// strictOnly adds to the refusal of a CVM model why a command has no --compat, if the deployed rules would admit the model.
func strictOnly(err error, f cvm.Files, why string) error {
	if err == nil {
		return nil
	}
	if _, deployed := cvm.Admit(f, cvm.Options{Compat: true}); deployed != nil {
		return err
	}
	return fmt.Errorf("%w\nThe deployed rules (--compat of other commands) admit the model, but %s", err, why)
}

// openCVM returns the files of a CVM model in the text form.
func openCVM(src string) (*source, error) {
	g, statements, err := graphCVM(src)
	if err != nil {
		return nil, err
	}
	files, err := nnef.Files(g, statements...)
	if err != nil {
		return nil, err
	}
	return &source{files, portsOf(g), func() {}}, nil
}

// toCVM returns the files of the CVM model that a model becomes.
func (f *convertFlags) toCVM(src string, warnings io.Writer) (*source, error) {
	g, statements, closer, err := f.graphOf(src)
	if err != nil {
		return nil, err
	}
	defer closer()
	files, err := export.FromGraph(g, export.Options{
		Statements: statements,
		Note:       func(text string) { fmt.Fprintf(warnings, "%s: %s\n", src, text) },
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", src, err)
	}
	var members container.Members = func(yield func(string, func(io.Writer) error) bool) {
		_ = yield(cvmSymbol, stage.Content(files.Symbol)) && yield(cvmParams, stage.Content(files.Params))
	}
	m, err := f.carried(src, portsOf(g))
	if m != nil && err == nil {
		if m, err = renamedCVM(m, g, files); err == nil {
			members, err = withFile(members, m)
		}
	}
	return &source{members, ports{}, func() {}}, err
}

// graphOf returns the graph of a model and its extension statements. The graph may be used until the returned function is called.
func (f *convertFlags) graphOf(src string) (*graph.Graph, []string, func(), error) {
	switch {
	case isCVM(src):
		g, statements, err := graphCVM(src)
		return g, statements, func() {}, err
	case isNNEF(src):
		opts, err := f.document()
		if err != nil {
			return nil, nil, nil, err
		}
		m, err := nnef.Load(src, opts)
		if err != nil {
			return nil, nil, nil, err
		}
		return m.Graph, m.Statements, func() { m.Close() }, nil
	}
	m, g, err := f.graph(src)
	if err != nil {
		return nil, nil, nil, err
	}
	return g, nil, func() { m.Close() }, nil
}

// checkTo checks the flag --to and what it excludes.
func (f *convertFlags) checkTo(dst string) error {
	switch {
	case f.to != "nnef" && f.to != "cvm":
		return refused("--to %s: it must be nnef or cvm", f.to)
	case f.to == "cvm" && (f.flatten || f.canonical):
		return refused("--flatten and --canonical are for --to nnef")
	case f.to == "cvm" && slices.Contains([]string{".tar", ".tgz", ".gz", ".nnef"}, strings.ToLower(filepath.Ext(dst))):
		return refused("%s: a CVM model is written as a folder, with another ending", dst)
	}
	return nil
}
