//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stage

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUnlock locks a file anew that a process which is just being begun, as with every fork, has open still.
func TestUnlock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	begun, err := syscall.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(begun)
	if err := Lock(second); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	Unlock(first)
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := Lock(second); err != nil {
		t.Error(err)
	}
}
