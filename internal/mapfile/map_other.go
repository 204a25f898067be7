//go:build !unix

package mapfile

import "os"

// Map reads a file, where memory cannot be mapped. The file may be closed then.
func Map(f *os.File) (*File, error) {
	data, err := Read(f)
	return &File{data, nil}, err
}

// Forget says that bytes are not read soon. Where there is no mapping, they stay as they are.
func Forget([]byte) {}
