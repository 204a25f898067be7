package limits

import "math"

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
	left, known := Free()
	if !known {
		left = FitsUnknown
	}
	return bytes <= left && bytes <= math.MaxInt
}
