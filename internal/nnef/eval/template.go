package eval

import (
	"math"
	"slices"

	"github.com/concord-nn/concord/nnef/syntax"
)

// template is what the expansion of a fragment came to. Where the fragment is invoked again with arguments that make no
// difference, which are equal attributes and tensors of the same types, the operations are applied without evaluating the
// body. Models consist of a few blocks that are repeated, so that most of them are expanded so.
type template struct {
	generic syntax.Primitive
	args    []Value            // with a slot for each tensor
	items   []syntax.Primitive // the types of those tensors
	names   int                // how many names results were given
	places  []templatePlace    // the first one is the body itself
	calls   []templateCall
	results []Value

	steps, work, depth int // what the expansion counted
}

// templatePlace is a place whose caller is another one of the template.
type templatePlace struct {
	op     *Operation
	caller int
	site   syntax.Span
}

// templateCall is one application of an atomic operation.
type templateCall struct {
	op      *Operation
	generic syntax.Primitive
	args    []Value // with slots
	names   []int   // which names of the template's the results get; negative for none
	place   int
	x       syntax.Node
}

// slot stands for a tensor: one of the arguments, in their order, or else a result, in the order of the calls.
type slot int

// slotted stands for an array or tuple with slots in it.
type slotted struct{ list Value }

// templates are those of one operation.
type templates struct {
	list    []*template
	invoked int
	made    int // how many templates were made
	used    int // how often one of them served
}

const (
	templateAfter  = 2   // invocations of an operation that are only expanded
	maxTemplates   = 8   // of an operation
	templateSlots  = 256 // tensors in a template
	templateValues = 1 << 14
)

// expansion expands an operation in the way that costs least.
func (e *Evaluator) expansion(caller *frame, site syntax.Span, op *Operation, generic syntax.Primitive, args []Value, names []string,
) ([]Value, error) {
	if e.tract || e.dialect != syntax.Final { // tensors may have types that only shapes tell
		return e.expand(caller, site, op, generic, args, names)
	}
	known := e.templates[op]
	if known == nil {
		if e.templates == nil {
			e.templates = make(map[*Operation]*templates)
		}
		known = new(templates)
		e.templates[op] = known
	}
	for _, t := range known.list {
		if tensors, ok := t.suits(generic, args, len(names), e.slots[:0]); ok && e.affords(t, caller) {
			known.used++
			e.slots, e.deepest = nil, max(e.deepest, caller.depth+t.depth)
			out, tensors, err := e.replay(t, caller.place, site, op, names, tensors)
			e.slots = tensors[:0]
			return out, err
		}
	}
	known.invoked++
	if known.invoked <= templateAfter || known.made >= maxTemplates+known.used {
		return e.expand(caller, site, op, generic, args, names)
	}
	known.made++
	return e.observed(known, caller, site, op, generic, args, names)
}

// affords reports whether the limits allow what a template counts.
func (e *Evaluator) affords(t *template, caller *frame) bool {
	return e.steps+t.steps <= e.limits.Steps && t.work <= e.limits.Items-e.items && caller.depth+t.depth <= e.limits.Depth &&
		e.calls+len(t.calls) <= e.limits.Calls
}

// replay applies the operations of a template to tensors and appends what they yield to those.
func (e *Evaluator) replay(t *template, caller *place, site syntax.Span, op *Operation, names []string, tensors []Value,
) (results, all []Value, err error) {
	e.steps += t.steps
	e.items += t.work
	places := e.places.take(len(t.places))
	places[0] = place{op, caller, site}
	for i := 1; i < len(places); i++ {
		p := &t.places[i]
		places[i] = place{p.op, &places[p.caller], p.site}
	}
	for i := range t.calls {
		c := &t.calls[i]
		e.calls++
		args := e.lists.take(len(c.args))
		for k, v := range c.args {
			args[k] = filled(v, tensors)
		}
		out, err := e.apply(&places[c.place], c.x, c.op, c.generic, args, e.chosen(names, c.names))
		if err != nil {
			return nil, tensors, err
		}
		tensors = append(tensors, out...)
	}
	results = e.lists.take(len(t.results))
	for i, v := range t.results {
		results[i] = filled(v, tensors)
	}
	return results, tensors, nil
}

// chosen returns those names of a list that are given by their places.
func (e *Evaluator) chosen(names []string, which []int) []string {
	if len(which) == 0 {
		return nil
	}
	out := e.names.take(len(which))
	for i, k := range which {
		if k >= 0 {
			out[i] = names[k]
		}
	}
	return out
}

