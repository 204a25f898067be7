package cvm

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/cvm/fault"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/tensor"
)

// network is a resolved symbol: every rule holds that needs neither parameters nor an input. It is what gas, storage, lowering and
// admission share.
type network struct {
	symbol  *symbol.Symbol
	compat  bool
	nodes   []node
	entries []entry
	heads   []int // entry numbers; -1 for a head that is none, which only loading refuses
	data    int   // the node called data; -1 if there is none, which only loading refuses
	loaded  []int // the nodes of parameters in the order in which a file has them; set by bind
}

// node is a node of a network.
type node struct {
	name string
	call *operators.Call // nil for a variable
	in   []int           // entry numbers
	out  int             // the number of the first entry
}

// outputs returns the number of entries of the node.
func (d *node) outputs() int {
	if d.call == nil {
		return 1
	}
	return d.call.Operator.Outputs
}

// entry is a tensor of a network.
type entry struct {
	node, output int
	operators.Tensor
	storage int // storage id
	// bits bounds every element that the entry can really have, by |x| ≤ 2^(bits-1) - 1, whatever the deployed precision says; 33 if
	// any int32 may occur and arithmetic wraps. In strict mode it is the precision, but for fillers that do not fit in it. It decides
	// the type in which the entry is stored.
	bits int
}

// DataName is the name of the variable that takes the input of a run.
const DataName = "data"

// resolve checks a symbol and infers shapes and precisions. It makes the checks of the original in the same order, so that the first
// error has the same class. What only loading checks is left to loadable.
func resolve(s *symbol.Symbol, compat bool) (n *network, err error) {
	defer func() {
		if e := fault.Caught(recover()); e != nil {
			n, err = nil, e
		}
	}()
	n = &network{symbol: s, compat: compat, nodes: make([]node, len(s.Nodes)), data: -1}
	n.checkNames()
	n.bindOperators()
	n.checkStorageIDs()
	n.checkInPlace()
	n.checkShapes()
	n.checkPrecisions()
	n.checkDevices()
	n.checkVersion()
	n.checkOrder()
	n.inferShapes()
	n.inferPrecisions()
	for _, h := range s.Heads {
		n.heads = append(n.heads, n.number(h))
	}
	n.bound()
	return n, nil
}

// What a check refuses is a panic with the error, which ends it; resolve returns the error. check ends so unless an error of a node is nil.
func (n *network) check(i int, err error) {
	if err != nil {
		panic(n.place(i, err))
	}
}

// checkNames refuses two variables of one name among those that the text lists. Without the list, which version 1.1.0 may leave out, the
// second of them never gets a value; bind finds that.
func (n *network) checkNames() {
	first := make(map[string]int)
	for _, i := range n.symbol.ArgNodes {
		if i < 0 || i >= len(n.nodes) {
			continue // a wrong list is the business of checkVersion
		}
		name := n.symbol.Nodes[i].Name
		j, ok := first[name]
		switch {
		case ok && j == i:
			n.check(i, fault.Runtimef(fault.Graph, "the node is listed twice").With("arg_nodes", ""))
		case ok:
			n.check(i, fault.Runtimef(fault.Graph, "the name is that of node %d, too", j))
		}
		first[name] = i
	}
}

// bindOperators finds the operators, parses their attributes, counts their operands and numbers the entries.
func (n *network) bindOperators() {
	checkLength("op_attrs", len(n.symbol.OpAttrs), len(n.nodes), "nodes")
	for i := range n.nodes {
		s, d := &n.symbol.Nodes[i], &n.nodes[i]
		d.name, d.out = s.Name, len(n.entries)
		if s.Op != symbol.Variable {
			d.call = n.bindOperator(i)
		} else if s.Name == DataName && n.data < 0 {
			n.data = i
		}
		for k := range d.outputs() {
			n.entries = append(n.entries, entry{node: i, output: k})
		}
	}
}

