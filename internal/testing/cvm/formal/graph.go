package formal

import "slices"

// Graph is a model: variables and applications of operators, in topological order.
type Graph struct {
	Nodes       []Node
	Heads       []int // the outputs, by the numbers of tensors
	Storage     []int // the storage id of each tensor
	Postprocess string
	Strict      bool
}

// Node is a variable, of which Variable gives shape, precision and, but for the input data, the elements, or the application of an
// operator.
type Node struct {
	Name     string
	Variable *Tensor
	Op       string
	Attrs    map[string]string
	In       []int // the numbers of tensors, which are counted in the order of the nodes
}

// Infer returns all tensors, those of operators without data, and the gas of each node. Errors are *Refusal.
func (g *Graph) Infer() (tensors []*Tensor, gas []int64, err error) {
	return g.walk(func(n Node, in []*Tensor) ([]*Tensor, int64, error) { return Infer(n.Op, n.Attrs, in, g.Strict) })
}

// Eval returns all tensors for an input; of the storage plan it knows nothing. Errors are *Refusal.
func (g *Graph) Eval(data []int64) (tensors []*Tensor, err error) {
	defer g.feed(data)()
	tensors, _, err = g.walk(func(n Node, in []*Tensor) ([]*Tensor, int64, error) { return Eval(n.Op, n.Attrs, in, g.Strict) })
	return tensors, err
}

func (g *Graph) walk(f func(n Node, in []*Tensor) ([]*Tensor, int64, error)) (tensors []*Tensor, gas []int64, err error) {
	for _, n := range g.Nodes {
		if n.Variable != nil {
			tensors = append(tensors, n.Variable)
			gas = append(gas, 5*n.Variable.Len())
			continue
		}
		out, cost, err := f(n, pick(tensors, n.In))
		if err != nil {
			return nil, nil, err
		}
		tensors = append(tensors, out...)
		gas = append(gas, cost)
	}
	return tensors, gas, nil
}

// Input returns the variable called data, or nil.
func (g *Graph) Input() *Tensor {
	if i := g.input(); i >= 0 {
		return g.Nodes[i].Variable
	}
	return nil
}

func (g *Graph) input() int {
	return slices.IndexFunc(g.Nodes, func(n Node) bool { return n.Variable != nil && n.Name == "data" })
}

// feed gives data its elements, clamped, until the function that it returns is called.
func (g *Graph) feed(data []int64) func() {
	i := g.input()
	if i < 0 {
		return func() {}
	}
	before := g.Nodes[i].Variable
	fed := &Tensor{Shape: before.Shape, Precision: before.Precision, Data: make([]int64, before.Len())}
	alpha := bound(int64(before.Precision))
	for k, v := range data {
		fed.Data[k] = clip(v, -alpha, alpha)
	}
	g.Nodes[i].Variable = fed
	return func() { g.Nodes[i].Variable = before }
}

func pick(tensors []*Tensor, numbers []int) []*Tensor {
	var list []*Tensor
	for _, n := range numbers {
		list = append(list, tensors[n])
	}
	return list
}
