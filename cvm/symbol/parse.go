package symbol

import (
	"bytes"

	"github.com/concord-nn/concord/cvm/fault"
)

// Parse reads a graph. Unknown keys, wrong types and tags, and malformed JSON are *fault.Error of stage Text (or Graph, where a
// mandatory key is missing) with a place, in the class of the original. See the package for the dialect. Memory and time are
// proportional to the length of the text.
func Parse(text []byte) (_ *Symbol, err error) {
	text, _, _ = bytes.Cut(text, []byte{0}) // the original takes a C string
	p := &parser{scanner: newScanner(text, fault.Text), node: -1}
	defer func() {
		if e := caught(recover()); e != nil {
			if p.node >= 0 {
				e.Node, e.Name = p.node, p.current.Name
			}
			err = e
		}
	}()
	s := &Symbol{Version: V100}
	graph.read(p, s)
	for i := range min(len(s.Nodes), len(p.attrsPos)) {
		s.Nodes[i].AttrsPos = p.attrsPos[i]
	}
	return s, nil
}

// parser reads a graph.
type parser struct {
	scanner
	attrsPos []Pos // of the strings of op_attrs
	node     int   // the number of the node that is being read; -1 outside nodes
	current  *Node // that node
}
