package main

// #include "shim.h"
import "C"

import (
	"unsafe"

	"github.com/concord-nn/concord/openvx"
)

// performance is vx_perf_t, in nanoseconds.
type performance struct{ tmp, begin, end, sum, avg, min, num, max uint64 }

func performanceOf(p openvx.Performance) performance {
	return performance{
		begin: uint64(p.Begin), end: uint64(p.End),
		sum: uint64(p.Sum), avg: uint64(p.Avg), min: uint64(p.Min), num: uint64(p.Num), max: uint64(p.Max),
	}
}

var graphAttributes = attributes[*openvx.Graph]{
	C.VX_GRAPH_NUMNODES:      readable(func(g *openvx.Graph) uint32 { return uint32(g.Nodes()) }),
	C.VX_GRAPH_PERFORMANCE:   readable(func(g *openvx.Graph) performance { return performanceOf(g.Performance()) }),
	C.VX_GRAPH_NUMPARAMETERS: readable(func(g *openvx.Graph) uint32 { return uint32(g.NumParameters()) }),
	C.VX_GRAPH_STATE:         readable((*openvx.Graph).State),
}

//export vxIsGraphVerified
func vxIsGraphVerified(graph uintptr) int32 {
	verified := false
	do(graph, func(g *openvx.Graph) error {
		verified = g.IsVerified()
		return nil
	})
	return boolean(verified)
}

//export vxReplicateNode
func vxReplicateNode(graph, first uintptr, replicate *int32, n uint32) int32 {
	return do(graph, func(g *openvx.Graph) error {
		node := object[*openvx.Node](first)
		if int(n) != node.NumParameters() {
			refuse(openvx.ErrorInvalidParameters, "%d flags are given for %d parameters", n, node.NumParameters())
		}
		flags := make([]bool, n)
		for i, f := range unsafe.Slice(output("the flags", replicate), n) {
			flags[i] = f != 0
		}
		return g.ReplicateNode(node, flags)
	})
}
