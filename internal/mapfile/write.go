package mapfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file, which is complete or, after an error, as it was before. One that is in memory stays there as it was.
func Write(name string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".writing-")
	if err != nil {
		return named(name, err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // fails after the file was renamed
	err = write(f)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return named(name, err)
}

// named makes an error one of the file, where it is of that which is written first.
func named(name string, err error) error {
	var at *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: name, Err: link.Err}
	}
	return fmt.Errorf("%s: %w", name, err)
}
