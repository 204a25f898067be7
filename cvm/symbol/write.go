package symbol

import (
	"math"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// AppendText appends the graph as JSON without spaces, with the keys in the order of exported models: the version always, and
// of optional lists those that are not nil. Parse reads it back into an equal Symbol but for places, where mandatory lists that are
// nil come back empty. The error, a *fault.Error, is that something cannot be said: an Op that is neither Variable nor Operator, a zero
// byte, or a number beyond the type that the original has for it.
func (s *Symbol) AppendText(b []byte) ([]byte, error) {
	if s == nil {
		return b, fault.Logicf(fault.Graph, "the symbol is nil")
	}
	w := &writer{text: b, node: -1}
	w.object(func() {
		w.key("nodes")
		list(w, s.Nodes, func(n Node) {
			w.node++
			w.writeNode(&n)
		})
		w.node = -1
		w.ids("arg_nodes", s.ArgNodes)
		w.ids("node_row_ptr", s.NodeRowPtr)
		w.key("heads")
		list(w, s.Heads, w.entry)
		w.key("attrs")
		w.object(func() {
			tag(w, "op_attrs", "list_str", s.OpAttrs, w.string)
			tag(w, "shape", "list_shape", s.Shape, func(dims tensor.Shape) { list(w, dims, w.int) })
			if s.Precision != nil {
				tag(w, "precision", "list_int", s.Precision, w.int32)
			}
			tag(w, "storage_id", "list_int", s.StorageID, w.int32)
			if s.DLType != nil {
				tag(w, "dltype", "list_str", s.DLType, w.string)
			}
			if s.DeviceIdx != nil {
				tag(w, "device_index", "list_int", s.DeviceIdx, w.int32)
			}
			w.dtype(&s.DType)
		})
		w.key("version")
		w.string(s.Version)
		w.optional("postprocess", s.Postprocess)
	})
	if w.err != nil {
		return b, w.err
	}
	return w.text, nil
}

// writer appends a graph to text.
type writer struct {
	text  []byte
	part  string // the key that was written last
	node  int    // the number of the node that is being written; -1 outside nodes
	comma bool   // whether an item stands before the next
	err   error  // the first
}

func (w *writer) writeNode(n *Node) {
	w.object(func() {
		w.key("op")
		if !validOp(n.Op) {
			w.fail(wantOp, "cannot write %q", n.Op)
		}
		w.string(n.Op)
		w.key("name")
		w.string(n.Name)
		w.key("inputs")
		list(w, n.Inputs, w.entry)
		if n.Attrs != nil {
			w.key("attrs")
			w.nodeAttrs(n.Attrs)
		}
		if n.Precision != nil {
			w.key("precision")
			w.int32(*n.Precision)
		}
	})
}

func (w *writer) nodeAttrs(a *NodeAttrs) {
	w.object(func() {
		w.key("func_name")
		w.string(a.FuncName)
		w.optional("num_inputs", a.NumInputs)
		w.optional("num_outputs", a.NumOutputs)
		w.optional("flatten_data", a.FlattenData)
		w.optional("op_attrs", a.OpAttrs)
	})
}

// dtype writes the attribute that only this tag makes a list or a number.
func (w *writer) dtype(d *DType) {
	switch d.Tag {
	case "":
	case "list_int":
		tag(w, "dtype", d.Tag, d.Numbers, w.int32)
	case "list_str":
		w.key("dtype")
		if len(d.Numbers) != 1 {
			w.fail("one number behind list_str", "cannot write %d", len(d.Numbers))
			return
		}
		w.text = append(appendString(append(w.text, '['), d.Tag), ',')
		w.bounded(int64(d.Numbers[0]), 0, math.MaxInt64, uint64Number)
		w.text = append(w.text, ']')
	default:
		w.key("dtype")
		w.fail("list_int or list_str", "cannot write %q", d.Tag)
	}
}

func (w *writer) fail(want, format string, args ...any) {
	if w.err == nil {
		e := fault.Logicf(fault.Graph, format, args...)
		e.Node, e.Part, e.Want = w.node, w.part, want
		w.err = e
	}
}

// object writes an object, of which fields writes the keys and values.
func (w *writer) object(fields func()) {
	w.text, w.comma = append(w.text, '{'), false
	fields()
	w.text, w.comma = append(w.text, '}'), true
}

func (w *writer) key(key string) {
	w.separate()
	w.text = append(appendString(w.text, key), ':')
	w.part = key
}

// separate writes the comma between items.
func (w *writer) separate() {
	if w.comma {
		w.text = append(w.text, ',')
	}
	w.comma = true
}

// list writes a list, of which item writes each item.
func list[E any](w *writer, items []E, item func(E)) {
	w.text, w.comma = append(w.text, '['), false
	for _, v := range items {
		w.separate()
		item(v)
	}
	w.text, w.comma = append(w.text, ']'), true
}

// tag writes a key with a list of a tag and a list.
func tag[E any](w *writer, key, tag string, items []E, item func(E)) {
	w.key(key)
	w.text = append(appendString(append(w.text, '['), tag), ',')
	list(w, items, item)
	w.text = append(w.text, ']')
}

// ids writes a key with a list of unsigned integers, unless it is nil.
func (w *writer) ids(key string, ids []int) {
	if ids != nil {
		w.key(key)
		list(w, ids, w.uint32)
	}
}

// optional writes a key with a string, unless it is empty.
func (w *writer) optional(key, value string) {
	if value != "" {
		w.key(key)
		w.string(value)
	}
}

func (w *writer) entry(e Entry) { list(w, []int{e.Node, e.Output, e.Version}, w.uint32) }

func (w *writer) string(s string) {
	if strings.IndexByte(s, 0) >= 0 {
		w.fail("no zero byte, which ends the text", "cannot write %q", s)
	}
	w.text = appendString(w.text, s)
}

func (w *writer) int(v int) { w.text = strconv.AppendInt(w.text, int64(v), 10) }

func (w *writer) int32(v int) { w.bounded(int64(v), math.MinInt32, math.MaxInt32, int32Number) }

// uint32 writes an unsigned integer. An int of 32 bits is its bits; see number.int.
func (w *writer) uint32(v int) {
	x := int64(v)
	if strconv.IntSize == 32 {
		x = int64(uint32(v))
	}
	w.bounded(x, 0, math.MaxUint32, uint32Number)
}

func (w *writer) bounded(v, lo, hi int64, n number) {
	if v < lo || v > hi {
		w.fail(n.String(), "cannot write %d", v)
	}
	w.text = strconv.AppendInt(w.text, v, 10)
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
