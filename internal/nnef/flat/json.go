package flat

import (
	"encoding/json"

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
	inputs, ops, tensors := []string{}, []object{}, object{}
	for _, t := range g.Inputs {
		inputs = append(inputs, t.Name)
	}
	for _, op := range g.Ops {
		ops = append(ops, g.members(op))
		for _, t := range op.Outputs() {
			tensors = append(tensors, member{t.Name, g.typeMembers(t)})
		}
	}
	return json.Marshal(object{{"inputs", inputs}, {"outputs", append([]string{}, g.OutputNames...)}, {"ops", ops}, {"tensors", tensors}})
}

// object is one of JSON, with the members in this order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		name, _ := json.Marshal(m.name) // of which nothing can fail
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}

func (g *Graph) members(op *Op) object {
	o := object{{"op", op.Name()}}
	if op.Type != syntax.NoPrimitive && g.Dialect != syntax.Provisional {
		o = append(o, member{"dtype", op.Type.String()})
	}
	args, results := object{}, object{}
	for i, v := range op.Args {
		if _, absent := v.(eval.Absent); !absent {
			args = append(args, member{op.Op.Params[i].Name, value(v)})
		}
	}
	for i, v := range op.Results {
		results = append(results, member{op.Op.Results[i].Name, value(v)})
	}
	return append(o, member{"args", args}, member{"results", results})
}

func (g *Graph) typeMembers(t *Tensor) object {
	dtype := t.Type.String()
	if g.Dialect == syntax.Provisional && t.Type == syntax.Integer {
		dtype = "coordinate"
	}
	shape := t.Shape
	if t.Known {
		shape = append([]int{}, shape...) // which is not null
	}
	return object{{"dtype", dtype}, {"shape", shape}}
}

// value returns a value of the evaluation as one of JSON.
func value(v eval.Value) any {
	switch v := v.(type) {
	case *Tensor:
		return object{{"t", v.Name}}
	case float64:
		if v-v != 0 {
			return v // which JSON refuses
		}
		return object{{"f", json.RawMessage(syntax.FormatScalar(v))}}
	case eval.Tuple:
		return object{{"tuple", value(eval.Array(v))}}
	case eval.Array:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = value(x)
		}
		return list
	}
	return v
}
