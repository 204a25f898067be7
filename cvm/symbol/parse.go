package symbol

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/tensor"
)

// Parse reads a graph. Unknown keys, wrong types and tags, and malformed JSON are *fault.Error of stage Text (or Graph, where a
// mandatory key is missing) with a place, in the class of the original. See the package for the dialect. Memory and time are
// proportional to the length of the text.
func Parse(text []byte) (*Symbol, error) {
	text, _, _ = bytes.Cut(text, []byte{0}) // the original takes a C string
	p := &parser{scanner: newScanner(text, fault.Text), symbol: &Symbol{Version: V100}, node: -1}
	if err := p.fields(graphFields); err != nil {
		return nil, err
	}
	for i := range min(len(p.symbol.Nodes), len(p.attrsPos)) {
		p.symbol.Nodes[i].AttrsPos = p.attrsPos[i]
	}
	return p.symbol, nil
}

// parser reads a graph into symbol.
type parser struct {
	scanner
	symbol   *Symbol
	attrsPos []Pos // of the strings of op_attrs
	node     int   // the number of the node that is being read; -1 outside nodes
	current  Node  // that node
	dims     tensor.Shape
}

// field is a key of an object.
type field struct {
	key       string
	mandatory bool
	read      func(*parser) error // reads the value
}

var graphFields = []field{
	{"nodes", true, (*parser).nodes},
	{"arg_nodes", false, func(p *parser) error { return p.numbers(&p.symbol.ArgNodes, uint32Number) }},
	{"node_row_ptr", false, func(p *parser) error { return p.numbers(&p.symbol.NodeRowPtr, uint32Number) }},
	{"heads", true, func(p *parser) error { return p.entries(&p.symbol.Heads) }},
	{"attrs", true, func(p *parser) error { return p.fields(listFields) }},
	{"version", false, func(p *parser) error { return p.text(&p.symbol.Version) }},
	{"postprocess", false, func(p *parser) error { return p.text(&p.symbol.Postprocess) }},
}

var nodeFields = []field{
	{"op", true, (*parser).op},
	{"name", true, func(p *parser) error { return p.text(&p.current.Name) }},
	{"inputs", true, func(p *parser) error { return p.entries(&p.current.Inputs) }},
	{"attrs", false, (*parser).nodeAttrs},
	{"precision", false, (*parser).nodePrecision},
}

var nodeAttrFields = []field{
	{"func_name", true, func(p *parser) error { return p.text(&p.current.Attrs.FuncName) }},
	{"num_inputs", false, func(p *parser) error { return p.text(&p.current.Attrs.NumInputs) }},
	{"num_outputs", false, func(p *parser) error { return p.text(&p.current.Attrs.NumOutputs) }},
	{"flatten_data", false, func(p *parser) error { return p.text(&p.current.Attrs.FlattenData) }},
	{"op_attrs", false, func(p *parser) error { return p.text(&p.current.Attrs.OpAttrs) }},
}

// listFields are the attributes of the graph: lists with a tag.
var listFields = []field{
	{"op_attrs", true, tagged("list_str", (*parser).opAttrs)},
	{"shape", true, tagged("list_shape", (*parser).shapes)},
	{"storage_id", true, tagged("list_int", func(p *parser) error { return p.numbers(&p.symbol.StorageID, int32Number) })},
	{"precision", false, tagged("list_int", func(p *parser) error { return p.numbers(&p.symbol.Precision, int32Number) })},
	{"dltype", false, tagged("list_str", func(p *parser) error { return p.texts(&p.symbol.DLType, nil) })},
	{"device_index", false, tagged("list_int", func(p *parser) error { return p.numbers(&p.symbol.DeviceIdx, int32Number) })},
	{"dtype", false, func(p *parser) error { return p.pair(fault.Runtime, dtypeReaders) }},
}

// dtypeReaders read the values of dtype. By an oversight of the original, that of a list_str is a single number.
var dtypeReaders = map[string]func(*parser) error{
	"list_int": func(p *parser) error {
		p.symbol.DType.Tag = "list_int"
		return p.numbers(&p.symbol.DType.Numbers, int32Number)
	},
	"list_str": func(p *parser) error {
		v, err := p.number(uint64Number)
		p.symbol.DType = DType{"list_str", []int{v}}
		return err
	},
}

// tagged returns the reader of a list with this tag.
func tagged(tag string, list func(*parser) error) func(*parser) error {
	readers := map[string]func(*parser) error{tag: list}
	return func(p *parser) error { return p.pair(fault.Logic, readers) }
}

// fields reads an object with these keys.
func (p *parser) fields(list []field) error {
	p.token()
	at := p.at()
	var seen uint
	err := p.object(func(key []byte, at Pos) error {
		for i, f := range list {
			if f.key == string(key) {
				seen |= 1 << i
				return p.locate(f.read(p), f.key)
			}
		}
		return p.errorAt(at, fault.Runtime, "one of "+keys(list), "the key %q is unknown", string(key))
	})
	if err != nil {
		return p.locate(err, "")
	}
	for i, f := range list {
		if f.mandatory && seen&(1<<i) == 0 {
			e := p.errorAt(at, fault.Logic, "", "the key is missing")
			e.Stage = fault.Graph
			return p.locate(e, f.key)
		}
	}
	return nil
}

