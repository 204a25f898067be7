package export

import (
	"github.com/concord-nn/concord/internal/kit"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/tensor"
)

// Network is a graph as calls of OpenVX.
type Network struct {
	Name    string
	Tensors []*Tensor // in an order in which they can be made
	LUTs    []*LUT
	Calls   []*Call
	Inputs  []Port // in the order of the graph; without those that no output depends on
	Outputs []Port // in the order of the graph
	Rounded []Rounded
	// Approximations are the nodes whose results may differ from those of the graph even in float32.
	Approximations []Approximation
}

// Kind is where a tensor comes from.
type Kind uint8

// The kinds of tensors.
const (
	Virtual Kind = iota // only the nodes see it
	Input
	Output
	Weights // its elements stand in the file of weights
	View    // of another tensor
)

// Format is what the elements of a tensor are.
type Format struct {
	Type  openvx.Type
	Fixed int8 // the number of fractional bits
}

// The formats that tensors can have.
var (
	Q78     = Format{openvx.TypeInt16, 8}
	Float32 = Format{openvx.TypeFloat32, 0}
	Uint8   = Format{openvx.TypeUint8, 0}
	Int8    = Format{openvx.TypeInt8, 0}
)

// formats are what there is to know of them: the type of elements in a graph, a name, and what generated code calls them and says of them.
var formats = []struct {
	Format
	elements          tensor.DType
	name, macro, note string
}{
	{Q78, tensor.Int16, "Q7.8", "Q78", "Q7.8, vx_int16: the number times 256"},
	{Float32, tensor.Float32, "float32", "F32", "float32, which no version of the standard has: only for libraries that add it"},
	{Uint8, tensor.Uint8, "uint8", "U8", "vx_uint8"},
	{Int8, tensor.Int8, "int8", "S8", "vx_int8"},
}

// row returns the place of a format in the table; that of the last one for what is none of these.
func (f Format) row() int {
	for i := range formats {
		if formats[i].Format == f {
			return i
		}
	}
	return len(formats) - 1
}

// String names the format.
func (f Format) String() string { return formats[f.row()].name }

// elements returns the type of elements in a graph.
func (f Format) elements() tensor.DType { return formats[f.row()].elements }

// Tensor is a tensor of OpenVX.
type Tensor struct {
	Name string // an identifier, like the name of the value that lies in it
	Kind Kind
	Dims []int // the fastest first
	Format
	Data       []byte  // of weights: the elements, little-endian
	Of         *Tensor // of a view: what it shows,
	Start, End []int   // and from where up to but without where, in as many dimensions as the view has

	held *tensor.Tensor // whose memory Data is
}

// LUT is a table that elements are looked up in (vx_lut).
type LUT struct {
	Name  string
	Type  openvx.Type // of the entries
	Count int
	Data  []byte // little-endian
}

// Port is an input or an output of a network.
type Port struct {
	Name   string // in the graph
	Tensor *Tensor
	DType  tensor.DType // that it has in the graph,
	Shape  tensor.Shape // whose elements, in row-major order, are those of the tensor in the order of memory
}

// Call is a call of a function that adds a node to a graph. Its arguments, after the graph, are in the order of the C function: *Tensor
// (nil where one is absent), Part, *LUT, Real, int for a size, float32, and enumerations and parameters of package openvx.
type Call struct {
	Function string
	Args     []any
	Times    int    // how often the call is made; 1 unless some of its arguments are parts
	Label    string // of the node that it belongs to; may be empty
	Value    string // the name of the value that it serves
}

// Part is an argument that differs from one time to the next: a tensor is cut along a dimension into as many equal parts as the call is
// made, and each is used once.
type Part struct {
	Of   *Tensor
	Axis int
}

// Real is an argument that is a scalar object of type float32.
type Real float32

// Rounded says what became of a constant that was brought into Q7.8.
type Rounded struct {
	Value     string
	Elements  int
	Saturated int     // beyond the range of -128 to 127.996
	Vanished  int     // numbers other than 0 that became 0
	Greatest  float64 // the greatest difference among those in the range
}

// Approximation is a node that is expressed by others whose results may differ from its own even in float32.
type Approximation = kit.Approximation
