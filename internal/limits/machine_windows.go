package limits

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of Windows.
type memoryStatus struct {
	length, load                        uint32
	totalPhysical, availablePhysical    uint64
	totalPageFile, availablePageFile    uint64
	totalVirtual, availableVirtual, ext uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// Free returns the bytes of memory that are left: of the machine's, and of what the system may promise to processes.
func Free() (bytes int64, known bool) {
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if globalMemoryStatus.Find() != nil {
		return 0, false
	}
	ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s)))
	return int64(min(s.availablePhysical, s.availablePageFile, 1<<62)), ok != 0
}