// bindOperator finds the operator of a node and parses its attributes.
func (n *network) bindOperator(i int) *operators.Call {
	s := &n.symbol.Nodes[i]
	o, _ := operators.Lookup(funcName(s))
	if o == nil {
		panic(n.place(i, fault.Runtimef(fault.Lookup, "there is no operator %q", funcName(s))))
	}
	dict, err := symbol.ParseAttrs(n.symbol.OpAttrs[i], s.AttrsPos)
	n.check(i, err)
	values, err := o.ParseAttrs(dict)
	n.check(i, err)
	n.check(i, o.CheckInputs(values, len(s.Inputs)))
	return &operators.Call{Operator: o, Attrs: values, Compat: n.compat}
}

// funcName is the operator as the graph spells it.
func funcName(s *symbol.Node) string {
	if s.Attrs == nil {
		return ""
	}
	return s.Attrs.FuncName
}

// number returns the number of an entry, or -1 if there is none. Like the original, it counts on from the node's first entry, modulo
// 2^32: an output that the node does not have is one of another node.
func (n *network) number(e symbol.Entry) int {
	if e.Node < 0 || e.Node >= len(n.nodes) {
		return -1
	}
	eid := uint64(uint32(n.nodes[e.Node].out + e.Output))
	if eid >= uint64(len(n.entries)) {
		return -1
	}
	return int(eid)
}

// each checks that a list of the text has an item for each entry, and then each item. An error names the item.
func each[T any](n *network, key string, list []T, check func(e *entry, item T) error) {
	checkLength(key, len(list), len(n.entries), "entries")
	for i, item := range list {
		if err := check(&n.entries[i], item); err != nil {
			e := n.place(n.entries[i].node, err)
			e.Part = fmt.Sprintf("%s[%d]", key, i)
			panic(e)
		}
	}
}

// checkLength checks the length of a list of the text.
func checkLength(key string, got, want int, of string) {
	if got != want {
		panic(fault.Logicf(fault.Graph, "the list has %d elements", got).With(key, fmt.Sprintf("%d, the number of %s", want, of)))
	}
}

func (n *network) checkStorageIDs() {
	each(n, "storage_id", n.symbol.StorageID, func(e *entry, id int) error {
		if e.storage = id; id < 0 {
			return fault.Logicf(fault.Graph, "the storage id is %d", id).With("", "0 or more")
		}
		return nil
	})
}

func (n *network) checkShapes() {
	each(n, "shape", n.symbol.Shape, func(e *entry, shape tensor.Shape) error {
		e.Shape = shape
		return operators.CheckShape(shape)
	})
}

// anyPrecision says which precisions there are.
var anyPrecision = fmt.Sprintf("1…%d", operators.MaxPrecision)

func (n *network) checkPrecisions() {
	each(n, "precision", n.symbol.Precision, func(e *entry, p int) error {
		if e.Precision = p; p != -1 && (p < 1 || p > operators.MaxPrecision) {
			return fault.Logicf(fault.Limits, "the precision is %d", p).With("", anyPrecision+", or -1 for none")
		}
		return nil
	})
}

func (n *network) checkDevices() {
	if len(n.symbol.DeviceIdx) > 0 {
		panic(fault.Logicf(fault.Graph, "the list has %d elements", len(n.symbol.DeviceIdx)).With("device_index", "none"))
	}
}

// checkVersion checks the version and the lists that version 1.0.0 has beside those of 1.1.0, which derives them, whatever the text has.
func (n *network) checkVersion() {
	switch v := n.symbol.Version; {
	case v == symbol.V110:
		return
	case v != symbol.V100:
		panic(fault.Runtimef(fault.Graph, "the version is %q", v).With("version", symbol.V100+" or "+symbol.V110))
	}
	each(n, "dltype", n.symbol.DLType, func(_ *entry, t string) error {
		if t != "int32" {
			return fault.Logicf(fault.Graph, "the type is %q", t).With("", "int32")
		}
		return nil
	})
	var first, variables []int
	for i := range n.nodes {
		first = append(first, n.nodes[i].out)
		if n.nodes[i].call == nil {
			variables = append(variables, i)
		}
	}
	checkList("node_row_ptr", n.symbol.NodeRowPtr, append(first, len(n.entries)), "nodes and one more")
	checkList("arg_nodes", n.symbol.ArgNodes, variables, "variables")
}

