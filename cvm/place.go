package cvm

import (
	"errors"
	"fmt"

	"github.com/concord-nn/concord/cvm/fault"
)

// place gives an error its node and, if it has no place, the node's place in the text or, for attributes, theirs.
func (n *network) place(i int, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		e = fault.Runtimef(fault.Graph, "")
		e.Err = err
	}
	s := &n.symbol.Nodes[i]
	e.Node, e.Name, e.Operator = i, s.Name, funcName(s)
	switch {
	case e.Line > 0: // it knows better
	case e.Stage == fault.Attrs && s.AttrsPos.Line > 0:
		e.Line, e.Column = s.AttrsPos.Line, s.AttrsPos.Column
	default:
		e.Line, e.Column = s.Pos.Line, s.Pos.Column
	}
	return e
}

// placeEntry gives an error in a list by entry its node and part.
func (n *network) placeEntry(eid int, list string, err error) error {
	err = n.place(n.entries[eid].node, err)
	if e, ok := errors.AsType[*fault.Error](err); ok {
		e.Part = fmt.Sprintf("%s[%d]", list, eid)
	}
	return err
}

// checkLength checks the length of a list of the text.
func (n *network) checkLength(key string, got, want int, of string) error {
	if got == want {
		return nil
	}
	return fault.Logicf(fault.Graph, "the list has %d elements", got).With(key, fmt.Sprintf("%d, the number of %s", want, of))
}
