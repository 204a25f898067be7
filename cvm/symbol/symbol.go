// Package symbol reads and writes the graph of a CVM model, its symbol: a JSON object in the dialect of the original runtime. It knows
// the keys, tags and types of the text and nothing of operators; what the values mean is checked by package cvm.
//
// The dialect differs from JSON:
//   - Strings know the escapes \r \n \t \\ \" alone and may hold any byte but line ends.
//   - Numbers are integers. A plus sign and leading zeros are allowed. A negative number that should be unsigned wraps around at 2^32.
//   - The text ends at a zero byte. Objects and lists that have an item count as closed there.
//   - What follows the graph is ignored.
//   - Unknown keys are refused. Of repeated keys the last counts, but a second "attrs" of the graph keeps the lists of the first that
//     it lacks.
package symbol

import "github.com/concord-nn/concord/tensor"

// The versions of graphs.
const (
	V100 = "cvm_1.0.0" // lists dltype, node_row_ptr and arg_nodes
	V110 = "cvm_1.1.0" // may leave them out
)

// The values of Node.Op.
const (
	Variable = "null"
	Operator = "cvm_op"
)

// Symbol is a graph. Entries, the tensors of the graph, are numbered in the order of the nodes, and so are the lists by entry.
type Symbol struct {
	Version     string // V100 if the text has none; not checked
	Postprocess string
	Nodes       []Node
	Heads       []Entry // the outputs
	ArgNodes    []int   // the nodes that are variables; nil if the text has none
	NodeRowPtr  []int   // the number of the first entry of each node, and of entries; nil if the text has none

	// Graph attributes. Those that the text does not have are nil.
	OpAttrs   []string       // by node: a JSON object of strings
	Shape     []tensor.Shape // by entry
	StorageID []int          // by entry
	Precision []int          // by entry: -1 if not given
	DLType    []string       // by entry
	DeviceIdx []int
	DType     DType
}

// DType is the graph attribute dtype, which has no meaning. The zero DType is none.
type DType struct {
	Tag     string // list_int, or list_str, which has a single number by an oversight of the original
	Numbers []int  // of a list_str one, which is not negative; beyond int it is the greatest
}

// Pos is a place in the text: line and column, in bytes, from 1. The zero Pos is no place.
type Pos struct{ Line, Column int }

// Node is a variable or the application of an operator.
type Node struct {
	Op     string // Variable or Operator
	Name   string
	Inputs []Entry
	Attrs  *NodeAttrs // nil if the text has none
	// Precision has no meaning; nil if the text has none.
	Precision *int

	Pos      Pos // of the node
	AttrsPos Pos // of the string in op_attrs; set by Parse
}

// NodeAttrs are the attributes of a node; only FuncName has a meaning.
type NodeAttrs struct {
	FuncName                                    string
	NumInputs, NumOutputs, FlattenData, OpAttrs string
}

// Entry is an output of a node.
type Entry struct{ Node, Output, Version int }
