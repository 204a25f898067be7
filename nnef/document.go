package nnef

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/internal/nnef/tract"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Codes of diagnostics of this package; see [syntax.Code].
const (
	CodeExtension                 = flat.CodeExtension // unknown extension, or a statement of Concord's own that is broken
	CodeUpdate                    = flat.CodeUpdate    // update of something that is no variable, or a second one
	CodeLabel                     = flat.CodeLabel     // broken label
	CodeShared                    = flat.CodeShared    // variables of one label that differ
	CodeVariable      syntax.Code = 906                // the data of a variable is missing, broken or of another type or shape
	CodeQuantization  syntax.Code = 907                // entry of a quantization file that does not fit its variable
	CodeUnspecified   syntax.Code = 908                // input with extents that the document leaves open
	CodeMagnitude     syntax.Code = 1103               // scalar beyond the range of float32
	CodeConstantItems syntax.Code = 1102               // constant whose value does not fill its shape
)

// document lowers the operations of one flat graph, one by one, into a graph, or without a source into one for its types alone. It is
// the [flat.Inferrer] of the flat graph.
type document struct {
	*sink
	*statements
	source  source                  // nil if there is no data: variables become inputs
	quants  map[string]*quant.Entry // of the quantization file, by tensor
	rounded map[string]*quant.Entry // those of quants that are applied while the model runs

	labels   map[string]*variable       // by label in lower case
	decoded  map[*tensor.Tensor]coded   // by the numbers
	updated  map[string]bool            // names of variables that are updated, by any of their names
	states   map[string]*graph.Value    // the variables that are updated, by label in lower case
	spans    map[*flat.Op][]*graph.Node // what operations became; nil if nobody asks
	filled   int                        // elements of constants that one value was repeated for
	own      *canonical
	file     *File
	folding  *tract.Folding
	left     *eval.Limits   // what blocks may take of the limits of the evaluation
	expander *flat.Expander // nil until an operation is expanded
}

// newDocument returns the lowering of a file's operations. Without a source it infers types only.
func newDocument(f *File, src source) *document {
	g := f.Document.Graph
	s := newSink(graph.NewBuilder(op.Rules, g.Name.Name), f.opts.Limits.Eval.Filled())
	names := make(map[string]bool)
	for i := range g.Body {
		for id := range g.Body[i].Names() {
			names[id.Name] = true
		}
	}
	s.b.Reserve(names)
	s.finite = src != nil
	s.most = cmp.Or(f.opts.Limits.Nodes, maxNodes+statementMost*len(g.Body))
	s.dialect, s.empty = f.Document.Dialect, f.statements().operators || f.Document.Tract
	d := &document{
		file: f, sink: s, statements: f.statements(), source: src, quants: entries(f.Quantization, f.Document.Dialect),
		labels: make(map[string]*variable), decoded: make(map[*tensor.Tensor]coded), own: newCanonical(s), folding: tract.NewFolding(),
	}
	d.fragment = d.block
	left := d.limits
	d.left = &left
	if f.block != nil {
		f.block.enter(d)
	}
	return d
}

// build lowers all operations and returns the graph.
func (d *document) build(g *flat.Graph) (*graph.Graph, error) {
	d.spans = make(map[*flat.Op][]*graph.Node)
	var list syntax.Diagnostics
	names := make(map[string]bool)
	for _, o := range g.Ops {
		for _, t := range o.Outputs() {
			names[t.Name] = true
		}
	}
	d.b.Reserve(names)
	d.findStates(g)
	for _, o := range g.Ops {
		var err error
		if o.Custom {
			err = &eval.Error{Code: eval.CodeNoBody, Msg: "the operation " + o.Name() + " is declared without a body and not known",
				Hint: "give the fragment a body, or take an operation of the standard"}
		} else {
			err = d.Infer(o)
		}
		if err != nil && o.Site == nil {
			return nil, err // a copy that gives a tensor a second name does not fail
		}
		if err != nil && (len(list) == 0 || !d.follows(o)) {
			list = append(list, o.Diagnostics(err)...)
			if d.file.block != nil || len(list) >= d.limits.Errors {
				break
			}
		}
	}
	if len(list) > 0 {
		return nil, list
	}
	return d.finish(g)
}

