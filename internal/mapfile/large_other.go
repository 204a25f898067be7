//go:build !linux

package mapfile

import "os"

// OpenIn opens a file of a folder to be read.
func OpenIn(folder *os.Root, name string) (*os.File, error) { return folder.Open(name) }
