package mapfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/concord-nn/concord/internal/limits"
)

// File is a file in memory.
type File struct {
	Data  []byte // empty after Close
	unmap func() error
}

// Close releases the memory. It may be called twice.
func (f *File) Close() error {
	unmap := f.unmap
	f.Data, f.unmap = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}

// Open puts the file of a name into memory. It refuses what is no regular file.
func Open(name string) (*File, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Map(f)
}

// Regular refuses what is no file, before it is opened: opening a pipe waits for somebody to write into it.
func Regular(fsys fs.FS, name string) error {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return err
	}
	return check(info)
}

func check(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a folder; a file must stand there")
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	return nil
}

// Read reads all of a file that cannot be mapped, and fails beyond the limit for such.
func Read(r io.Reader) ([]byte, error) { return read(r, limits.FileRead) }

// read grows with what is really there.
func read(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("it is larger than the limit of %d bytes", limit)
	}
	return slices.Clip(data), nil
}

// readSized reads n bytes, allocating no more than twice what is really there, beyond the first ones: the number may be a lie.
func readSized(r io.Reader, size int64) ([]byte, error) {
	n := int(size)
	data := make([]byte, 0, min(n, 4<<20))
	for len(data) < n {
		if len(data) == cap(data) {
			more := make([]byte, len(data), min(n, 2*len(data)))
			copy(more, data)
			data = more
		}
		k, err := io.ReadFull(r, data[len(data):cap(data)])
		if data = data[:len(data)+k]; err != nil {
			return nil, err
		}
	}
	return data, nil
}
