package symbol

import (
	"reflect"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/tensor"
)

// The keys of a graph. What stands here is read and written.
var (
	graph = object(
		member("nodes", required, nodes, func(s *Symbol) *[]Node { return &s.Nodes }),
		member("arg_nodes", optional, list(integer(uint32Number)), func(s *Symbol) *[]int { return &s.ArgNodes }),
		member("node_row_ptr", optional, list(integer(uint32Number)), func(s *Symbol) *[]int { return &s.NodeRowPtr }),
		member("heads", required, list(entry), func(s *Symbol) *[]Entry { return &s.Heads }),
		member("attrs", required, lists, func(s *Symbol) *Symbol { return s }),
		member("version", written, text, func(s *Symbol) *string { return &s.Version }),
		member("postprocess", optional, text, func(s *Symbol) *string { return &s.Postprocess }))

	node = object(
		member("op", required, nodeOp, func(n *Node) *string { return &n.Op }),
		member("name", required, text, func(n *Node) *string { return &n.Name }),
		member("inputs", required, list(entry), func(n *Node) *[]Entry { return &n.Inputs }),
		member("attrs", optional, pointer(nodeAttrs), func(n *Node) **NodeAttrs { return &n.Attrs }),
		member("precision", optional, pointer(integer(int32Number)), func(n *Node) **int { return &n.Precision }))

	nodeAttrs = object(
		member("func_name", required, text, func(a *NodeAttrs) *string { return &a.FuncName }),
		member("num_inputs", optional, text, func(a *NodeAttrs) *string { return &a.NumInputs }),
		member("num_outputs", optional, text, func(a *NodeAttrs) *string { return &a.NumOutputs }),
		member("flatten_data", optional, text, func(a *NodeAttrs) *string { return &a.FlattenData }),
		member("op_attrs", optional, text, func(a *NodeAttrs) *string { return &a.OpAttrs }))

	// lists are the attributes of the graph: lists with a tag.
	lists = object(
		member("op_attrs", required, tagged("list_str", opAttrs), func(s *Symbol) *[]string { return &s.OpAttrs }),
		member("shape", required, tagged("list_shape", list(shape)), func(s *Symbol) *[]tensor.Shape { return &s.Shape }),
		member("precision", optional, tagged("list_int", list(integer(int32Number))), func(s *Symbol) *[]int { return &s.Precision }),
		member("storage_id", required, tagged("list_int", list(integer(int32Number))), func(s *Symbol) *[]int { return &s.StorageID }),
		member("dltype", optional, tagged("list_str", list(text)), func(s *Symbol) *[]string { return &s.DLType }),
		member("device_index", optional, tagged("list_int", list(integer(int32Number))), func(s *Symbol) *[]int { return &s.DeviceIdx }),
		member("dtype", optional, dtype, func(s *Symbol) *DType { return &s.DType }))
)

// form is how the values of a type stand in the text.
type form[T any] struct {
	read  func(p *parser, to *T)
	write func(w *writer, v T)
}

// field is a key of an object, with its value.
type field[S any] struct {
	key   string
	need  need
	read  func(p *parser, to *S)
	write func(w *writer, of *S)
}

// need says whether a key must be there.
type need int

const (
	required need = iota
	written       // it may be missing, but is written
	optional      // it may be missing, and is not written if it has the zero value
)

// member makes the field of a value that is found in a struct.
func member[S, T any](key string, need need, value form[T], in func(*S) *T) field[S] {
	return field[S]{key, need, func(p *parser, to *S) { value.read(p, in(to)) }, func(w *writer, of *S) {
		if v := in(of); need != optional || !reflect.ValueOf(v).Elem().IsZero() {
			w.key(key)
			value.write(w, *v)
		}
	}}
}

// object is the form of a struct.
func object[S any](fields ...field[S]) form[S] {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	return form[S]{func(p *parser, to *S) {
		begin, outer := p.next(), p.part
		var seen uint
		p.object(func(key []byte, at Pos) {
			i := slices.IndexFunc(fields, func(f field[S]) bool { return f.key == string(key) })
			if i < 0 {
				p.fail(at, fault.Runtime, "one of "+strings.Join(keys, ", "), "the key %q is unknown", string(key))
			}
			seen |= 1 << i
			p.part = fields[i].key
			fields[i].read(p, to)
			p.part = outer
		})
		for i, f := range fields {
			if f.need == required && seen&(1<<i) == 0 {
				p.stage, p.part = fault.Graph, f.key
				p.fail(begin, fault.Logic, "", "the key is missing")
			}
		}
	}, func(w *writer, v S) {
		w.within("{}", func() {
			for _, f := range fields {
				f.write(w, &v)
			}
		})
	}}
}

func list[T any](item form[T]) form[[]T] {
	return form[[]T]{func(p *parser, to *[]T) {
		*to = []T{}
		p.array(func(int) {
			var v T
			item.read(p, &v)
			*to = append(*to, v)
		})
	}, func(w *writer, items []T) {
		w.within("[]", func() {
			for _, v := range items {
				w.separate()
				item.write(w, v)
			}
		})
	}}
}

