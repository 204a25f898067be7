package webnn

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/tensor"
)

// What tests of package webnn_test need of this package.

// supported are the limits of a context.
var supported = sync.OnceValue(func() *OpSupportLimits { return opSupportLimits(1000) })

// LegalCall draws arguments and options of a legal call, with descriptors in the place of operands. The first operand is one
// of those given, if one can be. It reports false if there is no generator for the method in this package.
func LegalCall(r *rand.Rand, method string, given []OperandDescriptor) ([]any, Options, bool) {
	generate := legal[method]
	if generate == nil {
		return nil, nil, false
	}
	row := methodOf(method).limits[0]
	types := supported().Operators[method][row.name].DataTypes
	given = slices.DeleteFunc(slices.Clone(given), func(d OperandDescriptor) bool {
		return !slices.Contains(types, d.DataType) || len(d.Shape) < row.minRank || len(d.Shape) > row.maxRank
	})
	l := legalCalls{r}
	if len(given) == 0 {
		rank := row.minRank + r.IntN(min(row.maxRank-row.minRank, 3)+1)
		given = []OperandDescriptor{{types[r.IntN(len(types))], l.shape(rank)}}
	}
	first := given[r.IntN(len(given))]
	call := generate(l, first.DataType, first.Shape.Clone())
	return call.args, call.options, true
}

// RandomBits returns a tensor of random bits.
func RandomBits(r *rand.Rand, d tensor.DType, s tensor.Shape) *tensor.Tensor {
	x, err := tensor.New(d, s)
	if err != nil {
		panic(err)
	}
	for i := range x.Bytes() {
		x.Bytes()[i] = byte(r.Uint32())
	}
	return x
}

// Compile makes a graph of the context from a network.
func Compile(ctx context.Context, c *Context, g *graph.Graph) (*Graph, error) {
	return c.compile(ctx, g, c.memory.holding())
}
