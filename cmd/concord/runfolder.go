package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/feed"
)

// makeFolder makes the folder of --output, if it is missing and anything may be written into it.
func (r *runner) makeFolder(jobs []*job) error {
	name := r.flags.output
	if name == stdinArg {
		return notWritten()
	}
	if name == "" && len(r.flags.save) > 0 && slices.ContainsFunc(jobs, func(j *job) bool { return j.Source == "" || j.Source == feed.Stdin }) {
		return refused("--save writes beside the input's file; here there is none, so that it needs --output")
	}
	if name == "" || r.flags.hash || r.encoded.printed() {
		return nil
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return &codedError{exitInput, fmt.Errorf("--output %s: %w", name, errNoFolder)}
	} else if ending := strings.ToLower(filepath.Ext(name)); errors.Is(err, fs.ErrNotExist) && (feed.FormOfName(name) != "" || slices.Contains(reportEndings, ending)) {
		return refused("--output %s: it names a folder, in which files are named like inputs; a folder that is to end in %s must be there before", name, ending)
	}
	return os.MkdirAll(name, 0o777)
}

// reportEndings are those of files that hold what is printed.
var reportEndings = []string{".json", ".ndjson", ".jsonl", ".csv", ".txt"}

// errNoFolder is the error of a file that stands where a folder must.
var errNoFolder = errors.New("this is a file; the results need a folder")
