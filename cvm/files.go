package cvm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/internal/place"
)

// The names that the files of a model have in a folder of their own. Any other .json and .params do, too, if there is one of each.
var (
	symbolNames = []string{"graph.json", "symbol.json", "symbol"}
	paramsNames = []string{"params.bin", "params"}
)

// Encode returns the files of a model that is made in memory. It checks only that they can be written: what the model means is checked by
// [Admit]. Errors are *Error.
func Encode(s *symbol.Symbol, list []params.Param) (Files, error) {
	text, err := s.AppendText(nil)
	if err != nil {
		return Files{}, err
	}
	data, err := params.Append(nil, list)
	if err != nil {
		return Files{}, err
	}
	return Files{Symbol: text, Params: data}, nil
}

// Find returns the two files of the model at path, as [Open] finds them. The second is empty if there is none.
func Find(path string) (symbol, params string, err error) { return find(place.Host, path) }

// FindFS is [Find] in a file system.
func FindFS(fsys fs.FS, path string) (symbol, params string, err error) {
	return find(place.In(fsys), path)
}

func find(files place.Files, path string) (symbol, params string, err error) {
	info, err := files.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.IsDir() {
		dir, _ := files.Split(path)
		return path, paramsFile(files, dir, path), nil
	}
	symbol = choose(files, path, symbolNames, ".json", isSymbol)
	for _, name := range symbolNames {
		if name = files.Join(path, name); symbol == "" && place.IsRegular(files, name) {
			symbol = name // which cannot be read, or which admission refuses with a reason
		}
	}
	if symbol == "" {
		if _, err := files.ReadDir(path); err != nil {
			return "", "", err
		}
		e := fault.Runtimef(fault.Text, "the folder holds no CVM graph")
		e.File, e.Want = path, "graph.json, symbol, or one .json that is a graph"
		return "", "", e
	}
	return symbol, paramsFile(files, path, symbol), nil
}

// paramsFile returns the parameter file that lies in a folder for a graph file: that with the graph's own name, the usual one, or the only
// one; empty if there is none.
func paramsFile(files place.Files, dir, symbol string) string {
	_, own := files.Split(symbol)
	own = strings.TrimSuffix(own, filepath.Ext(own)) + ".params"
	return choose(files, dir, append([]string{own}, paramsNames...), ".params", place.IsRegular)
}

// choose returns the first file of the given names in a folder, or else the only one with the extension. It returns "" if there is none,
// or if there are several with the extension.
func choose(files place.Files, dir string, names []string, ext string, fits func(files place.Files, path string) bool) string {
	for _, name := range names {
		if path := files.Join(dir, name); fits(files, path) {
			return path
		}
	}
	entries, _ := files.ReadDir(dir) // what cannot be read holds nothing
	var found []string
	for _, e := range entries {
		if path := files.Join(dir, e.Name()); strings.EqualFold(filepath.Ext(path), ext) && fits(files, path) {
			found = append(found, path)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// Recognizes reports whether path is a CVM model: a folder in which [Find] finds a graph, or a file that begins as a graph does.
func Recognizes(path string, isDir bool) bool { return recognizes(place.Host, path, isDir) }

// RecognizesFS is [Recognizes] in a file system.
func RecognizesFS(fsys fs.FS, path string, isDir bool) bool {
	return recognizes(place.In(fsys), path, isDir)
}

func recognizes(files place.Files, path string, isDir bool) bool {
	if isDir {
		return choose(files, path, symbolNames, ".json", isSymbol) != ""
	}
	return isSymbol(files, path)
}

// isSymbol reports whether a file begins as a graph does.
func isSymbol(files place.Files, path string) bool {
	if !place.IsRegular(files, path) {
		return false
	}
	f, err := files.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, limits.CVMHead))
	return beginning.Get().Match(head)
}

// beginning is how a graph begins: as a JSON object whose first key, versions and the like left aside, is one of those that only graphs have.
var beginning = pattern.Of(`^\s*\{\s*("(version|postprocess)"\s*:\s*"([^"\\]|\\.)*"\s*,\s*)*` +
	`("(nodes|heads|arg_nodes|node_row_ptr)"|"attrs"\s*:\s*\{\s*"(op_attrs|shape|storage_id|precision|dltype|device_index|dtype)")`)

// Read reads the files of the model at path, as [Open] finds them. Params is nil if there are none. A graph has at most 256 MiB, a
// parameter file 2^31-1 bytes, and what is no regular file, as a pipe, 64 MiB. Errors are *Error or those of package os.
func Read(path string) (Files, error) { return read(place.Host, path) }

func read(files place.Files, path string) (Files, error) {
	f, err := readSymbol(files, path)
	if err == nil && f.ParamsPath != "" {
		f.Params, err = readFile(files, f.ParamsPath, limits.CVMParams)
	}
	if err != nil {
		return Files{}, err
	}
	return f, nil
}

// ReadSymbol is [Read] without the contents of the parameter file, for those who need the graph alone, as [Gas] does.
func ReadSymbol(path string) (Files, error) { return readSymbol(place.Host, path) }

func readSymbol(files place.Files, path string) (f Files, err error) {
	if f.SymbolPath, f.ParamsPath, err = find(files, path); err == nil {
		f.Symbol, err = readFile(files, f.SymbolPath, limits.CVMSymbol)
	}
	if err != nil {
		return Files{}, err
	}
	return f, nil
}

// readFile reads a file of at most so many bytes, which are in memory once.
func readFile(files place.Files, path string, most int) ([]byte, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if !info.Mode().IsRegular() || size == 0 { // there are files that claim to be empty, as those of /proc
		most = min(most, limits.CVMStream) // of a pipe or device, which does not say how much it will be
		size = int64(most)
	}
	n, data := 0, []byte(nil)
	if size <= int64(most) {
		data = make([]byte, size+1) // one more tells whether there is more
		if n, err = io.ReadFull(f, data); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, err
		}
	}
	switch {
	case n == len(data):
		e := fault.Runtimef(fault.Text, "the file is too large")
		e.File, e.Want = path, fmt.Sprintf("at most %d bytes", most)
		return nil, e
	case n < len(data)/2:
		return bytes.Clone(data[:n]), nil // so that the rest is not held
	}
	return data[:n], nil
}

// located gives an error the file that it is about.
func (f Files) located(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		if e.File = f.SymbolPath; e.Stage == fault.Params && e.Line == 0 {
			e.File = f.ParamsPath
		}
	}
	return err
}
