package diff

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// Kind says what a difference is about.
type Kind string

// The kinds of differences.
const (
	Input    Kind = "input"    // an input is new, gone, renamed, or has another type
	Output   Kind = "output"   // an output is new, gone, renamed, or another value
	State    Kind = "state"    // a state is new, gone, has another type, content or update
	Added    Kind = "added"    // an operator of B that A does not have
	Removed  Kind = "removed"  // an operator of A that B does not have
	Replaced Kind = "replaced" // another operator in the same place
	Changed  Kind = "changed"  // the same operator with other arguments
	Constant Kind = "constant" // elements of a constant
)

// Difference is one difference between networks A and B.
type Difference struct {
	Kind    Kind     `json:"kind"`
	A       *Item    `json:"a,omitempty"` // nil if it is new in B
	B       *Item    `json:"b,omitempty"` // nil if it is gone in B
	Changes []Change `json:"changes,omitempty"`
	Delta   *Delta   `json:"elements,omitempty"` // of constants of one type
	// Follows is set if the difference follows from others: an output has another shape because an operator changed.
	Follows bool `json:"follows,omitempty"`

	order float64
}

// Item is what a difference is about, on one side.
type Item struct {
	Name  string `json:"name"`            // the identifiers of an operator's results, or that of a value
	Text  string `json:"text"`            // as NNEF writes it
	Place string `json:"place,omitempty"` // where it stands, if that is known
}

// Change is one property that differs; one that is missing on a side is empty there.
type Change struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Report is the structural difference of two networks.
type Report struct {
	Differences []Difference `json:"differences"` // in the order of the operators
	Operators   [2]int       `json:"operators"`   // of A and of B
	Alike       int          `json:"alike"`       // operators that correspond and do not differ
}

// Equal reports whether the networks compute the same in the same way.
func (r *Report) Equal() bool { return len(r.Differences) == 0 }

// Count returns the number of differences that do not follow from others.
func (r *Report) Count() int {
	n := 0
	for i := range r.Differences {
		if !r.Differences[i].Follows {
			n++
		}
	}
	return n
}

// Compare finds the differences of two networks, in a time that grows with their size. Names of values and the order of
// independent operators carry no meaning; names of inputs and outputs do. A nil network is empty.
func Compare(a, b *Network) *Report {
	a, b = cmp.Or(a, &Network{}), cmp.Or(b, &Network{})
	c := comparer{
		alignment: align(a, b), report: &Report{Differences: []Difference{}, Operators: [2]int{len(a.ops), len(b.ops)}},
		replaced: make(map[*operator]*operator), constants: make(map[[2]*value]bool),
	}
	c.findReplaced()
	c.operators()
	c.inputs()
	c.states()
	c.outputs()
	slices.SortStableFunc(c.report.Differences, func(d, e Difference) int { return cmp.Compare(d.order, e.order) })
	return c.report
}

type comparer struct {
	*alignment
	report    *Report
	replaced  map[*operator]*operator // both ways
	constants map[[2]*value]bool      // pairs that were compared
	now       float64                 // the order of what is compared
}

func (c *comparer) add(d Difference) {
	d.order = c.now
	c.report.Differences = append(c.report.Differences, d)
}

// unmatched returns the operator that yields v if the other side has none for it.
func (s *side) unmatched(v *value) *operator {
	if v == nil || v.from == nil || s.match[v.from.id] >= 0 {
		return nil
	}
	return v.from
}

// findReplaced pairs operators that have no counterpart but stand in the same place.
func (c *comparer) findReplaced() {
	a, b := c.sides[0], c.sides[1]
	try := func(v, w *value) {
		p, q := a.unmatched(v), b.unmatched(w)
		if p == nil || q == nil || c.replaced[p] != nil || c.replaced[q] != nil || !c.shareOperand(p, q) {
			return
		}
		c.replaced[p], c.replaced[q] = q, p
	}
	for _, p := range a.net.ops {
		if q := c.partner(p); q != nil {
			c.pairs(p, q, try)
		}
	}
	for _, o := range pairPorts(a.net.outputs, b.net.outputs, outputName) {
		if o.a != nil && o.b != nil {
			try(o.a.value, o.b.value)
		}
	}
}