// filled returns a value with tensors in place of slots.
func filled(v Value, tensors []Value) Value {
	switch v := v.(type) {
	case slot:
		return tensors[v]
	case slotted:
		switch list := v.list.(type) {
		case Array:
			return Array(filledItems(list, tensors))
		case Tuple:
			return Tuple(filledItems(list, tensors))
		}
	}
	return v
}

func filledItems(list, tensors []Value) []Value {
	out := make([]Value, len(list))
	for i, x := range list {
		out[i] = filled(x, tensors)
	}
	return out
}

// suits reports whether an invocation has the arguments of a template, and appends its tensors to a list.
func (t *template) suits(generic syntax.Primitive, args []Value, names int, tensors []Value) ([]Value, bool) {
	if t.generic != generic || t.names != names {
		return nil, false
	}
	m := slotMatch{t.items, tensors}
	for i, v := range args {
		if !m.same(v, t.args[i]) {
			return nil, false
		}
	}
	return m.tensors, true
}

// slotMatch collects the tensors that stand for slots.
type slotMatch struct {
	items   []syntax.Primitive
	tensors []Value
}

// same reports whether a value is that of a template. Scalars have the same bits then, unlike with [equal].
func (m *slotMatch) same(v, pattern Value) bool {
	switch p := pattern.(type) {
	case slot:
		t, ok := asSlot(v)
		if !ok {
			return false
		}
		at := slotOf(m.tensors, t)
		if at == len(m.tensors) {
			if int(p) == at && itemOf(t) == m.items[at] {
				m.tensors = append(m.tensors, v)
				return true
			}
			return false
		}
		return int(p) == at
	case slotted:
		return m.same(v, p.list)
	case Array:
		a, ok := v.(Array)
		return ok && m.sameItems(a, p)
	case Tuple:
		a, ok := v.(Tuple)
		return ok && m.sameItems(a, p)
	case constant:
		c, ok := v.(constant)
		return ok && m.same(c.value, p.value)
	case float64:
		x, ok := v.(float64)
		return ok && math.Float64bits(x) == math.Float64bits(p)
	case int64, bool, string, Symbol, Absent:
		return v == pattern
	}
	return false
}

func (m *slotMatch) sameItems(a, p []Value) bool {
	if len(a) != len(p) {
		return false
	}
	if len(a) == 0 || &a[0] == &p[0] { // the same literal; lists with slots are not shared
		return true
	}
	for i, x := range a {
		if !m.same(x, p[i]) {
			return false
		}
	}
	return true
}

// asSlot returns a tensor of the caller's, which may be another one in the next invocation.
func asSlot(v Value) (Tensor, bool) {
	if _, literal := v.(constant); literal {
		return nil, false
	}
	t, ok := v.(Tensor)
	return t, ok
}

// slotOf returns where a tensor is in a list, or the length of the list.
func slotOf(list []Value, t Tensor) int {
	for i := len(list) - 1; i >= 0; i-- {
		if t.SameTensor(list[i].(Tensor)) {
			return i
		}
	}
	return len(list)
}

// tape records what is applied while an expansion is observed.
type tape struct {
	observers int
	calls     []taped
	taped     bool // the call that is applied is the last one
	spoiled   bool // another invocation could come to something else
}

type taped struct {
	Invocation
	out []Value
}

// spoil says that what is expanded depends on more than the arguments and types.
func (p *tape) spoil() { p.spoiled = true }

func (p *tape) before(c *Invocation) {
	p.spoiled = p.spoiled || len(p.calls) > templateValues
	if p.taped = p.observers > 0 && !p.spoiled; p.taped {
		copied := *c
		copied.Args = slices.Clone(c.Args) // the operation may change them
		p.calls = append(p.calls, taped{Invocation: copied})
	}
}

func (p *tape) after(out []Value) {
	if p.taped {
		p.calls[len(p.calls)-1].out = out
	}
}

// observed expands an operation and makes a template of what is applied, where that is possible.
func (e *Evaluator) observed(known *templates, caller *frame, site syntax.Span, op *Operation, generic syntax.Primitive,
	args []Value, names []string) ([]Value, error) {
	spoiled, deepest, steps, items := e.tape.spoiled, e.deepest, e.steps, e.items
	from := len(e.tape.calls)
	e.tape.observers++
	e.tape.spoiled, e.deepest = false, caller.depth+1
	out, err := e.expand(caller, site, op, generic, args, names)
	if err == nil && !e.tape.spoiled {
		m := templateMaker{names: names, t: &template{generic: generic, names: len(names),
			steps: e.steps - steps, work: e.items - items, depth: e.deepest - caller.depth}}
		if t := m.make(op, caller.place, args, e.tape.calls[from:], out); t != nil {
			if len(known.list) < maxTemplates {
				known.list = append(known.list, t)
			} else {
				known.list[known.made%maxTemplates] = t
			}
		}
	}
	e.tape.spoiled, e.deepest = e.tape.spoiled || spoiled, max(e.deepest, deepest)
	if e.tape.observers--; e.tape.observers == 0 {
		clear(e.tape.calls)
		e.tape.calls = e.tape.calls[:0]
	}
	return out, err
}