// findStates finds the variables that are updated, also through another one of the same label.
func (d *document) findStates(g *flat.Graph) {
	d.updated, d.states = make(map[string]bool), make(map[string]*graph.Value)
	labels := make(map[string]bool)
	for _, o := range g.Ops {
		if o.Name() != "update" {
			continue
		}
		if t, ok := o.Args[0].(*flat.Tensor); ok {
			labels[labelOf(t.Producer)] = true
		}
	}
	for _, o := range g.Ops {
		if o.Name() == "variable" && labels[labelOf(o)] {
			d.updated[o.Outputs()[0].Name] = true
		}
	}
}

// labelOf returns the label of a variable, for comparison.
func labelOf(o *flat.Op) string {
	label, _ := o.Arg("label").(string)
	return strings.ToLower(label)
}

// unspecified reports an input with open extents.
func unspecified(id string, shape eval.Array, why string) error {
	return &eval.Error{Code: CodeUnspecified, Arg: "shape", Hint: "give the shape of " + id + " when the model is loaded: --shape " + id + "=EXTENTS",
		Msg: fmt.Sprintf("the input %s has the shape %s; %s", id, eval.Text(shape), why)}
}

// follows reports whether an operation has an argument that was not lowered.
func (d *document) follows(o *flat.Op) bool {
	return slices.ContainsFunc(o.Args, d.missing)
}

// missing reports whether a tensor in a value was not lowered.
func (d *document) missing(v eval.Value) bool {
	switch v := v.(type) {
	case *flat.Tensor:
		return d.values[v.Index] == nil
	case eval.Array:
		return slices.ContainsFunc(v, d.missing)
	}
	return false
}

// Infer implements [flat.Inferrer].
func (d *document) Infer(o *flat.Op) error {
	outputs := o.Outputs()
	d.extend(outputs)
	if o.Custom || d.follows(o) {
		return nil
	}
	from := len(d.nodes)
	values, err := d.lower(o)
	if err != nil {
		return err
	}
	if to := len(d.nodes); d.spans != nil && to > from {
		d.spans[o] = d.nodes[from:to:to]
	}
	if len(values) != len(outputs) {
		return unequal(o, len(values))
	}
	for i, t := range outputs {
		v := values[i]
		if v == nil { // Without this a lowering that leaves a result out would be a panic; none does.
			continue
		}
		if shape := v.Type.Shape; !d.empty && shape.Len() == 0 {
			return &eval.Error{Code: eval.CodeShape, Msg: fmt.Sprintf("the result %s would have the shape %v; extents are positive", t.Name, shape)}
		}
		if d.rounded[t.Name] != nil {
			if v, err = d.round(o, t.Name, v); err != nil {
				return err
			}
		}
		d.values[t.Index] = v
		if t.Type == syntax.NoPrimitive {
			t.Type = element.ItemOf(v.Type.DType)
		}
		t.Shape, t.Known = v.Type.Shape.Clone(), true
	}
	return nil
}

// unequal reports another number of results than an operation has names for.
func unequal(o *flat.Op, n int) error {
	return &eval.Error{Code: eval.CodePattern, Msg: fmt.Sprintf("%s yields %d tensors; the left side has %d names", o.Name(), n, len(o.Outputs()))}
}

// extend makes room for the values of tensors.
func (d *document) extend(tensors []*flat.Tensor) {
	for _, t := range tensors {
		for t.Index >= len(d.values) {
			d.values = append(d.values, nil)
		}
	}
}

// lower adds the nodes of an operation and returns its results.
func (d *document) lower(o *flat.Op) ([]*graph.Value, error) {
	l := new(lowering).begin(d.sink, o.Invocation)
	if d.operators {
		if def, ok := operatorOf(o.Name()); ok {
			return d.own.lower(def, l.c)
		}
	}
	var values []*graph.Value
	switch source := sources[o.Name()]; {
	case source != nil:
		values = []*graph.Value{source(d, l)}
	case d.tract != nil:
		own := *l.c // whose arguments are converted
		l.c = &own
		values = d.tract.Lower(&l.Emitter, l, d.folding, l.c, d.limits)
	default:
		values = l.Standard()
	}
	if l.expand {
		return d.expand(l.c)
	}
	return values, l.Err
}

// sources are the operations that belong to a document.
var sources = map[string]func(d *document, l *lowering) *graph.Value{
	"external": (*document).external, "constant": (*document).constant,
	"variable": (*document).variable, "update": (*document).update,
}

