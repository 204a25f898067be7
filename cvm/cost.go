package cvm

import (
	"fmt"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/limits"
)

// gasPerElement is the gas of an element of a variable or an output.
const gasPerElement = 5

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
		base, written, d := int64(0), int64(0), &n.nodes[i]
		if d.call != nil {
			base = d.call.Operator.Base(d.call)
		}
		for k := range d.outputs() {
			written += gasPerElement * int64(n.entries[d.out+k].Shape.Len())
		}
		own := base * int64(n.entries[d.out].Shape.Len()) // at most 2^60 within the limit of base
		operations, traffic, byNode[i] = operations+own, traffic+written, own+written
		for _, part := range []struct {
			what      string
			got, most int64
		}{
			{"operations for each element of the output", base, limits.CVMBase},
			{"operations of the graph up to here", operations, limits.CVMOperations},
			{"gas for the elements of the graph up to here", traffic, limits.CVMTraffic},
		} {
			if part.got > part.most {
				return 0, nil, n.place(i, fault.Logicf(fault.Limits, "%s: %d", part.what, part.got).With("", fmt.Sprintf("at most %d", part.most)))
			}
		}
	}
	return operations + traffic, byNode, nil
}

// checkInPlace refuses an operator that gives an output the storage of an operand, but for those that may. Whether an operand is of an
// earlier node is checked later, as in the original. Like there, entries are numbered by the text's node_row_ptr if there is one, which
// may be wrong in version 1.1.0 and then leads to other entries.
func (n *network) checkInPlace() {
	storageOf := func(e symbol.Entry) int {
		eid := n.number(e)
		if rows := n.symbol.NodeRowPtr; e.Node >= 0 && e.Node < len(rows) {
			eid = int(uint32(rows[e.Node] + e.Output))
		}
		if eid < 0 || eid >= len(n.entries) {
			return -1
		}
		return n.entries[eid].storage
	}
	for i, d := range n.applications {
		if d.call.Operator.InPlace {
			continue
		}
		for k := range d.outputs() {
			id := storageOf(symbol.Entry{Node: i, Output: k})
			for j, in := range n.symbol.Nodes[i].Inputs {
				if id >= 0 && storageOf(in) == id {
					n.check(i, fault.Logicf(fault.Storage, "the output has the storage %d of operand %d, which %s must not overwrite",
						id, j, d.call.Operator.Name).With(operators.OutputName(k), "another storage id"))
				}
			}
		}
	}
}

// storageSize returns the bytes of the storage plan, by the original's formula, and checks their limit: for each storage id those of its
// largest entry as int32.
func (n *network) storageSize() (int64, error) {
	largest := make(map[int]int64)
	for i := range n.entries {
		e := &n.entries[i]
		largest[e.storage] = max(largest[e.storage], 4*int64(e.Shape.Len()))
	}
	var sum int64 // at most 2^32 for each entry
	for _, size := range largest {
		sum += size
	}
	if sum > limits.CVMStorage {
		return 0, fault.Logicf(fault.Limits, "the storage plan takes %d bytes", sum).With("", "at most 2^32")
	}
	return sum, nil
}

// conflict is a reading of an entry whose storage has meanwhile been written by another.
type conflict struct {
	reader int // the node that reads; the number of nodes if the output does
	entry  int // what it means to read
	writer int // the entry that was written there since
}

// conflicts returns the places where the storage plan overwrites a tensor that is still needed, in this run or the next, in the order of
// the readers. It goes through the writings and readings of a second run: parameters are written once, before the first run and in an
// order that only their file knows; data is written at the start of each run; then the nodes read and write in their order.
func (n *network) conflicts() []conflict {
	last := make(map[int]int)  // by storage id: the entry that was written there last
	rival := make(map[int]int) // by parameter: another that is written to the same storage
	write := func(eid int) { last[n.entries[eid].storage] = eid }
	for i := range n.nodes {
		if n.nodes[i].call != nil || i == n.data {
			continue
		}
		eid := n.nodes[i].out
		if other, ok := last[n.entries[eid].storage]; ok {
			rival[eid], rival[other] = other, eid
		}
		write(eid)
	}
	for _, d := range n.applications {
		for k := range d.outputs() {
			write(d.out + k)
		}
	}
	if n.data >= 0 {
		write(n.nodes[n.data].out)
	}

	var found []conflict
	read := func(reader, eid int) {
		writer := last[n.entries[eid].storage]
		if other, ok := rival[eid]; ok && writer == eid {
			writer = other
		}
		if writer != eid {
			found = append(found, conflict{reader, eid, writer})
		}
	}
	for i, d := range n.applications {
		for _, eid := range d.in {
			read(i, eid)
		}
		for k := range d.outputs() {
			// Outputs are written side by side. One that has the storage of an earlier one spoils it, whoever reads it.
			if k > 0 && n.entries[d.out+k].storage == n.entries[d.out].storage {
				found = append(found, conflict{i, d.out, d.out + k})
			}
			write(d.out + k)
		}
	}
	for _, eid := range n.heads {
		if eid >= 0 {
			read(len(n.nodes), eid)
		}
	}
	return found
}

// checkConflicts turns the first conflict into an error.
func (n *network) checkConflicts() error {
	found := n.conflicts()
	if len(found) == 0 {
		return nil
	}
	c := found[0]
	e := fault.Logicf(fault.Storage, "storage %d has been overwritten with %q when %q is needed", n.entries[c.entry].storage,
		n.tensorName(c.writer), n.tensorName(c.entry)).With(n.tensorName(c.entry), "a storage id that nothing else uses meanwhile, or compatible mode")
	if c.reader == len(n.nodes) {
		e.Msg += " as an output of the graph"
		return n.place(n.entries[c.entry].node, e)
	}
	return n.place(c.reader, e)
}
