//go:build unix

package mapfile

import (
	"math"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Map maps a regular file, or reads it where its file system has no mapping. The file may be closed then.
func Map(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return &File{}, err
	}
	if size := info.Size(); size <= math.MaxInt {
		if data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE); err == nil {
			mapped.add(data)
			return &File{data, func() error {
				mapped.remove(data)
				return unix.Munmap(data)
			}}, nil
		}
	}
	data, err := Read(f)
	return &File{data, nil}, err
}

// regions are the files that are mapped.
type regions struct {
	mu   sync.Mutex
	list [][]byte
}

var mapped regions

func (r *regions) add(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, data)
}

func (r *regions) remove(data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(d []byte) bool { return &d[0] == &data[0] })
}

// Forget says that bytes are not read soon. What of them is a mapped file's takes no memory until it is read again, and is the same then;
// other bytes stay as they are. Less than a page is not worth it.
func Forget(b []byte) {
	page := os.Getpagesize()
	if len(b) < page {
		return
	}
	at := uintptr(unsafe.Pointer(&b[0]))
	mapped.mu.Lock()
	defer mapped.mu.Unlock()
	for _, d := range mapped.list {
		begin := uintptr(unsafe.Pointer(&d[0]))
		if at < begin || at-begin >= uintptr(len(d)) {
			continue
		}
		from := int(at-begin) / page * page
		to := min(len(d), int(at-begin)+len(b))
		_ = unix.Madvise(d[from:to], unix.MADV_DONTNEED) // if it fails, there is less memory and no harm
		return
	}
}
