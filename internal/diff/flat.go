package diff

import (
	"errors"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/tensor"
)

// FromFlat returns the network of a flattened NNEF document, as the document has it: its operations with their arguments
// and the labels of its variables. variables returns what is stored under a label, or nil if that is not at hand: labels
// alone are compared then; it may be nil itself. The graph must not change.
func FromFlat(g *flat.Graph, variables func(label string) *tensor.Tensor) *Network {
	n := &Network{labelled: true}
	if g == nil {
		return n
	}
	values := make(map[*flat.Tensor]*value)
	for _, op := range g.Ops {
		switch out := op.Outputs(); op.Name() {
		case "external":
			values[out[0]] = n.value(value{name: out[0].Name, typ: tensorType(out[0]), kind: input})
		case "variable":
			label, _ := op.Arg("label").(string)
			v := value{name: out[0].Name, typ: tensorType(out[0]), kind: constant, label: label}
			if variables != nil {
				v.data = variables(label)
			}
			values[out[0]] = n.value(v)
		default:
			if from := copied(op); from != nil && values[from] != nil {
				values[out[0]] = values[from]
				continue
			}
			p := n.operator(flatOperator(op, values))
			for i, t := range out {
				values[t] = n.value(value{name: t.Name, typ: tensorType(t), from: p, index: i})
				p.out = append(p.out, values[t])
			}
		}
	}
	for _, t := range g.Inputs {
		n.inputs = append(n.inputs, values[t])
	}
	for i, t := range g.Outputs {
		n.outputs = append(n.outputs, output{g.OutputNames[i], values[t]})
	}
	return n
}

// copied returns the tensor that an operation only copies, nil for another operation.
func copied(op *flat.Op) *flat.Tensor {
	if !op.IsCopy() {
		return nil
	}
	t, _ := op.Args[0].(*flat.Tensor)
	return t
}

func flatOperator(op *flat.Op, values map[*flat.Tensor]*value) operator {
	o := operator{name: op.Name()}
	if op.Type != syntax.NoPrimitive {
		o.args = append(o.args, argument{name: "type", text: op.Type.String()})
	}
	for i, v := range op.Args {
		a := argument{name: op.Op.Params[i].Name}
		var text strings.Builder
		a.write(&text, v, values)
		a.text = text.String()
		if usual := op.Op.Params[i].Default; usual != nil {
			a.usual = a.text == eval.Text(usual)
		}
		o.args = append(o.args, a)
	}
	o.place = func() string { return Place(op) }
	return o
}

// Place returns where an operation stands in its text, as file:line:column; it is empty if that is not known.
func Place(op *flat.Op) string {
	if op == nil || op.Site == nil {
		return ""
	}
	d := op.Site.Diagnostic(errors.New(""))
	if d.Source == nil {
		return ""
	}
	return d.Position().String()
}

// write adds a value to the text of the argument, and the tensors in it to the operands.
func (a *argument) write(b *strings.Builder, v eval.Value, values map[*flat.Tensor]*value) {
	list := func(open, closing string, items []eval.Value) {
		b.WriteString(open)
		for i, x := range items {
			if i > 0 {
				b.WriteString(", ")
			}
			a.write(b, x, values)
		}
		b.WriteString(closing)
	}
	switch v := v.(type) {
	case *flat.Tensor:
		a.in = append(a.in, values[v])
		b.WriteByte('%')
	case eval.Array:
		list("[", "]", v)
	case eval.Tuple:
		list("(", ")", v)
	default:
		b.WriteString(eval.Text(v))
	}
}

// tensorType writes the type of a tensor as scalar[1,3], with a ? for what is not known.
func tensorType(t *flat.Tensor) string {
	if t.Shape == nil && !t.Known {
		return t.Type.String() + "[?]"
	}
	extents := make([]string, len(t.Shape))
	for i, e := range t.Shape {
		if extents[i] = strconv.Itoa(e); e == 0 && !t.Known {
			extents[i] = "?"
		}
	}
	return t.Type.String() + "[" + strings.Join(extents, ",") + "]"
}
