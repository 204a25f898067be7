package mapfile

import (
	"os"
	"syscall"
)

// OpenIn opens a file of a folder to be read, of any length: [os.Root.Open] refuses those beyond 2 GiB on processors of 32 bits.
func OpenIn(folder *os.Root, name string) (*os.File, error) {
	return folder.OpenFile(name, os.O_RDONLY|syscall.O_LARGEFILE, 0)
}
