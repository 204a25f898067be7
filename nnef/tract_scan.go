package nnef

import (
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// maxTurns bounds the turns into which a scan is unrolled.
const maxTurns = limits.TractTurns

// scan is an invocation of tract_core_scan, a loop over parts of tensors whose body is a fragment.
type scan struct {
	t     *tract
	body  *syntax.Fragment
	names map[string]string // what the parameters of the body are bound to: parameters of the unrolled loop, or results of a turn
	op    *eval.Operation
	args  []eval.Value
	turns int
}

// scan returns the unrolled loop: an operation whose body invokes the fragment once for each turn.
func (t *tract) scan(c *eval.Invocation) (*eval.Operation, []eval.Value, error) {
	refuse := func(arg, format string, args ...any) (*eval.Operation, []eval.Value, error) {
		return nil, nil, &eval.Error{Code: eval.CodeAttribute, Arg: arg, Msg: fmt.Sprintf(format, args...)}
	}
	name, _ := c.Arg("body").(string)
	s := &scan{t: t, names: make(map[string]string), op: &eval.Operation{Name: c.Op.Name}, turns: -1}
	for _, f := range t.doc.Fragments {
		if f.Name.Name == name {
			s.body = f
		}
	}
	switch {
	case s.body == nil:
		return refuse("body", "there is no fragment %s", name)
	case c.Arg("skip") != 0:
		return refuse("skip", "a scan that skips turns is not supported")
	}
	inputs, err := s.inputs(c)
	if err != nil {
		return nil, nil, err
	}
	if s.turns < 0 || s.turns > maxTurns {
		return refuse("scan", "a scan takes from 0 to %d turns, and one tensor at least to part", maxTurns)
	}
	text, err := s.text(c, inputs)
	if err != nil {
		return nil, nil, err
	}
	body, err := syntax.ParseBody(c.Op.Name, text)
	if err != nil {
		return nil, nil, err
	}
	s.op.Body = body
	return s.op, s.args, nil
}

// scanned is a tensor of which each turn takes a part.
type scanned struct {
	axis, chunk int
	list        string // the parameter that holds the tensor
}

// inputs binds the parameters of the body to parameters of the unrolled loop.
func (s *scan) inputs(c *eval.Invocation) (map[string]scanned, error) {
	parts := make(map[string]scanned)
	for _, arg := range []string{"scan", "full", "state"} {
		list, _ := c.Arg(arg).(eval.Array)
		for _, item := range list {
			tuple, _ := item.(eval.Tuple)
			if len(tuple) < 2 {
				return nil, &eval.Error{Code: eval.CodeType, Arg: arg, Msg: "an item must be a tuple of a name and a tensor"}
			}
			name, _ := tuple[0].(string)
			id := fmt.Sprintf("p%d", len(s.args))
			s.names[plain(name)] = id
			s.op.Params = append(s.op.Params, eval.Param{Name: id})
			s.args = append(s.args, tuple[1])
			if arg != "scan" {
				continue
			}
			if err := s.part(name, id, tuple, parts); err != nil {
				return nil, err
			}
		}
	}
	return parts, nil
}

// part notes along which dimension a tensor is parted, and how many turns that makes.
func (s *scan) part(name, id string, tuple eval.Tuple, parts map[string]scanned) error {
	fail := func(format string, args ...any) error {
		return &eval.Error{Code: eval.CodeShape, Arg: "scan", Msg: fmt.Sprintf(format, args...)}
	}
	axis, chunk := 0, 1
	if len(tuple) > 2 {
		axis, _ = tuple[2].(int)
	}
	if len(tuple) > 3 {
		chunk, _ = tuple[3].(int)
	}
	x, _ := tuple[1].(eval.Tensor)
	if x == nil {
		return fail("%s is no tensor", name)
	}
	shape, ok := x.Extents()
	if !ok {
		return s.t.notKnown("scan", "the number of turns")
	}
	size := max(chunk, -chunk)
	if axis < 0 || axis >= len(shape) || chunk == 0 || shape[axis]%size != 0 {
		return fail("dimension %d of the shape %v cannot be parted by %d", axis, shape, chunk)
	}
	if turns := shape[axis] / size; s.turns >= 0 && turns != s.turns {
		return fail("the tensors of a scan make %d and %d turns", s.turns, turns)
	}
	s.turns = shape[axis] / size
	parts[plain(name)] = scanned{axis, chunk, id}
	return nil
}

// plain returns a name as tract writes it where it must be an identifier.
func plain(name string) string {
	var b strings.Builder
	for i, c := range name {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if i == 0 && !letter {
			b.WriteByte('_')
		}
		if letter || '0' <= c && c <= '9' {
			b.WriteRune(c)
		} else {
			b.WriteByte('_')
		}
	}
	return b.String()
}

// text writes the unrolled loop. Results of turn i of the body are called by the position of the result and i.
func (s *scan) text(c *eval.Invocation, parts map[string]scanned) (string, error) {
	result := make(map[string]int, len(s.body.Results)) // positions of the results of the body
	for i, r := range s.body.Results {
		result[plain(r.Name.Name)] = i
	}
	next, err := s.states(c, result)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for turn := range s.turns {
		if err := s.turn(&b, turn, parts); err != nil {
			return "", err
		}
		for name, i := range next {
			s.names[name] = fmt.Sprintf("y%d_%d", i, turn)
		}
	}
	s.op.Scope = scanScope{c.Op.Scope, s.body}
	err = s.results(&b, c, result)
	return b.String(), err
}

// states returns which result of the body becomes which of its parameters in the next turn.
func (s *scan) states(c *eval.Invocation, result map[string]int) (map[string]int, error) {
	next := make(map[string]int)
	list, _ := c.Arg("state").(eval.Array)
	for _, item := range list {
		tuple, _ := item.(eval.Tuple)
		if len(tuple) < 3 {
			return nil, &eval.Error{Code: eval.CodeType, Arg: "state",
				Msg: "a state must be a tuple of a name, a tensor and the name of a result"}
		}
		from, _ := tuple[0].(string)
		to, _ := tuple[2].(string)
		i, ok := result[plain(to)]
		if !ok {
			return nil, &eval.Error{Code: eval.CodeType, Arg: "state", Msg: s.body.Name.Name + " has no result " + to}
		}
		next[plain(from)] = i
	}
	return next, nil
}

// turn writes one turn of the loop.
func (s *scan) turn(b *strings.Builder, turn int, parts map[string]scanned) error {
	args := make([]string, 0, len(s.body.Params))
	for i := range s.body.Params {
		id := s.body.Params[i].Name.Name
		value := s.names[plain(id)]
		if value == "" {
			return &eval.Error{Code: eval.CodeMissing, Arg: "scan", Msg: "the parameter " + id + " of " + s.body.Name.Name + " is not bound"}
		}
		if p, parted := parts[plain(id)]; parted {
			size := max(p.chunk, -p.chunk)
			begin := turn * size
			if p.chunk < 0 {
				begin = (s.turns - 1 - turn) * size
			}
			value = fmt.Sprintf("x%d_%d", i, turn)
			fmt.Fprintf(b, "%s = slice(%s, axes = [%d], begin = [%d], end = [%d]);\n", value, p.list, p.axis, begin, begin+size)
		}
		args = append(args, value)
	}
	results := make([]string, len(s.body.Results))
	for i := range results {
		results[i] = fmt.Sprintf("y%d_%d", i, turn)
	}
	fmt.Fprintf(b, "%s = %s(%s);\n", strings.Join(results, ", "), invoked, strings.Join(args, ", "))
	return nil
}

// invoked is the name by which the unrolled loop invokes its body: the fragment may have one that is no plain identifier.
const invoked = "body"

// results writes what the loop yields: the parts of a tensor joined, or the last one.
func (s *scan) results(b *strings.Builder, c *eval.Invocation, result map[string]int) error {
	list, _ := c.Arg("output").(eval.Array)
	for k, item := range list {
		tuple, _ := item.(eval.Tuple)
		if len(tuple) < 3 {
			return &eval.Error{Code: eval.CodeType, Arg: "output",
				Msg: `an output must be a tuple of a name, "full" or "last", and a dimension`}
		}
		name, _ := tuple[0].(string)
		kind, _ := tuple[1].(string)
		i, ok := result[plain(name)]
		switch {
		case !ok:
			return &eval.Error{Code: eval.CodeType, Arg: "output", Msg: s.body.Name.Name + " has no result " + name}
		case kind != "full" && kind != "last" || s.turns == 0:
			return &eval.Error{Code: eval.CodeType, Arg: "output", Msg: "an output must be \"full\" or \"last\" of a scan with turns"}
		}
		id := fmt.Sprintf("r%d", k)
		s.op.Results = append(s.op.Results, eval.Result{Name: id})
		if kind == "last" {
			fmt.Fprintf(b, "%s = copy(y%d_%d);\n", id, i, s.turns-1)
			continue
		}
		parts := make([]string, s.turns)
		for turn := range parts {
			parts[turn] = fmt.Sprintf("y%d_%d", i, turn)
		}
		if len(tuple) > 3 {
			if chunk, _ := tuple[3].(int); chunk < 0 {
				slices.Reverse(parts)
			}
		}
		axis, _ := tuple[2].(int)
		fmt.Fprintf(b, "%s = concat([%s], axis = %d);\n", id, strings.Join(parts, ", "), axis)
	}
	return nil
}

// scanScope is what an unrolled loop may invoke.
type scanScope struct {
	eval.Library // of the document
	body         *syntax.Fragment
}

// Operation implements [eval.Library].
func (s scanScope) Operation(name string) *eval.Operation {
	if name == invoked {
		return eval.FromFragment(s.body, s.Library)
	}
	return s.Library.Operation(name)
}
