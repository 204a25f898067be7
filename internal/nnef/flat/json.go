package flat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

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
	w := &jsonWriter{provisional: g.Dialect == syntax.Provisional}
	w.b.WriteString(`{"inputs":`)
	w.list(len(g.Inputs), func(i int) { w.string(g.Inputs[i].Name) })
	w.b.WriteString(`,"outputs":`)
	w.list(len(g.OutputNames), func(i int) { w.string(g.OutputNames[i]) })
	w.b.WriteString(`,"ops":`)
	w.list(len(g.Ops), func(i int) { w.op(g.Ops[i]) })
	w.b.WriteString(`,"tensors":{`)
	first := true
	for _, op := range g.Ops {
		for _, t := range op.Outputs() {
			if !first {
				w.b.WriteByte(',')
			}
			first = false
			w.tensor(t)
		}
	}
	w.b.WriteString("}}")
	return w.b.Bytes(), w.err
}

type jsonWriter struct {
	b           bytes.Buffer
	provisional bool
	err         error
}

func (w *jsonWriter) list(n int, item func(i int)) {
	w.b.WriteByte('[')
	for i := range n {
		if i > 0 {
			w.b.WriteByte(',')
		}
		item(i)
	}
	w.b.WriteByte(']')
}

func (w *jsonWriter) string(s string) {
	text, err := json.Marshal(s)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b.Write(text)
}

func (w *jsonWriter) op(op *Op) {
	w.b.WriteString(`{"op":`)
	w.string(op.Operation.Name)
	if op.Type != syntax.NoPrimitive && !w.provisional {
		fmt.Fprintf(&w.b, `,"dtype":"%v"`, op.Type)
	}
	w.b.WriteString(`,"args":{`)
	more := false
	for i := range op.Operation.Params {
		if _, absent := op.Args[i].(eval.Absent); absent {
			continue
		}
		if more {
			w.b.WriteByte(',')
		}
		more = true
		w.string(op.Operation.Params[i].Name)
		w.b.WriteByte(':')
		w.value(op.Args[i])
	}
	w.b.WriteString(`},"results":{`)
	for i := range op.Operation.Results {
		if i > 0 {
			w.b.WriteByte(',')
		}
		w.string(op.Operation.Results[i].Name)
		w.b.WriteByte(':')
		w.value(op.Results[i])
	}
	w.b.WriteString("}}")
}

func (w *jsonWriter) value(v eval.Value) {
	switch v := v.(type) {
	case *Tensor:
		w.b.WriteString(`{"t":`)
		w.string(v.Name)
		w.b.WriteByte('}')
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			w.err = fmt.Errorf("the scalar %v has no form in JSON", v)
		}
		w.b.WriteString(`{"f":`)
		w.b.WriteString(syntax.FormatScalar(v, 64))
		w.b.WriteByte('}')
	case int64:
		w.b.WriteString(strconv.FormatInt(v, 10))
	case bool:
		w.b.WriteString(strconv.FormatBool(v))
	case string:
		w.string(v)
	case eval.Array:
		w.list(len(v), func(i int) { w.value(v[i]) })
	case eval.Tuple:
		w.b.WriteString(`{"tuple":`)
		w.list(len(v), func(i int) { w.value(v[i]) })
		w.b.WriteByte('}')
	default:
		w.string(eval.Text(v))
	}
}

func (w *jsonWriter) tensor(t *Tensor) {
	w.string(t.Name)
	dtype := t.Type.String()
	if w.provisional && t.Type == syntax.Integer {
		dtype = "coordinate"
	}
	fmt.Fprintf(&w.b, `:{"dtype":%q,"shape":`, dtype)
	if t.Shape == nil && !t.Known {
		w.b.WriteString("null")
	} else {
		w.list(len(t.Shape), func(i int) { w.b.WriteString(strconv.Itoa(t.Shape[i])) })
	}
	w.b.WriteByte('}')
}
