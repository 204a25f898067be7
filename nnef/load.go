package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/container"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/nnef/tensorfile"
	"github.com/concord-nn/concord/tensor"
)

// Model is a loaded model.
type Model struct {
	Graph    *graph.Graph     // must not be changed
	Document *syntax.Document // the text that the graph was made from
	files    *container.Container
}

// Close releases the files of the model. Neither its graph nor programs made of it may be used afterwards: constants may
// lie in mapped files, and reading them then ends the process.
func (m *Model) Close() error { return m.files.Close() }

// Limits bound what a document can cause. A field that is zero stands for the defaults of its package.
type Limits struct {
	Text syntax.Limits
	Eval eval.Limits
}

// Recognizes reports whether a path looks like a model that [Load] reads: a folder that holds graph.nnef, a file that
// ends in .nnef, or an archive, .tar, .tgz or .tar.gz.
func Recognizes(path string, isDir bool) bool {
	if isDir {
		info, err := os.Stat(filepath.Join(path, container.GraphFile))
		return err == nil && info.Mode().IsRegular()
	}
	return container.IsArchive(path) || strings.HasSuffix(strings.ToLower(path), ".nnef")
}

// Load reads a model from a folder, an archive or a graph file, whose variables are found beside it. The files of a
// folder are mapped into memory and must not change until Close. An error in the document is a [syntax.Diagnostics].
func Load(name string) (*Model, error) {
	folder, text := name, container.GraphFile
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() && !container.IsArchive(name) {
		folder, text = filepath.Split(name)
		if folder == "" {
			folder = "."
		}
	}
	files, err := container.Open(folder)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(folder, text)
	if container.IsArchive(name) && !info.IsDir() {
		place = name + ":" + text
	}
	return load(files, place, text)
}

// LoadFS reads a model from a folder of a file system.
func LoadFS(fsys fs.FS, dir string) (*Model, error) {
	files, err := container.New(fsys, dir)
	if err != nil {
		return nil, err
	}
	return load(files, path.Join(dir, container.GraphFile), container.GraphFile)
}

// load reads the document text of a container; place names it in messages.
func load(files *container.Container, place, text string) (m *Model, err error) {
	defer func() {
		if err != nil {
			files.Close()
		}
	}()
	data, err := files.ReadFile(text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file in the model: %w", place, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	doc, err := syntax.Parse(place, data, syntax.Options{})
	if err != nil {
		return nil, err
	}
	quants, err := quantization(files, path.Join(path.Dir(filepath.ToSlash(place)), quantFile), doc.Dialect)
	if err != nil {
		return nil, err
	}
	g, err := build(doc, quants, stored{files}, eval.Limits{})
	if err != nil {
		return nil, err
	}
	return &Model{g, doc, files}, nil
}

// Parse reads the graph of a document. name stands for the text in messages. variables returns the tensor that is stored
// under a label; it may be nil if the document has no variables.
func Parse(name string, text []byte, variables func(label string) (*tensor.Tensor, error)) (*graph.Graph, error) {
	return ParseLimited(name, text, variables, Limits{})
}

// ParseLimited is Parse within other limits than the defaults.
func ParseLimited(name string, text []byte, variables func(label string) (*tensor.Tensor, error), limits Limits) (*graph.Graph, error) {
	doc, err := syntax.Parse(name, text, syntax.Options{Limits: limits.Text})
	if err != nil {
		return nil, err
	}
	return build(doc, nil, function(variables), limits.Eval)
}

// stored finds variables in a container.
type stored struct{ files *container.Container }

func (s stored) variable(label string) (*tensor.Tensor, bool, error) {
	name := fileName(label)
	data, err := s.files.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("the model has no file %s for the variable %s", name, label)
	}
	if err != nil {
		return nil, false, fmt.Errorf("variable %s: %w", label, err)
	}
	t, info, err := tensorfile.Decode(data)
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	return t, info.Quantized(), nil
}

// fileName returns the name of the file that holds the variable of a label.
func fileName(label string) string {
	return path.Clean(strings.TrimLeft(strings.ReplaceAll(label, `\`, "/"), "/")) + ".dat"
}

// function calls a function for variables.
type function func(label string) (*tensor.Tensor, error)

func (f function) variable(label string) (*tensor.Tensor, bool, error) {
	if f == nil {
		return nil, false, fmt.Errorf("the data of variable %s is not at hand", label)
	}
	t, err := f(label)
	if err == nil && t == nil {
		err = fmt.Errorf("the data of variable %s is not at hand", label)
	}
	return t, false, err
}
