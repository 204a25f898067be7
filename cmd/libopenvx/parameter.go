package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var parameterAttributes = attributes[*openvx.Parameter]{
	C.VX_PARAMETER_INDEX:     readable(func(p *openvx.Parameter) uint32 { return uint32(p.Index()) }),
	C.VX_PARAMETER_DIRECTION: readable((*openvx.Parameter).Direction),
	C.VX_PARAMETER_TYPE:      readable((*openvx.Parameter).Kind),
	C.VX_PARAMETER_STATE:     readable((*openvx.Parameter).State),
	C.VX_PARAMETER_REF: readable(func(p *openvx.Parameter) uintptr {
		if r := p.Reference(); r != nil {
			return handleOf(r)
		}
		return 0
	}),
	C.VX_PARAMETER_META_FORMAT: {
		size: func(*openvx.Parameter) uintptr { return unsafe.Sizeof(uintptr(0)) },
		get: func(p *openvx.Parameter, to unsafe.Pointer, _ uintptr) error {
			m, err := p.MetaFormat()
			if err == nil {
				*(*uintptr)(to) = handleOf(m)
			}
			return err
		},
	},
}
