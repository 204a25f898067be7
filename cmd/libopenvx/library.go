package main

// The flags that decide which symbols the library exports, and its name for the loader, stand in the Makefile: cgo does not allow
// them here.

// #cgo CFLAGS: -I${SRCDIR}/include
// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

//export vxRegisterKernelLibrary
func vxRegisterKernelLibrary(context uintptr, name *C.char, publish C.vx_publish_kernels_f, unpublish C.vx_unpublish_kernels_f) int32 {
	return do(context, func(c *openvx.Context) error {
		if publish == nil || unpublish == nil {
			refuse(openvx.ErrorInvalidParameters, "a library needs a function that publishes its kernels and one that takes them back")
		}
		return c.RegisterKernelLibrary(text("the module", name, maxModule), callPublish(publish), callPublish(C.vx_publish_kernels_f(unpublish)))
	})
}

// callPublish makes a Go function of a vx_publish_kernels_f or vx_unpublish_kernels_f.
func callPublish(f C.vx_publish_kernels_f) func(*openvx.Context) error {
	return func(c *openvx.Context) error {
		return statusError("the library's function", openvx.Status(C.callPublish(f, C.vx_context(handleOf(c)))))
	}
}

// openLibrary opens the shared library of a module, lib<name>.so, and finds its two functions.
// It is closed when the second one succeeds or the first one fails.
func openLibrary(_ *openvx.Context, name string) (publish, unpublish func(*openvx.Context) error, err error) {
	if strings.ContainsRune(name, '/') {
		return nil, nil, &openvx.Error{Status: openvx.ErrorInvalidParameters, Msg: fmt.Sprintf("module %q has a slash in its name", name)}
	}
	library, err := open("lib" + name + ".so")
	if err != nil {
		return nil, nil, err
	}
	begin, end := symbol(library, "vxPublishKernels"), symbol(library, "vxUnpublishKernels")
	if begin == nil || end == nil {
		C.dlclose(library)
		return nil, nil, &openvx.Error{
			Status: openvx.ErrorInvalidModule,
			Msg:    fmt.Sprintf("lib%s.so does not have the functions vxPublishKernels and vxUnpublishKernels", name),
		}
	}
	publish = func(c *openvx.Context) error {
		err := callPublish(begin)(c)
		if err != nil {
			C.dlclose(library)
		}
		return err
	}
	unpublish = func(c *openvx.Context) error {
		err := callPublish(end)(c)
		if err == nil {
			C.dlclose(library)
		}
		return err
	}
	return publish, unpublish, nil
}

func open(file string) (unsafe.Pointer, error) {
	s := C.CString(file)
	defer C.free(unsafe.Pointer(s))
	library := C.dlopen(s, C.RTLD_LAZY|C.RTLD_LOCAL)
	if library == nil {
		return nil, &openvx.Error{Status: openvx.ErrorInvalidModule, Msg: C.GoString(C.dlerror())}
	}
	return library, nil
}

func symbol(library unsafe.Pointer, name string) C.vx_publish_kernels_f {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return C.vx_publish_kernels_f(C.dlsym(library, s))
}
