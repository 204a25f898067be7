package symbol

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/naming"
)

// Parse reads a graph. Unknown keys, wrong types and tags, and malformed JSON are *fault.Error of stage Text (or Graph, where a
// mandatory key is missing) with a place, in the class of the original. See the package for the dialect. Memory and time are
// proportional to the length of the text.
func Parse(text []byte) (_ *Symbol, err error) {
	text, _, _ = bytes.Cut(text, []byte{0}) // the original takes a C string
	p := &parser{scanner: newScanner(text, fault.Text), node: -1}
	defer func() {
		if e := fault.Caught(recover()); e != nil {
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

// AppendText appends the graph as JSON without spaces, with the keys in the order of exported models: the version always, and
// of optional lists those that are not nil. Parse reads it back into an equal Symbol but for places, where mandatory lists that are
// nil come back empty. The error, a *fault.Error, is that something cannot be said: an Op that is neither Variable nor Operator, a zero
// byte, or a number beyond the type that the original has for it.
func (s *Symbol) AppendText(b []byte) (text []byte, err error) {
	if s == nil {
		return b, fault.Logicf(fault.Graph, "the symbol is nil")
	}
	w := &writer{text: b, node: -1}
	defer func() {
		if e := fault.Caught(recover()); e != nil {
			text, err = b, e
		}
	}()
	graph.write(w, *s)
	return w.text, nil
}

// writer appends a graph to text. What cannot be said is a panic with a *fault.Error.
type writer struct {
	text  []byte
	part  string // the key that was written last
	node  int    // the number of the node that is being written; -1 outside nodes
	comma bool   // whether an item stands before the next
}

func (w *writer) fail(want, format string, args ...any) {
	e := fault.Logicf(fault.Graph, format, args...).With(w.part, want)
	e.Node = w.node
	panic(e)
}

// within writes what items writes, between brackets.
func (w *writer) within(brackets string, items func()) {
	w.text, w.comma = append(w.text, brackets[0]), false
	items()
	w.text, w.comma = append(w.text, brackets[1]), true
}

// separate writes the comma between items.
func (w *writer) separate() {
	if w.comma {
		w.text = append(w.text, ',')
	}
	w.comma = true
}

func (w *writer) key(key string) {
	w.separate()
	w.text = append(appendString(w.text, key), ':')
	w.part = key
}

func (w *writer) string(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		w.fail("no zero byte, which ends the text", "cannot write %q", s)
	}
	w.text = appendString(w.text, s)
}

// number writes an integer. An int of 32 bits that stands for an unsigned one is its bits; see scanner.number.
func (w *writer) number(n number, v int) {
	x := int64(v)
	if n == uint32Number && strconv.IntSize == 32 {
		x = int64(uint32(v))
	}
	if !n.holds(x) {
		w.fail(n.String(), "cannot write %d", x)
	}
	w.text = strconv.AppendInt(w.text, x, 10)
}

// appendString appends a string in quotes.
func appendString(b []byte, s string) []byte {
	return append(append(append(b, '"'), escaper.Replace(s)...), '"')
}

// ParseAttrs parses an object of strings in the dialect of graphs, as op_attrs has them. Of repeated keys the last counts, and text
// after the closing brace is ignored. at is the place of the string in the graph (Node.AttrsPos). Errors are *fault.Error of stage
// Attrs and class Runtime, without a node, and with a place unless at is zero; it is exact where tabs are escaped.
func ParseAttrs(text string, at Pos) (attrs map[string]string, err error) {
	s := newScanner([]byte(text), fault.Attrs)
	defer func() {
		if e := fault.Caught(recover()); e != nil {
			place := at.within(text[:s.pos]) // where the scanner stopped
			e.Line, e.Column = place.Line, place.Column
			attrs, err = nil, e
		}
	}()
	attrs = map[string]string{}
	s.object(func(key []byte, _ Pos) {
		s.part = string(key)
		attrs[s.part] = string(s.string())
		s.part = ""
	})
	return attrs, nil
}

// within returns the place behind the first bytes of a string that begins at p in the text of a graph.
func (p Pos) within(bytes string) Pos {
	if p != (Pos{}) {
		p.Column += 1 + len(escaper.Replace(bytes))
	}
	return p
}

// FormatAttrs writes attributes in the order of their names, as the original's exporters do. ParseAttrs reads them back.
func FormatAttrs(attrs map[string]string) string {
	b := []byte{'{'}
	for i, name := range naming.Sorted(attrs) {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendString(b, name), ": "...)
		b = appendString(b, attrs[name])
	}
	return string(append(b, '}'))
}
