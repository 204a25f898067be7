package flat

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/std"
	"github.com/concord-nn/concord/nnef/syntax"
)

// Flatten evaluates a document. An error is a [syntax.Diagnostics]; the graph then holds what could be evaluated.
//
// What is never evaluated is not looked at: [Check] finds mistakes in fragments that are not invoked and in branches that are not taken.
func Flatten(doc *syntax.Document, opts Options) (*Graph, error) {
	if doc == nil || doc.Graph == nil {
		return nil, errors.New("there is no document: it is nil, or has no graph")
	}
	if opts.Limits.Calls == 0 { // the limits of texts bound the statements of a graph
		opts.Limits.Calls = eval.DefaultLimits.Calls + len(doc.Graph.Body)
	}
	r := newRecorder(doc, opts)
	r.graph = &Graph{Name: doc.Graph.Name.Name, Dialect: doc.Dialect, Tract: doc.Tract, Ops: make([]*Op, 0, len(doc.Graph.Body))}
	for _, e := range doc.Extensions {
		if e.Name != syntax.ExtFragments && e.Name != syntax.ExtOperators {
			r.graph.Extensions = append(r.graph.Extensions, e)
		}
	}
	for _, f := range doc.Fragments {
		if name := f.Name.Name; r.declared[name] == nil && (f.Body != nil || r.library(name) == nil) { // else the library has what is declared
			r.declared[name] = r.fragment(f)
		}
	}
	if g := r.graph; doc.Dialect == syntax.Provisional {
		r.eval.Expanded = func(op *eval.Operation, args, results []eval.Value) {
			g.Invocations = append(g.Invocations, Invocation{op.Name, slices.Clone(args), slices.Clone(results)})
		}
	}
	values := r.eval.Graph(doc.Graph, r, opts.Symbols)
	r.checkInputs(values)
	r.finish(values)
	limited := slices.ContainsFunc(r.eval.Diagnostics(), func(d syntax.Diagnostic) bool { return d.Code == eval.CodeLimit })
	if !opts.Deferred && !limited { // a document that goes beyond the limits must not take more time
		r.catchUp()
	}
	r.graph.Used = r.eval.Used()
	g, err := r.graph, r.eval.Diagnostics().Err()
	*r = recorder{graph: g, inferred: len(g.Ops)} // tensors refer to it, which must not hold what is no longer needed
	return g, err
}

// recorder is the library of a document: it finds operations and records their applications.
type recorder struct {
	doc   *syntax.Document
	opts  Options
	eval  *eval.Evaluator
	graph *Graph

	declared  map[string]*eval.Operation  // fragments of the document; when it is checked, those so far
	known     map[string]*eval.Operation  // of libraries and the standard, as far as they were asked for
	ahead     map[string]*eval.Operation  // fragments that were used before their declaration, where that is allowed
	fragments map[string]*syntax.Fragment // of the document
	operators bool                        // the operations are those of package op

	prefixes map[string]bool   // identifiers of the graph without digits at the end; nil until a name is made up
	free     map[string]string // what of that is no prefix, by the name of an operation
	made     int               // number of the last name that was made up
	buffer   []byte            // of that name
	unnamed  bool              // tensors that are given no names have none
	inferred int               // the operations whose shapes were inferred
	most     int               // how many tensors there may be

	labels  map[string]*Op     // the first variable of each label, in lower case
	updated map[string]*Tensor // the variable that was updated, likewise
	open    bool               // the evaluation has asked for an extent that is not specified
}

func newRecorder(doc *syntax.Document, opts Options) *recorder {
	r := &recorder{doc: doc, opts: opts, eval: eval.New(opts.Limits).For(doc), most: maxTensors,
		declared: make(map[string]*eval.Operation, len(doc.Fragments)), known: make(map[string]*eval.Operation),
		fragments: make(map[string]*syntax.Fragment, len(doc.Fragments)), operators: doc.Declares(syntax.ExtConcord)}
	if doc.Graph != nil {
		r.most += len(doc.Graph.Body)
	}
	for _, f := range doc.Fragments {
		r.fragments[f.Name.Name] = f
	}
	return r
}

// fragment makes an operation of a fragment.
func (r *recorder) fragment(f *syntax.Fragment) *eval.Operation {
	o := eval.FromFragment(f, r)
	if f.Body == nil {
		o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
			op, err := r.record(c)
			if err != nil {
				return nil, err
			}
			op.Custom = true
			return op.Results, nil
		}
	}
	return o
}

