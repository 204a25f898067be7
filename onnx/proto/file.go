package proto

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"sync"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/place"
	"github.com/concord-nn/concord/tensor"
)

// File is a model whose files are open.
type File struct {
	Model *Model
	Files Files // finds external data; nil if there is none

	close func() error
}

// Open reads the model in a file, which is mapped into memory. External data is looked for in its folder, and nothing outside of that is read.
func Open(name string) (_ *File, err error) {
	defer mapfile.Recover(mapfile.Watch(), &err)
	file, err := mapfile.Open(name)
	if err != nil {
		return nil, err
	}
	m, err := Decode(file.Data)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	m.file = file
	folder, err := mapfile.OpenFolder(filepath.Dir(name))
	if err != nil { // of a model without external data nobody need read the folder
		return &File{m, closed{mapfile.Plain(err)}, file.Close}, nil
	}
	return &File{m, folder, func() error { return errors.Join(file.Close(), folder.Close()) }}, nil
}

// OpenFS is [Open] in a file system. Files are read into memory.
func OpenFS(fsys fs.FS, name string) (*File, error) {
	fsys = place.Some(fsys)
	data, err := mapfile.ReadFS(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, mapfile.Plain(err))
	}
	folder, err := fs.Sub(fsys, path.Dir(name))
	if err != nil {
		return nil, err
	}
	f, err := Read(data, &within{fsys: folder, read: make(map[string][]byte)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// within is a folder of a file system. Its files are read once.
type within struct {
	fsys fs.FS

	mu   sync.Mutex
	read map[string][]byte
}

func (w *within) ReadFile(name string) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if data, ok := w.read[name]; ok {
		return data, nil
	}
	data, err := mapfile.ReadFS(w.fsys, name)
	if err != nil {
		return nil, mapfile.Plain(err)
	}
	w.read[name] = data
	return data, nil
}

// closed is a folder that cannot be opened.
type closed struct{ err error }

func (c closed) ReadFile(string) ([]byte, error) { return nil, c.err }

// Read reads a model in memory, which must not change. files finds external data and may be nil.
func Read(b []byte, files Files) (*File, error) {
	m, err := Decode(b)
	if err != nil {
		return nil, err
	}
	return &File{m, files, func() error { return nil }}, nil
}

// Value is that of a tensor of the model, see [Tensor.Value].
func (f *File) Value(t *Tensor) (*tensor.Tensor, error) {
	return t.Value(cmp.Or(f, new(File)).Files)
}

// Close ends the reading of external data: it is an error, fs.ErrClosed, afterwards. The model and values of tensors stay; their memory goes when
// nobody has them. It may be called at any time, and twice.
func (f *File) Close() error {
	if f == nil || f.close == nil { // nobody has opened it
		return nil
	}
	return f.close()
}
