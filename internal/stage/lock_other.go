//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package stage

import "os"

// hold has no locks here, so that what a process that is killed leaves is never removed.
func hold(string) (*os.File, bool) { return nil, true }

func orphan(string) (*os.File, bool) { return nil, false }

func discard(dir string, _ *os.File) error { return os.RemoveAll(dir) }

// Lock has no locks here.
func Lock(*os.File) error { return nil }

// Unlock has nothing to unlock.
func Unlock(*os.File) {}