// checkList compares a list of numbers with what it must be.
func checkList(key string, got, want []int, of string) {
	checkLength(key, len(got), len(want), of)
	for i := range want {
		if got[i] != want[i] {
			panic(fault.Logicf(fault.Graph, "number %d is %d", i, got[i]).With(key, strconv.Itoa(want[i])))
		}
	}
}

// applications yields the nodes that are no variables, with their numbers.
func (n *network) applications(yield func(i int, d *node) bool) {
	for i := range n.nodes {
		if d := &n.nodes[i]; d.call != nil && !yield(i, d) {
			return
		}
	}
}

// checkOrder connects operands with entries, which must be of earlier nodes. This is asked of variables, too.
func (n *network) checkOrder() {
	for i := range n.nodes {
		d := &n.nodes[i]
		for _, in := range n.symbol.Nodes[i].Inputs {
			eid := n.number(in)
			if eid < 0 || eid >= d.out {
				n.check(i, fault.Logicf(fault.Graph, "the operand [%d, %d] is not of an earlier node", in.Node, in.Output).With("inputs", ""))
			}
			if d.call != nil {
				d.in = append(d.in, eid)
			}
		}
	}
}

// inferShapes infers the shapes of the operators' outputs and compares them with those that the text declares.
func (n *network) inferShapes() {
	for i, d := range n.applications {
		for _, eid := range d.in {
			d.call.In = append(d.call.In, n.entries[eid].Tensor)
		}
		shapes, err := d.call.Operator.Shapes(d.call)
		n.check(i, err)
		for k, shape := range shapes {
			if declared := n.entries[d.out+k].Shape; !slices.Equal(shape, declared) {
				n.check(i, fault.Logicf(fault.Shape, "the declared shape is %v", declared).With(operators.OutputName(k), shape.String()))
			}
		}
		d.call.Out = shapes
	}
}

// inferPrecisions infers the precisions of the operators' outputs, whatever the text declares for them.
func (n *network) inferPrecisions() {
	for i := range n.nodes {
		d := &n.nodes[i]
		if d.call == nil {
			if n.entries[d.out].Precision < 0 {
				n.check(i, fault.Logicf(fault.Precision, "the variable has no precision").With("", anyPrecision))
			}
			continue
		}
		for k, eid := range d.in {
			d.call.In[k].Precision = n.entries[eid].Precision
		}
		precisions, err := d.call.Operator.Precisions(d.call)
		n.check(i, err)
		for k, p := range precisions {
			n.entries[d.out+k].Precision = p
		}
	}
}

// dtype returns the element type in which an entry is stored.
func (e *entry) dtype() tensor.DType {
	switch {
	case e.bits <= 8:
		return tensor.Int8
	case e.bits <= 16:
		return tensor.Int16
	}
	return tensor.Int32
}

// bound sets the bits of every entry.
//
// Precisions inferred by the formalisation's rules are sound. The deployed rules are not, for where; there, the formalisation's rules
// are followed again, from bits instead of precisions. Where they find no bound, or where storages are shared so that reading an entry
// may give elements of another, any int32 is possible.
func (n *network) bound() {
	anything := n.compat && len(n.conflicts()) > 0
	for i := range n.nodes {
		nd := &n.nodes[i]
		bits := []int{n.entries[nd.out].Precision}
		if nd.call != nil {
			call := *nd.call
			call.In = slices.Clone(call.In)
			for k, e := range nd.in {
				call.In[k].Precision = n.entries[e].bits
			}
			bits = call.Bits()
		}
		for k, b := range bits {
			if anything {
				b = operators.Unbounded
			}
			n.entries[nd.out+k].bits = b
		}
	}
}

// place gives an error its node and, if it has no place, the node's place in the text or, for attributes, theirs.
func (n *network) place(i int, err error) *fault.Error {
	e, s := wrapped(err, fault.Graph, ""), &n.symbol.Nodes[i]
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

// wrapped returns an error of class Runtime with another as its cause, or that one, if it is one of a model already.
func wrapped(err error, stage fault.Stage, what string) *fault.Error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return e
	}
	e := fault.Runtimef(stage, "%s", what)
	e.Err = err
	return e
}
