package cvm

import (
	"fmt"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/limits"
)

// Limits and weights of gas.
const (
	maxBase       = limits.CVMBase       // operations for each element of one operator's output
	maxOperations = limits.CVMOperations // of all nodes
	maxTraffic    = limits.CVMTraffic    // of all nodes
	gasPerElement = 5                    // of a variable or an output
)

// Gas counts the gas of a graph from its text alone, as the original does: neither parameters nor an input called data are needed,
// and aliases of operators count. Errors are *Error.
func Gas(text []byte) (int64, error) {
	s, err := symbol.Parse(text)
	if err != nil {
		return 0, err
	}
	n, err := resolve(s, true)
	if err != nil {
		return 0, err
	}
	total, _, err := n.gas()
	return total, err
}

// gas sums up the gas of the nodes and checks its limits. It has two parts, which are limited apart: operations, and traffic, five for
// each element that is written.
func (n *network) gas() (total int64, byNode []int64, err error) {
	byNode = make([]int64, len(n.nodes))
	var operations, traffic int64
	for i := range n.nodes {
		d := &n.nodes[i]
		own := int64(0)
		if d.call != nil {
			base := d.call.Operator.Base(d.call)
			if base > maxBase {
				return 0, nil, n.limit(i, "operations for each element of the output", base, maxBase)
			}
			own = base * int64(n.entries[d.out].Shape.Len()) // at most 2^60
			if operations += own; operations > maxOperations {
				return 0, nil, n.limit(i, "operations of the graph up to here", operations, maxOperations)
			}
		}
		var written int64
		for k := range d.outputs() {
			written += gasPerElement * int64(n.entries[d.out+k].Shape.Len())
		}
		if traffic += written; traffic > maxTraffic {
			return 0, nil, n.limit(i, "gas for the elements of the graph up to here", traffic, maxTraffic)
		}
		byNode[i] = own + written
	}
	return operations + traffic, byNode, nil
}

// limit is the error of a node by which a limit of gas is exceeded.
func (n *network) limit(i int, what string, got, limit int64) error {
	return n.place(i, fault.Logicf(fault.Limits, "%s: %d", what, got).With("", fmt.Sprintf("at most %s", strconv.FormatInt(limit, 10))))
}
