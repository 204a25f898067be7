package main

import (
	"os"
	"syscall"
	"time"
)

// cpuTime returns the time that processors have given to this process.
func cpuTime() time.Duration {
	var use syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &use) != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// peakOf returns the greatest memory of a process that has ended, in MiB. Linux counts the memory of the process that started it, until it has its
// own, so that the one which starts others must be small.
func peakOf(s *os.ProcessState) float64 {
	use, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(use.Maxrss) / 1024
}
