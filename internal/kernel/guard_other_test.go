//go:build !linux

package kernel_test

// region is memory between two pages that may not be touched, which tests have on Linux.
type region []byte

type regions struct{}

var spare regions

func (regions) take(n int) region { return make(region, n) }
func (regions) give(region)       {}
