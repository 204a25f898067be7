//go:build cgo

package main

// The flags that decide which symbols the library exports, and its name for the loader, stand in the Makefile: cgo does not allow
// them here.

// #cgo CFLAGS: -I${SRCDIR}/include
import "C"
