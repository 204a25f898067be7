//go:build !unix

package mapfile

import (
	"errors"
	"os"
)

// mmap fails where memory cannot be mapped.
func mmap(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func munmap([]byte) error { return nil }

// Forget says that bytes are not read soon. Where there is no mapping, they stay as they are.
func Forget([]byte) {}
