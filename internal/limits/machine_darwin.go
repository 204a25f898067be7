package limits

import "golang.org/x/sys/unix"

// Free returns the bytes of memory that are left: half of what the machine has, as the system compresses and gives up what others do not use, and
// does not say how much.
func Free() (bytes int64, known bool) {
	n, err := unix.SysctlUint64("hw.memsize")
	return int64(min(n/2, 1<<62)), err == nil && n > 0
}
