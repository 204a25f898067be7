package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

var nodeAttributes = attributes[*openvx.Node]{
	C.VX_NODE_STATUS:      readable((*openvx.Node).Status),
	C.VX_NODE_PERFORMANCE: readable(func(n *openvx.Node) performance { return performanceOf(n.Performance()) }),
	C.VX_NODE_BORDER:      writable((*openvx.Node).Border, (*openvx.Node).SetBorder),
	C.VX_NODE_LOCAL_DATA_SIZE: writable(
		func(n *openvx.Node) uintptr { return uintptr(n.LocalDataSize()) },
		func(n *openvx.Node, size uintptr) error { return n.SetLocalDataSize(count("the size", size)) }),
	C.VX_NODE_LOCAL_DATA_PTR: writable(
		localData,
		func(n *openvx.Node, p unsafe.Pointer) error { return n.SetLocalData(p) }),
	C.VX_NODE_PARAMETERS:       readable(func(n *openvx.Node) uint32 { return uint32(n.NumParameters()) }),
	C.VX_NODE_IS_REPLICATED:    readable(func(n *openvx.Node) int32 { return boolean(n.IsReplicated()) }),
	C.VX_NODE_REPLICATE_FLAGS:  listed(replicateFlags),
	C.VX_NODE_VALID_RECT_RESET: readable(func(*openvx.Node) int32 { return boolean(false) }),
}

// localData returns the address of what a kernel has for a node: memory that was allocated for it, or what it has set itself.
func localData(n *openvx.Node) unsafe.Pointer {
	switch data := n.LocalData().(type) {
	case []byte:
		return unsafe.Pointer(unsafe.SliceData(data))
	case unsafe.Pointer:
		return data
	}
	return nil
}

func replicateFlags(n *openvx.Node) []int32 {
	flags := make([]int32, n.NumParameters())
	for i, f := range n.Replicated() {
		flags[i] = boolean(f)
	}
	return flags
}

//export vxRemoveNode
func vxRemoveNode(node *uintptr) int32 { return consume(node, (*openvx.Node).Remove) }

//export vxSetNodeTarget
func vxSetNodeTarget(node uintptr, target int32, name *C.char) int32 {
	return do(node, func(n *openvx.Node) error {
		return n.SetTarget(openvx.Target(target), targetName(target, name))
	})
}

// targetName returns what names a target. Only VX_TARGET_STRING has a name: the standard ignores the string of others.
func targetName(target int32, name *C.char) string {
	if openvx.Target(target) != openvx.TargetString {
		return ""
	}
	return textOrNone("the target", name, maxTarget)
}

//export vxAssignNodeCallback
func vxAssignNodeCallback(node uintptr, callback C.vx_nodecomplete_f) int32 {
	return do(node, func(n *openvx.Node) error {
		var f openvx.NodeCallback
		if callback != nil {
			f = func(n *openvx.Node) openvx.Action {
				return openvx.Action(C.callNodeComplete(callback, C.vx_node(handleOf(n))))
			}
		}
		if err := n.SetCallback(f); err != nil {
			return err
		}
		handles.keep(n, func(b *belongings) { b.callback = callback })
		return nil
	})
}

//export vxRetrieveNodeCallback
func vxRetrieveNodeCallback(node uintptr) (callback C.vx_nodecomplete_f) {
	do(node, func(n *openvx.Node) error {
		handles.keep(n, func(b *belongings) { callback = b.callback })
		return nil
	})
	return callback
}
