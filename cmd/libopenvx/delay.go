package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

var delayAttributes = attributes[*openvx.Delay]{
	C.VX_DELAY_TYPE:  readable((*openvx.Delay).Kind),
	C.VX_DELAY_SLOTS: readable(func(d *openvx.Delay) uintptr { return uintptr(d.Slots()) }),
}

//export vxCreateDelay
func vxCreateDelay(context, exemplar, slots uintptr) uintptr {
	return create(context, func(c *openvx.Context) (*openvx.Delay, error) {
		return c.CreateDelay(object[openvx.Reference](exemplar), count("the number of slots", slots))
	})
}

//export vxGetReferenceFromDelay
func vxGetReferenceFromDelay(delay uintptr, index int32) uintptr {
	return create(delay, func(d *openvx.Delay) (openvx.Reference, error) { return d.Reference(int(index)) })
}
