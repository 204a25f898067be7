package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Codes of diagnostics of this package; see [syntax.Code].
const (
	CodeExtension     syntax.Code = 304  // unknown extension, or a statement of Concord's own that is broken
	CodeRepeated      syntax.Code = 401  // two fragments, a fragment and an operation of the standard, or two parameters of one name
	CodeExternal      syntax.Code = 902  // graph parameters are not the results of external
	CodeUpdate        syntax.Code = 903  // update of something that is no variable, or a second one
	CodeLabel         syntax.Code = 904  // broken label, or variables of one label that differ
	CodeGraphOnly     syntax.Code = 905  // external, variable or update in a fragment
	CodeVariable      syntax.Code = 906  // the data of a variable is missing, broken or of another type or shape
	CodeProvisional   syntax.Code = 305  // document of the provisional dialect
	CodeQuantization  syntax.Code = 907  // entry of a quantization file that does not fit its variable
	CodeConstantItems syntax.Code = 1102 // constant whose value does not fill its shape
)

// document reads one document into a graph.
type document struct {
	*sink
	doc       *syntax.Document
	eval      *eval.Evaluator
	fragments map[string]*eval.Operation
	libraries []eval.Library // behind the document's own fragments
	source    source
	quants    *syntax.Quantization // nil if there is none

	types   map[string]tensor.DType // element types that extensions give to identifiers
	names   map[string]string       // names of inputs and outputs that are not identifiers
	symbols map[string]eval.Value
	labels  map[string]*variable // by label in lower case
	updated map[string]bool      // identifiers of variables that are updated
	inputs  map[string]*graph.Value
	states  map[*graph.Value]bool
	filled  int // elements of constants that one value was repeated for
}

// variable is a stored tensor and the identifier that first named it.
type variable struct {
	id    string
	t     *tensor.Tensor
	codes bool // the elements are codes of a quantization
	casts map[tensor.DType]*tensor.Tensor
}

// as returns the tensor with elements of type d. Variables of one label share it.
func (v *variable) as(d tensor.DType) (*tensor.Tensor, error) {
	if v.t.DType() == d {
		return v.t, nil
	}
	if t := v.casts[d]; t != nil {
		return t, nil
	}
	t, err := tensor.Cast(v.t, d)
	if err == nil {
		v.casts[d] = t
	}
	return t, err
}

// source yields the data of variables.
type source interface {
	// variable returns the tensor that is stored under a label. codes says that its elements are codes of a quantization.
	variable(label string) (t *tensor.Tensor, codes bool, err error)
}

// build evaluates a document and returns its graph.
func build(doc *syntax.Document, quants *syntax.Quantization, src source, limits eval.Limits) (*graph.Graph, error) {
	if doc.Dialect != syntax.Final {
		return nil, syntax.Diagnostics{{Code: CodeProvisional, Source: doc.Source, Span: doc.Version.Span,
			Message: "documents of the provisional dialect are not read yet", Hint: "a final document starts with 'version 1.0;'"}}
	}
	d := &document{
		sink: newSink(graph.NewBuilder(op.Rules, doc.Graph.Name.Name), limits),
		doc:  doc, eval: eval.New(limits), source: src, quants: quants,
		fragments: make(map[string]*eval.Operation),
		types:     make(map[string]tensor.DType), names: make(map[string]string), symbols: make(map[string]eval.Value),
		labels: make(map[string]*variable), updated: make(map[string]bool),
		inputs: make(map[string]*graph.Value), states: make(map[*graph.Value]bool),
	}
	d.libraries = []eval.Library{newStandard(d.sink)}
	d.extensions()
	d.declare()
	d.prepare()
	values := d.eval.Graph(doc.Graph, d, d.symbols)
	d.checkParameters()
	if err := d.eval.Diagnostics().Err(); err != nil {
		return nil, err
	}
	return d.finish(values)
}

func (d *document) report(code syntax.Code, span syntax.Span, hint, format string, args ...any) {
	d.eval.Report(syntax.Diagnostic{Code: code, Source: d.doc.Source, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint})
}

var nameStatement = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)\s+('(?:[^'\\]|\\.)*')$`)

