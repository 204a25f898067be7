package openvx

import (
	"fmt"
	"reflect"
)

// param declares a parameter of a kernel.
type param struct {
	name   string // of built-in and imported ones
	dir    Direction
	kind   Type // of the object; in an application's kernel also that of a scalar's value
	value  Type // of a scalar's value, in a built-in kernel
	state  ParameterState
	as     reflect.Type // of a built-in kernel: C's node function takes a value in the place of an object; what the value is in Go
	static bool         // the standard calls it [static]: it is best a constant of the compiled graph
	meta   *MetaFormat  // of imported kernels
}

// title is how messages call parameter i.
func (p param) title(i int) string {
	if p.name == "" {
		return fmt.Sprintf("parameter %d", i)
	}
	return fmt.Sprintf("parameter %d (%s)", i, p.name)
}

// takes says whether o is what the parameter declares.
func (p param) takes(o *object) bool {
	s, ok := o.self.(*Scalar)
	switch {
	case p.kind == TypeReference:
		return o.kind.isData()
	case !ok:
		return p.kind == o.kind
	case p.kind == TypeScalar:
		return p.value == TypeInvalid || p.value == s.dtype
	}
	return p.kind == s.dtype
}

// wants describes what takes accepts.
func (p param) wants() string {
	switch {
	case p.kind == TypeReference:
		return "a data object"
	case p.kind.isData() && p.value == TypeInvalid:
		return "a " + p.kind.noun()
	case p.kind == TypeScalar:
		return "a scalar of " + p.value.String()
	}
	return "a scalar of " + p.kind.String()
}

// describe says in messages what o is.
func (o *object) describe() string {
	if s, ok := o.self.(*Scalar); ok {
		return "a scalar of " + s.dtype.String()
	}
	return "a " + o.kind.noun()
}

// isData reports whether t is a kind of data objects, or TypeReference for any: what a parameter may be declared as.
func (t Type) isData() bool {
	switch t {
	case TypeContext, TypeGraph, TypeNode, TypeKernel, TypeParameter, TypeError, TypeMetaFormat:
		return false
	}
	return t >= TypeReference && t <= TypeTensor && typeNames[t] != ""
}

// Parameter is a place of a kernel or a node where a reference goes (vx_parameter). Its name is, unless changed, that of the place,
// if it has one. It keeps the kernel or the node alive.
type Parameter struct {
	object
	kernel *Kernel
	node   *Node // nil for a parameter of a kernel
	index  int
}

// newParameter makes an object of parameter i of a node, or of a kernel if the node is nil. The caller holds the lock.
func (c *Context) newParameter(k *Kernel, n *Node, i int) *Parameter {
	if i < 0 || i >= len(k.params) {
		refuse(ErrorInvalidParameters, "there is no parameter %d: %s has %d", i, k.kernelName, len(k.params))
	}
	p := &Parameter{kernel: k, node: n, index: i}
	c.register(&p.object, p, TypeParameter)
	p.name = truncate(k.params[i].name, MaxReferenceName)
	p.owner().hold()
	return p
}

// owner returns what the parameter is of.
func (p *Parameter) owner() *object {
	if p.node != nil {
		return &p.node.object
	}
	return &p.kernel.object
}

func (p *Parameter) destroy() { p.owner().drop() }

// Reference returns what the node's parameter is set to, and adds a reference of the application to it (VX_PARAMETER_REF). It is nil
// if nothing is set, or the parameter is a kernel's.
func (p *Parameter) Reference() Reference {
	return query(p, func() Reference {
		if p.node == nil || p.node.params[p.index] == nil {
			return nil
		}
		r := p.node.params[p.index]
		r.base().external++
		return r
	})
}

// MetaFormat describes the tensor that goes to a parameter of an imported kernel (VX_PARAMETER_META_FORMAT). It belongs to the kernel: the
// application must not release it. Other kernels' parameters are ErrorNotSupported.
func (p *Parameter) MetaFormat() (*MetaFormat, error) {
	return create(p, ".MetaFormat", func() *MetaFormat {
		m := p.kernel.params[p.index].meta
		if m == nil {
			refuse(ErrorNotSupported, "only parameters of imported kernels are described; %s is not one", p.kernel.kernelName)
		}
		return m
	})
}

// Set is [Node.SetParameter] (vxSetParameterByReference). A parameter of a kernel is ErrorInvalidParameters.
func (p *Parameter) Set(r Reference) error {
	return do(p, ".Set", func() {
		if p.node == nil {
			refuse(ErrorInvalidParameters, "parameter %d of the kernel %s belongs to no node", p.index, p.kernel.kernelName)
		}
		p.node.set(p.index, r)
	})
}
