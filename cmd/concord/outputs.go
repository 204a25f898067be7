package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/pflag"
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

// argumentFiles are the files that the arguments of a command name: its model and its inputs, such as x=a.npy.
func argumentFiles(args []string) []string {
	var list []string
	for _, a := range args {
		if _, file, ok := strings.Cut(a, "="); ok {
			list = append(list, file)
		}
		list = append(list, a)
	}
	return list
}

// writable finds, before anything runs, whether outputs may be written: none is one of the inputs or is written twice, and none exists unless force replaces it. What is no file, such as
// a pipe, and a folder that is empty, may be written into.
func writable(list []output, inputs []string, force bool) error {
	read := make(map[string]string)
	for _, name := range inputs {
		read[place(name)] = name
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
	switch {
	case force || len(there) == 0:
		return nil
	case len(there) == 1:
		return refused("%s: it exists; --force replaces it", there[0])
	}
	return refused("%s: they exist; --force replaces them", few(there))
}

// notWritten refuses "-" as the name of what is written.
func notWritten() error {
	return refused("-: this is not written to standard output; ./- is of this name")
}

func refused(format string, args ...any) error {
	return &codedError{exitUsage, fmt.Errorf(format, args...)}
}

func (o output) whose() string {
	if o.of == "" {
		return ""
	}
	return " for " + o.of
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