// locate adds the node and the key to an error that does not have them yet.
func (p *parser) locate(err error, key string) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		if e.Part == "" {
			e.Part = key
		}
		if e.Node < 0 && p.node >= 0 {
			e.Node, e.Name = p.node, p.current.Name
		}
	}
	return err
}

func keys(list []field) string {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.key
	}
	return strings.Join(names, ", ")
}

func (p *parser) text(to *string) error {
	b, err := p.string()
	if err == nil {
		*to = string(b)
	}
	return err
}

// texts reads a list of strings, and their places unless at is nil.
func (p *parser) texts(to *[]string, at *[]Pos) error {
	*to = []string{}
	_, err := p.array(func(int) error {
		p.token()
		if at != nil {
			*at = append(*at, p.at())
		}
		b, err := p.string()
		if err == nil {
			*to = append(*to, string(b))
		}
		return err
	})
	return err
}

func (p *parser) numbers(to *[]int, n number) error {
	*to = []int{}
	_, err := p.array(func(int) error {
		v, err := p.number(n)
		if err == nil {
			*to = append(*to, v)
		}
		return err
	})
	return err
}

func (p *parser) nodes() error {
	p.symbol.Nodes = []Node{}
	_, err := p.array(func(i int) error {
		p.token()
		p.node, p.current = i, Node{Pos: p.at()}
		if err := p.fields(nodeFields); err != nil {
			return err
		}
		p.symbol.Nodes = append(p.symbol.Nodes, p.current)
		p.node = -1
		return nil
	})
	return err
}

func (p *parser) op() error {
	p.token()
	at := p.at()
	if err := p.text(&p.current.Op); err != nil {
		return err
	}
	if !validOp(p.current.Op) {
		return p.errorAt(at, fault.Logic, wantOp, "found %q", p.current.Op)
	}
	return nil
}

const wantOp = Variable + " or " + Operator

func validOp(op string) bool { return op == Variable || op == Operator }

func (p *parser) nodePrecision() error {
	v, err := p.number(int32Number)
	p.current.Precision = &v
	return err
}

func (p *parser) nodeAttrs() error {
	p.current.Attrs = new(NodeAttrs)
	return p.fields(nodeAttrFields)
}

const entryForm = "an entry like [node, output] or [node, output, version]"

func (p *parser) entries(to *[]Entry) error {
	*to = []Entry{}
	_, err := p.array(func(int) error {
		p.token()
		at := p.at()
		var v [3]int
		n, err := p.array(func(i int) error {
			if i == len(v) {
				return p.errorAt(at, fault.Logic, entryForm, "there are more than three numbers")
			}
			var err error
			v[i], err = p.number(uint32Number)
			return err
		})
		switch {
		case err != nil:
			return err
		case n < 2:
			return p.errorAt(at, fault.Logic, entryForm, "the number of numbers is %d", n)
		}
		*to = append(*to, Entry{v[0], v[1], v[2]})
		return nil
	})
	return err
}

// pair reads a list of a tag and a value, with the reader for the tag. The class is that of the error of an unknown tag.
func (p *parser) pair(class fault.Class, readers map[string]func(*parser) error) error {
	const want = "a list of a tag and a value"
	p.token()
	begin := p.at()
	var read func(*parser) error
	n, err := p.array(func(i int) error {
		p.token()
		at := p.at()
		switch i {
		case 0:
			tag, err := p.string()
			if err != nil {
				return err
			}
			if read = readers[string(tag)]; read == nil {
				return p.errorAt(at, class, strings.Join(slices.Sorted(maps.Keys(readers)), " or "), "the tag is %q", string(tag))
			}
			return nil
		case 1:
			return read(p)
		}
		return p.errorAt(at, fault.Logic, want, "there are more than two items")
	})
	if err == nil && n < 2 {
		return p.errorAt(begin, fault.Logic, want, "there are %d items", n)
	}
	return err
}

func (p *parser) opAttrs() error {
	p.attrsPos = p.attrsPos[:0]
	return p.texts(&p.symbol.OpAttrs, &p.attrsPos)
}

func (p *parser) shapes() error {
	p.symbol.Shape = []tensor.Shape{}
	_, err := p.array(func(int) error {
		p.dims = p.dims[:0]
		_, err := p.array(func(int) error {
			v, err := p.number(int64Number)
			if err == nil {
				p.dims = append(p.dims, v)
			}
			return err
		})
		if err == nil {
			p.symbol.Shape = append(p.symbol.Shape, append(tensor.Shape{}, p.dims...))
		}
		return err
	})
	return err
}
