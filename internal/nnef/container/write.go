package container

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/stage"
)

// Members yields the names of members with functions that write their contents. A function may be called several times
// and writes the same bytes each time.
type Members = iter.Seq2[string, func(io.Writer) error]

// member is one item of Members.
type member struct {
	name  string
	write func(io.Writer) error
}

// sorted returns members in the order of their names. Names that differ only in the case of letters are refused: not
// every file system tells them apart.
func sorted(files Members) ([]member, error) {
	var list []member
	seen := make(map[string]string)
	for name, write := range files {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("%q is no name of a member", name)
		}
		key := strings.ToLower(name)
		if other, ok := seen[key]; ok {
			return nil, fmt.Errorf("the members %s and %s would be the same file where upper and lower case do not differ", other, name)
		}
		seen[key] = name
		list = append(list, member{name, write})
	}
	slices.SortFunc(list, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

// Write writes members at a path: as an archive if the name has the ending of one, compressed unless that is .tar, and
// else into a folder. What stands there is complete or, after an error, as it was before. The same members give the same
// bytes.
func Write(name string, files Members) error {
	if !IsArchive(name) {
		return WriteFolder(name, files)
	}
	return stage.Write(name, func(w io.Writer) error {
		return WriteTar(w, files, !strings.HasSuffix(strings.ToLower(name), ".tar"))
	})
}

// WriteFolder writes members into a folder, which is made if it does not exist. It stands complete at the path or, after
// an error, as it was before: members are written beside it first. Other files in the folder are left alone.
func WriteFolder(dir string, files Members) (err error) {
	list, err := sorted(files)
	if err != nil {
		return err
	}
	s, err := stage.In(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, m := range list {
		if _, err := s.Write(m.write, "new", filepath.FromSlash(m.name)); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return s.Commit(func() error {
		for _, m := range list {
			target := filepath.Join(dir, filepath.FromSlash(m.name))
			err := os.MkdirAll(filepath.Dir(target), 0o777)
			if err == nil {
				err = os.Rename(s.Path("new", filepath.FromSlash(m.name)), target)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteTar writes members as a tar archive, in the order of their names, gzipped if gz is set. Times and owners are left
// out, so that the same members give the same bytes, those of gzipped archives as long as the Go release stays the same.
// Each member is written twice, the first time to learn its length, so that none is held in memory.
func WriteTar(w io.Writer, files Members, gz bool) error {
	if gz {
		z := gzip.NewWriter(w)
		if err := WriteTar(z, files, false); err != nil {
			return err
		}
		return z.Close()
	}
	list, err := sorted(files)
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, m := range list {
		var size length
		if err := m.write(&size); err != nil { // so there is no header without a member
			return fmt.Errorf("%s: %w", m.name, err)
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: m.name, Size: int64(size), Mode: 0o644, Format: tar.FormatPAX}
		err := t.WriteHeader(h)
		if err == nil {
			err = m.write(t)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return t.Close()
}

// length counts the bytes that are written to it.
type length int64

func (l *length) Write(p []byte) (int, error) {
	*l += length(len(p))
	return len(p), nil
}

// belongs reports whether a file is part of a model: the graph, the quantization file, tensors, and tract's resources and
// models within the model. Others are foreign.
func belongs(name string) bool {
	base := path.Base(name)
	switch path.Ext(base) {
	case DataExt, ".safetensors", ".json":
		return true
	}
	return name == GraphFile || name == QuantFile || strings.Contains(base, DataExt+".") || isModel(strings.SplitN(name, ".nnef", 2)[0], name)
}

// Members yields the files of a container that belong to its model, without decoding them: graph.nnef, graph.quant,
// files .dat and .dat.SOMETHING, and those that tract adds: .safetensors, .json and models .nnef.tar and .nnef.tgz.
func (c *Container) Members() Members {
	return func(yield func(string, func(io.Writer) error) bool) {
		for _, name := range c.Names() {
			if !belongs(name) {
				continue
			}
			write := func(w io.Writer) error {
				data, err := c.ReadFile(name)
				if err == nil {
					_, err = w.Write(data)
				}
				return err
			}
			if !yield(name, write) {
				return
			}
		}
	}
}