// library returns an operation of the given library.
func (r *recorder) library(name string) *eval.Operation {
	if r.opts.Library == nil {
		return nil
	}
	o := r.opts.Library.Operation(name)
	if o == nil {
		return nil
	}
	own := *o
	switch {
	case own.Body != nil:
		own.Scope = r
	case own.Rewrite != nil:
		own.Scope = r
		own.Rewrite = func(c *eval.Invocation) (*eval.Operation, []eval.Value, error) {
			o, args, err := o.Rewrite(c)
			if err == nil && o.Body == nil {
				o.Apply = r.apply
			}
			return o, args, err
		}
	case own.Apply == nil:
		own.Apply = r.apply
	}
	return &own
}

// Operation implements [eval.Library]: the fragments that are declared, then what the document does not declare itself.
func (r *recorder) Operation(name string) *eval.Operation {
	if len(r.declared) > 0 {
		if o := r.declared[name]; o != nil {
			return o
		}
	}
	if o := r.shared(name); o != nil || len(r.doc.Fragments) == 0 || !r.opts.Lenient && !r.doc.Tract {
		return o
	}
	return r.forward(name)
}

// shared returns an operation that does not come from the document.
func (r *recorder) shared(name string) *eval.Operation {
	o, ok := r.known[name]
	if ok { // Without this it would be made again.
		return o
	}
	if o = r.library(name); o == nil {
		o = r.standard(name)
	}
	r.known[name] = o
	return o
}

// forward returns an operation that is declared below, if there is one.
func (r *recorder) forward(name string) *eval.Operation {
	if o := r.ahead[name]; o != nil { // Without this it would be made again.
		return o
	}
	f := r.fragments[name]
	if f == nil {
		return nil
	}
	if r.ahead == nil {
		r.ahead = make(map[string]*eval.Operation)
	}
	r.ahead[name] = r.fragment(f)
	return r.ahead[name]
}

// Explain implements [eval.Explainer].
func (r *recorder) Explain(name string) (string, []syntax.Related) {
	if f := r.fragments[name]; f != nil { // not declared yet
		return "move the declaration of " + name + " above this one", here(f.Name.Span, "%s is declared here, after its use", name)
	}
	other := syntax.Provisional
	if r.doc.Dialect == syntax.Provisional {
		other = syntax.Final
	}
	if _, ok := std.Of(other).Lookup(name); ok {
		hint := fmt.Sprintf("%s is an operation of the %v dialect", name, other)
		if s, ok := std.Successors[name]; ok && other == syntax.Provisional {
			hint += "; the final one has " + s.Name
			if s.Grouped {
				hint += " with groups = 0"
			}
		}
		return hint, nil
	}
	if word := syntax.ToInteger.Text(r.doc.Dialect); name == syntax.ToInteger.Text(other) {
		return fmt.Sprintf("the %v dialect has %s(…)", r.doc.Dialect, word), nil
	}
	names := slices.Collect(maps.Keys(r.declared))
	for _, f := range std.Of(r.doc.Dialect).Fragments() {
		names = append(names, f.Name.Name)
	}
	if hint := eval.DoYouMean(name, names); hint != "" {
		return hint, nil
	}
	return "take an operation of the standard, or declare a fragment of that name before its use", nil
}

// standard returns an operation of the standard.
func (r *recorder) standard(name string) *eval.Operation {
	f, ok := std.Of(r.doc.Dialect).Lookup(name)
	if !ok {
		return nil
	}
	o := eval.FromFragment(f, r)
	o.Source = nil // errors concern the invocation
	if o.Body != nil && r.opts.Level == All {
		if !slices.Contains(whole, name) {
			return o
		}
		compound := *o
		o.Rewrite = func(c *eval.Invocation) (*eval.Operation, []eval.Value, error) {
			if c.Arg("border") == "ignore" {
				return &eval.Operation{Name: name, Params: o.Params, Results: o.Results, Apply: r.apply}, c.Args, nil
			}
			return &compound, c.Args, nil
		}
	}
	o.Body = nil
	switch name {
	case "external":
		o.Apply = r.external
	case "variable":
		o.Apply = r.variable
	case "update":
		o.Apply = r.update
	default:
		o.Apply = r.apply
	}
	return o
}

