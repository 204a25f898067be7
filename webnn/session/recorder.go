package session

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
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
	notes  []note
	made   map[*webnn.Operand]bool // by these calls
	wishes []string                // for the results of the next call
	cast   tensor.DType            // what the call at hand casts its numbers to
	err    error
}

// note is a call, in whose arguments operands are *webnn.Operand.
type note struct {
	method  string
	args    []Value
	results []*webnn.Operand
	wishes  []string // the ids that they should have
}

// Record attaches a recorder to a builder that has no operand yet. It notes every later call that succeeds.
func Record(b *webnn.GraphBuilder) *Recorder {
	r := &Recorder{made: make(map[*webnn.Operand]bool)}
	b.Record(r.note)
	return r
}

// Name says which ids the results of the next call should have; the last serves further results, too.
func (r *Recorder) Name(ids ...string) { orZero(r).wishes = ids }

// Session returns the calls so far as a script of its own: it creates a context ("context") and the builder ("builder") first
// and gives what it builds the id "graph". Operands have the ids that [Recorder.Name] has asked for, and inputs their names; of several with one
// wish, the last one has it and others a number behind it. Other results have the name of their method and a number. Constants that no call
// takes are left out. The session shares the contents of constants with the builder. It fails if a call took an operand that was made before
// the recorder was attached.
func (r *Recorder) Session() (*Session, error) {
	r = orZero(r)
	if r.err != nil {
		return nil, r.err
	}
	taken := make(map[*webnn.Operand]bool)
	for _, n := range r.notes {
		replace(n.args, func(o *webnn.Operand) Value {
			taken[o] = true
			return nil
		})
	}
	ids := r.ids()
	s := &Session{Calls: []Call{
		{On: entryID, Method: "createContext", Args: []Value{}, ID: contextID},
		{Method: "MLGraphBuilder", Args: []Value{Ref(contextID)}, ID: builderID},
	}}
	for _, n := range r.notes {
		if n.method == "constant" && !taken[n.results[0]] {
			continue
		}
		c := Call{On: builderID, Method: n.method, ID: graphID}
		c.Args, _ = replace(n.args, func(o *webnn.Operand) Value { return Ref(ids[o]) }).([]Value)
		switch results := values(n.results, func(o *webnn.Operand) string { return ids[o] }); {
		case webnn.ReturnsList(n.method):
			c.ID, c.IDs = "", results
		case len(results) == 1:
			c.ID = results[0]
		}
		s.Calls = append(s.Calls, c)
	}
	return s, nil
}

// ids gives each operand an id.
func (r *Recorder) ids() map[*webnn.Operand]string {
	used := map[string]bool{entryID: true, hostID: true, contextID: true, builderID: true, graphID: true}
	count := make(map[string]int)
	ids := make(map[*webnn.Operand]string)
	take := func(o *webnn.Operand, wish, id, between string) {
		for id == "" || used[id] {
			count[wish]++
			id = wish + between + strconv.Itoa(count[wish])
		}
		used[id], ids[o] = true, id
	}
	for _, n := range slices.Backward(r.notes) {
		for i, o := range n.results {
			if len(n.wishes) > 0 {
				wish := n.wishes[min(i, len(n.wishes)-1)]
				take(o, wish, wish, "_")
			}
		}
	}
	for _, n := range r.notes {
		for _, o := range n.results {
			if len(n.wishes) == 0 {
				take(o, n.method, "", "")
			}
		}
	}
	return ids
}

// replace returns a value in which something else stands for each operand.
func replace(v Value, other func(*webnn.Operand) Value) Value {
	switch v := v.(type) {
	case *webnn.Operand:
		return other(v)
	case []Value:
		return values(v, func(x Value) Value { return replace(x, other) })
	case Dict:
		out := make(Dict, len(v))
		for key, x := range v {
			out[key] = replace(x, other)
		}
		return out
	}
	return v
}

func (r *Recorder) note(c webnn.Call) {
	r.cast = castType(c)
	n := note{method: c.Method, args: []Value{}, results: c.Results, wishes: r.wishes}
	r.wishes = nil
	if name, ok := c.Args[0].(string); ok && n.wishes == nil {
		n.wishes = []string{name} // of an input
	}
	for i, a := range c.Args {
		n.args = append(n.args, r.value(fmt.Sprintf("%s: argument %d", c.Method, i), a))
	}
	if len(c.Options) > 0 {
		options := make(Dict, len(c.Options))
		for _, name := range naming.Sorted(c.Options) {
			options[name] = r.value(c.Method+": "+name, c.Options[name])
		}
		n.args = append(n.args, options)
	}
	r.notes = append(r.notes, n)
	for _, o := range c.Results {
		r.made[o] = true
	}
}

// castType is the data type that a call casts its MLNumbers to.
func castType(c webnn.Call) tensor.DType {
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
		if !r.made[v] && r.err == nil {
			r.err = fmt.Errorf("%s: the operand was made before the recorder was attached", what)
		}
		return v
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
		data := tensor.Raw(v)
		return &Buffer{Data: data, mapping: mapfile.Of(data)}
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
		if n, coarse := integer(v).(*big.Int); coarse {
			return r.whole(n)
		}
		return float64(v)
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