func pointer[T any](value form[T]) form[*T] {
	return form[*T]{func(p *parser, to **T) {
		*to = new(T)
		value.read(p, *to)
	}, func(w *writer, v *T) { value.write(w, *v) }}
}

func integer(n number) form[int] {
	return form[int]{func(p *parser, to *int) { *to = p.number(n) }, func(w *writer, v int) { w.number(n, v) }}
}

var text = form[string]{func(p *parser, to *string) { *to = string(p.string()) }, (*writer).string}

// tagged is a list of a tag and a value.
func tagged[T any](tag string, value form[T]) form[T] {
	return form[T]{func(p *parser, to *T) {
		p.pair(fault.Logic, map[string]func(){tag: func() { value.read(p, to) }})
	}, func(w *writer, v T) {
		w.within("[]", func() {
			w.separate()
			w.string(tag)
			w.separate()
			value.write(w, v)
		})
	}}
}

// pair reads a list of a tag and a value, with the reader for the tag. The class is that of the error of an unknown tag.
func (p *parser) pair(class fault.Class, readers map[string]func()) {
	const want = "a list of a tag and a value"
	begin := p.next()
	var read func()
	n := p.array(func(i int) {
		switch at := p.next(); i {
		case 0:
			tag := string(p.string())
			if read = readers[tag]; read == nil {
				p.fail(at, class, strings.Join(naming.Sorted(readers), " or "), "the tag is %q", tag)
			}
		case 1:
			read()
		default:
			p.fail(at, fault.Logic, want, "there are more than two items")
		}
	})
	if n < 2 {
		p.fail(begin, fault.Logic, want, "there are %d items", n)
	}
}

// nodes are listed with their places; errors name the one at work.
var nodes = form[[]Node]{func(p *parser, to *[]Node) {
	i := 0
	list(form[Node]{read: func(p *parser, to *Node) {
		to.Pos = p.next()
		p.node, p.current = i, to
		node.read(p, to)
		p.node = -1
		i++
	}}).read(p, to)
}, func(w *writer, v []Node) {
	list(form[Node]{write: func(w *writer, n Node) {
		w.node++
		node.write(w, n)
	}}).write(w, v)
	w.node = -1
}}

// nodeOp is one of two words.
var nodeOp = form[string]{func(p *parser, to *string) {
	at := p.next()
	if text.read(p, to); !validOp(*to) {
		p.fail(at, fault.Logic, wantOp, "found %q", *to)
	}
}, func(w *writer, v string) {
	if !validOp(v) {
		w.fail(wantOp, "cannot write %q", v)
	}
	w.string(v)
}}

const wantOp = Variable + " or " + Operator

func validOp(op string) bool { return op == Variable || op == Operator }

// entry is a list of two or three numbers.
var entry = form[Entry]{func(p *parser, to *Entry) {
	const want = "an entry like [node, output] or [node, output, version]"
	at := p.next()
	var v [3]int
	n := p.array(func(i int) {
		if i == len(v) {
			p.fail(at, fault.Logic, want, "there are more than three numbers")
		}
		v[i] = p.number(uint32Number)
	})
	if n < 2 {
		p.fail(at, fault.Logic, want, "the number of numbers is %d", n)
	}
	*to = Entry{v[0], v[1], v[2]}
}, func(w *writer, e Entry) { list(integer(uint32Number)).write(w, []int{e.Node, e.Output, e.Version}) }}

var shape = form[tensor.Shape]{
	func(p *parser, to *tensor.Shape) { list(integer(int64Number)).read(p, (*[]int)(to)) },
	func(w *writer, v tensor.Shape) { list(integer(int64Number)).write(w, v) },
}

// opAttrs are strings whose places are kept.
var opAttrs = form[[]string]{func(p *parser, to *[]string) {
	p.attrsPos = p.attrsPos[:0]
	list(form[string]{read: func(p *parser, to *string) {
		p.attrsPos = append(p.attrsPos, p.next())
		text.read(p, to)
	}}).read(p, to)
}, list(text).write}

// dtype has numbers behind list_int and, by an oversight of the original, a single one behind list_str.
var dtype = form[DType]{func(p *parser, to *DType) {
	p.pair(fault.Runtime, map[string]func(){
		"list_int": func() {
			to.Tag = "list_int"
			list(integer(int32Number)).read(p, &to.Numbers)
		},
		"list_str": func() { *to = DType{"list_str", []int{p.number(uint64Number)}} },
	})
}, func(w *writer, d DType) {
	switch {
	case d.Tag == "list_int":
		tagged(d.Tag, list(integer(int32Number))).write(w, d.Numbers)
	case d.Tag == "list_str" && len(d.Numbers) == 1:
		tagged(d.Tag, integer(uint64Number)).write(w, d.Numbers[0])
	case d.Tag == "list_str":
		w.fail("one number behind list_str", "cannot write %d", len(d.Numbers))
	default:
		w.fail("list_int or list_str", "cannot write %q", d.Tag)
	}
}}