// whole are the compounds that are not expanded where they have the border 'ignore', which sample does not have: their bodies do not mean the same.
var whole = []string{"max_pool", "max_pool_with_index"}

func (r *recorder) apply(c *eval.Invocation) ([]eval.Value, error) {
	op, err := r.record(c)
	if err != nil {
		return nil, err
	}
	return op.Results, nil
}

// record adds an operation.
func (r *recorder) record(c *eval.Invocation) (*Op, error) {
	if r.open {
		if err := specified(c); err != nil {
			return nil, err
		}
	}
	if r.graph.Fragments == nil && slices.ContainsFunc(c.Op.Params, func(p eval.Param) bool { return p.Block }) {
		r.graph.Fragments = r.doc.Fragments
	}
	op := &Op{Invocation: c, Results: make([]eval.Value, len(c.Op.Results))}
	wished, names := c.Names, make([]string, 0, len(op.Results))
	add := func(declared syntax.Type) *Tensor {
		name := ""
		if len(wished) > 0 {
			name, wished = wished[0], wished[1:]
		}
		t := r.tensor(op, declared, name)
		names = append(names, t.Name)
		return t
	}
	for i := range c.Op.Results {
		result := &c.Op.Results[i]
		list, ok := result.Type.(*syntax.ArrayType)
		if !ok {
			op.Results[i] = add(result.Type)
			continue
		}
		n, err := r.length(c, len(wished)-(len(c.Op.Results)-1-i))
		if err != nil {
			return nil, err
		}
		items := make(eval.Array, n)
		for k := range items {
			items[k] = add(list.Item)
		}
		op.Results[i] = items
	}
	c.Names = names
	if r.graph.Tensors > r.most {
		return nil, &eval.Error{Code: eval.CodeLimit, Msg: fmt.Sprintf("the graph has more than %d tensors", r.most)}
	}
	r.graph.Ops = append(r.graph.Ops, op)
	return op, nil
}

// specified reports an argument that holds an extent which is not specified.
func specified(c *eval.Invocation) error {
	for i := range c.Op.Params {
		if holdsOpen(c.Args[i]) {
			return &eval.Error{Code: eval.CodeUnknown, Arg: c.Op.Params[i].Name, Msg: "the value depends on an extent of an input that is not specified",
				Hint: "give the shape of the input, in the document or when it is opened"}
		}
	}
	return nil
}

func holdsOpen(v eval.Value) bool {
	switch v := v.(type) {
	case eval.Symbol:
		return v == eval.Unspecified
	case eval.Array:
		return slices.ContainsFunc(v, holdsOpen)
	case eval.Tuple:
		return slices.ContainsFunc(v, holdsOpen)
	}
	return false
}

// tensor returns a new tensor of a declared type.
func (r *recorder) tensor(op *Op, declared syntax.Type, name string) *Tensor {
	if name == "" && !r.unnamed {
		name = r.name(op.Name())
	}
	t := &Tensor{Name: name, Producer: op, Index: r.graph.Tensors, pending: r}
	r.graph.Tensors++
	if d, ok := declared.(*syntax.TensorType); ok {
		if t.Type = d.Item; t.Type == syntax.GenericType {
			t.Type = op.Type
		}
	}
	return t
}

// name returns a name that no identifier of the graph has: a number behind the prefix, with underscores between where an identifier looks like that.
func (r *recorder) name(prefix string) string {
	if r.prefixes == nil {
		r.prefixes, r.free = make(map[string]bool), make(map[string]string)
		for i := range r.doc.Graph.Body {
			for id := range r.doc.Graph.Body[i].Names() {
				r.prefixes[strings.TrimRight(id.Name, "0123456789")] = true
			}
		}
	}
	free, known := r.free[prefix]
	if !known {
		for free = prefix; r.prefixes[free]; free += "_" {
		}
		r.free[prefix] = free
	}
	r.made++
	r.buffer = strconv.AppendInt(append(r.buffer[:0], free...), int64(r.made), 10)
	return string(r.buffer)
}

