package webnn

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// What operands the operators support: by samples. The tables of the standard must say the same.

// sample is a small call of a method with every operand that it can have, and the nodes to which it leads. From the
// definitions of their operators follows what else the operands could be.
type sample struct {
	method   *method
	operands map[string]*graph.Value
	results  []*graph.Value
	types    map[*graph.Value]op.Types // what each value can be as far as the operators are concerned
	ranks    map[*graph.Value]op.Ranks
}

// newSample makes the sample of a method. All extents are 1, apart from those that count the gates of recurrent networks.
func newSample(m *method) (*sample, error) {
	b := &GraphBuilder{
		context: &Context{options: ContextOptions{MaxTensorByteLength: defaultMaxTensorByteLength}},
		b:       graph.NewBuilder(op.Rules, m.name),
	}
	l := &lowering{Emitter: emit.Emitter{Target: b.b}, owner: b, name: m.name, method: m, values: make(map[string]any)}
	s := &sample{method: m, operands: make(map[string]*graph.Value)}
	ranks := s.addOperands(b.b)
	for _, p := range slices.Concat(m.args, m.options) {
		if v := s.value(p, ranks); v != nil {
			l.values[p.name] = v
		}
	}
	if l.checkOperands(); l.Err == nil {
		s.results = l.lower()
	}
	if err := l.failure(); err != nil {
		return nil, err
	}
	for i, v := range s.results {
		if err := b.b.Output(outputName(i), v); err != nil {
			return nil, err
		}
	}
	g, err := b.b.Build()
	if err != nil {
		return nil, err
	}
	s.infer(g)
	return s, nil
}

func outputName(i int) string { return "output" + strconv.Itoa(i) }

// addOperands adds an input of the least required rank for each operand of the method, and returns these ranks.
func (s *sample) addOperands(b *graph.Builder) map[string]int {
	ranks, types := make(map[string]int), make(map[string]tensor.DType)
	for _, row := range s.method.limits {
		ranks[row.name] = required(s.method, row.name).RequiredRanks.Min
		if types[row.name] = types[row.sameType]; row.sameType == "" {
			types[row.name] = row.types[0]
		}
		if s.method.param(row.name) == nil {
			continue
		}
		extents := slices.Repeat(tensor.Shape{1}, ranks[row.name])
		for dim, n := range sampleGates[s.method.name][row.name] {
			extents[dim] = n
		}
		// An input of a new builder, with a type of the table, cannot be rejected.
		s.operands[row.name], _ = b.Input(row.name, graph.Type{DType: types[row.name], Shape: extents})
	}
	return ranks
}

// sampleGates has the extents that are not 1, for a hidden size of 1: there is one row for each gate.
var sampleGates = map[string]map[string]map[int]int{
	"gru":      gates(3, 1),
	"gruCell":  gates(3, 0),
	"lstm":     gates(4, 1),
	"lstmCell": gates(4, 0),
}

func gates(n, dim int) map[string]map[int]int {
	rows := map[int]int{dim: n}
	return map[string]map[int]int{
		"weight": rows, "recurrentWeight": rows, "bias": rows, "recurrentBias": rows, "peepholeWeight": {dim: 3},
	}
}

// value returns the sample's value of a parameter, nil if it has none.
func (s *sample) value(p param, ranks map[string]int) any {
	v, given := s.operands[p.name]
	switch {
	case given && p.kind == kindOperands:
		return []*graph.Value{v}
	case given:
		return v
	case !slices.Contains(s.method.args, p):
		return cmp.Or(sampleOptions[p.name], p.fallback)
	case p.kind == kindType:
		return tensor.Int32 // which every method with such an argument takes
	case p.kind == kindInts:
		return slices.Repeat([]int{sampleIntegers[p.name]}, ranks["input"])
	}
	return sampleIntegers[p.name]
}

var (
	// sampleIntegers are arguments, and items of them, that are not 0.
	sampleIntegers = map[string]int{"newShape": 1, "sizes": 1, "repetitions": 1, "splits": 1, "steps": 1, "hiddenSize": 1}
	// sampleOptions are options that do not have their defaults.
	sampleOptions = map[string]any{"returnSequence": true}
)

// infer follows the values through the nodes: back from the results, for what operands may be, and then forth.
func (s *sample) infer(g *graph.Graph) {
	s.types, s.ranks = make(map[*graph.Value]op.Types), make(map[*graph.Value]op.Ranks)
	for v := range g.Values() {
		s.types[v], s.ranks[v] = op.AnyType, op.AnyRank
		if v.Const != nil {
			s.types[v] = op.TypeSet(v.Type.DType)
		}
	}
	for _, n := range slices.Backward(g.Nodes) {
		def, _ := op.Lookup(n.Op)
		for i, v := range n.In {
			if v == nil {
				continue
			}
			declared := def.In[min(i, len(def.In)-1)]
			s.types[v] &= declared.Types
			s.ranks[v] = op.Ranks{Min: max(s.ranks[v].Min, declared.Rank.Min), Max: min(s.ranks[v].Max, declared.Rank.Max)}
			for k, r := range def.Out {
				if r.Like == declared.Name && r.TypeAttr == "" {
					s.types[v] &= s.types[n.Out[k]]
				}
			}
		}
	}
	for _, n := range g.Nodes {
		def, _ := op.Lookup(n.Op)
		for k, v := range n.Out {
			s.types[v] = s.resultTypes(def, def.Out[min(k, len(def.Out)-1)], n)
		}
	}
}

// resultTypes returns what the result of a node can be.
func (s *sample) resultTypes(def *op.Def, r op.Result, n *graph.Node) op.Types {
	switch {
	case r.Like != "":
		i := slices.IndexFunc(def.In, func(o op.Operand) bool { return o.Name == r.Like })
		return s.types[n.In[i]]
	case r.TypeAttr != "":
		i := slices.IndexFunc(def.Attrs, func(a op.Attr) bool { return a.Name == r.TypeAttr })
		if allowed := def.Attrs[i].Types; allowed != 0 {
			return allowed
		}
		return op.AnyType
	}
	return op.TypeSet(r.Type)
}

// limits intersects the rows of the method's table with what the operators support.
func (s *sample) limits() OperatorLimits {
	out := make(OperatorLimits)
	for _, row := range s.method.limits {
		v := s.operands[row.name]
		if v == nil {
			v = s.result(row.name)
		}
		t := TensorLimits{RankRange: RankRange{row.minRank, row.maxRank}}
		allowed := row.types
		if row.sameType != "" {
			allowed = out[row.sameType].DataTypes
		}
		for _, d := range DataTypes {
			if slices.Contains(allowed, d) && s.types[v].Has(d) {
				t.DataTypes = append(t.DataTypes, d)
			}
		}
		if row.sameRank != "" {
			t.RankRange = out[row.sameRank].RankRange
		}
		if ranks, ok := s.ranks[v]; ok {
			t.RankRange.Min, t.RankRange.Max = max(t.RankRange.Min, ranks.Min), min(t.RankRange.Max, ranks.Max)
		}
		out[row.name] = t
	}
	return out
}

// required returns the row of the standard's table for an operand.
func required(m *method, operand string) idl.Row {
	rows := idl.WebNN.LimitsOf(m.name)
	return rows[slices.IndexFunc(rows, func(r idl.Row) bool { return r.Operand == operand })]
}

// result returns the result that a row is about: "output", "outputs", or "output" with a number.
func (s *sample) result(name string) *graph.Value {
	for i, v := range s.results {
		if name == outputName(i) {
			return v
		}
	}
	return s.results[0]
}