// shareOperand reports whether operators read a common value, directly or by way of operators that only one side has, or
// none at all.
func (c *comparer) shareOperand(p, q *operator) bool {
	v, w := c.sides[0].sources(p), c.sides[1].sources(q)
	for _, x := range v {
		for _, y := range w {
			if c.same(x, y) {
				return true
			}
		}
	}
	return len(v) == 0 && len(w) == 0
}

// mostSources is how many values sources looks at.
const mostSources = limits.DiffSources

// sources returns what an operator reads, and what those of its operands are made of that the other side does not have.
func (s *side) sources(o *operator) []*value {
	var list []*value
	queue := []*operator{o}
	for len(queue) > 0 && len(list) < mostSources {
		queue[0].operands(func(_ slot, v *value) {
			if v == nil || len(list) >= mostSources {
				return
			}
			list = append(list, v)
			if from := s.unmatched(v); from != nil {
				queue = append(queue, from)
			}
		})
		queue = queue[1:]
	}
	return list
}

// pairs calls f for the operands in the same slots of two operators.
func (c *comparer) pairs(p, q *operator, f func(v, w *value)) {
	for i := range p.args {
		if j := q.argument(p.args[i].name); j >= 0 {
			w := q.args[j].in
			for k, v := range p.args[i].in[:min(len(w), len(p.args[i].in))] {
				f(v, w[k])
			}
		}
	}
}

// argument returns the index of an argument, or -1.
func (o *operator) argument(name string) int {
	return slices.IndexFunc(o.args, func(a argument) bool { return a.name == name })
}

func (c *comparer) operators() {
	a, b := c.sides[0], c.sides[1]
	for _, p := range a.net.ops {
		c.now = float64(p.id)
		if q := c.partner(p); q != nil {
			c.matched(p, q)
		} else if q := c.replaced[p]; q != nil {
			c.add(Difference{Kind: Replaced, A: p.statement(), B: q.statement()})
		} else {
			c.add(Difference{Kind: Removed, A: p.statement()})
		}
	}
	c.now = -1
	for _, q := range b.net.ops {
		if m := b.match[q.id]; m >= 0 {
			c.now = float64(m) + 0.5
		} else if c.replaced[q] == nil {
			c.add(Difference{Kind: Added, B: q.statement()})
		}
	}
}

// matched compares two operators that correspond.
func (c *comparer) matched(p, q *operator) {
	var changes []Change
	for i := range p.args {
		arg := &p.args[i]
		j := q.argument(arg.name)
		if j < 0 {
			changes = append(changes, Change{arg.name, arg.shown(), ""})
			continue
		}
		other := &q.args[j]
		if arg.text != other.text {
			if !c.explained(arg, other) {
				changes = append(changes, Change{arg.name, arg.shown(), other.shown()})
			}
			continue
		}
		for k, v := range arg.in {
			if !c.operand(v, other.in[k]) {
				changes = append(changes, Change{arg.operandName(k), v.shown(), other.in[k].shown()})
			}
		}
	}
	for i := range q.args {
		if p.argument(q.args[i].name) < 0 {
			changes = append(changes, Change{q.args[i].name, "", q.args[i].shown()})
		}
	}
	if len(changes) == 0 {
		c.report.Alike++
		return
	}
	for i := range min(len(p.out), len(q.out)) {
		if s, t := p.out[i].typ, q.out[i].typ; s != t {
			changes = append(changes, Change{"type of " + p.out[i].name, s, t})
		}
	}
	c.add(Difference{Kind: Changed, A: p.item(), B: q.item(), Changes: changes})
}

// operand reports whether operands correspond, or differ because of another difference, which is reported elsewhere or,
// for constants, here.
func (c *comparer) operand(v, w *value) bool {
	if c.same(v, w) {
		return true
	}
	if v == nil || w == nil {
		return false
	}
	if c.sides[0].unmatched(v) != nil || c.sides[1].unmatched(w) != nil {
		return true
	}
	if v.kind == constant && w.kind == constant {
		c.constant(Constant, v, w)
		return true
	}
	return false
}

