package proto

import "github.com/concord-nn/concord/internal/mapfile"

// Model is the message of a file (ModelProto).
type Model struct {
	IRVersion       int64
	ProducerName    string
	ProducerVersion string
	Domain          string
	ModelVersion    int64
	Doc             string
	Graph           *Graph // nil if it is absent
	OpsetImport     []*OperatorSet
	Metadata        []*StringEntry
	TrainingInfo    []*TrainingInfo
	Functions       []*Function

	file *mapfile.File // that raw data lies in; nil if it was given as bytes
}

// OperatorSet is a version of the operators of a domain (OperatorSetIdProto). The domain "" is that of the standard's own.
type OperatorSet struct {
	Domain  string
	Version int64
}

// StringEntry is a pair of strings (StringStringEntryProto).
type StringEntry struct{ Key, Value string }

// Graph is a list of nodes in topological order with the values that they name (GraphProto).
type Graph struct {
	Node                   []*Node
	Name                   string
	Initializer            []*Tensor
	Doc                    string
	Input                  []*ValueInfo
	Output                 []*ValueInfo
	ValueInfo              []*ValueInfo
	QuantizationAnnotation []*TensorAnnotation
	SparseInitializer      []*SparseTensor
	Metadata               []*StringEntry
}

// Node applies an operator or a function to values (NodeProto). An operand or result that is "" is left out.
type Node struct {
	Input     []string
	Output    []string
	Name      string
	OpType    string
	Attribute []*Attribute
	Doc       string
	Domain    string
	Overload  string
	Metadata  []*StringEntry
}

// AttributeType says which field of an [Attribute] has its value.
type AttributeType int32

// The types of attributes.
const (
	AttributeUndefined     AttributeType = 0 // files of IR version 1 do not say
	AttributeFloat         AttributeType = 1
	AttributeInt           AttributeType = 2
	AttributeString        AttributeType = 3
	AttributeTensor        AttributeType = 4
	AttributeGraph         AttributeType = 5
	AttributeFloats        AttributeType = 6
	AttributeInts          AttributeType = 7
	AttributeStrings       AttributeType = 8
	AttributeTensors       AttributeType = 9
	AttributeGraphs        AttributeType = 10
	AttributeSparseTensor  AttributeType = 11
	AttributeSparseTensors AttributeType = 12
	AttributeTypeProto     AttributeType = 13
	AttributeTypeProtos    AttributeType = 14
)

// Attribute is a named value of a node, or of a function as a default (AttributeProto). In the body of a function RefAttrName may name an
// attribute of the function that stands for it.
type Attribute struct {
	Name          string
	F             float32
	I             int64
	S             string // any bytes
	T             *Tensor
	G             *Graph
	Floats        []float32
	Ints          []int64
	Strings       []string
	Tensors       []*Tensor
	Graphs        []*Graph
	Doc           string
	TP            *Type
	TypeProtos    []*Type
	Type          AttributeType
	RefAttrName   string
	SparseTensor  *SparseTensor
	SparseTensors []*SparseTensor
}

// ValueInfo declares a value (ValueInfoProto).
type ValueInfo struct {
	Name     string
	Type     *Type // nil if it is absent
	Doc      string
	Metadata []*StringEntry
}

// TensorAnnotation names the tensors by which a tensor is quantised (TensorAnnotation).
type TensorAnnotation struct {
	TensorName                string
	QuantParameterTensorNames []*StringEntry
}

// Function is an operator that a model defines by nodes (FunctionProto).
type Function struct {
	Name           string
	Input          []string
	Output         []string
	Attribute      []string // attributes without defaults
	Node           []*Node
	Doc            string
	OpsetImport    []*OperatorSet
	Domain         string
	AttributeProto []*Attribute // attributes with defaults
	ValueInfo      []*ValueInfo
	Overload       string
	Metadata       []*StringEntry
}

// TrainingInfo says how a model is trained (TrainingInfoProto).
type TrainingInfo struct {
	Initialization        *Graph
	Algorithm             *Graph
	InitializationBinding []*StringEntry
	UpdateBinding         []*StringEntry
}
