package export

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/cvm/operators"
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// row says what an operator of package op becomes.
type row struct {
	op      string
	emit    func(c *emission) []operand // adds nodes and returns what stands for the results; it may refuse, or return nil if CVM does not say it so
	keeps   bool                        // whether what is not below 0 becomes no greater; of operators that take elements it is known
	logical bool                        // whether it takes logical operands of which only the truth is known
	numbers bool                        // whether the operands behind the first are numbers that it reads itself, which become no parameters
}

// table has the operators that CVM has. Others are said in these, as far as they can be.
var table = kit.NewTable(
	func(r *row) string { return r.op }, func(d *op.Def) row { return row{op: d.Name} },
	elementwiseRows, layerRows, shapeRows)

// exporter converts a graph node by node.
type exporter struct {
	*builder
	*kit.Exporter[operand]
	options *Options
	readers map[*graph.Value][]*graph.Node
	outputs map[*graph.Value]string // the names of outputs
	names   naming.Set              // of variables and nodes
	numbers map[int]int             // the entries of numbers that operators need
	named   int                     // how many nodes have names
}

// operand is what stands for a value of the graph.
type operand struct {
	entry int
	// truth says that the value is logical and holds where the entry is not 0. Else a logical value is 0 or 1.
	truth bool
}

// convert makes a model of a graph. It returns the entries of the outputs.
func convert(g *graph.Graph, o *Options) (*builder, []int, error) {
	w, err := kit.Start(g, "CVM", "CVM keeps no values between runs")
	if err != nil {
		return nil, nil, err
	}
	e := &exporter{builder: &builder{}, options: o, readers: g.Uses(), outputs: make(map[*graph.Value]string), names: naming.Of(cvm.DataName),
		numbers: make(map[int]int)}
	e.Exporter = &kit.Exporter[operand]{Walk: w, Values: make(map[*graph.Value]operand), Constant: e.constant, Emit: e.emit,
		Unread: func(n *graph.Node, i int) bool { return i > 0 && table.Of(n.Op).numbers && n.In[i].Const != nil }}
	for _, out := range slices.Backward(g.Outputs) {
		e.outputs[out.Value] = out.Name
	}
	e.input(g, w.Live)
	e.All(e.name)
	return e.builder, e.heads(g), w.Err()
}

// input finds the one input, which the model calls data.
func (e *exporter) input(g *graph.Graph, live map[*graph.Value]bool) {
	inputs := slices.Clone(g.Inputs)
	if len(inputs) > 1 {
		inputs = slices.DeleteFunc(inputs, func(v *graph.Value) bool { return !live[v] })
	}
	if len(inputs) == 0 {
		e.Refused.Add("graph", "", "", "it has no input; a model of CVM has one, "+cvm.DataName)
		return
	}
	for _, v := range inputs[1:] {
		e.Refused.Add("input", "", v.Name, fmt.Sprintf("a model of CVM has one input, and %s is it already", inputs[0].Name))
	}
	v := inputs[0]
	precision, err := e.inputPrecision(v)
	t := operators.Tensor{Shape: shapeOf(v), Precision: precision}
	if err == nil {
		err = operators.CheckShape(t.Shape)
	}
	if err != nil {
		e.Refused.Add("input", "", v.Name, err.Error())
		return
	}
	if v.Name != cvm.DataName {
		e.options.note("the input %s becomes %s, as CVM asks for", v.Name, cvm.DataName)
	}
	e.Values[v] = operand{entry: e.variable(cvm.DataName, t, nil)}
}

// widths are the precisions that hold what element types hold, but for the least integer of signed ones, which CVM has not.
var widths = map[tensor.DType]int{tensor.Int8: 8, tensor.Int16: 16, tensor.Int32: 32, tensor.Uint8: 9, tensor.Uint16: 17, tensor.Bool: 2}

// inputPrecision returns the precision of the input: that to which the graph clamps it at once, and else that of its type.
func (e *exporter) inputPrecision(v *graph.Value) (int, error) {
	clamped, width := e.bounded(v), widths[v.Type.DType]
	switch {
	case clamped > 0 && (width == 0 || clamped <= width):
		return clamped, nil
	case v.Type.DType.IsFloat():
		return 0, fmt.Errorf("its type is %v; CVM computes with integers", v.Type.DType)
	case width == 0:
		return 0, fmt.Errorf("its type is %v; let clamp_precision read it first, with a precision of at most %d",
			v.Type.DType, operators.MaxPrecision)
	}
	if v.Type.DType.IsSigned() {
		e.options.note("the input %s has a precision of %d bits, so that %d is the least value", v.Name, width, -operators.Bound(width))
	}
	return width, nil
}

// bounded returns the precision to which all readers bound a value; 0 if there are others.
func (e *exporter) bounded(v *graph.Value) int {
	bound := 0
	for _, n := range e.readers[v] {
		if n.Op != "clamp_precision" {
			return 0
		}
		bound = max(bound, n.Attrs.Int("precision"))
	}
	if e.outputs[v] != "" {
		return 0
	}
	return bound
}