// typeOf returns the element type of the value that a source assigns to an identifier.
func (d *document) typeOf(l *lowering, id string) tensor.DType {
	item := l.c.Type
	if item == syntax.NoPrimitive {
		item = syntax.Scalar // the provisional dialect has no other
	}
	t := element.Natural(item)
	if item == syntax.String && d.source == nil {
		t = tensor.Bool // any type does for shapes
	}
	if given, ok := d.file.given(id); ok {
		return given
	}
	if special, ok := d.types[d.file.qualified(id)]; ok {
		if element.ItemOf(special) != item {
			l.fail(CodeExtension, "", "an extension says that %s has elements of type %v; it is declared as %v", id, special, item)
		}
		t = special
	}
	if t == tensor.Invalid {
		l.fail(eval.CodeGeneric, "", "there are no tensors of type %v", item)
	}
	return t
}

func (d *document) external(l *lowering) *graph.Value {
	id := l.c.Names[0]
	t := graph.Type{DType: d.typeOf(l, id), Shape: tensor.Shape{}}
	list, _ := l.c.Arg("shape").(eval.Array)
	for _, x := range list {
		switch x := x.(type) {
		case eval.Symbol:
			if d.open == 0 {
				l.Err = unspecified(id, list, "the extent "+string(x)+" is not given")
				return nil
			}
			t.Shape = append(t.Shape, d.open)
		case int64:
			if x == 0 && d.dialect == syntax.Provisional {
				if x = int64(d.open); x == 0 {
					l.Err = unspecified(id, list, "extents of 0 are not specified")
				}
			}
			if x <= 0 && l.Err == nil && !d.empty {
				l.Fail(&eval.Error{Code: eval.CodeAttribute, Arg: "shape", Msg: fmt.Sprintf("the extent %d is not allowed; extents of an external tensor are positive", x),
					Hint: "write the extent of one run, such as 1; another can be given when the model is loaded"})
			}
			t.Shape = append(t.Shape, l.Narrow("shape", x))
		}
	}
	name := id
	if public, ok := d.names[d.file.qualified(id)]; ok && d.source != nil {
		name = public
	}
	v, err := d.b.Input(name, t)
	if err != nil {
		l.fail(eval.CodeShape, "shape", "%v", err)
		return nil
	}
	return v
}

// extents returns the argument shape of a constant or variable.
func (l *lowering) extents() tensor.Shape {
	shape := tensor.Shape(l.ints("shape"))
	if err := shape.Check(); err != nil && l.Err == nil {
		l.fail(eval.CodeAttribute, "shape", "%v", err)
	}
	l.positive("shape", shape)
	return shape
}

// Where a constant has one value for all elements, it is repeated in memory up to so many times, and in all constants of a
// document together: a line of text could make any amount of memory else.
const (
	fillOne = limits.NNEFFill
	fillAll = limits.NNEFFills
)

func (d *document) constant(l *lowering) *graph.Value {
	name := l.c.Names[0]
	dtype, shape := d.typeOf(l, name), l.extents()
	if l.Err != nil {
		return nil
	}
	values, _ := l.c.Arg("value").(eval.Array)
	n := shape.Len()
	expand := false
	switch {
	case len(values) == n:
	case len(values) == 1 && (n > fillOne || n > fillAll-d.filled || d.source == nil && d.tract == nil): // the type may be all that is asked for
		expand = true
	case len(values) == 1:
		d.filled += n
		values = slices.Repeat(values, n)
	default:
		l.fail(CodeConstantItems, "value", "%d values are given; shape %v takes %d, or one for all", len(values), shape, n)
		return nil
	}
	for _, v := range values {
		if err := d.representable("value", v, dtype); err != nil {
			l.Fail(err)
			return nil
		}
	}
	held := shape
	if expand {
		held = slices.Repeat(tensor.Shape{1}, len(shape))
	}
	t, err := element.Tensor(values, dtype, held)
	if err != nil {
		l.fail(eval.CodeType, "value", "%v", err)
		return nil
	}
	if expand {
		return l.single("expand", []*graph.Value{l.Constant(t)}, attr("shape", []int(shape)))
	}
	return l.Stored(name, "", t)
}

