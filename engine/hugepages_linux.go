package engine

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inLargePages asks the system to keep memory that is read from end to end in large pages: of small ones there are more than a processor remembers
// the places of. It is only a wish, so nothing is said where the system does not grant it.
func inLargePages(b []byte) {
	page := uintptr(os.Getpagesize())
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := int((page - begin%page) % page)
	whole := (len(b) - skip) / int(page) * int(page)
	_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE)
}
