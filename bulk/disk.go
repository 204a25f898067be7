package bulk

import (
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/concord-nn/concord/internal/stage"
)

// disk is where the files of a run stand. Tests have one that fails.
type disk interface {
	// Open opens a file for reading and writing, and makes it if it is missing.
	Open(name string) (file, error)
	Size(name string) (int64, error)
	Rename(from, to string) error
	Remove(name string) error
	// Sync makes what was renamed and removed in a folder last.
	Sync(folder string) error
}

// file is an open file.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Size() (int64, error)
	// Lock keeps other processes from locking the file until it is closed or the process dies. It is a [stage.ErrLocked] if one has it.
	Lock() error
	Close() error
}

type hostDisk struct{}

func (hostDisk) Open(name string) (file, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	return hostFile{f}, nil
}

func (hostDisk) Size(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (hostDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (hostDisk) Remove(name string) error     { return os.Remove(name) }

func (hostDisk) Sync(folder string) error {
	if runtime.GOOS == "windows" { // where folders cannot be opened
		return nil
	}
	f, err := os.Open(filepath.Clean(folder))
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

type hostFile struct{ *os.File }

func (f hostFile) Lock() error { return stage.Lock(f.File) }

func (f hostFile) Close() error {
	stage.Unlock(f.File)
	return f.File.Close()
}

func (f hostFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
