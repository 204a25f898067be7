package symbol

import (
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
)

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
		if e := caught(recover()); e != nil {
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

// number writes an integer. An int of 32 bits that stands for an unsigned one is its bits; see number.int.
func (w *writer) number(n number, v int) {
	x := int64(v)
	if n == uint32Number && strconv.IntSize == 32 {
		x = int64(uint32(v))
	}
	if x >= 0 && uint64(x) > n.limit(false) || x < 0 && (!n.signed || -uint64(x) > n.limit(true)) {
		w.fail(n.String(), "cannot write %d", x)
	}
	w.text = strconv.AppendInt(w.text, x, 10)
}

// appendString appends a string in quotes.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if letter := escapes[s[i]]; letter != 0 {
			b = append(b, '\\', letter)
		} else {
			b = append(b, s[i])
		}
	}
	return append(b, '"')
}
