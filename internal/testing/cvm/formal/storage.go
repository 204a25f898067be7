package formal

import "slices"

// Machine runs a graph as the original does: each storage id is one buffer of int32, which its tensors share from its start, and which
// keeps its contents from one run to the next. Nothing looks at whether a tensor is still needed when its buffer is written anew.
type Machine struct {
	graph   *Graph
	tensors []*Tensor       // shapes and precisions
	buffers map[int][]int64 // by storage id
}

// NewMachine loads the parameters, in the order given by the numbers of their nodes. Errors are *Refusal.
func NewMachine(g *Graph, order []int) (*Machine, error) {
	tensors, _, err := g.Infer()
	if err != nil {
		return nil, err
	}
	m := &Machine{graph: g, tensors: tensors, buffers: map[int][]int64{}}
	for i, t := range tensors {
		id := g.Storage[i]
		if grown := int(t.Len()) - len(m.buffers[id]); grown > 0 {
			m.buffers[id] = append(m.buffers[id], make([]int64, grown)...)
		}
	}
	first := g.firstTensors()
	for _, n := range order {
		m.write(first[n], g.Nodes[n].Variable.Data)
	}
	return m, nil
}

// Size returns the bytes of all buffers.
func (m *Machine) Size() int64 {
	size := int64(0)
	for _, b := range m.buffers {
		size += 4 * int64(len(b))
	}
	return size
}

// Run returns the outputs for an input.
func (m *Machine) Run(data []int64) ([]*Tensor, error) {
	defer m.graph.feed(data)()
	first := m.graph.firstTensors()
	for i, n := range m.graph.Nodes {
		if n.Variable != nil && n.Name == "data" {
			m.write(first[i], n.Variable.Data)
		}
	}
	for i, n := range m.graph.Nodes {
		if n.Variable != nil {
			continue
		}
		var in []*Tensor
		for _, t := range n.In {
			in = append(in, m.read(t))
		}
		out, _, err := Eval(n.Op, n.Attrs, in, m.graph.Strict)
		if err != nil {
			return nil, err
		}
		for k := len(out) - 1; k >= 0; k-- { // counts are written after the rows that they count
			m.write(first[i]+k, out[k].Data)
		}
		if len(out) == 2 && m.graph.Storage[first[i]] == m.graph.Storage[first[i]+1] && out[0].Data[0] == 0 {
			m.write(first[i], []int64{-1}) // but before the rest of their batch is filled
		}
	}
	var heads []*Tensor
	for _, h := range m.graph.Heads {
		heads = append(heads, m.read(h))
	}
	return heads, nil
}

func (m *Machine) write(tensor int, data []int64) { copy(m.buffers[m.graph.Storage[tensor]], data) }

func (m *Machine) read(tensor int) *Tensor {
	t := *m.tensors[tensor]
	t.Data = append([]int64(nil), m.buffers[m.graph.Storage[tensor]][:t.Len()]...)
	return &t
}

// firstTensors returns the number of the first tensor of each node.
func (g *Graph) firstTensors() []int {
	var first []int
	tensors := 0
	for _, n := range g.Nodes {
		first = append(first, tensors)
		tensors += Outputs(n.Op)
	}
	return first
}

// Conflicts reports whether a tensor is read after another one was written to its buffer, in the same run or the next, or might be, as the
// order in which parameters are loaded is up to their file. Two outputs of one node conflict in any case. All tensors of a buffer begin at
// its start, so that any two of them overlap.
func (g *Graph) Conflicts() bool { return g.overwrites(false) || g.overwrites(true) }

// overwrites runs the graph twice, with the number of the tensor written last in the place of a buffer's elements.
func (g *Graph) overwrites(backward bool) bool {
	holder := map[int]int{} // by storage id
	conflict := false
	read := func(tensors ...int) {
		for _, t := range tensors {
			conflict = conflict || holder[g.Storage[t]] != t
		}
	}
	write := func(t int) { holder[g.Storage[t]] = t }
	first := append(g.firstTensors(), len(g.Storage))

	var parameters []int
	data := -1
	for i, n := range g.Nodes {
		if n.Variable != nil && n.Name == "data" {
			data = first[i]
		} else if n.Variable != nil {
			parameters = append(parameters, first[i])
		}
	}
	if backward {
		slices.Reverse(parameters)
	}
	for _, t := range parameters {
		write(t)
	}
	for range 2 {
		if data >= 0 {
			write(data)
		}
		for i, n := range g.Nodes {
			if n.Variable != nil {
				continue
			}
			read(n.In...)
			for t := first[i]; t < first[i+1]; t++ {
				write(t)
			}
			for t := first[i]; t < first[i+1]; t++ {
				read(t)
			}
		}
		read(g.Heads...)
	}
	return conflict
}
