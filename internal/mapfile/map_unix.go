//go:build unix

package mapfile

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps a regular file, or reads it where its file system has no mapping. The file may be closed then.
func Map(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return &File{}, err
	}
	if size := info.Size(); size <= math.MaxInt {
		if data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE); err == nil {
			return &File{data, func() error { return unix.Munmap(data) }}, nil
		}
	}
	data, err := Read(f)
	return &File{data, nil}, err
}