// explained reports whether arguments of different texts read different numbers of values because operators were added
// or removed only.
func (c *comparer) explained(a, b *argument) bool {
	if len(a.in) == 0 || len(b.in) == 0 || len(a.in) == len(b.in) {
		return false
	}
	kept := func(list []*value, s *side) []*value {
		return slices.DeleteFunc(slices.Clone(list), func(v *value) bool { return s.unmatched(v) != nil })
	}
	return slices.EqualFunc(kept(a.in, c.sides[0]), kept(b.in, c.sides[1]), c.same)
}

// constant compares the elements of two constants or states, once.
func (c *comparer) constant(kind Kind, v, w *value) {
	if c.constants[[2]*value{v, w}] {
		return
	}
	c.constants[[2]*value{v, w}] = true
	d := Difference{Kind: kind, A: v.item(), B: w.item()}
	if c.sides[0].net.labelled && v.label != w.label {
		d.Changes = append(d.Changes, Change{"label", v.label, w.label})
	}
	if v.typ != w.typ {
		d.Changes = append(d.Changes, Change{"type", v.typ, w.typ})
	} else if v.data != nil && w.data != nil {
		if delta, err := Measure(v.data, w.data, Tolerance{}); err == nil && delta.Differ > 0 {
			d.Delta = &delta
		}
	}
	c.add(d)
}

// order notes ports that have the same names in another order.
func (c *comparer) order(kind Kind, a, b []string) {
	if slices.Equal(a, b) || len(a) != len(b) {
		return
	}
	x, y := strings.Join(a, ", "), strings.Join(b, ", ")
	sort.Strings(a)
	sort.Strings(b)
	if slices.Equal(a, b) {
		all := &Item{Name: "order", Text: "order"}
		c.add(Difference{Kind: kind, A: all, B: all, Changes: []Change{{string(kind) + "s", x, y}}})
	}
}

// names lists the names of items.
func names[T any](list []T, name func(T) string) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return out
}

func inputName(v *value) string   { return v.name }
func outputName(o output) string  { return o.name }
func stateLabel(s state) string   { return s.value.label }
func storedLabel(v *value) string { return v.label }

// unread compares the constants that no operator reads, by their labels.
func (c *comparer) unread() {
	var lists [2][]*value
	for i, s := range c.sides {
		for _, v := range s.net.values {
			if v.kind == constant && len(v.uses) == 0 && len(s.outputs[v.id]) == 0 {
				lists[i] = append(lists[i], v)
			}
		}
	}
	for _, p := range pairPorts(lists[0], lists[1], storedLabel) {
		switch {
		case p.b == nil:
			c.add(Difference{Kind: Constant, A: (*p.a).item()})
		case p.a == nil:
			c.add(Difference{Kind: Constant, B: (*p.b).item()})
		case !c.same(*p.a, *p.b):
			c.constant(Constant, *p.a, *p.b)
		}
	}
}

func (c *comparer) inputs() {
	c.now = -2
	c.order(Input, names(c.sides[0].net.inputs, inputName), names(c.sides[1].net.inputs, inputName))
	for _, p := range pairPorts(c.sides[0].net.inputs, c.sides[1].net.inputs, inputName) {
		switch {
		case p.b == nil:
			c.add(Difference{Kind: Input, A: (*p.a).item()})
		case p.a == nil:
			c.add(Difference{Kind: Input, B: (*p.b).item()})
		default:
			v, w := *p.a, *p.b
			c.port(Input, v.item(), w.item(), []Change{{"name", v.name, w.name}, {"type", v.typ, w.typ}})
		}
	}
}

// port adds a difference if one of the properties differs.
func (c *comparer) port(kind Kind, a, b *Item, properties []Change) {
	changes := slices.DeleteFunc(properties, func(p Change) bool { return p.A == p.B })
	if len(changes) > 0 {
		c.add(Difference{Kind: kind, A: a, B: b, Changes: changes})
	}
}

func (c *comparer) states() {
	c.now = -1.5
	for _, p := range pairPorts(c.sides[0].net.states, c.sides[1].net.states, stateLabel) {
		switch {
		case p.b == nil:
			c.add(Difference{Kind: State, A: p.a.value.item()})
		case p.a == nil:
			c.add(Difference{Kind: State, B: p.b.value.item()})
		default:
			v, w := p.a.value, p.b.value
			if v.typ != w.typ || c.sides[0].content[v.id] != c.sides[1].content[w.id] {
				c.constant(State, v, w)
			}
			if !c.operand(p.a.next, p.b.next) {
				c.add(Difference{Kind: State, A: v.item(), B: w.item(), Changes: []Change{{"update", p.a.next.shown(), p.b.next.shown()}}})
			}
		}
	}
}

