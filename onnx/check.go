package onnx

import (
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/onnx/proto"
)

// Check returns every mistake that shows without shapes, as [Errors]: operators that there are not, attributes that they do not have,
// operands that are missing, tensors that their files do not have; nil if there is none. Beyond a number of mistakes it says that there are more.
func (f *File) Check() (err error) {
	if f == nil || f.Model == nil {
		return errNoFile
	}
	defer guard(f.path, "the check", mapfile.Watch(), &err)
	if f.closed.Load() {
		return mapfile.ErrClosed
	}
	c := &checker{file: f}
	c.stored(f.Model.Graph)
	c.nodes(f.main, imports{own: f.opsets}, "")
	for _, p := range f.Model.Functions {
		if fn := f.functions[functionKey{domain(p.Domain), p.Name, p.Overload}]; fn != nil {
			c.nodes(fn.net, fn.opsets, "in function "+short(p.Name)+": ")
		}
	}
	if len(c.errs) == 0 {
		return nil
	}
	return c.errs
}

// checker collects mistakes.
type checker struct {
	file *File
	errs Errors
}

// full reports whether there are enough mistakes.
func (c *checker) full() bool { return len(c.errs) > limits.ONNXErrors }

// add adds a mistake.
func (c *checker) add(e *Error) {
	if len(c.errs) == limits.ONNXErrors {
		e = &Error{Msg: "there are more mistakes"}
	}
	if e.File = c.file.path; !c.full() {
		c.errs = append(c.errs, e)
	}
}

// stored checks that there are the tensors of a graph that stand in other files.
func (c *checker) stored(g *proto.Graph) {
	for _, t := range g.Initializer {
		c.external(t.Name, t, func(e *Error) { c.add(e) })
	}
}

// external checks a tensor that may stand in another file.
func (c *checker) external(name string, t *proto.Tensor, at func(*Error)) {
	if t == nil || t.DataLocation != proto.DataExternal || c.full() {
		return
	}
	if _, err := c.file.tensor(t); err != nil {
		at(&Error{Operand: name, Msg: err.Error(), Err: err})
	}
}

// nodes checks the nodes of a network and of the graphs in them.
func (c *checker) nodes(net *network, versions imports, place string) {
	for i, n := range net.nodes {
		if c.full() {
			return
		}
		at := func(e *Error) {
			e.Node, e.Op = place+nodeName(n, i), fullName(n.Domain, n.OpType)
			e.Opset, _ = versions.version(n.Domain)
			c.add(e)
		}
		if c.file.function(n) == nil {
			checkNode(n, versions, at)
		}
		for _, a := range n.Attribute {
			c.external(a.Name, a.T, at)
			for _, g := range graphsOf(a) {
				c.stored(g)
				c.nodes(c.file.networks[g], versions, place+"in "+short(a.Name)+" of "+nodeName(n, i)+": ")
			}
		}
	}
}

// checkNode calls at for each mistake of a node.
func checkNode(n *proto.Node, versions imports, at func(*Error)) {
	version, imported := versions.version(n.Domain)
	_, f, err := find(n, version, imported)
	if err != nil {
		at(err)
		return
	}
	for _, m := range f.check(n) {
		at(&Error{Operand: m[0], Msg: m[1]})
	}
}

// function returns the function that a node calls, or nil.
func (f *File) function(n *proto.Node) *function {
	return f.functions[functionKey{domain(n.Domain), n.OpType, n.Overload}]
}
