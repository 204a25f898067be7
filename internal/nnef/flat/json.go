package flat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

	"github.com/concord-nn/concord/internal/nnef/eval"
	"github.com/concord-nn/concord/nnef/syntax"
)

// MarshalJSON implements [json.Marshaler]. The form is
//
//	{ "inputs": [name, …], "outputs": [name, …],
//	  "ops": [{ "op": name, "dtype": type, "args": {parameter: value, …}, "results": {result: value, …} }, …],
//	  "tensors": { name: { "dtype": type, "shape": [extent, …] }, … } }
//
// A value is {"t": name} for a tensor, {"f": number} for a scalar, {"tuple": [value, …]} for a tuple, and else what JSON
// has for it. The dtype of an operation is its generic type; it is left out where there is none, and in the provisional
// dialect. A shape is null if it is not known; an extent that is not specified is 0. Integer tensors of the provisional
// dialect have the dtype "coordinate".
func (g *Graph) MarshalJSON() ([]byte, error) {
	var inputs, outputs, ops eval.Array
	for _, t := range g.Inputs {
		inputs = append(inputs, t.Name)
	}
	for _, name := range g.OutputNames {
		outputs = append(outputs, name)
	}
	var tensors object
	for _, op := range g.Ops {
		ops = append(ops, g.members(op))
		for _, t := range op.Outputs() {
			tensors = append(tensors, member{t.Name, g.typeMembers(t)})
		}
	}
	var w jsonWriter
	w.write(object{{"inputs", inputs}, {"outputs", outputs}, {"ops", ops}, {"tensors", tensors}})
	return w.Bytes(), w.err
}

// object is one of JSON, with the members in this order.
type object []member

type member struct {
	name  string
	value any
}

func (g *Graph) members(op *Op) object {
	o := object{{"op", op.Name()}}
	if op.Type != syntax.NoPrimitive && g.Dialect != syntax.Provisional {
		o = append(o, member{"dtype", op.Type.String()})
	}
	var args, results object
	for i, v := range op.Args {
		if _, absent := v.(eval.Absent); !absent {
			args = append(args, member{op.Op.Params[i].Name, v})
		}
	}
	for i, v := range op.Results {
		results = append(results, member{op.Op.Results[i].Name, v})
	}
	return append(o, member{"args", args}, member{"results", results})
}

func (g *Graph) typeMembers(t *Tensor) object {
	dtype := t.Type.String()
	if g.Dialect == syntax.Provisional && t.Type == syntax.Integer {
		dtype = "coordinate"
	}
	if t.Shape == nil && !t.Known {
		return object{{"dtype", dtype}, {"shape", nil}}
	}
	shape := make(eval.Array, len(t.Shape))
	for i, n := range t.Shape {
		shape[i] = n
	}
	return object{{"dtype", dtype}, {"shape", shape}}
}

type jsonWriter struct {
	bytes.Buffer
	err error // the first one
}

// write writes an object, a value of the evaluation, or what JSON has.
func (w *jsonWriter) write(v any) {
	switch v := v.(type) {
	case object:
		w.list("{}", len(v), func(i int) {
			w.write(v[i].name)
			w.WriteByte(':')
			w.write(v[i].value)
		})
	case eval.Array:
		w.list("[]", len(v), func(i int) { w.write(v[i]) })
	case eval.Tuple:
		w.write(object{{"tuple", eval.Array(v)}})
	case *Tensor:
		w.write(object{{"t", v.Name}})
	case float64:
		if (math.IsNaN(v) || math.IsInf(v, 0)) && w.err == nil {
			w.err = fmt.Errorf("the scalar %v has no form in JSON", v)
		}
		w.WriteString(`{"f":` + syntax.FormatScalar(v) + "}")
	default:
		text, err := json.Marshal(v)
		if err != nil && w.err == nil {
			w.err = err
		}
		w.Write(text)
	}
}

func (w *jsonWriter) list(brackets string, n int, item func(i int)) {
	w.WriteByte(brackets[0])
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		item(i)
	}
	w.WriteByte(brackets[1])
}
