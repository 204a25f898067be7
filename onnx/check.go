package onnx

import "github.com/concord-nn/concord/onnx/proto"

// Check returns every mistake that shows without shapes, as [Errors]: operators that there are not, attributes that they do not have,
// operands that are missing; nil if there is none.
func (f *File) Check() error {
	var errs Errors
	visit := func(net *network, versions map[string]int, place string) {
		errs = append(errs, f.checkNodes(net, versions, place)...)
	}
	visit(f.main, f.opsets, "")
	for _, p := range f.Model.Functions {
		if fn := f.functions[functionKey{domain(p.Domain), p.Name, p.Overload}]; fn != nil {
			visit(fn.net, fn.opsets, "in function "+p.Name+": ")
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errs
}

// checkNodes checks the nodes of a network and of the graphs in them.
func (f *File) checkNodes(net *network, versions map[string]int, place string) (errs Errors) {
	for i, n := range net.nodes {
		at := func(e Error) {
			e.File, e.Node, e.Op, e.Opset = f.path, place+nodeName(n, i), fullName(n.Domain, n.OpType), versions[domain(n.Domain)]
			errs = append(errs, &e)
		}
		if f.function(n) == nil {
			if err := checkNode(n, versions, at); err != nil {
				at(*err)
			}
		}
		for _, a := range n.Attribute {
			for _, g := range graphsOf(a) {
				errs = append(errs, f.checkNodes(f.networks[g], versions, place+"in "+a.Name+" of "+nodeName(n, i)+": ")...)
			}
		}
	}
	return errs
}

// checkNode calls at for each mistake of a node but the last one, which it returns.
func checkNode(n *proto.Node, versions map[string]int, at func(Error)) *Error {
	version, imported := versions[domain(n.Domain)]
	_, f, err := find(n, version, imported)
	if err != nil {
		return err
	}
	for _, m := range f.check(n) {
		at(Error{Operand: m[0], Msg: m[1]})
	}
	return nil
}

// function returns the function that a node calls, or nil.
func (f *File) function(n *proto.Node) *function {
	return f.functions[functionKey{domain(n.Domain), n.OpType, n.Overload}]
}