// shapeOf returns the shape of what stands for a value: a scalar has one element in one dimension.
func shapeOf(v *graph.Value) tensor.Shape {
	s := v.Type.Shape
	if len(s) == 0 {
		return tensor.Shape{1}
	}
	return s
}

func (e *exporter) constant(v *graph.Value) (x operand, err error) {
	t, data := operators.Tensor{Shape: shapeOf(v)}, v.Const
	if data.DType() == tensor.Bool {
		data, err = tensor.Cast(data, tensor.Int8)
	} else if !data.DType().IsInteger() {
		err = fmt.Errorf("its type is %v; CVM computes with integers", data.DType())
	}
	if err == nil {
		err = operators.CheckShape(t.Shape)
	}
	if err != nil {
		return x, err
	}
	if t.Precision, err = precisionOf(data); err != nil {
		return x, err
	}
	if t.Precision > operators.MaxPrecision {
		return x, fmt.Errorf("it has elements that need %d bits; CVM has at most %d", t.Precision, operators.MaxPrecision)
	}
	if data, err = data.Reshape(t.Shape...); err != nil {
		return x, err
	}
	return operand{entry: e.variable(e.names.Take(cmp.Or(v.Label, v.Name)), t, data)}, nil
}

// parameterOf returns the entry of a parameter with one element.
func (e *exporter) parameterOf(n int) int {
	if entry, ok := e.numbers[n]; ok {
		return entry
	}
	data := kit.Must(tensor.FromSlice([]int64{int64(n)}, 1))
	precision := kit.Must(precisionOf(data))
	if precision > operators.MaxPrecision {
		kit.Refuse("the number %d needs more than %d bits", n, operators.MaxPrecision)
	}
	t := operators.Tensor{Shape: tensor.Shape{1}, Precision: precision}
	e.numbers[n] = e.variable(e.names.Take(fmt.Sprintf("number_%d", n)), t, data)
	return e.numbers[n]
}

// name gives the nodes that a node of the graph has become names, the last one its own.
func (e *exporter) name(n *graph.Node) {
	name := cmp.Or(n.Label, n.Out[0].Name)
	for _, v := range n.Out {
		if out := e.outputs[v]; out != "" {
			name = out
			break
		}
	}
	for i := len(e.nodes) - 1; i >= e.named; i-- {
		if e.nodes[i].call != nil {
			e.nodes[i].name = e.names.Take(name)
		}
	}
	e.named = len(e.nodes)
}

// heads returns the entries of the outputs.
func (e *exporter) heads(g *graph.Graph) []int {
	var heads []int
	for _, o := range g.Outputs {
		x, ok := e.Operand(o.Value)
		if ok && x.truth {
			e.Refused.Add("output", "", o.Name, "CVM does not compute it as 0 and 1; select gives numbers for it")
		}
		heads = append(heads, x.entry)
	}
	return heads
}

// emission is a node while it is converted.
type emission struct {
	*exporter
	kit.Node
	in []operand // not those that are absent, and numbers
}

// emit makes the nodes for a node.
func (e *exporter) emit(n *graph.Node, in []operand) []operand {
	c, r := &emission{e, kit.NodeOf(n), in}, table.Of(n.Op)
	if r.emit == nil {
		if c.Def.Body == "" && c.Def.Expand == nil {
			kit.Refuse("CVM has no operator that does this")
		}
		return nil
	}
	if op.HasZeroPoints(n) {
		kit.Refuse("its factors have zero points; subtract them before")
	}
	for i, x := range in {
		if x.truth && !r.logical {
			kit.Refuse("operand %d is not computed as 0 and 1", i)
		}
	}
	out := r.emit(c)
	for i := range out {
		x, v := c.outs[out[i].entry], n.Out[i]
		if !x.Shape.Equal(shapeOf(v)) {
			kit.Refuse("the result %s would have the shape %v in place of %v", v.Name, x.Shape, v.Type.Shape)
		}
		if !holds(v.Type.DType, x.Precision, r.keeps || op.TakenBy(n).To > 0) && !out[i].truth {
			kit.Refuse("the result %s has %d bits, which %v does not hold; cast the operands to int32 first", v.Name, x.Precision, v.Type.DType)
		}
	}
	return out
}

// holds reports whether an element type holds the results of an operator that have a precision, so that the graph computes them without
// wrapping. Of unsigned results this is only known if they are no greater than elements of operands.
func holds(d tensor.DType, precision int, keeps bool) bool {
	switch {
	case d == tensor.Bool:
		return true
	case d.IsUnsigned():
		return keeps
	}
	return d.IsInteger() && precision <= d.Bits()
}

// do adds an operator of CVM and returns the entry of its first output.
func (c *emission) do(operator string, attrs graph.Attrs, in ...int) int {
	e, err := c.apply(operator, attrs, in)
	if err != nil {
		kit.Refuse("%v", err)
	}
	return e
}

// shape returns the shape of an entry.
func (c *emission) shape(entry int) tensor.Shape { return c.outs[entry].Shape }

// outShape returns the shape that stands for that of the result.
func (c *emission) outShape() tensor.Shape { return shapeOf(c.Out[0]) }

// one is the list of a single result.
func one(entry int) []operand { return []operand{{entry: entry}} }
