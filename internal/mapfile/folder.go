package mapfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/concord-nn/concord/internal/limits"
)

// Folder is a folder whose files are put into memory when they are asked for, each once. No name and no link leads out of it. Its methods
// may be called by several goroutines.
type Folder struct {
	root   *os.Root
	mu     sync.Mutex
	files  map[string]*File
	left   int64 // bytes that may be read of files that are not mapped
	closed bool
}

// OpenFolder opens a folder.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, files: make(map[string]*File), left: limits.FileRead}, nil
}

// FS returns the folder as a file system, until Close.
func (d *Folder) FS() fs.FS { return d.root.FS() }

// ReadFile returns the bytes of a regular file, which must not be changed and are valid as long as somebody has the Folder, or the [Mapping] of
// the bytes. The name is slash-separated. An error is that of [Plain]; after Close it is fs.ErrClosed.
func (d *Folder) ReadFile(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	f, ok := d.files[name]
	if !ok {
		var err error
		if f, err = d.open(name); err != nil {
			return nil, Plain(err)
		}
		d.files[name] = f
	}
	return f.Data, nil
}

func (d *Folder) open(name string) (*File, error) {
	f, _, err := OpenRegular(name, func(name string) (fs.FileInfo, error) { return fs.Stat(d.root.FS(), name) },
		func(name string) (*os.File, error) { return OpenIn(d.root, filepath.FromSlash(name)) })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := mapOrRead(f, d.left)
	if err == nil && file.mapping == nil {
		d.left -= int64(len(file.Data))
	}
	return file, err
}

// Close lets go of the memory of all files when nobody has the Folder, nor the [Mapping] of its bytes, any more. It may be called at any time, and
// twice.
func (d *Folder) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil
	}
	d.closed = true
	for _, f := range d.files {
		_ = f.Close() // nothing that could fail
	}
	return d.root.Close()
}
