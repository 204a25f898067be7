package main

import (
	"os"
	"syscall"
)

// peakOf returns the greatest memory of a process that has ended, in MiB. Linux counts the memory of the process that started it, until it has its
// own, so that the one which starts others must be small.
func peakOf(s *os.ProcessState) float64 {
	use, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(use.Maxrss) / 1024
}
