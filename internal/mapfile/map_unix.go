//go:build unix

package mapfile

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mmap maps bytes of a file.
func mmap(f *os.File, at int64, size int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), at, size, unix.PROT_READ, unix.MAP_PRIVATE)
}

func munmap(data []byte) error { return unix.Munmap(data) }

// Forget says that bytes are not read soon. What of them is a mapped file's takes no memory until it is read again, and is the same then;
// other bytes stay as they are. Less than a page is not worth it.
func Forget(b []byte) {
	page := os.Getpagesize()
	if len(b) < page {
		return
	}
	m := Of(b)
	if m == nil {
		return
	}
	at := int(uintptr(unsafe.Pointer(&b[0])) - m.begin())
	_ = unix.Madvise(m.data[at/page*page:at+len(b)], unix.MADV_DONTNEED) // if it fails, there is less memory and no harm
}
