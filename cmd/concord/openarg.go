package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
)

// stdinArg stands for standard input among arguments, stdinName in messages.
const (
	stdinArg  = feed.Stdin
	stdinName = "<stdin>"
)

// maxStdin bounds the text on standard input: one byte more than the parser takes, so that it says what is wrong.
var maxStdin = int64(syntax.DefaultLimits.Bytes) + 1

// openArgument opens what an argument names: a model, a quantization file, or "-" for a document on standard input.
func openArgument(name string, stdin io.Reader, opts nnef.Options) (*nnef.File, error) {
	if name != "-" {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no such file or folder", name)
		}
	}
	err := notText(name)
	switch {
	case name == "-":
		text, err := io.ReadAll(io.LimitReader(stdin, maxStdin))
		if err != nil {
			return nil, err
		}
		return nnef.OpenText(stdinName, text, opts)
	case err != nil:
		return nil, err
	case isQuant(name):
		return openQuant(name, opts)
	}
	return nnef.Open(name, opts)
}

// modelFormats are the formats of models, by the names of [concord.FormatOf].
var modelFormats = map[string]struct {
	is, taken string                     // for errors of commands on the text of NNEF models: what such a model is, and what takes it
	parts     func(path string) []string // the files that a model consists of besides the one that is named
}{
	"NNEF":  {"an NNEF model", "", partsNNEF},
	"CVM":   {"a CVM model", "admit, inspect and run take CVM models", partsCVM},
	"ONNX":  {"an ONNX model", "check, explain, inspect and run take ONNX models", partsONNX},
	"WebNN": {"a WebNN session", "check, inspect and run take sessions", partsWebNN},
}

// notText is the error of a command on the text of NNEF models that is given a model of another format.
func notText(name string) error {
	f := modelFormats[formatOf(name)]
	if f.taken == "" {
		return nil
	}
	return fmt.Errorf("%s: this is %s, and the command is for the text of NNEF models; concord %s", name, f.is, f.taken)
}

// Whether a name is that of a model of some format.
func isNNEF(name string) bool    { return formatOf(name) == "NNEF" }
func isONNX(name string) bool    { return formatOf(name) == "ONNX" }
func isSession(name string) bool { return formatOf(name) == "WebNN" }
func isCVM(name string) bool     { return formatOf(name) == "CVM" }

// formatOf names the format of a model; "" if there is none.
func formatOf(name string) string {
	format, _ := concord.FormatOf(name)
	return format
}

// isQuant tells whether a name is that of a quantization file.
func isQuant(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".quant") }

// openQuant opens a quantization file with the graph that lies beside it.
func openQuant(name string, opts nnef.Options) (*nnef.File, error) {
	folder := filepath.Dir(name)
	if _, err := os.Stat(filepath.Join(folder, container.GraphFile)); err != nil {
		return nil, errors.New(name + ": a quantization file is checked with its graph, but there is no " + container.GraphFile + " beside it")
	}
	f, err := nnef.OpenFS(exchanged{os.DirFS(folder), name}, ".", opts)
	var found syntax.Diagnostics
	if errors.As(err, &found) {
		for i := range found {
			rename(found[i].Source, folder, name)
		}
	}
	if f != nil {
		rename(f.Document.Source, folder, name)
		if f.Quantization != nil {
			rename(f.Quantization.Source, folder, name)
		}
	}
	return f, err
}

// rename gives a source of the file system that exchanged shows the name that a user knows.
func rename(src *syntax.Source, folder, quant string) {
	switch {
	case src == nil:
	case src.Name == container.QuantFile:
		src.Name = quant
	case src.Name == container.GraphFile:
		src.Name = filepath.Join(folder, src.Name)
	}
}

// exchanged is a folder with a file of another name in place of its quantization file.
type exchanged struct {
	fs.FS
	quant string
}

// Open implements [fs.FS].
func (e exchanged) Open(name string) (fs.File, error) {
	if name == container.QuantFile {
		return os.Open(e.quant)
	}
	return e.FS.Open(name)
}
