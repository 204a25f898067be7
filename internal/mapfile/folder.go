package mapfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Folder is a folder whose files are put into memory when they are asked for, each once. No name and no link leads out of it. Its methods
// may be called by several goroutines.
type Folder struct {
	root  *os.Root
	mu    sync.Mutex
	files map[string]*File
}

// OpenFolder opens a folder.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, files: make(map[string]*File)}, nil
}

// FS returns the folder as a file system, until Close.
func (d *Folder) FS() fs.FS { return d.root.FS() }

// ReadFile returns the bytes of a regular file, which must not be changed and are valid until Close. The name is slash-separated. An error is
// that of [Plain].
func (d *Folder) ReadFile(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
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
	if err := Regular(d.root.FS(), name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Map(f)
}

// Close releases the memory of all files.
func (d *Folder) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	errs := []error{d.root.Close()}
	for _, f := range d.files {
		errs = append(errs, f.Close())
	}
	clear(d.files)
	return errors.Join(errs...)
}
