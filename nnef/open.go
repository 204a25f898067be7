package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/tract"
	"github.com/concord-nn/concord/internal/place"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// Limits bound what a document can cause. A field that is zero stands for the defaults of its package.
type Limits struct {
	Text  syntax.Limits
	Eval  eval.Limits
	Nodes int // of the graph and all blocks (256 Ki, and 4 for each statement)
}

// Options say how a model is read. The zero value reads what the standard allows.
type Options struct {
	// Lenient accepts constructs of the other dialect, and fragments and expressions that no extension enables, with a
	// warning each.
	Lenient bool

	// Limits bound the work.
	Limits Limits

	// Shapes replaces the shapes of inputs, by their names. Documents of the provisional dialect may leave extents open,
	// which must then be given here.
	Shapes map[string]tensor.Shape

	// Quantize rounds each tensor that the quantization file has an entry for, while the model runs, as the operation of
	// the entry does. Without it entries count for variables that are stored as codes only.
	Quantize bool

	// Variables returns the tensor that is stored under a label. Only [OpenText] and [Parse] use it; it may be nil if the
	// document has no variables.
	Variables func(label string) (*tensor.Tensor, error)
}

// Recognizes reports whether a path looks like a model that [Open] reads: a folder that holds graph.nnef, a file that
// ends in .nnef, or an archive, .tar, .tgz or .tar.gz.
func Recognizes(path string, isDir bool) bool { return recognizes(place.Host, path, isDir) }

// RecognizesFS is [Recognizes] in a file system, for [OpenFS].
func RecognizesFS(fsys fs.FS, name string, isDir bool) bool {
	return recognizes(place.In(fsys), name, isDir)
}

func recognizes(files place.Files, path string, isDir bool) bool {
	if isDir {
		return place.IsRegular(files, files.Join(path, container.GraphFile))
	}
	return container.IsArchive(path) || strings.HasSuffix(strings.ToLower(path), ".nnef")
}

// Open reads the text of a model, and of its quantization file, from a folder, an archive or a graph file, whose
// variables are found beside it. It reads no variables. An error in the text is a [syntax.Diagnostics].
func Open(name string, opts Options) (_ *File, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	return openIn(place.Host, name, opts, func(name string, _ bool) (*container.Container, error) { return container.Open(name) })
}

// OpenFS is [Open] in a file system. Files are read into memory.
func OpenFS(fsys fs.FS, name string, opts Options) (*File, error) {
	fsys = place.Some(fsys)
	return openIn(place.In(fsys), name, opts, func(name string, archive bool) (*container.Container, error) {
		if !archive {
			return container.New(fsys, name)
		}
		if !place.IsRegular(place.In(fsys), name) {
			return nil, fmt.Errorf("%s: it is no regular file", name)
		}
		f, err := fsys.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		files, err := container.ReadArchive(f, container.DefaultLimits)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return files, nil
	})
}

// openIn opens a model, of which a function opens the folder or the archive.
func openIn(files place.Files, name string, opts Options, open func(name string, archive bool) (*container.Container, error)) (*File, error) {
	info, err := files.Stat(name)
	if err != nil {
		return nil, err
	}
	folder, text, archive := name, container.GraphFile, !info.IsDir() && container.IsArchive(name)
	if !info.IsDir() && !archive {
		folder, text = files.Split(name)
		if folder = files.Join(folder); folder == "" {
			folder = "."
		}
	}
	model, err := open(folder, archive)
	if err != nil {
		return nil, err
	}
	place := files.Join(folder, text)
	if archive {
		place = name + ":" + text
	}
	return read(model, place, text, opts)
}

// read reads the document text of a container; place names it in messages.
func read(files *container.Container, place, text string, opts Options) (f *File, err error) {
	defer func() {
		if err != nil { // Without this files would stay open.
			files.Close()
		}
	}()
	data, err := files.ReadFile(text)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent{place, text}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	if f, err = OpenText(place, data, opts); err != nil {
		return nil, err
	}
	f.files, f.source = files, newStored(files)
	f.Quantization, err = quantization(files, place, text, f.Document.Dialect, opts)
	return f, err
}

// absent is the error for a container without a document.
type absent struct{ place, text string }

func (e absent) Error() string {
	model := strings.TrimRight(strings.TrimSuffix(e.place, e.text), `:/\`)
	if model == "" {
		model = "."
	}
	return fmt.Sprintf("%s: there is no %s in it, so that it is no model of NNEF", model, e.text)
}

func (absent) Unwrap() error { return fs.ErrNotExist }

// OpenText reads a document. name stands for the text in messages.
func OpenText(name string, text []byte, opts Options) (*File, error) {
	doc, err := syntax.Parse(name, text, syntax.Options{Strict: true, Lenient: opts.Lenient, Limits: opts.Limits.Text})
	if err != nil {
		return nil, err
	}
	if opts.Lenient && tract.Literals(doc) {
		doc.Tract = true // nobody else has them, and the extension statements of tract are often missing
		doc.Extensions = append(doc.Extensions, syntax.Extension{Name: "tract_registry", Text: "tract_core"})
	}
	return &File{Document: doc, opts: opts, source: function(opts.Variables)}, nil
}