// extensions reads the extension statements.
func (d *document) extensions() {
	for i := range d.doc.Extensions {
		e := &d.doc.Extensions[i]
		fields := strings.Fields(e.Text)
		broken := false
		switch e.Name {
		case syntax.ExtFragments, syntax.ExtOperators:
		case syntax.ExtConcord:
			if broken = len(fields) != 0; !d.ownOperators() {
				d.libraries = append([]eval.Library{newCanonical(d.sink)}, d.libraries...)
			}
		case "concord_symbol":
			if broken = len(fields) != 1; !broken {
				d.symbols[fields[0]] = eval.Symbol(fields[0])
			}
		case "concord_type":
			if broken = len(fields) != 2; !broken {
				t, err := tensor.ParseDType(fields[1])
				d.types[fields[0]], broken = t, err != nil
			}
		case "concord_name":
			m := nameStatement.FindStringSubmatch(e.Text)
			if broken = m == nil; !broken {
				x, err := syntax.ParseExpr("", m[2])
				text, ok := x.(*syntax.StringLit)
				if broken = err != nil || !ok; !broken {
					d.names[m[1]] = text.Value
				}
			}
		default:
			d.report(CodeExtension, e.Span, "", "the extension %s is not known", e.Name)
		}
		if broken {
			d.report(CodeExtension, e.Span, "see the documentation of graph.Print", "the statement of extension %s is broken", e.Name)
		}
	}
}

// ownOperators reports whether the document is of the text form, whose operations are Concord's operators.
func (d *document) ownOperators() bool { return len(d.libraries) > 1 }

// declare makes operations of the document's fragments.
func (d *document) declare() {
	for _, f := range d.doc.Fragments {
		d.distinct("parameters", f.Params)
		d.distinct("results", f.Results)
		name := f.Name.Name
		own := d.fragments[name] != nil
		other := d.shared(name)
		switch {
		case own:
			d.report(CodeRepeated, f.Name.Span, "", "two fragments are named %s", name)
		case other != nil && f.Body == nil && d.ownOperators():
			// The text form declares the operators that it uses.
		case other != nil:
			d.report(CodeRepeated, f.Name.Span, "choose another name", "%s is an operation of the standard", name)
		default:
			d.fragments[name] = eval.FromFragment(f, d)
		}
	}
}

// distinct reports parameters or results of a fragment that have one name.
func (d *document) distinct(what string, params []syntax.Param) {
	seen := make(map[string]bool, len(params))
	for i := range params {
		id := params[i].Name
		if seen[id.Name] {
			d.report(CodeRepeated, id.Span, "choose another name", "two %s are named %s", what, id.Name)
		}
		seen[id.Name] = true
	}
}

// shared returns an operation that does not come from the document.
func (d *document) shared(name string) *eval.Operation {
	for _, l := range d.libraries {
		if o := l.Operation(name); o != nil {
			return o
		}
	}
	return nil
}

// Operation implements [eval.Library].
func (d *document) Operation(name string) *eval.Operation {
	if o := d.fragments[name]; o != nil {
		return o
	}
	o := d.shared(name)
	if o != nil && o.Apply == nil && o.Body == nil {
		if apply := d.sources()[name]; apply != nil {
			o.Apply = func(c *eval.Invocation) ([]eval.Value, error) {
				l := &lowering{sink: d.sink, c: c}
				v := apply(l)
				if l.err != nil {
					return nil, l.err
				}
				return []eval.Value{operand{v}}, nil
			}
		}
	}
	return o
}

// sources are the operations that belong to a document.
func (d *document) sources() map[string]func(l *lowering) *graph.Value {
	return map[string]func(l *lowering) *graph.Value{
		"external": d.external, "constant": d.constant, "variable": d.variable, "update": d.update,
	}
}

// prepare finds the names in use and the variables that are updated.
func (d *document) prepare() {
	for i := range d.doc.Graph.Body {
		a := &d.doc.Graph.Body[i]
		for id := range a.Names() {
			d.reserved[id.Name] = true
		}
		c, ok := a.Right.(*syntax.Call)
		if !ok || c.Name.Name != "update" {
			continue
		}
		for k, arg := range c.Args {
			if id, ok := arg.Value.(*syntax.Ident); ok && (arg.Name == nil && k == 0 || arg.Name != nil && arg.Name.Name == "variable") {
				d.updated[id.Name] = true
			}
		}
	}
}

