//go:build !linux

package engine

// inLargePages does nothing here.
func inLargePages([]byte) {}