func (c *comparer) outputs() {
	c.now = float64(len(c.sides[0].net.ops) + 1)
	c.order(Output, names(c.sides[0].net.outputs, outputName), names(c.sides[1].net.outputs, outputName))
	c.unread()
	independent := len(c.report.Differences) > 0
	for _, p := range pairPorts(c.sides[0].net.outputs, c.sides[1].net.outputs, outputName) {
		switch {
		case p.b == nil:
			c.add(Difference{Kind: Output, A: p.a.item()})
			continue
		case p.a == nil:
			c.add(Difference{Kind: Output, B: p.b.item()})
			continue
		}
		var changes []Change
		if p.a.name != p.b.name {
			changes = append(changes, Change{"name", p.a.name, p.b.name})
		}
		v, w := p.a.value, p.b.value
		if !c.operand(v, w) {
			changes = append(changes, Change{"value", v.shown(), w.shown()})
		}
		follows := len(changes) == 0 && independent
		if v.typ != w.typ {
			changes = append(changes, Change{"type", v.typ, w.typ})
		}
		if len(changes) > 0 {
			c.add(Difference{Kind: Output, A: p.a.item(), B: p.b.item(), Changes: changes, Follows: follows})
		}
	}
}

// shown writes a value as an operand.
func (v *value) shown() string {
	switch {
	case v == nil:
		return "absent"
	case v.kind == constant && v.data != nil && v.data.Len() == 1 && v.label == "":
		return show(v.data.Contiguous(), 0)
	case v.name != "":
		return v.name
	}
	return "constant " + v.typ
}

func (v *value) item() *Item {
	text := v.shown()
	if v.typ != "" {
		text += ": " + v.typ
	}
	if v.label != "" && v.label != v.name {
		text += " '" + v.label + "'"
	}
	it := &Item{Name: v.name, Text: text}
	if v.from != nil {
		it.Place = v.from.where()
	}
	return it
}

func (o output) item() *Item {
	it := o.value.item()
	it.Name, it.Text = o.name, o.name
	if o.value.typ != "" {
		it.Text += ": " + o.value.typ
	}
	return it
}

// shown writes the argument with the names of its operands.
func (a *argument) shown() string {
	var b strings.Builder
	next := 0
	for i := range len(a.text) {
		if a.text[i] == '%' && next < len(a.in) {
			b.WriteString(a.in[next].shown())
			next++
		} else {
			b.WriteByte(a.text[i])
		}
	}
	return b.String()
}

// operandName names operand k of the argument.
func (a *argument) operandName(k int) string {
	if len(a.in) == 1 {
		return a.name
	}
	return fmt.Sprintf("%s[%d]", a.name, k)
}

// shownOperands is how many operands of an operator a text shows.
const shownOperands = 6

// item describes an operator as a statement with its operands.
func (o *operator) item() *Item { return o.describe(false) }

// statement describes an operator with its attributes, too, but those that have their default.
func (o *operator) statement() *Item { return o.describe(true) }

func (o *operator) describe(whole bool) *Item {
	var names, operands []string
	for _, v := range o.out {
		names = append(names, v.name)
	}
	o.operands(func(_ slot, v *value) { operands = append(operands, v.shown()) })
	if len(operands) > shownOperands {
		operands = append(operands[:shownOperands], "…")
	}
	for i := range o.args {
		if a := &o.args[i]; whole && len(a.in) == 0 && !a.usual {
			operands = append(operands, a.name+" = "+shortened(a.text))
		}
	}
	if len(names) > shownOperands {
		names = append(names[:shownOperands], "…")
	}
	name := strings.Join(names, ", ")
	text := o.name + "(" + strings.Join(operands, ", ") + ")"
	if name != "" {
		text = name + " = " + text
	}
	return &Item{Name: name, Text: text, Place: o.where()}
}

// where returns the place of the operator; it is empty if that is not known.
func (o *operator) where() string {
	if o.place == nil {
		return ""
	}
	return o.place()
}
