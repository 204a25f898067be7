// Package fault has the errors of CVM models: each has the class that the original runtime gives it, the stage of admission at which
// it arose, and a place.
package fault

// Class says who is at fault. On a chain a Logic error costs the caller gas and a Runtime error does not.
type Class int

// The classes, with the numbers of the original's interface.
const (
	OK      Class = 0
	Logic   Class = 1 // the model or the caller is at fault: a rule of the standard is violated
	Runtime Class = 2 // anything else: malformed text, an unknown operator, a resource that ran out
)

// String returns "ok", "logic" or "runtime".
func (c Class) String() string {
	switch c {
	case OK:
		return "ok"
	case Logic:
		return "logic"
	}
	return "runtime"
}

// Stage is a step of loading, admitting or running a model.
type Stage string

// The stages in their order.
const (
	Text      Stage = "text"       // the JSON of the graph
	Lookup    Stage = "op_lookup"  // operators by their names
	Attrs     Stage = "attr_parse" // attributes of operators
	NumInputs Stage = "num_inputs" // operands of operators
	Graph     Stage = "graph"      // lists, versions, topology
	Storage   Stage = "storage"    // the storage plan
	Shape     Stage = "shape"      // shape inference
	Precision Stage = "precision"  // precision inference
	Limits    Stage = "limits"     // gas and sizes
	Params    Stage = "params"     // the parameter file
	Input     Stage = "input"      // the bytes of an input
	Run       Stage = "run"        // inference and post-processing
)

// Error is why a model or an input is refused.
type Error struct {
	Class Class `json:"-"`
	Stage Stage `json:"stage"`

	File   string `json:"file,omitempty"`   // where it is known
	Line   int    `json:"line,omitempty"`   // in the graph's text, from 1; 0 where there is no place in it
	Column int    `json:"column,omitempty"` // in bytes, from 1
	Offset int64  `json:"-"`                // in the parameter file, where Stage is Params and Line is 0; -1 where there is no place in it, either

	Node     int    `json:"-"`                  // the node's number; -1 if no single node is at fault
	Name     string `json:"name,omitempty"`     // of the node
	Operator string `json:"operator,omitempty"` // as the graph spells it
	Part     string `json:"part,omitempty"`     // the operand, output, attribute, key or parameter at fault; may be empty

	Msg  string `json:"message,omitempty"` // what is wrong
	Want string `json:"want,omitempty"`    // what would be right; may be empty where Msg says it
	Err  error  `json:"-"`                 // the cause, where there is one
}
