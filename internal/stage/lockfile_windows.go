package stage

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file until it is closed or the process dies. It is [ErrLocked] if somebody else has locked it.
func Lock(f *os.File) error {
	beyond := &windows.Overlapped{OffsetHigh: 1 << 30} // a byte that no file has: what is locked cannot be read by others
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