func (d *document) variable(l *lowering) *graph.Value {
	id := l.c.Names[0]
	dtype, shape, label := d.typeOf(l, id), l.extents(), l.c.Text("label")
	if d.source == nil {
		v, err := d.b.Input(id, graph.Type{DType: dtype, Shape: shape})
		l.Fail(err)
		return v
	}
	key := strings.ToLower(label)
	if v := d.states[key]; v != nil {
		return v // variables of one label are one state
	}
	v, err := d.data(l, dtype, shape, label)
	l.Fail(err)
	if d.updated[id] {
		d.states[key] = v
	}
	return v
}

// data adds the data of a variable.
func (d *document) data(l *lowering, dtype tensor.DType, shape tensor.Shape, label string) (*graph.Value, error) {
	id, key := l.c.Names[0], strings.ToLower(label)
	stored := d.labels[key]
	if stored == nil {
		v, err := d.source.variable(label)
		if err != nil {
			return nil, fault(CodeVariable, "label", "%v", err)
		}
		stored, v.id = v, id
		d.labels[key] = stored
	}
	if err := d.shaped(stored, shape); err != nil {
		return nil, err
	}
	if dtype.IsFloat() {
		entry, err := d.meaning(stored, id)
		if err != nil {
			return nil, err
		}
		if entry != nil {
			if err := stored.load(); err != nil {
				return nil, err
			}
			if err := entry.CheckCodes(stored.t, d.tract != nil); err != nil {
				return nil, fault(CodeQuantization, "label", "%s: %v", stored.place, err)
			}
			return d.dequantized(l, stored, label, entry), nil
		}
	}
	if d.tract != nil { // the file says what the elements are
		if dtype = stored.t.DType(); dtype == tensor.Float64 {
			dtype = tensor.Float32 // in which tract's operations are lowered
		}
	}
	plain := d.tract != nil && stored.info.Quantized()
	if !stored.holds(dtype) && !plain {
		return nil, otherType(stored, dtype)
	}
	if err := stored.load(); err != nil {
		return nil, err
	}
	if stored.otherFloat(dtype) && !d.updated[id] {
		return d.asSingle(l, label, stored.t), stored.fits(dtype)
	}
	t, err := stored.as(dtype)
	if err != nil {
		return nil, err
	}
	return d.held(l, label, t), nil
}

func (d *document) update(l *lowering) *graph.Value {
	state, next := l.tensor("variable"), l.tensor("value")
	if want := l.Shape(state); l.Err == nil && d.dialect == syntax.Provisional && trimmed(next.Type.Shape).Equal(trimmed(want)) {
		next = l.Reshape(next, want...)
	}
	if l.Err != nil {
		return nil
	}
	if got, want := next.Type, state.Type; !got.Equal(want) {
		name := state.Name
		if t, ok := l.c.Arg("variable").(*flat.Tensor); ok {
			name = t.Name
		}
		l.fail(eval.CodeShape, "value", "the variable %s is %v; the new value is %v", name, want, got)
		return nil
	}
	if d.source == nil {
		return next
	}
	l.Fail(d.b.Update(state, next)) // whose rules the evaluation has checked
	return next
}

// finish names the outputs and puts the inputs into the order of the parameters.
func (d *document) finish(fg *flat.Graph) (*graph.Graph, error) {
	for i, t := range fg.Outputs {
		name := fg.OutputNames[i]
		if public, ok := d.names[d.file.qualified(name)]; ok {
			name = public
		}
		if err := d.b.Output(name, d.values[t.Index]); err != nil {
			return nil, err
		}
	}
	d.labelNodes(fg)
	g, err := d.b.Build()
	if err != nil {
		return nil, err
	}
	for i, t := range fg.Inputs {
		g.Inputs[i] = d.values[t.Index]
		if n := g.Inputs[i].Producer; n != nil {
			g.Inputs[i] = n.In[0] // what stands for the input is rounded
		}
	}
	if d.source == nil {
		g.Inputs = g.Inputs[:len(fg.Inputs)]
	}
	return g, nil
}

// labelNodes gives nodes the labels that extension statements give to their results.
func (d *document) labelNodes(fg *flat.Graph) {
	for _, o := range fg.Ops {
		for _, t := range o.Outputs() {
			label, ok := d.nodeLabels[d.file.qualified(t.Name)]
			if v := d.values[t.Index]; ok && v != nil && v.Producer != nil {
				v.Producer.Label = label
			}
		}
	}
}
