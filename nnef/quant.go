package nnef

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/element"
	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/nnef/quant"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// quantExt is the end of the name of a quantization file, which has the name of the graph before it.
const quantExt = ".quant"

// quantization reads the quantization file of a container; it returns nil if there is none. place and text are the names
// of the graph in messages and in the container.
func quantization(files *container.Container, place, text string, dialect syntax.Dialect, opts Options) (*syntax.Quantization, error) {
	beside := func(name string) string { return strings.TrimSuffix(name, path.Ext(name)) + quantExt }
	place = beside(place)
	data, err := files.ReadFile(beside(text))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return syntax.ParseQuant(place, data, dialect, syntax.Options{Lenient: opts.Lenient, Limits: opts.Limits.Text})
}

// checkQuantization returns what is wrong with the quantization file of a model whose graph is g.
func (f *File) checkQuantization(g *flat.Graph) syntax.Diagnostics {
	if f.Quantization == nil {
		return nil
	}
	list := quant.Check(f.Quantization, g)
	if f.statements().tract != nil { // tract keeps entries of tensors that it has optimised away
		list = slices.DeleteFunc(list, func(d syntax.Diagnostic) bool { return d.Code == eval.CodeUndefined })
	}
	return list
}

// entries returns what a quantization file, or nil, says about the tensors of a graph. Mistakes in it are left out.
func entries(q *syntax.Quantization, d syntax.Dialect) map[string]*quant.Entry {
	if q == nil {
		return nil
	}
	list, _ := quant.Read(q, d)
	byName := make(map[string]*quant.Entry, len(list))
	for i := range list {
		byName[list[i].Tensor] = &list[i]
	}
	return byName
}

// meaning returns what the stored elements of a variable of type scalar stand for, nil if they stand for themselves. It
// is said by graph.quant, by the string in a provisional tensor file, or by the deprecated parameters of a tensor file.
func (d *document) meaning(v *variable, id string) (*quant.Entry, error) {
	entry := d.quants[id]
	switch {
	case !v.t.DType().IsInteger():
		return nil, nil // An entry says how to quantize while the model runs.
	case entry != nil:
		return entry, nil
	case v.info.Quantization != "":
		e, err := quant.ReadString(v.place, v.info.Quantization)
		return &e, err
	case v.info.Ranged:
		e := quant.Range(v.info.Min, v.info.Max, v.info.Bits, v.t.DType().IsSigned())
		return &e, nil
	case v.info.Quantized() && d.tract == nil:
		return nil, &eval.Error{Code: CodeQuantization, Arg: "label",
			Msg:  fmt.Sprintf("%s holds codes of a quantization, but %s has no entry for %s that says what they mean", v.place, container.QuantFile, id),
			Hint: fmt.Sprintf("add a line like %q: zero_point_linear_quantize(zero_point = 0, scale = 0.1, bits = %d, signed = %v, symmetric = false);", id, v.info.Bits, v.t.DType().IsSigned())}
	}
	return nil, nil
}

// dequantized adds the constant that holds the codes of a variable, and the node that makes numbers of them. Other codes than those that the
// operator takes are decoded here, and those of a state, which holds the numbers themselves.
func (d *document) dequantized(l *lowering, v *variable, label string, entry *quant.Entry) *graph.Value {
	id := l.c.Names[0]
	if entry.Operation != quant.ZeroPoint || d.updated[id] || v.t.DType().Size() == 8 || !offsets(entry, v.t) {
		t, err := entry.Decode(v.t)
		if err != nil {
			l.fail(CodeQuantization, "label", "%s: %v", v.place, err)
			return nil
		}
		own := *entry
		own.Tensor = id
		d.decoded[t] = coded{v.t, own}
		return d.held(l, label, t)
	}
	codes := l.Stored(id+"_codes1", label, v.t)
	q := &quantizer{lowering: l, entry: entry, place: v.place}
	return q.zeroPoint(codes)
}

// coded is how a tensor of numbers is stored.
type coded struct {
	codes *tensor.Tensor
	entry quant.Entry
}

// kept returns the entries of the quantization file, by the names of values, that neither nodes nor codes stand for.
func (d *document) kept(g *flat.Graph) map[string]*quant.Entry {
	list := make(map[string]*quant.Entry)
	add := func(t *flat.Tensor) {
		entry, v := d.quants[t.Name], d.values[t.Index]
		rounded := d.rounded != nil && !d.updated[t.Name] // a node does what the entry says
		if entry != nil && v != nil && list[v.Name] == nil && !rounded && !d.isCoded(t) {
			list[v.Name] = entry
		}
	}
	for _, t := range g.Inputs {
		add(t)
	}
	for _, o := range g.Ops {
		for _, t := range o.Outputs() {
			add(t)
		}
	}
	return list
}

