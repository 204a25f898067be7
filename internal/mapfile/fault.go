package mapfile

import (
	"errors"
	"io/fs"
	"runtime"
	"runtime/debug"
)

// ErrLost is the cause of the error that a mapped file gives whose bytes are not there any more.
var ErrLost = errors.New("the file has become shorter, or cannot be read any more, while it was used")

// Watch makes reading bytes of a mapped file that are not there any more a panic of the calling goroutine, where it else ends the process:
// somebody has made the file shorter, or its disk fails. It returns what held before, for [Recover], which makes an error of the panic:
//
//	defer mapfile.Recover(mapfile.Watch(), &err)
//
// A goroutine that ends needs no Recover.
func Watch() (before bool) { return debug.SetPanicOnFault(true) }

// Recover ends what [Watch] has begun. If the function that it is deferred by panics for a mapped file, *err becomes the error of [Fault]. Other
// panics go on.
func Recover(before bool, err *error) {
	debug.SetPanicOnFault(before)
	if r := recover(); r != nil {
		lost := Fault(r)
		if lost == nil {
			panic(r)
		}
		*err = lost
	}
}

// Fault returns the error of a file, a *fs.PathError with ErrLost, if a panic tells of reading its mapped bytes in a goroutine that has called
// [Watch], and else nil.
func Fault(panicked any) error {
	fault, ok := panicked.(interface {
		runtime.Error
		Addr() uintptr
	})
	if !ok {
		return nil
	}
	r := mapped.at(fault.Addr())
	if r == nil {
		return nil
	}
	return &fs.PathError{Op: "read", Path: r.name, Err: ErrLost}
}