// lengths says how many tensors an operation of the standard yields as an array.
var lengths = map[string]func(c *eval.Invocation) (int, error){
	"split": func(c *eval.Invocation) (int, error) {
		ratios, _ := c.Arg("ratios").(eval.Array)
		if len(ratios) == 0 {
			return 0, &eval.Error{Code: eval.CodeAttribute, Arg: "ratios", Msg: "no ratio is given; there must be one for each result"}
		}
		return len(ratios), nil
	},
	"copy_n": func(c *eval.Invocation) (int, error) {
		n, _ := c.Arg("times").(int64)
		if n < 0 || n > maxArray {
			return 0, &eval.Error{Code: eval.CodeAttribute, Arg: "times", Msg: fmt.Sprintf("times is %d; it must be from 0 to %d", n, maxArray)}
		}
		return int(n), nil
	},
	"unstack": func(c *eval.Invocation) (int, error) {
		t, ok := c.Arg("value").(*Tensor)
		if !ok {
			return 0, &eval.Error{Code: eval.CodeShape, Arg: "value", Msg: "a tensor without dimensions cannot be divided"}
		}
		axis, _ := c.Arg("axis").(int64)
		shape, known := t.Extents()
		switch {
		case !known:
			return -1, nil
		case axis < 0 || axis >= int64(len(shape)):
			return 0, &eval.Error{Code: eval.CodeAttribute, Arg: "axis", Msg: fmt.Sprintf("the axis %d does not exist; the rank is %d", axis, len(shape))}
		case shape[axis] > maxArray:
			return 0, &eval.Error{Code: eval.CodeLimit, Msg: fmt.Sprintf("an array of more than %d tensors", maxArray)}
		}
		return shape[axis], nil
	},
}

// maxArray bounds the tensors that one operation yields, and maxTensors those of a graph beyond its statements: a few
// invocations could make any number.
const (
	maxArray   = limits.FlatArray
	maxTensors = limits.FlatTensors
)

// length returns how many tensors an array result has. Where neither attributes nor shapes say it, the left side does,
// which has names for that many.
func (r *recorder) length(c *eval.Invocation, names int) (int, error) {
	if f := lengths[c.Op.Name]; f != nil {
		if n, err := f(c); n >= 0 || err != nil {
			return n, err
		}
	}
	if len(c.Names) > 0 && names >= 0 {
		return names, nil
	}
	return 0, &eval.Error{Code: eval.CodeUnknown, Msg: "the number of tensors that " + c.Op.Name + " yields is not known here",
		Hint: "assign them to a pattern like [a, b]"}
}

func (r *recorder) external(c *eval.Invocation) ([]eval.Value, error) {
	id := ""
	if len(c.Names) > 0 {
		id = c.Names[0]
	}
	if extents, ok := r.opts.Extents[id]; ok {
		shape := make(eval.Array, len(extents))
		for i, n := range extents {
			shape[i] = int64(n)
		}
		c.Args[0] = shape
	}
	return r.apply(c)
}

// external, variable and update refer to things outside of the expressions, so that their rules cannot be left to shapes.
func (r *recorder) variable(c *eval.Invocation) ([]eval.Value, error) {
	label, _ := c.Arg("label").(string)
	if why, hint := CheckLabel(label); why != "" {
		return nil, &eval.Error{Code: CodeLabel, Arg: "label", Msg: why, Hint: hint}
	}
	op, err := r.record(c)
	if err != nil {
		return nil, err
	}
	if r.labels == nil {
		r.labels = make(map[string]*Op, len(r.doc.Graph.Body)/8)
	}
	key := strings.ToLower(label)
	first := r.labels[key]
	switch {
	case first == nil:
		r.labels[key] = op
	case eval.Text(first.Arg("shape")) != eval.Text(op.Arg("shape")) || first.Type != op.Type:
		a, b := first.Outputs()[0], op.Outputs()[0]
		return nil, &eval.Error{Code: CodeShared, Arg: "shape", Hint: "variables of one label share their data; labels are compared without case",
			Msg: fmt.Sprintf("the variables %s and %s share the label %s; their types are %v%s and %v%s and must be equal", a.Name, b.Name, label,
				a.Type, eval.Text(first.Arg("shape")), b.Type, eval.Text(op.Arg("shape")))}
	}
	return op.Results, nil
}

const oneUpdate = "a variable gets one new value in a run"

