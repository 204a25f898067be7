//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stage

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// hold locks a folder that was just made, for as long as the process lives or the file is open. It fails if another process locked it first, which then
// removes it, or removed it. Where the file system has no locks, leftovers stay.
func hold(dir string) (*os.File, bool) {
	f, err := lock(dir, os.O_CREATE|os.O_EXCL)
	return f, err == nil || !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, os.ErrNotExist)
}

// orphan locks the stage of a process that does not live any more.
func orphan(dir string) (*os.File, bool) {
	f, err := lock(dir, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, os.Remove(dir) == nil // only if it is empty: it may have been made a moment ago, and what is in others is somebody's
	}
	return f, err == nil
}

// lock locks a folder by its file, which is still there then.
func lock(dir string, how int) (*os.File, error) {
	name := filepath.Join(dir, lockName)
	f, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|how, 0o600) // somebody may have put a pipe there
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	var locked, there os.FileInfo
	if err == nil {
		locked, err = f.Stat()
	}
	if err == nil {
		there, err = os.Lstat(name)
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
