package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/webnn/session"
)

// output is a file or folder that a command is about to write.
type output struct {
	path   string
	folder bool
	of     string // the input that it belongs to, where there may be several
}

// forceFlag registers the flag without which nothing that exists is replaced.
func forceFlag(fs *pflag.FlagSet, force *bool) {
	fs.BoolVar(force, "force", false, "replace files that exist")
}

// files are outputs of a command that writes one of each.
func files(paths ...string) []output {
	var list []output
	for _, p := range paths {
		if p != "" {
			list = append(list, output{path: p})
		}
	}
	return list
}

// argumentFiles are the files that arguments for inputs may name, such as x=a.npy: also behind a later =, as the name of an input may have one.
func argumentFiles(args []string) []string {
	var list []string
	for _, a := range args {
		for ok := true; ok; _, a, ok = strings.Cut(a, "=") {
			list = append(list, a)
		}
	}
	return list
}

// inputs are what a command reads: a model, "" if there is none, and other files.
type inputs struct {
	model string
	files []string
}

// arguments are the inputs of a command that takes a model and then files for it.
func arguments(args []string) inputs { return inputs{args[0], argumentFiles(args[1:])} }

// writable finds, before anything runs, whether outputs may be written: none is one of the inputs, with all that the model consists of, or is written
// twice, and none exists unless force replaces it. What is no file, such as a pipe, and a folder that is empty, may be written into.
func writable(list []output, in inputs, force bool) error {
	read := make(map[string]string)
	for _, name := range slices.Concat(in.files, []string{in.model}) {
		if name != "" {
			read[place(name)] = name
		}
	}
	written := make(map[string]output)
	var there []string
	for _, o := range list {
		if o.path == stdinArg {
			return notWritten()
		}
		info, err := os.Lstat(o.path)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			if info, err = os.Stat(o.path); errors.Is(err, fs.ErrNotExist) {
				return refused("%s: it is a link to what is not there", o.path)
			}
		}
		switch {
		case err == nil && !info.IsDir() && !info.Mode().IsRegular():
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		case err == nil && info.IsDir() && !o.folder:
			return refused("%s: it is a folder and is not replaced by a file", o.path)
		case err == nil && (!o.folder || !isEmpty(o.path)):
			there = append(there, o.path)
		}
		at := place(o.path)
		switch other, twice := written[at]; {
		case twice && o.of == "":
			return refused("%s: it would be written twice; give different names", o.path)
		case twice:
			return refused("%s: it would be written for %s and for %s; give them different names, or run them one by one with --output", o.path, other.of, o.of)
		}
		if input := read[at]; input != "" {
			return refused("%s: it is an input and would be overwritten by what is written%s; give another place with --output", input, o.whose())
		}
		written[at] = o
	}
	if err := in.spared(there); err != nil {
		return err
	}
	switch {
	case force || len(there) == 0:
		return nil
	case len(there) == 1:
		return refused("%s: it exists; --force replaces it", there[0])
	}
	return refused("%s: they exist; --force replaces them", few(there))
}

// spared refuses to replace what the model consists of.
func (in inputs) spared(there []string) error {
	if len(there) == 0 || in.model == "" || in.model == stdinArg {
		return nil
	}
	parts := make(map[string]bool)
	for _, name := range modelParts(in.model) {
		parts[place(name)] = true
	}
	for _, name := range there {
		for at := place(name); ; at = filepath.Dir(at) {
			if parts[at] {
				return refused("%s: it belongs to the model %s and would be overwritten; give another place", name, in.model)
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// modelParts are what a model consists of: its file, or its folder with all in it, the files of weights that it names, its manifest and the labels of
// that. Of what cannot be read nothing is known.
func modelParts(path string) []string {
	parts := []string{path}
	if f, ok := modelFormats[formatOf(path)]; ok {
		parts = append(parts, f.parts(path)...)
	}
	if m, err := manifest.Find(path); err == nil {
		parts = append(parts, m.Source)
		parts = append(parts, beside(m.Source, labelFiles(m))...)
	}
	return parts
}

// beside returns where files stand that one names.
func beside(file string, names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
	}
	return list
}

// partsONNX are the files of tensors beside an ONNX model.
func partsONNX(path string) []string {
	f, err := proto.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	return beside(path, f.Model.External())
}

// partsWebNN are the weights beside a session.
func partsWebNN(path string) []string {
	s, err := session.Load(path, nil)
	if err != nil || s.Weights == "" {
		return nil
	}
	return beside(path, []string{s.Weights})
}

// partsNNEF are the files beside the document of a model in a folder.
func partsNNEF(path string) []string {
	if isFolder(path) || container.IsArchive(path) {
		return nil
	}
	c, err := container.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer c.Close()
	return beside(path, names(c.Members()))
}

// partsCVM are the graph and the parameters of a CVM model.
func partsCVM(path string) []string {
	symbol, params, err := cvm.Find(path)
	if err != nil {
		return nil
	}
	return []string{symbol, params}
}

// notWritten refuses "-" as the name of what is written.
func notWritten() error {
	return refused("-: this is not written to standard output; ./- is of this name")
}

func (o output) whose() string {
	if o.of == "" {
		return ""
	}
	return " for " + o.of
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func isEmpty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 0
}

// place returns what is the same for all names of a file that is there or not.
func place(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	if full, err := filepath.EvalSymlinks(name); err == nil {
		name = full
	} else if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(dir, filepath.Base(name))
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" { // where upper and lower case do not differ
		name = strings.ToLower(name)
	}
	return name
}
