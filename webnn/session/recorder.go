package session

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

// The ids that a recorded session gives to its objects.
const (
	contextID = "context"
	builderID = "builder"
	graphID   = "graph"
)

// Recorder notes the calls of a builder. Its methods must not be called while the builder is used.
type Recorder struct {
	calls []Call
	ids   map[*webnn.Operand]string
	used  map[string]bool
	count map[string]int // results of each method
	cast  tensor.DType   // what the call at hand casts its numbers to
	err   error
}

// Record attaches a recorder to a builder that has no operand yet. It notes every later call that succeeds.
func Record(b *webnn.GraphBuilder) *Recorder {
	r := &Recorder{
		calls: []Call{
			{On: entryID, Method: "createContext", Args: []Value{}, ID: contextID},
			{Method: "MLGraphBuilder", Args: []Value{Ref(contextID)}, ID: builderID},
		},
		ids:   make(map[*webnn.Operand]string),
		used:  map[string]bool{entryID: true, hostID: true, contextID: true, builderID: true, graphID: true},
		count: make(map[string]int),
	}
	b.Record(r.note)
	return r
}

// Session returns the calls so far as a script of its own: it creates a context ("context") and the builder ("builder") first
// and gives what it builds the id "graph". Inputs have their names as ids where these are free, other results the name of
// their method and a number. The session shares the contents of constants with the builder. It fails if a call took an operand
// that was made before the recorder was attached.
func (r *Recorder) Session() (*Session, error) {
	if r.err != nil {
		return nil, r.err
	}
	return &Session{Calls: slices.Clone(r.calls)}, nil
}

func (r *Recorder) note(c webnn.Call) {
	r.cast = castType(c)
	call := Call{On: builderID, Method: c.Method, Args: []Value{}}
	for i, a := range c.Args {
		call.Args = append(call.Args, r.value(fmt.Sprintf("%s: argument %d", c.Method, i), a))
	}
	if len(c.Options) > 0 {
		options := make(Dict, len(c.Options))
		for _, name := range slices.Sorted(maps.Keys(c.Options)) {
			options[name] = r.value(c.Method+": "+name, c.Options[name])
		}
		call.Args = append(call.Args, options)
	}
	switch {
	case c.Method == "build":
		call.ID = graphID
	case lists(c.Method):
		call.IDs = []string{}
		for _, o := range c.Results {
			call.IDs = append(call.IDs, r.name(c, o))
		}
	case len(c.Results) == 1:
		call.ID = r.name(c, c.Results[0])
	}
	r.calls = append(r.calls, call)
}

// lists says whether a method of the builder returns a list.
func lists(method string) bool {
	o := operations()[[2]string{"MLGraphBuilder", method}]
	return o != nil && o.list
}

// name gives an operand an id that is free.
func (r *Recorder) name(c webnn.Call, o *webnn.Operand) string {
	id := ""
	if c.Method == "input" {
		id, _ = c.Args[0].(string)
	}
	for id == "" || r.used[id] {
		r.count[c.Method]++
		id = c.Method + strconv.Itoa(r.count[c.Method])
	}
	r.used[id], r.ids[o] = true, id
	return id
}

// float64Exact bounds the integers of which a double holds each.
const float64Exact = 1 << 53

// castType is the data type that a call casts its MLNumbers to.
func castType(c webnn.Call) tensor.DType {
	if len(c.Args) == 0 {
		return tensor.Invalid
	}
	switch a := c.Args[0].(type) {
	case *webnn.Operand:
		return a.DataType()
	case tensor.DType:
		return a
	}
	return tensor.Invalid
}

// whole writes an integer that the call casts. A BigInt is only for 64 bits; for other types a double says the same: rounded
// to odd, so that the next rounding gives what the integer itself gives.
func (r *Recorder) whole(n *big.Int) Value {
	if r.cast == tensor.Int64 || r.cast == tensor.Uint64 {
		return n
	}
	x := new(big.Float).SetPrec(64).SetMode(big.ToZero).SetInt(n)
	f, accuracy := x.Float64()
	if accuracy != big.Exact {
		f = math.Float64frombits(math.Float64bits(f) | 1)
	}
	return f
}

// value turns what a caller of the builder gave into what a session holds.
func (r *Recorder) value(what string, v any) Value {
	switch v := v.(type) {
	case *webnn.Operand:
		id, ok := r.ids[v]
		if !ok && r.err == nil {
			r.err = fmt.Errorf("%s: the operand was made before the recorder was attached", what)
		}
		return Ref(id)
	case []any:
		return values(v, func(x any) Value { return r.value(what, x) })
	case []*webnn.Operand:
		return values(v, func(o *webnn.Operand) Value { return r.value(what, o) })
	case webnn.NamedOperands:
		out := make(Dict, len(v))
		for name, o := range v {
			out[name] = r.value(what, o)
		}
		return out
	case webnn.OperandDescriptor:
		return Descriptor(v.DataType, v.Shape)
	case *tensor.Tensor:
		return &Buffer{Data: tensor.Raw(v)}
	case tensor.DType:
		return v.String()
	case webnn.BigInt:
		return new(big.Int).Set(v.Int)
	case webnn.Uint:
		return r.whole(new(big.Int).SetUint64(uint64(v)))
	case webnn.Int:
		return r.whole(big.NewInt(int64(v)))
	case webnn.Float:
		return float64(v)
	case *big.Int:
		return new(big.Int).Set(v)
	case int:
		if n := int64(v); n > float64Exact || n < -float64Exact {
			return r.whole(big.NewInt(int64(v)))
		}
		return integer(v)
	case []int:
		return values(v, integer)
	case []float64:
		return values(v, func(f float64) Value { return f })
	case []string:
		return values(v, func(s string) Value { return s })
	case bool, string, float64:
		return v
	}
	if r.err == nil {
		r.err = fmt.Errorf("%s: a %T cannot be recorded", what, v)
	}
	return nil
}

// values applies a function to the items of a list.
func values[T, U any](items []T, value func(T) U) []U {
	out := make([]U, len(items))
	for i, x := range items {
		out[i] = value(x)
	}
	return out
}

// integer is a number, or a BigInt if a number is too coarse.
func integer(n int) Value {
	if n != int(float64(n)) {
		return big.NewInt(int64(n))
	}
	return float64(n)
}