// identifier returns the name that the result of a source gets, which must be assigned to an identifier of the graph.
func (l *lowering) identifier() string {
	if len(l.c.Names) == 0 || l.c.Names[0] == "" {
		l.fail(CodeGraphOnly, "", "the result of %s must be assigned to an identifier of the graph", l.c.Op.Name)
		return ""
	}
	return l.c.Names[0]
}

// typeOf returns the element type of the value that a source assigns to an identifier.
func (d *document) typeOf(l *lowering, id string) tensor.DType {
	t := natural(l.c.Type)
	if special, ok := d.types[id]; ok {
		if itemOf(special) != l.c.Type {
			l.fail(CodeExtension, "", "an extension says that %s has elements of type %v; it is declared as %v", id, special, l.c.Type)
		}
		t = special
	}
	if t == tensor.Invalid {
		l.fail(eval.CodeGeneric, "", "there are no tensors of type %v", l.c.Type)
	}
	return t
}

func (d *document) external(l *lowering) *graph.Value {
	id := l.identifier()
	t := graph.Type{DType: d.typeOf(l, id), Shape: graph.Shape{}}
	list, _ := l.c.Arg("shape").(eval.Array)
	for _, x := range list {
		switch x := x.(type) {
		case eval.Symbol:
			t.Shape = append(t.Shape, graph.Dim{Symbol: string(x)})
		case int:
			if x <= 0 && !d.ownOperators() {
				l.fail(eval.CodeAttribute, "shape", "the extent %d is not allowed; extents of an external tensor are positive", x)
			}
			t.Shape = append(t.Shape, graph.Dim{Extent: x})
		}
	}
	if l.err != nil {
		return nil
	}
	name := id
	if public, ok := d.names[id]; ok {
		name = public
	}
	v, err := d.b.Input(name, t)
	if err != nil {
		l.fail(eval.CodeShape, "shape", "%v", err)
		return nil
	}
	d.inputs[id] = v
	return v
}

// extents returns the argument shape of a constant or variable.
func (l *lowering) extents() tensor.Shape {
	shape := tensor.Shape(l.ints("shape"))
	if err := shape.Check(); err != nil && l.err == nil {
		l.fail(eval.CodeAttribute, "shape", "%v", err)
	}
	return shape
}

// Where a constant has one value for all elements, it is repeated in memory up to so many times, and in all constants of a
// document together: a line of text could make any amount of memory else.
const (
	fillOne = 1 << 16
	fillAll = 1 << 24
)

func (d *document) constant(l *lowering) *graph.Value {
	name := ""
	if len(l.c.Names) > 0 {
		name = l.c.Names[0]
	}
	dtype, shape := d.typeOf(l, name), l.extents()
	if l.err != nil {
		return nil
	}
	values, _ := l.c.Arg("value").(eval.Array)
	n := shape.Len()
	expand := false
	switch {
	case len(values) == n:
	case len(values) == 1 && (n > fillOne || n > fillAll-d.filled):
		expand = true
	case len(values) == 1:
		d.filled += n
		filled := make(eval.Array, n)
		for i := range filled {
			filled[i] = values[0]
		}
		values = filled
	default:
		l.fail(CodeConstantItems, "value", "%d values are given; shape %v takes %d, or one for all", len(values), shape, n)
		return nil
	}
	held := shape
	if expand {
		held = make(tensor.Shape, len(shape))
		for i := range held {
			held[i] = 1
		}
	}
	t, err := elements(values, dtype, held)
	if err != nil {
		l.fail(eval.CodeType, "value", "%v", err)
		return nil
	}
	if expand || name == "" {
		name = d.name("const")
	}
	v, err := d.b.Constant(name, "", t)
	if err != nil {
		l.err = err
		return nil
	}
	if expand {
		out := l.result("expand", []*graph.Value{v}, attr("shape", []int(shape)))
		if len(out) == 1 {
			return out[0]
		}
		return nil
	}
	return v
}

var labelText = regexp.MustCompile(`^[A-Za-z0-9_\-./\\]+$`)

