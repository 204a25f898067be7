//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stage

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a folder that was just made, for as long as the process lives or the file is open. It fails if another process locked it first, which then removes it. Where the file system has no locks,
// leftovers stay.
func hold(dir string) (*os.File, bool) {
	f, err := lock(dir)
	return f, err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, os.ErrNotExist)
}

// orphan locks the stage of a process that does not live any more.
func orphan(dir string) (*os.File, bool) {
	f, err := lock(dir)
	return f, err == nil
}

// lock locks a folder that is still there.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	var locked, there os.FileInfo
	if err == nil {
		locked, err = f.Stat()
	}
	if err == nil {
		there, err = os.Lstat(dir)
	}
	if err == nil && !os.SameFile(locked, there) {
		err = os.ErrNotExist
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// discard removes a stage, and unlocks it when it is gone.
func discard(dir string, lock *os.File) error {
	if lock != nil {
		defer lock.Close()
	}
	return os.RemoveAll(dir)
}
