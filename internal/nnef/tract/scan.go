package tract

import (
	"fmt"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// scanned returns tract_core_scan with as many results as an invocation asks for.
func scanned(c *eval.Invocation) (*eval.Operation, []eval.Value, error) {
	list, _ := c.Arg("output").(eval.Array)
	o := &eval.Operation{Name: c.Op.Name, Params: c.Op.Params}
	for i := range list {
		o.Results = append(o.Results, eval.Result{Name: fmt.Sprintf("output%d", i), Type: &syntax.TensorType{}})
	}
	return o, c.Args, nil
}

// scan is an invocation of tract_core_scan, a loop over parts of tensors whose body is a fragment, on its way to the operator scan. That
// takes and yields states, parts and then what every turn takes, in this order; the fragment has its parameters and results in any.
type scan struct {
	*Lowering
	body   *syntax.Fragment
	params map[string]int     // positions of the parameters of the fragment, by plain names
	order  map[string]int     // likewise of its results
	args   []element.Argument // of the fragment
	bound  []bool             // whether a parameter has an argument
	block  *graph.Graph       // the fragment, with its own inputs and outputs

	states, parted, taken scanValues
	axes, chunks          []int // of the tensors that are parted
	next                  []int // the result of the fragment that is a state in the next turn
}

// scanValues are operands of a scan.
type scanValues struct {
	values []*graph.Value
	params []int // of the fragment that they become
}

func (v *scanValues) add(x *graph.Value, param int) {
	v.values, v.params = append(v.values, x), append(v.params, param)
}

// scan adds the operator scan, with the fragment as its block.
func (l *Lowering) scan() []*graph.Value {
	name := l.c.Text("body")
	s := &scan{Lowering: l, body: l.t.fragments[name], params: make(map[string]int), order: make(map[string]int)}
	switch {
	case s.body == nil:
		l.fail(eval.CodeAttribute, "body", "there is no fragment %s", name)
		return nil
	case l.c.Arg("skip") != int64(0):
		l.fail(eval.CodeAttribute, "skip", "a scan that skips turns is not supported")
		return nil
	}
	for i := range s.body.Params {
		s.params[plain(s.body.Params[i].Name.Name)] = i
	}
	for i := range s.body.Results {
		s.order[plain(s.body.Results[i].Name.Name)] = i
	}
	s.args, s.bound = make([]element.Argument, len(s.body.Params)), make([]bool, len(s.body.Params))
	s.bindStates()
	s.bindParted()
	s.bindTaken()
	for i, bound := range s.bound {
		if !bound {
			l.fail(eval.CodeMissing, "scan", "the parameter %s of %s is not bound", s.body.Params[i].Name.Name, name)
		}
	}
	if l.Err == nil && len(s.parted.values) == 0 {
		l.fail(eval.CodeAttribute, "scan", "a scan takes one tensor at least to part")
	}
	if l.Err != nil { // Without this a block would be made in vain.
		return nil
	}
	var err error
	if s.block, err = l.Block(name, s.args); err != nil {
		l.Fail(err)
		return nil
	}
	return s.node()
}

// tuples returns the items of an argument, each with its name, which has so many parts at least.
func (s *scan) tuples(arg string, parts int, what string) []eval.Tuple {
	list, _ := s.c.Arg(arg).(eval.Array)
	out := make([]eval.Tuple, 0, len(list))
	for _, x := range list {
		tuple, _ := x.(eval.Tuple)
		if len(tuple) < parts {
			s.fail(eval.CodeType, arg, "%s", what)
			return nil
		}
		out = append(out, tuple)
	}
	return out
}

// operand returns an argument of the fragment as a value, and the parameter that it is bound to, -1 if there is none.
func (s *scan) operand(arg string, tuple eval.Tuple) (*graph.Value, int) {
	name, _ := tuple[0].(string)
	i, ok := s.params[plain(name)]
	if !ok {
		s.fail(eval.CodeParameter, arg, "%s has no parameter %s", s.body.Name.Name, name)
		return nil, -1
	}
	x := s.Value(arg, s.asTensor(arg, tuple[1], syntax.NoPrimitive))
	s.bind(arg, i, name)
	if x == nil || s.Err != nil {
		return nil, -1
	}
	s.args[i].Type = x.Type
	return x, i
}

// bind notes that a parameter of the fragment has an argument.
func (s *scan) bind(arg string, i int, name string) {
	if s.bound[i] {
		s.fail(eval.CodeDuplicate, arg, "the parameter %s of %s is bound twice", name, s.body.Name.Name)
	}
	s.bound[i] = true
}

func (s *scan) bindStates() {
	for _, tuple := range s.tuples("state", 3, "a state must be a tuple of a name, a tensor and the name of a result") {
		to, _ := tuple[2].(string)
		result, ok := s.order[plain(to)]
		if !ok {
			s.fail(eval.CodeType, "state", "%s has no result %s", s.body.Name.Name, to)
			return
		}
		if x, i := s.operand("state", tuple); i >= 0 {
			s.states.add(x, i)
			s.next = append(s.next, result)
		}
	}
}

func (s *scan) bindParted() {
	for _, tuple := range s.tuples("scan", 2, "an item must be a tuple of a name and a tensor") {
		axis, chunk := s.itemInt("scan", tuple, 2, 0), s.itemInt("scan", tuple, 3, 1)
		x, i := s.operand("scan", tuple)
		if i < 0 {
			continue
		}
		shape, size := x.Type.Shape.Clone(), max(chunk, -chunk)
		if axis < 0 || axis >= len(shape) || chunk == 0 || shape[axis]%size != 0 {
			s.fail(eval.CodeShape, "scan", "dimension %d of the shape %v cannot be parted by %d", axis, shape, chunk)
			return
		}
		shape[axis] = size
		s.args[i].Type = graph.Type{DType: x.Type.DType, Shape: shape}
		s.parted.add(x, i)
		s.axes, s.chunks = append(s.axes, axis), append(s.chunks, chunk)
	}
}

// bindTaken binds what is the same in every turn. A literal stays one, so that it may be an attribute.
func (s *scan) bindTaken() {
	for _, tuple := range s.tuples("full", 2, "an item must be a tuple of a name and a tensor") {
		name, _ := tuple[0].(string)
		_, tensor := tuple[1].(eval.Tensor)
		if i, ok := s.params[plain(name)]; ok && !tensor {
			if _, _, literal := element.Literals(tuple[1]); literal || tuple[1] == true || tuple[1] == false {
				s.bind("full", i, name)
				s.args[i].Literal = tuple[1]
				continue
			}
		}
		if x, i := s.operand("full", tuple); i >= 0 {
			s.taken.add(x, i)
		}
	}
}

// itemInt returns an item of a tuple that is a number, or a default.
func (s *scan) itemInt(arg string, tuple eval.Tuple, i, other int) int {
	if i < len(tuple) {
		n, _ := tuple[i].(int64)
		return s.Narrow(arg, n)
	}
	return other
}

// node adds the node and returns the results that are asked for.
func (s *scan) node() []*graph.Value {
	parts, results := s.results()
	if s.Err != nil { // Without this a node would be added in vain.
		return nil
	}
	taken := make(map[string]bool)
	for v := range s.block.Values() {
		taken[v.Name] = true
	}
	inputs := make(map[int]*graph.Value) // by parameter
	for i := range s.args {
		if s.args[i].Literal == nil {
			inputs[i] = s.block.Inputs[len(inputs)]
		}
	}
	b, n := &graph.Graph{Name: s.block.Name, Nodes: s.block.Nodes}, graph.Node{Op: "scan"}
	for _, group := range []scanValues{s.states, s.parted, s.taken} {
		for i, x := range group.values {
			v := inputs[group.params[i]]
			if v == nil { // a state of which no turn takes anything
				v = &graph.Value{Name: "unused", Type: x.Type}
				for k := i; taken[v.Name]; k++ {
					v.Name = fmt.Sprintf("unused%d", k)
				}
				taken[v.Name] = true
			}
			n.In, b.Inputs = append(n.In, x), append(b.Inputs, v)
		}
	}
	var axes, directions []int
	output := func(result int) {
		b.Outputs = append(b.Outputs, graph.Output{Name: fmt.Sprintf("out%d", len(b.Outputs)), Value: s.block.Outputs[result].Value})
	}
	for _, result := range s.next {
		output(result)
	}
	for _, p := range parts {
		output(p.result)
		axes, directions = append(axes, p.axis), append(directions, p.direction)
	}
	n.Blocks = []*graph.Graph{b}
	n.Attrs = emit.Attr("states", len(s.next), "scanned", len(s.parted.values), "axes", s.axes, "chunks", s.chunks, "out_axes", axes, "out_directions", directions)
	names := make([]string, len(b.Outputs))
	for i, k := range results {
		if i < len(s.c.Names) {
			names[k] = s.c.Names[i]
		}
	}
	out, err := s.Add(n, names)
	if s.Fail(err); err != nil {
		return nil
	}
	values := make([]*graph.Value, len(results))
	for i, k := range results {
		values[i] = out[k]
	}
	return values
}

// part is a result of the fragment whose values in all turns are joined.
type part struct{ result, axis, direction int }

// results returns the parts that the scan yields, and for each output of the invocation, which of the results of the node it is. A last
// value that is no state becomes one, which no turn takes.
func (s *scan) results() (parts []part, results []int) {
	outputs := s.tuples("output", 3, `an output must be a tuple of a name, "full" or "last", and a dimension`)
	for _, tuple := range outputs {
		name, _ := tuple[0].(string)
		kind, _ := tuple[1].(string)
		result, ok := s.order[plain(name)]
		switch {
		case !ok:
			s.fail(eval.CodeType, "output", "%s has no result %s", s.body.Name.Name, name)
			return nil, nil
		case kind == "full":
			p := part{result, s.itemInt("output", tuple, 2, 0), 1}
			if s.itemInt("output", tuple, 3, 1) < 0 {
				p.direction = -1
			}
			parts, results = append(parts, p), append(results, -len(parts)-1)
		case kind == "last":
			results = append(results, s.state(result))
		default:
			s.fail(eval.CodeType, "output", `an output must be "full" or "last"`)
			return nil, nil
		}
	}
	for i, k := range results {
		if k < 0 {
			results[i] = len(s.next) - k - 1
		}
	}
	return parts, results
}

// state returns the state that a result of the fragment becomes.
func (s *scan) state(result int) int {
	for i, r := range s.next {
		if r == result { // Without this the state would be there twice.
			return i
		}
	}
	t := s.block.Outputs[result].Value.Type
	zero := s.constant([]eval.Value{int64(0)}, t.DType, tensor.Shape{})
	if len(t.Shape) > 0 {
		zero = s.Node("expand", emit.Attr("shape", []int(t.Shape)), s.Unsqueeze(zero, emit.Counting(0, len(t.Shape))...))
	}
	s.states.add(zero, -1)
	s.next = append(s.next, result)
	return len(s.next) - 1
}

// plain returns a name as tract writes it where it must be an identifier.
func plain(name string) string {
	return strange.Get().ReplaceAllString(begins.Get().ReplaceAllString(name, "_$0"), "_")
}

var strange, begins = pattern.Of(`[^A-Za-z0-9_]`), pattern.Of(`^[^A-Za-z_]`)
