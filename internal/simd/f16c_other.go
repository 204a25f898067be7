//go:build !amd64

package simd

func hasF16C() bool { return false }
