package flat

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Difference is one way in which two graphs differ.
type Difference struct {
	A, B *Op    // the operations that were compared; nil where only the other graph has one
	What string // "operation", "operations", "type", "name", "argument NAME", "inputs", "outputs", "output NAME" or "fragment NAME"
	// Left and Right are what the two graphs have there, as NNEF text; empty for nothing.
	Left, Right string
}

// String describes the difference in one line.
func (d Difference) String() string {
	place := ""
	switch {
	case d.A != nil && d.B != nil:
		place = fmt.Sprintf("%s = %s(…): ", resultNames(d.A), d.A.Operation.Name)
	case d.A != nil || d.B != nil:
		side := "first"
		if d.A == nil {
			side = "second"
		}
		return fmt.Sprintf("only the %s graph has %s", side, cmp.Or(d.Left, d.Right))
	}
	return fmt.Sprintf("%s%s: %s; %s", place, d.What, cmp.Or(d.Left, "nothing"), cmp.Or(d.Right, "nothing"))
}

func resultNames(op *Op) string {
	var names []string
	for _, t := range op.Outputs() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// Diff compares two graphs by structure and returns how they differ, nothing if they are equal. Names of tensors that are
// not inputs or outputs and the order of independent operations do not matter, nor do copies, which count as their
// argument. Scalars are equal within a relative tolerance of 1e-6. An operation is compared by its name, its type, its
// arguments and what its tensors are computed by; external by its identifier.
//
// Operations that differ only because their arguments do are not reported.
func Diff(a, b *Graph) []Difference {
	c := &comparison{keys: make(map[string]int), scalars: cluster(a, b)}
	left, right := c.side(a), c.side(b)
	var list []Difference
	names := func(what string, x, y []string) {
		if !slices.Equal(x, y) {
			list = append(list, Difference{What: what, Left: strings.Join(x, ", "), Right: strings.Join(y, ", ")})
		}
	}
	names("inputs", inputNames(a), inputNames(b))
	names("outputs", a.OutputNames, b.OutputNames)
	list = append(list, blocks(a, b)...)
	c.pairEqual(left, right)
	equalOutputs := len(a.Outputs) == len(b.Outputs)
	for i := 0; equalOutputs && i < len(a.Outputs); i++ {
		equalOutputs = left.value(a.Outputs[i]) == right.value(b.Outputs[i])
	}
	if len(left.rest) == 0 && len(right.rest) == 0 && equalOutputs {
		return list
	}
	c.pairAlike(left, right)
	reported := len(list)
	for _, op := range left.rest {
		if other := left.partner[op]; other != nil {
			list = append(list, c.compare(left, right, op, other)...)
		} else {
			list = append(list, Difference{A: op, What: "operation", Left: a.text(op)})
		}
	}
	for _, op := range right.rest {
		if right.partner[op] == nil {
			list = append(list, Difference{B: op, What: "operation", Right: b.text(op)})
		}
	}
	if len(list) > reported {
		return list
	}
	for i := range min(len(a.Outputs), len(b.Outputs)) {
		if x, y := a.Outputs[i], b.Outputs[i]; left.value(x) != right.value(y) {
			list = append(list, Difference{What: "output " + a.OutputNames[i], Left: a.text(x.Producer), Right: b.text(y.Producer)})
		}
	}
	if len(list) == reported { // operations differ, but each pair follows from another one
		list = append(list, Difference{What: "operations", Left: strconv.Itoa(len(a.Ops)), Right: strconv.Itoa(len(b.Ops))})
	}
	return list
}

func inputNames(g *Graph) []string {
	names := make([]string, len(g.Inputs))
	for i, t := range g.Inputs {
		names[i] = t.Name
	}
	return names
}

// text writes an operation as its assignment.
func (g *Graph) text(op *Op) string {
	a := g.assignment(op)
	left, _ := syntax.FormatExpr(a.Left, g.Dialect)
	right, _ := syntax.FormatExpr(a.Right, g.Dialect)
	return left + " = " + right
}

// comparison numbers the keys of operations: equal numbers, equal operations.
type comparison struct {
	keys    map[string]int
	scalars map[float64]int
}

// side is one graph of a comparison.
type side struct {
	graph   *Graph
	erased  map[*Tensor]eval.Value // the arguments that results of copies stand for
	keys    map[*Op]int
	place   map[*Tensor]int // which result of its operation a tensor is, if not the first
	list    []*Op           // all operations but copies
	rest    []*Op           // those without an equal one in the other graph
	partner map[*Op]*Op     // operations of the other graph that are compared with those of rest, or equal
}

func (c *comparison) side(g *Graph) *side {
	s := &side{graph: g, erased: make(map[*Tensor]eval.Value), keys: make(map[*Op]int, len(g.Ops)), place: make(map[*Tensor]int), partner: make(map[*Op]*Op)}
	var buf []byte
	for _, op := range g.Ops {
		if t, ok := op.Results[0].(*Tensor); ok && op.IsCopy() {
			s.erased[t] = s.resolve(op.Args[0])
			continue
		}
		s.list = append(s.list, op)
		for i, t := range op.Outputs() {
			if i > 0 {
				s.place[t] = i
			}
		}
		buf = append(append(buf[:0], op.Operation.Name...), byte(op.Type))
		if op.Operation.Name == "external" {
			buf = append(buf, op.Outputs()[0].Name...)
		}
		for _, v := range op.Args {
			buf = c.append(buf, s, v)
		}
		n, ok := c.keys[string(buf)]
		if !ok {
			n = len(c.keys)
			c.keys[string(buf)] = n
		}
		s.keys[op] = n
	}
	return s
}

// resolve returns what a value stands for when copies are erased.
func (s *side) resolve(v eval.Value) eval.Value {
	if t, ok := v.(*Tensor); ok {
		if x, ok := s.erased[t]; ok {
			return x
		}
	}
	return v
}

// value returns what identifies a tensor in both graphs.
func (s *side) value(t *Tensor) any {
	if u, ok := s.resolve(t).(*Tensor); ok {
		return [2]int{s.keys[u.Producer], s.place[u]}
	}
	return eval.Text(s.resolve(t))
}

// append adds the key of a value.
func (c *comparison) append(b []byte, s *side, v eval.Value) []byte {
	number := func(kind byte, n int64) []byte { return binary.AppendVarint(append(b, kind), n) }
	count := func(kind byte, n int) []byte { return number(kind, int64(n)) }
	switch v := s.resolve(v).(type) {
	case *Tensor:
		b = count('t', s.keys[v.Producer])
		return binary.AppendVarint(b, int64(s.place[v]))
	case int64:
		return number('i', v)
	case float64:
		return count('f', c.scalars[v])
	case bool:
		if v {
			return append(b, 'T')
		}
		return append(b, 'F')
	case string:
		return append(count('s', len(v)), v...)
	case eval.Array:
		b = count('[', len(v))
		for _, x := range v {
			b = c.append(b, s, x)
		}
		return b
	case eval.Tuple:
		b = count('(', len(v))
		for _, x := range v {
			b = c.append(b, s, x)
		}
		return b
	case eval.Symbol:
		return append(count('y', len(v)), v...)
	}
	return append(b, '-')
}

// tolerance is the relative distance of scalars that count as equal.
const tolerance = 1e-6

// near reports whether two scalars count as equal.
func near(x, y float64) bool {
	return x == y || math.Abs(x-y) <= tolerance*math.Max(math.Abs(x), math.Abs(y))
}

// cluster numbers the scalars of two graphs so that those that count as equal have one number. Being near is not
// transitive; a group ends where it would become wider than the tolerance.
func cluster(graphs ...*Graph) map[float64]int {
	numbers := make(map[float64]int)
	var collect func(v eval.Value)
	collect = func(v eval.Value) {
		switch v := v.(type) {
		case float64:
			numbers[v] = 0
		case eval.Array:
			for _, x := range v {
				collect(x)
			}
		case eval.Tuple:
			for _, x := range v {
				collect(x)
			}
		}
	}
	for _, g := range graphs {
		for _, op := range g.Ops {
			for _, v := range op.Args {
				collect(v)
			}
		}
	}
	sorted := make([]float64, 0, len(numbers))
	for x := range numbers {
		sorted = append(sorted, x)
	}
	slices.Sort(sorted)
	first, n := math.NaN(), 0
	for _, x := range sorted {
		if !near(first, x) {
			first = x
			n++
		}
		numbers[x] = n
	}
	return numbers
}

// pairEqual pairs the equal operations of both graphs; the others are the rest of each.
func (c *comparison) pairEqual(a, b *side) {
	waiting := make(map[int][]*Op)
	for _, op := range b.list {
		waiting[b.keys[op]] = append(waiting[b.keys[op]], op)
	}
	for _, op := range a.list {
		if w := waiting[a.keys[op]]; len(w) > 0 {
			a.partner[op], b.partner[w[0]] = w[0], op
			waiting[a.keys[op]] = w[1:]
		} else {
			a.rest = append(a.rest, op)
		}
	}
	for _, op := range b.list {
		if b.partner[op] == nil {
			b.rest = append(b.rest, op)
		}
	}
}

// pairAlike finds for operations without an equal one that which they are best compared with: one whose result has the
// same name, else one of the same operation on the same tensors, else the next one of the same operation.
func (c *comparison) pairAlike(a, b *side) {
	for _, sameness := range []func(s, other *side, op *Op) string{
		func(s, _ *side, op *Op) string { return resultNames(op) + " " + op.Operation.Name },
		func(s, _ *side, op *Op) string { return s.sources(op) },
		func(_, _ *side, op *Op) string { return op.Operation.Name },
		func(_, _ *side, op *Op) string { return resultNames(op) },
	} {
		waiting := make(map[string][]*Op)
		for _, op := range b.rest {
			if b.partner[op] == nil {
				key := sameness(b, a, op)
				waiting[key] = append(waiting[key], op)
			}
		}
		for _, op := range a.rest {
			key := sameness(a, b, op)
			if w := waiting[key]; a.partner[op] == nil && len(w) > 0 {
				a.partner[op], b.partner[w[0]] = w[0], op
				waiting[key] = w[1:]
			}
		}
	}
}

// sources describes an operation by its name and what its tensors are, without its attributes.
func (s *side) sources(op *Op) string {
	var b strings.Builder
	b.WriteString(op.Operation.Name)
	for _, t := range op.Inputs() {
		fmt.Fprint(&b, " ", s.value(t))
	}
	return b.String()
}

// compare lists the differences of two operations that do not follow from differences of others.
func (c *comparison) compare(left, right *side, a, b *Op) []Difference {
	if a.Operation.Name != b.Operation.Name {
		return []Difference{{A: a, B: b, What: "operation", Left: left.graph.text(a), Right: right.graph.text(b)}}
	}
	var list []Difference
	if a.Type != b.Type {
		list = append(list, Difference{A: a, B: b, What: "type", Left: a.Type.String(), Right: b.Type.String()})
	}
	if x, y := resultNames(a), resultNames(b); a.Operation.Name == "external" && x != y {
		list = append(list, Difference{A: a, B: b, What: "name", Left: x, Right: y})
	}
	for i, p := range a.Operation.Params {
		x, y := a.Args[i], b.Arg(p.Name)
		if !c.corresponds(left, right, x, y) {
			list = append(list, Difference{A: a, B: b, What: "argument " + p.Name, Left: argText(x), Right: argText(y)})
		}
	}
	return list
}

// blocks compares the fragments that operations evaluate themselves.
func blocks(a, b *Graph) []Difference {
	left, right := fragments(a), fragments(b)
	names := slices.Sorted(maps.Keys(left))
	for name := range right {
		if _, ok := left[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var list []Difference
	for _, name := range names {
		if x, y := left[name], right[name]; x != y {
			list = append(list, Difference{What: "fragment " + name, Left: x, Right: y})
		}
	}
	return list
}

// fragments returns the text of the fragments with a body that a graph keeps, by name.
func fragments(g *Graph) map[string]string {
	m := make(map[string]string)
	for _, f := range g.Fragments {
		if f.Body != nil {
			bare := *f
			bare.Comments = nil
			text, _ := syntax.FormatFragment(&bare, g.Dialect) // it was read, so that it can be written
			m[f.Name.Name] = strings.Join(strings.Fields(string(text)), " ")
		}
	}
	return m
}

// corresponds reports whether two arguments are equal, or tensors of operations that are compared with each other.
func (c *comparison) corresponds(left, right *side, x, y eval.Value) bool {
	x, y = left.resolve(x), right.resolve(y)
	t, ok := x.(*Tensor)
	u, also := y.(*Tensor)
	if ok && also {
		return left.value(t) == right.value(u) || left.partner[t.Producer] == u.Producer && left.place[t] == right.place[u]
	}
	items := func(v eval.Value) ([]eval.Value, byte) {
		switch v := v.(type) {
		case eval.Array:
			return v, '['
		case eval.Tuple:
			return v, '('
		}
		return nil, 0
	}
	p, kind := items(x)
	q, other := items(y)
	if kind != other || len(p) != len(q) {
		return false
	}
	if kind == 0 {
		f, ok := x.(float64)
		g, also := y.(float64)
		if ok && also {
			return c.scalars[f] == c.scalars[g]
		}
		return !ok && !also && x == y
	}
	for i := range p {
		if !c.corresponds(left, right, p[i], q[i]) {
			return false
		}
	}
	return true
}

// argText writes an argument; tensors by their names.
func argText(v eval.Value) string {
	if v == nil {
		return ""
	}
	text, err := syntax.FormatExpr(expr(v), syntax.Final)
	if err != nil {
		return eval.Text(v)
	}
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

// maxText bounds the text of one side of a difference, in bytes.
const maxText = 200
