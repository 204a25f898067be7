package export

import (
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Version is a version of the standard.
type Version struct {
	Types op.Types // the element types that need it
	Opset int      // of the operators
	IR    int      // of the format
}

// Versions are what models are written in: the first one, or the oldest that has all their element types. The first one is the oldest that
// has functions for operands of several types (overloads), which older runtimes read, too; from one to the next nothing changes but
// the types that operators take.
var Versions = []Version{
	{^(op.TypeSet(tensor.BFloat16) | float4s | scales8 | twoBits), 21, 10},
	{op.TypeSet(tensor.BFloat16), 22, 10},
	{float4s, 23, 11},
	{scales8, 24, 12},
	{twoBits, 25, 13},
}

// bitVersion is the one that has the operators BitCast and CumProd.
var bitVersion = Version{0, 26, 13}

var (
	float4s = op.TypeSet(tensor.Float4E2M1)
	scales8 = op.TypeSet(tensor.Float8E8M0)
	twoBits = op.TypeSet(tensor.Int2, tensor.Uint2)
)

// version returns the version that has all of some element types, and is not before another.
func version(types op.Types, least Version) Version {
	v := Versions[0]
	for _, x := range Versions {
		if x.Types&types != 0 {
			v = x
		}
	}
	if least.Opset > v.Opset {
		return least
	}
	return v
}

// imports returns the sets of operators that a model or a function imports.
func imports(v Version, domains ...string) []*proto.OperatorSet {
	out := []*proto.OperatorSet{{Version: int64(v.Opset)}}
	for _, d := range domains {
		out = append(out, &proto.OperatorSet{Domain: d, Version: 1})
	}
	return out
}

// needs notes that a node is of a version of the standard.
func (s *scope) needs(v Version) {
	if v.Opset > s.e.least.Opset {
		s.e.least = v
	}
}
