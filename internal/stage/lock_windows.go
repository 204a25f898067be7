package stage

import (
	"errors"
	"os"
	"path/filepath"
)

// hold makes the lock's file in a folder that was just made. Windows does not remove open files, so that whoever can remove it knows that its process does
// not live any more. It fails if another process removed the folder meanwhile.
func hold(dir string) (*os.File, bool) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	return f, err == nil || !errors.Is(err, os.ErrNotExist)
}

// orphan removes the file from the stage of a process that does not live any more.
func orphan(dir string) (*os.File, bool) {
	switch err := os.Remove(filepath.Join(dir, lockName)); {
	case err == nil:
		return nil, true
	case errors.Is(err, os.ErrNotExist):
		return nil, os.Remove(dir) == nil // only if it is empty: it may have been made a moment ago
	}
	return nil, false
}

// discard removes a stage.
func discard(dir string, lock *os.File) error {
	if lock != nil {
		lock.Close()
	}
	return os.RemoveAll(dir)
}
