package cvm

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
)

// The names that the files of a model have in a folder of their own. Any other .json and .params do, too, if there is one of each.
var (
	symbolNames = []string{"graph.json", "symbol.json", "symbol"}
	paramsNames = []string{"params.bin", "params"}
)

const (
	symbolExt = ".json"
	paramsExt = ".params"
)

// Find returns the two files of the model at path, as [Open] finds them. The second is empty if there is none.
func Find(path string) (symbol, params string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		return path, paramsFile(filepath.Dir(path), path), nil
	}
	symbol = choose(path, symbolNames, symbolExt, isSymbol)
	if name := filepath.Join(path, symbolNames[0]); symbol == "" && isRegular(name) {
		symbol = name // which admission refuses, with a reason
	}
	if symbol == "" {
		e := fault.Runtimef(fault.Text, "the folder holds no CVM graph")
		e.File, e.Want = path, "graph.json, symbol, or one .json that is a graph"
		return "", "", e
	}
	return symbol, paramsFile(path, symbol), nil
}

// paramsFile returns the parameter file that lies in a folder for a graph file: that with the graph's own name, the usual one, or the only
// one; empty if there is none.
func paramsFile(dir, symbol string) string {
	own := strings.TrimSuffix(filepath.Base(symbol), filepath.Ext(symbol)) + paramsExt
	return choose(dir, append([]string{own}, paramsNames...), paramsExt, isRegular)
}

// choose returns the first file of the given names in a folder, or else the only one with the extension. It returns "" if there is none,
// or if there are several with the extension.
func choose(dir string, names []string, ext string, fits func(path string) bool) string {
	for _, name := range names {
		if path := filepath.Join(dir, name); fits(path) {
			return path
		}
	}
	entries, _ := os.ReadDir(dir) // what cannot be read holds nothing
	var found []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); strings.EqualFold(filepath.Ext(path), ext) && fits(path) {
			found = append(found, path)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Recognizes reports whether path is a CVM model: a folder in which [Find] finds a graph, or a file that begins as a graph does.
func Recognizes(path string, isDir bool) bool {
	if isDir {
		return choose(path, symbolNames, symbolExt, isSymbol) != ""
	}
	return isSymbol(path)
}

// isSymbol reports whether a file begins as a graph does: as a JSON object whose first key, versions and the like left aside, is one of
// those that only graphs have.
func isSymbol(path string) bool {
	if !isRegular(path) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const enough = 4 << 10
	d := json.NewDecoder(io.LimitReader(f, enough))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for {
		key, err := d.Token()
		if err != nil {
			return false
		}
		switch key {
		case "nodes", "heads", "arg_nodes", "node_row_ptr":
			return true
		case "attrs":
			attrs, _ := d.Token()
			first, _ := d.Token()
			graph := []json.Token{"op_attrs", "shape", "storage_id", "precision", "dltype", "device_index", "dtype"}
			return attrs == json.Delim('{') && slices.Contains(graph, first)
		case "version", "postprocess":
			if _, err := d.Token(); err != nil {
				return false
			}
		default:
			return false
		}
	}
}

// read reads the files of the model at path.
func read(path string) (f Files, symbol, params string, err error) {
	if symbol, params, err = Find(path); err != nil {
		return f, "", "", err
	}
	if f.Symbol, err = os.ReadFile(symbol); err == nil && params != "" {
		f.Params, err = os.ReadFile(params)
	}
	return f, symbol, params, err
}

// fileFault is the error of a file that cannot be read.
func fileFault(err error, path string) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	e := fault.Runtimef(fault.Text, "the model cannot be read")
	e.File, e.Err = path, err
	return e
}

// inFile gives an error the file that it is about.
func inFile(err error, symbol, params string) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		if e.File = symbol; e.Stage == fault.Params && e.Line == 0 {
			e.File = params
		}
	}
	return err
}
