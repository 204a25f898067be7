//go:build !linux

package main

import (
	"os"
	"time"
)

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }

// peakOf is not known here.
func peakOf(*os.ProcessState) float64 { return 0 }
