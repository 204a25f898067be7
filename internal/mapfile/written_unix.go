//go:build unix

package mapfile

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Written returns the error of writing bytes to a file, or that of [Fault] if they are those of a mapped file that are not there any more: the
// system reads them then, and nobody panics.
func Written(b []byte, err error) error {
	if !errors.Is(err, unix.EFAULT) {
		return err
	}
	if m := Of(b); m != nil {
		return &fs.PathError{Op: "read", Path: m.name, Err: ErrLost}
	}
	return err
}