// isCoded reports whether a tensor is a variable that is stored as codes.
func (d *document) isCoded(t *flat.Tensor) bool {
	stored := d.labels[labelOf(t.Producer)]
	return stored != nil && stored.t.DType().IsInteger()
}

// offsets reports whether zero points are codes themselves, as the operator wants it.
func offsets(entry *quant.Entry, codes *tensor.Tensor) bool {
	list, _, err := entry.Numbers("zero_point", codes.Rank())
	lo, hi := codes.DType().IntRange()
	return err == nil && float64(lo) <= slices.Min(list) && slices.Max(list) <= float64(hi)
}

// held adds the data of a variable as a constant, or as a state if the variable is updated.
func (d *document) held(l *lowering, label string, t *tensor.Tensor) *graph.Value {
	id := l.c.Names[0]
	if !d.updated[id] {
		return l.Stored(id, label, t)
	}
	v, err := d.b.State(id, label, t)
	l.Fail(err)
	return v
}

// quantizer turns the codes of one variable into numbers.
type quantizer struct {
	*lowering
	entry *quant.Entry
	place string
}

// zeroPoint computes (code - zero_point) · scale.
func (q *quantizer) zeroPoint(codes *graph.Value) *graph.Value {
	rank := len(codes.Type.Shape)
	scale, zero := q.constant("scale", tensor.Float32, rank), q.constant("zero_point", codes.Type.DType, rank)
	if q.Err != nil {
		return nil
	}
	return q.single("dequantize_linear", append([]*graph.Value{codes}, q.same(scale, zero)...))
}

// same gives constants, of which one may have extents of 1 where the other has not, the same shape.
func (q *quantizer) same(list ...*tensor.Tensor) []*graph.Value {
	shape := list[0].Shape().Clone()
	if len(shape) == 0 {
		shape = list[1].Shape().Clone()
	}
	for i, n := range list[1].Shape() {
		shape[i] = max(shape[i], n)
	}
	out := make([]*graph.Value, len(list))
	for i, t := range list {
		if len(t.Shape()) == 0 && len(shape) > 0 {
			t, q.Err = t.Reshape(slices.Repeat([]int{1}, len(shape))...)
		}
		if q.Err == nil {
			t, q.Err = t.Expand(shape...)
		}
		if q.Err != nil {
			return nil
		}
		out[i] = q.Constant(t.Contiguous())
	}
	return out
}

// round applies the operation of an entry to a result. Variables that are stored as codes are rounded already, and states
// hold what the model computes.
func (d *document) round(o *flat.Op, id string, v *graph.Value) (*graph.Value, error) {
	if t := o.Outputs()[0]; d.updated[id] || d.isCoded(t) {
		return v, nil
	}
	entry := d.rounded[id]
	def, _ := op.Lookup(entry.Operation) // which every operation of a quantization file is
	q := &quantizer{lowering: new(lowering).begin(d.sink, o.Invocation), entry: entry, place: container.QuantFile}
	in := []*graph.Value{v}
	for _, operand := range def.In[1:] {
		dtype := v.Type.DType
		if operand.Like == "" && !operand.Types.Has(dtype) {
			dtype = tensor.Int64
		}
		in = append(in, q.Constant(q.constant(operand.Name, dtype, len(v.Type.Shape))))
	}
	var attrs graph.Attrs
	for i := range def.Attrs {
		a := &def.Attrs[i]
		value, err := attribute(a, entry.Arg(a.Name), 0)
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, attr(a.Name, value))
	}
	return q.Node(entry.Operation, attrs, in...), q.Err
}

// constant returns an argument as a tensor that aligns with one of a rank.
func (q *quantizer) constant(name string, d tensor.DType, rank int) *tensor.Tensor {
	list, shape, err := q.entry.Numbers(name, rank)
	values := make([]eval.Value, len(list))
	for i, x := range list {
		values[i] = x
	}
	var t *tensor.Tensor
	if err == nil {
		t, err = element.Tensor(values, d, shape)
	}
	if err != nil {
		q.fail(CodeQuantization, "label", "%s cannot be decoded: %s of %s: %v", q.place, name, strings.TrimSuffix(q.entry.Operation, "_quantize"), err)
	}
	return t
}
