//go:build !linux

package limits

// Free returns the bytes of memory that are left, which is known on Linux only.
func Free() (bytes int64, known bool) { return 0, false }
