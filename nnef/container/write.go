package container

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Members yields the names of members with functions that write their contents.
type Members = iter.Seq2[string, func(io.Writer) error]

// WriteFolder writes members into a folder, which is made if it does not exist. It stands complete at the path or, after
// an error, as it was before: members are written beside it first. Other files in the folder are left alone.
func WriteFolder(dir string, files Members) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(dir, ".writing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	var names []string
	for name, write := range files {
		if !fs.ValidPath(name) {
			return fmt.Errorf("%q is no name of a member", name)
		}
		if err := writeFile(filepath.Join(stage, filepath.FromSlash(name)), write); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(stage, filepath.FromSlash(name)), target); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// WriteTar writes members as a tar archive, gzipped if gz is set. Times and owners are left out, so that the same
// members give the same bytes.
func WriteTar(w io.Writer, files Members, gz bool) error {
	if gz {
		z := gzip.NewWriter(w)
		if err := WriteTar(z, files, false); err != nil {
			return err
		}
		return z.Close()
	}
	t := tar.NewWriter(w)
	for name, write := range files {
		var content bytes.Buffer // tar needs the length before the content
		if err := write(&content); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(content.Len()), Mode: 0o644, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := t.Write(content.Bytes()); err != nil {
			return err
		}
	}
	return t.Close()
}