func (d *document) variable(l *lowering) *graph.Value {
	id := l.identifier()
	dtype, shape, label := d.typeOf(l, id), l.extents(), l.string("label")
	switch {
	case !labelText.MatchString(label):
		l.fail(CodeLabel, "label", "the label %q is not allowed; it consists of letters, digits and _ - . / \\", label)
	case !fs.ValidPath(fileName(label)):
		l.fail(CodeLabel, "label", "the label %q is not allowed; it leads out of the folder of the model", label)
	}
	if l.err != nil {
		return nil
	}
	key := strings.ToLower(label)
	stored := d.labels[key]
	if stored == nil {
		t, codes, err := d.source.variable(label)
		if err != nil {
			l.fail(CodeVariable, "label", "%v", err)
			return nil
		}
		stored = &variable{id, t.Contiguous(), codes, make(map[tensor.DType]*tensor.Tensor)}
		d.labels[key] = stored
	}
	switch t := stored.t; {
	case !t.Shape().Equal(shape) && stored.id != id:
		l.fail(CodeLabel, "shape", "the variables %s and %s have the label %s; their shapes are %v and %v and must be equal", stored.id, id, label, t.Shape(), shape)
	case !t.Shape().Equal(shape):
		l.fail(CodeVariable, "shape", "the data of variable %s has shape %v; the document says %v", label, t.Shape(), shape)
	case stored.codes && dtype.IsFloat():
		return d.dequantized(l, id, label, t)
	case itemOf(t.DType()) != itemOf(dtype):
		l.fail(CodeVariable, "label", "the data of variable %s is of type %v; the document says %v", label, itemOf(t.DType()), l.c.Type)
	}
	if l.err != nil {
		return nil
	}
	t, err := stored.as(dtype)
	if err != nil {
		l.err = err
		return nil
	}
	var v *graph.Value
	if d.updated[id] {
		v, l.err = d.b.State(id, label, t)
		d.states[v] = true
	} else {
		v, l.err = d.b.Constant(id, label, t)
	}
	return v
}

func (d *document) update(l *lowering) *graph.Value {
	state, next := l.tensor("variable"), l.tensor("value")
	if l.err != nil {
		return nil
	}
	if !d.states[state] {
		l.fail(CodeUpdate, "variable", "only the result of variable can be updated, in the graph and by its identifier")
		return nil
	}
	if err := d.b.Update(state, next); err != nil {
		l.fail(CodeUpdate, "", "%v", err)
	}
	return next
}

// checkParameters reports parameters of the graph that are no results of external, and the reverse.
func (d *document) checkParameters() {
	params := make(map[string]bool)
	for _, p := range d.doc.Graph.Params {
		if params[p.Name] {
			d.report(CodeExternal, p.Span, "", "the parameter %s is named twice", p.Name)
		}
		params[p.Name] = true
		if d.inputs[p.Name] == nil && !d.fails() {
			d.report(CodeExternal, p.Span, "assign it by "+p.Name+" = external(shape = […]);", "the parameter %s is not the result of external", p.Name)
		}
	}
	for i := range d.doc.Graph.Body {
		for id := range d.doc.Graph.Body[i].Names() {
			if d.inputs[id.Name] != nil && !params[id.Name] {
				d.report(CodeExternal, id.Span, "add it to the parameters of the graph", "%s is external but no parameter of the graph", id.Name)
			}
		}
	}
}

// fails reports whether errors were found.
func (d *document) fails() bool { return d.eval.Diagnostics().Err() != nil }

// finish names the outputs and puts the inputs into the order of the parameters.
func (d *document) finish(values map[string]eval.Value) (*graph.Graph, error) {
	for _, id := range d.doc.Graph.Results {
		name := id.Name
		if public, ok := d.names[name]; ok {
			name = public
		}
		v, ok := values[id.Name].(operand)
		err := errors.New("it is no tensor")
		if ok {
			err = d.b.Output(name, v.v)
		}
		if err != nil {
			d.report(eval.CodeGraph, id.Span, "", "the result %s: %v", id.Name, err)
		}
	}
	if err := d.eval.Diagnostics().Err(); err != nil {
		return nil, err
	}
	g, err := d.b.Build()
	if err != nil {
		return nil, err
	}
	for i, p := range d.doc.Graph.Params {
		g.Inputs[i] = d.inputs[p.Name]
	}
	return g, nil
}
