//go:build !unix

package container

import "os"

// mapping is a member of a folder in memory.
type mapping struct{ data []byte }

// mapFile reads a file, where memory cannot be mapped.
func mapFile(f *os.File) (mapping, error) {
	data, err := readBounded(f, maxMember)
	return mapping{data}, err
}

func (m mapping) unmap() error { return nil }
