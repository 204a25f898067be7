package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

//export vxRegisterLogCallback
func vxRegisterLogCallback(context uintptr, callback C.vx_log_callback_f, reentrant int32) {
	do(context, func(c *openvx.Context) error {
		var f openvx.LogCallback
		if callback != nil {
			f = func(c *openvx.Context, on openvx.Reference, status openvx.Status, message string) {
				callLog(callback, c, on, status, message)
			}
		}
		c.RegisterLogCallback(f, reentrant != 0)
		return nil
	})
}

// callLog calls a vx_log_callback_f. An entry on something that has no handle (any more) is one on the context.
func callLog(f C.vx_log_callback_f, c *openvx.Context, on openvx.Reference, status openvx.Status, message string) {
	context := handles.known(c)
	if context == nil {
		return
	}
	reference := context
	if on != nil {
		if e := handles.known(on); e != nil {
			reference = e
		}
	}
	s := C.CString(message)
	defer C.free(unsafe.Pointer(s))
	C.callLog(f, C.vx_context(context.handle), C.vx_reference(reference.handle), C.vx_status(status), s)
}

// addLogEntry is what vxAddLogEntry, which is in C, calls with the formatted message.
//
//export concordAddLogEntry
func concordAddLogEntry(reference uintptr, status int32, message *C.char) {
	do(reference, func(r openvx.Reference) error {
		r.Context().AddLogEntry(r, openvx.Status(status), C.GoString(message))
		return nil
	})
}
