//go:build unix

package container

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapping is a member of a folder in memory.
type mapping struct{ data []byte }

// mapFile maps a regular file. Pages are read when they are touched.
func mapFile(f *os.File) (mapping, error) {
	info, err := f.Stat()
	if err != nil {
		return mapping{}, err
	}
	size := info.Size()
	switch {
	case size == 0:
		return mapping{}, nil
	case size > math.MaxInt:
		return mapping{}, fmt.Errorf("it is too large to be mapped")
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	return mapping{data}, err
}

func (m mapping) unmap() error {
	if m.data == nil {
		return nil
	}
	return unix.Munmap(m.data)
}
