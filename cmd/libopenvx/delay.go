package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

var delayAttributes = attributes[*openvx.Delay]{
	C.VX_DELAY_TYPE:  readable((*openvx.Delay).Kind),
	C.VX_DELAY_SLOTS: readable(func(d *openvx.Delay) uintptr { return uintptr(d.Slots()) }),
}
