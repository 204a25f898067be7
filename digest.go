package concord

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// Digest returns the SHA-256, in hexadecimal, of all that decides about what the model answers: the contents of the files that it is made of, whatever
// the model's own is called and wherever it stands, its format, and the options of [Loader] that have a say. Models with the same digest give the same
// answers; those with different ones may. It reads all of the files, which must be as they were when the model was loaded.
func (m *Model) Digest() (string, error) {
	if m == nil || m.contents == nil {
		return "", errors.New("the model was not loaded from files")
	}
	d := &digester{sha256.New()}
	fmt.Fprintf(d, "%s lenient %t compat %t\n", m.format, m.loader.Lenient, m.loader.Compat)
	for _, name := range naming.Sorted(m.loader.Constants) {
		t := m.loader.Constants[name]
		d.add(name, []byte(t.Describe()))
		d.add(name, tensor.Raw(t))
	}
	if err := m.contents(d); err != nil {
		return "", err
	}
	return hex.EncodeToString(d.Sum(nil)), nil
}

// digester sums up files.
type digester struct{ hash.Hash }

// add adds a file in memory.
func (d *digester) add(name string, data []byte) {
	sum := sha256.Sum256(data)
	d.part(name, sum[:])
}

func (d *digester) part(name string, sum []byte) {
	_, _ = d.Write(binary.AppendUvarint(nil, uint64(len(name)))) // which cannot fail
	_, _ = io.WriteString(d, name)
	_, _ = d.Write(sum)
}

// visit is add as a function that may fail.
func (d *digester) visit(name string, data []byte) error {
	d.add(name, data)
	return nil
}

// file adds a file of the machine, or of the file system of a source.
func (d *digester) file(s source, name, path string) error {
	f, err := read(source{s.fsys, path}, func(path string) (fs.File, error) { return os.Open(path) },
		func(fsys fs.FS, name string) (fs.File, error) { return fsys.Open(name) })
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	d.part(name, h.Sum(nil))
	return nil
}

// sessionFiles adds the files of a recorded session of a WebNN builder.
func (d *digester) sessionFiles(s source, weights string) error {
	err := d.file(s, "", s.path)
	if err == nil && weights != "" {
		at := filepath.Join(filepath.Dir(s.path), filepath.FromSlash(weights))
		if s.fsys != nil {
			at = path.Join(path.Dir(s.path), weights)
		}
		err = d.file(s, weights, at)
	}
	return err
}

// cvmFiles adds the two files of a CVM model.
func (d *digester) cvmFiles(s source) error {
	var symbol, params string
	var err error
	if s.fsys == nil {
		symbol, params, err = cvm.Find(s.path)
	} else {
		symbol, params, err = cvm.FindFS(s.fsys, s.path)
	}
	if err == nil {
		err = d.file(s, "symbol", symbol)
	}
	if err == nil {
		err = d.file(s, "params", params)
	}
	return err
}
