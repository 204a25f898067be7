package symbol

import (
	"maps"
	"slices"

	"github.com/concord-nn/concord/cvm/fault"
)

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
	for i, name := range slices.Sorted(maps.Keys(attrs)) {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendString(b, name), ": "...)
		b = appendString(b, attrs[name])
	}
	return string(append(b, '}'))
}
