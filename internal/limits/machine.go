package limits

import (
	"math"
	"runtime/debug"
)

// Memory returns how many bytes a model may take where nobody gives a limit: three quarters of what the machine, or the group of processes that
// this one belongs to, has left, or EngineMemory where that is not known.
func Memory() int64 {
	left, known := Free()
	if !known {
		return EngineMemory
	}
	return max(left/4*3, EngineMemoryLeast)
}

// Fits reports whether so many bytes can be allocated. Go ends a process that allocates more than there is.
func Fits(bytes int64) bool {
	if bytes < FitsAlways {
		return true
	}
	if bytes > math.MaxInt {
		return false
	}
	left, known := Free()
	if !known {
		return bytes <= FitsUnknown
	}
	if bytes > left {
		debug.FreeOSMemory() // of what nobody has any more
		left, _ = Free()
	}
	return bytes <= left
}