// templateMaker makes a template of what was applied.
type templateMaker struct {
	t       *template
	names   []string
	tensors []Value // by slot
	values  int     // that were looked at
	failed  bool
}

// make returns nil where the expansion cannot be repeated from a template.
func (m *templateMaker) make(op *Operation, caller *place, args []Value, calls []taped, results []Value) *template {
	t := m.t
	for i, name := range m.names {
		m.failed = m.failed || name != "" && slices.Contains(m.names[:i], name)
	}
	m.arguments(args)
	t.args = m.slots(args)
	where := make(map[*place]int)
	for i := range calls {
		c := &calls[i]
		call := templateCall{op: c.Op, generic: c.Type, x: c.Site.x, place: m.place(where, caller, c.Site.at),
			args: m.slots(c.Args), names: m.wished(c.Names)}
		m.results(c.out)
		if m.failed {
			return nil
		}
		t.calls = append(t.calls, call)
	}
	if len(t.places) == 0 {
		t.places = []templatePlace{{op: op}}
	}
	t.results = m.slots(results)
	if m.failed {
		return nil
	}
	return t
}

// arguments gives the tensors among values slots.
func (m *templateMaker) arguments(values []Value) {
	for _, v := range values {
		switch v := v.(type) {
		case Array:
			m.arguments(v)
		case Tuple:
			m.arguments(v)
		}
		m.values++
		t, ok := asSlot(v)
		if m.failed = m.failed || m.values > templateValues; m.failed || !ok || slotOf(m.tensors, t) < len(m.tensors) {
			continue
		}
		m.t.items = append(m.t.items, itemOf(t))
		m.add(v)
	}
}

// results gives what an operation yields slots.
func (m *templateMaker) results(values []Value) {
	for _, v := range values {
		t, ok := asSlot(v)
		if !ok || slotOf(m.tensors, t) < len(m.tensors) {
			m.failed = true
			return
		}
		m.add(v)
	}
}

func (m *templateMaker) add(tensor Value) {
	m.tensors = append(m.tensors, tensor)
	m.failed = m.failed || len(m.tensors) > templateSlots
}

// slots returns values with slots in place of tensors.
func (m *templateMaker) slots(values []Value) []Value {
	list, _ := m.slotsOf(values)
	return list
}

func (m *templateMaker) slotsOf(values []Value) (list []Value, changed bool) {
	list = values
	for i, v := range values {
		s := m.slot(v)
		if m.failed {
			return values, false
		}
		if _, ok := s.(slot); !ok {
			if _, ok = s.(slotted); !ok {
				continue
			}
		}
		if !changed {
			list, changed = slices.Clone(values), true
		}
		list[i] = s
	}
	return list, changed
}

func (m *templateMaker) slot(v Value) Value {
	if m.values++; m.values > templateValues {
		m.failed = true
	}
	if m.failed {
		return v
	}
	switch v := v.(type) {
	case Array:
		if list, changed := m.slotsOf(v); changed {
			return slotted{Array(list)}
		}
		return v
	case Tuple:
		if list, changed := m.slotsOf(v); changed {
			return slotted{Tuple(list)}
		}
		return v
	}
	t, ok := asSlot(v)
	if !ok {
		return v
	}
	at := slotOf(m.tensors, t)
	m.failed = at == len(m.tensors)
	return slot(at)
}

// wished returns where names stand among those of the template.
func (m *templateMaker) wished(names []string) []int {
	list := make([]int, len(names))
	for i, name := range names {
		if list[i] = -1; name != "" {
			list[i] = slices.Index(m.names, name)
			m.failed = m.failed || list[i] < 0
		}
	}
	return list
}

// place returns where a place stands in the template; caller is that of the template's body.
func (m *templateMaker) place(where map[*place]int, caller, at *place) int {
	if i, ok := where[at]; ok {
		return i
	}
	p := templatePlace{op: at.op, site: at.site}
	if at.caller != caller {
		p.caller = m.place(where, caller, at.caller)
	}
	where[at] = len(m.t.places)
	m.t.places = append(m.t.places, p)
	return where[at]
}
