package stage

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock locks a file until [Unlock], or the process dies. It is [ErrLocked] if somebody else has locked it.
func Lock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, beyond())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// Unlock unlocks a file that is about to be closed; Windows itself says not when it does.
func Unlock(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, beyond()) }

// beyond is a byte that no file has: what is locked cannot be read by others.
func beyond() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 30} }