func (r *recorder) update(c *eval.Invocation) ([]eval.Value, error) {
	t, ok := c.Args[0].(*Tensor)
	if !ok {
		return nil, &eval.Error{Code: CodeUpdate, Arg: "variable", Msg: "update takes the identifier of a variable"}
	}
	if t.Producer.Name() != "variable" || t.Producer.Custom {
		return nil, &eval.Error{Code: CodeUpdate, Arg: "variable", Msg: t.Name + " is no variable", Hint: "only the results of variable can be updated"}
	}
	label, _ := t.Producer.Arg("label").(string)
	key := strings.ToLower(label)
	switch first := r.updated[key]; {
	case first == t:
		return nil, &eval.Error{Code: CodeUpdate, Arg: "variable", Msg: "the variable " + t.Name + " is updated twice", Hint: oneUpdate}
	case first != nil:
		return nil, &eval.Error{Code: CodeUpdate, Arg: "variable", Hint: oneUpdate,
			Msg: fmt.Sprintf("%s and %s share the label %s and with it their data, which is updated twice", first.Name, t.Name, label)}
	case r.updated == nil:
		r.updated = make(map[string]*Tensor)
	}
	r.updated[key] = t
	return r.apply(c)
}

// finish finds inputs and outputs. An identifier of the graph for a tensor of another name becomes a copy, so that every
// identifier names one tensor.
func (r *recorder) finish(value func(name string) (v eval.Value, assigned bool)) {
	g := r.doc.Graph
	copies := make(map[string]*Tensor)
	for i := range g.Body {
		for id := range g.Body[i].Names() {
			v, _ := value(id.Name)
			t, ok := v.(*Tensor)
			if !ok || t.Name == id.Name {
				continue
			}
			c := &eval.Invocation{Op: r.Operation(eval.Copying(r.doc.Dialect)), Type: t.Type, Args: []eval.Value{t}, Names: []string{id.Name}}
			if out, err := r.apply(c); err == nil {
				copies[id.Name], _ = out[0].(*Tensor)
			}
		}
	}
	find := func(id *syntax.Ident) *Tensor {
		if t := copies[id.Name]; t != nil {
			return t
		}
		v, _ := value(id.Name)
		t, _ := v.(*Tensor)
		return t
	}
	for _, p := range g.Params {
		if t := find(p); t != nil {
			r.graph.Inputs = append(r.graph.Inputs, t)
		}
	}
	for _, id := range g.Results {
		if t := find(id); t != nil {
			r.graph.Outputs = append(r.graph.Outputs, t)
			r.graph.OutputNames = append(r.graph.OutputNames, id.Name)
		}
	}
}

// checkInputs checks that the parameters of the graph are the results of external, and that no other tensors are, which documents of tract may have.
func (r *recorder) checkInputs(value func(name string) (v eval.Value, assigned bool)) {
	g := r.doc.Graph
	params := make(map[string]bool, len(g.Params))
	for _, p := range g.Params {
		params[p.Name] = true
	}
	for _, op := range r.graph.Ops {
		if !r.doc.Tract && op.isExternal() && !params[op.Names[0]] {
			r.eval.Report(op.Site.Diagnostic(&eval.Error{Code: CodeExternal, Msg: op.Names[0] + " is external but no parameter of the graph",
				Hint: "add it to the parameters of the graph"}))
		}
	}
	for _, p := range g.Params {
		d := syntax.Diagnostic{Source: r.doc.Source, Span: p.Span, Hint: "write " + p.Name + " = external(shape = …) in the graph"}
		v, assigned := value(p.Name)
		switch t, ok := v.(*Tensor); {
		case !assigned && r.doc.Tract:
		case !assigned:
			d.Code, d.Message = eval.CodeUnassigned, "the parameter "+p.Name+" of the graph is never assigned"
			r.eval.Report(d)
		case r.doc.Tract && !params[p.Name]: // of other documents the declaration is checked
			d.Code, d.Message, d.Hint = CodeRepeated, "two parameters of the graph are named "+p.Name, "choose another name"
			r.eval.Report(d)
		case ok && (!t.Producer.isExternal() || t.Name != p.Name):
			d.Code, d.Message = CodeExternal, "the parameter "+p.Name+" of the graph is not the result of external"
			r.eval.Report(d)
		}
		delete(params, p.Name)
	}
}

// catchUp infers the shapes of the operations that were recorded since it was last called.
func (r *recorder) catchUp() {
	if r.opts.Shapes == nil {
		return
	}
	for r.inferred < len(r.graph.Ops) {
		op := r.graph.Ops[r.inferred]
		r.inferred++
		if err := r.opts.Shapes.Infer(op); err != nil && op.Site != nil {
			for _, d := range op.Diagnostics(err) {
				r.eval.Report(d)
			}
		}
	}
}
