package export

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// scope is where nodes are added: the graph of the model, a block in it, or the body of a function.
type scope struct {
	e         *exporter
	around    *scope     // of a block
	function  bool       // whether this is the body of a function, or a block in one: the same bits are not asked for
	taken     naming.Set // of values
	labels    naming.Set // of nodes
	names     map[*graph.Value]string
	live      map[*graph.Value]bool // what is read; nil for all
	constants map[string]val        // of the emission itself, by content or by what they are made of
	reshaped  map[string]string     // what has been made of constants of the graph, and these
	nodes     []*proto.Node
	stored    []*proto.Tensor
	infos     []*proto.ValueInfo
}

func newScope(e *exporter) *scope {
	return &scope{e: e, taken: naming.Of(""), labels: naming.Of(""), names: make(map[*graph.Value]string), constants: make(map[string]val),
		reshaped: make(map[string]string)}
}

// block returns a scope in s, from which the names of s are seen.
func (s *scope) block() *scope {
	b := newScope(s.e)
	b.around, b.function, b.taken, b.labels = s, s.function, s.taken, s.labels
	return b
}

// val is a value of the model. The zero val is an absent operand.
type val struct {
	name string
	graph.Type
}

func (v val) rank() int { return len(v.Shape) }

// unique reserves a name for a value like the wished one.
func (s *scope) unique(wish string) string { return s.taken.TakeFrom(wish, 1) }

// value returns what stands for a value of the graph. A constant is stored where it is read first.
func (s *scope) value(v *graph.Value) val {
	if v == nil {
		return val{}
	}
	for b := s; b != nil; b = b.around {
		if name, ok := b.names[v]; ok {
			return val{name, v.Type}
		}
	}
	s.names[v] = v.Name // what has been refused has a name, too
	if v.Const != nil {
		wish := v.Label
		if wish == "" {
			wish = v.Name
		}
		name := s.store(wish, v.Const)
		s.names[v], s.e.elements[name] = name, v.Const
	}
	return val{s.names[v], v.Type}
}

// store adds a constant: to a graph as what it stores, to the body of a function as a node.
func (s *scope) store(wish string, t *tensor.Tensor) string {
	s.e.types |= op.TypeSet(t.DType())
	name := s.unique(wish)
	m := kit.Must(proto.NewTensor(name, t))
	if !s.function || s.around != nil {
		s.stored = append(s.stored, m)
		return name
	}
	m.Name = ""
	s.nodes = append(s.nodes, &proto.Node{OpType: "Constant", Output: []string{name},
		Attribute: []*proto.Attribute{{Name: "value", Type: proto.AttributeTensor, T: m}}})
	return name
}

// constant returns a constant that the emission needs, one for all that are equal.
func (s *scope) constant(t *tensor.Tensor) val {
	t = t.Contiguous()
	return s.once(t.Describe()+string(t.Bytes()), "constant", t)
}

// once stores a constant, unless there is one with the key already.
func (s *scope) once(key, wish string, t *tensor.Tensor) val {
	for b := s; b != nil; b = b.around {
		if v, ok := b.constants[key]; ok {
			return v
		}
	}
	v := val{s.store(wish, t), graph.TypeOf(t)}
	s.constants[key] = v
	return v
}

// tidy drops constants of the graph that no node reads, and gives their names to what has been made of them.
func (s *scope) tidy() {
	read, free := make(map[string]bool), make(map[string]bool)
	reads(s.nodes, read)
	s.stored = slices.DeleteFunc(s.stored, func(t *proto.Tensor) bool {
		free[t.Name] = !read[t.Name] && s.e.elements[t.Name] != nil
		return free[t.Name]
	})
	for _, t := range s.stored {
		if name := s.reshaped[t.Name]; free[name] {
			rename(s.nodes, t.Name, name)
			t.Name, free[name] = name, false
		}
	}
}

// reads notes what some nodes read, in the graphs of their attributes, too.
func reads(nodes []*proto.Node, read map[string]bool) {
	for _, n := range nodes {
		for _, name := range n.Input {
			read[name] = true
		}
		for _, a := range n.Attribute {
			if a.G != nil {
				reads(a.G.Node, read)
			}
		}
	}
}

// add adds a node of the standard, or of another domain.
func (s *scope) add(op, domain string, attrs []*proto.Attribute, in []val, out []string) *proto.Node {
	n := &proto.Node{OpType: op, Domain: domain, Attribute: attrs, Output: out}
	for _, v := range in {
		n.Input = append(n.Input, v.name)
	}
	for len(n.Input) > 0 && n.Input[len(n.Input)-1] == "" {
		n.Input = n.Input[:len(n.Input)-1]
	}
	s.nodes = append(s.nodes, n)
	return n
}

// attempt is [scope.node] and returns why it cannot. Results only have names then, so that the nodes that read them are examined too.
func (s *scope) attempt(n *graph.Node, wishes map[*graph.Value]string) (why string) {
	return kit.Try(func() { s.node(n, wishes) })
}

// node adds what stands for a node of the graph. Results that are outputs get their names, others names like their own.
func (s *scope) node(n *graph.Node, wishes map[*graph.Value]string) {
	first := len(s.nodes)
	out := s.results(n)
	for i, v := range n.Out {
		made := slices.IndexFunc(s.nodes[first:], func(x *proto.Node) bool { return slices.Contains(x.Output, out[i].name) })
		if made < 0 || slices.ContainsFunc(n.Out[:i], func(x *graph.Value) bool { return s.names[x] == out[i].name }) {
			s.names[v] = out[i].name // of an operand, or of another result
			continue
		}
		if made += first; n.Label != "" && s.nodes[made].Name == "" {
			s.nodes[made].Name = s.labels.TakeFrom(n.Label, 1)
		}
		delete(s.taken, out[i].name)
		name := wishes[v]
		if name == "" {
			name = s.unique(v.Name)
		}
		rename(s.nodes[first:], out[i].name, name)
		s.names[v] = name
		if wishes[v] == "" && s.around == nil && !s.function {
			s.infos = append(s.infos, s.e.info(name, v.Type))
		}
	}
}

// rename gives a value of some nodes another name, in the graphs of their attributes, too.
func rename(nodes []*proto.Node, from, to string) {
	replace := func(list []string) {
		for i := range list {
			if list[i] == from {
				list[i] = to
			}
		}
	}
	for _, n := range nodes {
		replace(n.Input)
		replace(n.Output)
		for _, a := range n.Attribute {
			if a.G != nil {
				rename(a.G.Node, from, to)
			}
		}
	}
}
