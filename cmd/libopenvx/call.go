//go:build cgo

package main

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/concord-nn/concord/openvx"
)

// refuse ends a call whose arguments cannot be used. Every function of the library is inside of do, create or the like, which make a
// status and a log entry of it.
func refuse(status openvx.Status, format string, args ...any) {
	panic(&openvx.Error{Status: status, Msg: fmt.Sprintf(format, args...)})
}

// do calls f with a handle's object and returns the status for C.
func do[T openvx.Reference](handle uintptr, f func(T) error) (status int32) {
	defer func() {
		if r := recover(); r != nil {
			status = int32(failure(handle, r))
		}
	}()
	return int32(openvx.StatusOf(f(object[T](handle))))
}

// create calls f with the object that the new one will belong to and returns the handle for C: that of the new object, or of an
// error object. It is 0 when there is not even a context for an error object.
func create[P, T openvx.Reference](parent uintptr, f func(P) (T, error)) (handle uintptr) {
	defer func() {
		if r := recover(); r != nil {
			handle = errorHandle(parent, failure(parent, r))
		}
	}()
	o, err := f(object[P](parent))
	if err != nil {
		return errorHandle(parent, openvx.StatusOf(err))
	}
	return handleOf(o)
}

// failure returns the status of what a call ended with: a refusal, or a mistake in this program, which must not end the caller's. It
// writes a log entry.
func failure(handle uintptr, cause any) openvx.Status {
	refusal, ok := cause.(*openvx.Error)
	if !ok {
		fmt.Fprintf(os.Stderr, "libopenvx: internal error: %v\n%s", cause, debug.Stack())
		return openvx.Failure
	}
	if e := handles.find(handle); e != nil {
		refusal.Call = function()
		e.context.AddLogEntry(e.ref, refusal.Status, refusal.Error())
	}
	return refusal.Status
}

// function returns the name of the function that C has called.
func function() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for {
		f, more := frames.Next()
		_, name, _ := strings.Cut(path.Base(f.Function), ".") // without the package
		if strings.HasPrefix(name, "vx") {
			name, _, _ = strings.Cut(name, ".") // without the closure
			return name
		}
		if !more {
			return ""
		}
	}
}

// errorHandle returns the error object for a status in the context of a handle's object.
func errorHandle(near uintptr, s openvx.Status) uintptr {
	if e := handles.find(near); e != nil {
		if e := handles.errorOf(e.context, s); e != nil {
			return e.handle
		}
	}
	return 0
}

// object returns the object of a handle. It refuses anything else, such as an object of another kind.
func object[T openvx.Reference](handle uintptr) T {
	e := handles.find(handle)
	if e == nil {
		refuse(openvx.ErrorInvalidReference, "%#x is not a reference to a living object", handle)
	}
	o, ok := e.ref.(T)
	switch {
	case e.ref == nil:
		refuse(openvx.ErrorInvalidReference, "the reference is the error object for status %v", e.status)
	case !ok:
		refuse(openvx.ErrorInvalidReference, "the reference is %s, not %s", kind(e.ref), kind(o))
	}
	return o
}

// kind is how messages call the type of an object.
func kind(r openvx.Reference) string {
	return "a " + strings.TrimPrefix(fmt.Sprintf("%T", r), "*openvx.")
}

// optional returns the object of a handle, and nil for 0.
func optional[T openvx.Reference](handle uintptr) T {
	if handle == 0 {
		var none T
		return none
	}
	return object[T](handle)
}

// handleOf returns the handle of an object.
func handleOf(r openvx.Reference) uintptr {
	if e := handles.entryOf(r); e != nil {
		return e.handle
	}
	refuse(openvx.ErrorNoResources, "there are %d references already", slotMask+1)
	return 0
}

// release gives up a reference of the application and, if it had one, makes its variable NULL.
func release[T openvx.Reference](handle *uintptr) int32 { return consume(handle, T.Release) }

// consume does what gives up a reference of the application and, if that succeeds, makes its variable NULL.
func consume[T openvx.Reference](handle *uintptr, method func(T) error) int32 {
	if handle == nil {
		return int32(openvx.ErrorInvalidReference)
	}
	status := do(*handle, method)
	if status == int32(openvx.Success) {
		*handle = 0
	}
	return status
}
