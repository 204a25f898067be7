//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file until [Unlock], or the process dies. It is [ErrLocked] if somebody else has locked it. Where the file system has no locks, nothing is locked.
func Lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrLocked
	case errors.Is(err, unix.ENOTSUP), errors.Is(err, unix.ENOLCK), errors.Is(err, unix.ENOSYS):
		return nil
	}
	return err
}

// Unlock unlocks a file that is about to be closed. To close it is not enough: a process that is begun just then has it open until its own program runs.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
