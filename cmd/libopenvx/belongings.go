package main

// #include "shim.h"
import "C"

import "unsafe"

// belongings are memory of C that lives as long as an object's handle. The lock of the table guards them.
type belongings struct {
	name     unsafe.Pointer      // what a query of VX_REFERENCE_NAME returned
	callback C.vx_nodecomplete_f // of a node: the function that vxAssignNodeCallback was given
}

// discard frees the memory.
func (b *belongings) discard() {
	C.free(b.name)
	*b = belongings{}
}
