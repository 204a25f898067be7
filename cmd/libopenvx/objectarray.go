package main

// #include "shim.h"
import "C"

import "github.com/concord-nn/concord/openvx"

var objectArrayAttributes = attributes[*openvx.ObjectArray]{
	C.VX_OBJECT_ARRAY_ITEMTYPE: readable((*openvx.ObjectArray).ItemType),
	C.VX_OBJECT_ARRAY_NUMITEMS: readable(func(a *openvx.ObjectArray) uintptr { return uintptr(a.NumItems()) }),
}
