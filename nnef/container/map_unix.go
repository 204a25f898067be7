//go:build unix

package container

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapping is a file in memory.
type mapping struct {
	data   []byte
	mapped bool
}

// mapFile maps a regular file. Pages are read when they are touched. Where a file system has no mapping, the file is
// read.
func mapFile(f *os.File) (mapping, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return mapping{}, err
	}
	if size := info.Size(); size <= math.MaxInt {
		if data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE); err == nil {
			return mapping{data, true}, nil
		}
	}
	data, err := readBounded(f, maxMember)
	return mapping{data, false}, err
}

func (m mapping) unmap() error {
	if !m.mapped {
		return nil
	}
	return unix.Munmap(m.data)
}
