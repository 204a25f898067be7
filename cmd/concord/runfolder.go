package main

import (
	"errors"
	"fmt"
	"os"
)

// makeFolder makes the folder of --output, if it is missing and anything may be written into it.
func (r *runner) makeFolder() error {
	name := r.flags.output
	if name == "" || r.flags.hash || r.encoded.printed() {
		return nil
	}
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return &codedError{exitInput, fmt.Errorf("--output %s: %w", name, errNoFolder)}
	}
	return os.MkdirAll(name, 0o777)
}

// errNoFolder is the error of a file that stands where a folder must.
var errNoFolder = errors.New("this is a file; the results need a folder")
