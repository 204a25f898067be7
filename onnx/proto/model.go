package proto

import "github.com/concord-nn/concord/internal/mapfile"

// Model is the message of a file (ModelProto).
type Model struct {
	IRVersion       int64           `wire:"1,ir_version"`
	ProducerName    string          `wire:"2,producer_name"`
	ProducerVersion string          `wire:"3,producer_version"`
	Domain          string          `wire:"4,domain"`
	ModelVersion    int64           `wire:"5,model_version"`
	Doc             string          `wire:"6,doc_string"`
	Graph           *Graph          `wire:"7,graph"` // nil if it is absent
	OpsetImport     []*OperatorSet  `wire:"8,opset_import"`
	Metadata        []*StringEntry  `wire:"14,metadata_props"`
	TrainingInfo    []*TrainingInfo `wire:"20,training_info"`
	Functions       []*Function     `wire:"25,functions"`

	file *mapfile.File // that raw data lies in; nil if it was given as bytes
}

// OperatorSet is a version of the operators of a domain (OperatorSetIdProto). The domain "" is that of the standard's own.
type OperatorSet struct {
	Domain  string `wire:"1,domain"`
	Version int64  `wire:"2,version"`
}

// StringEntry is a pair of strings (StringStringEntryProto).
type StringEntry struct {
	Key   string `wire:"1,key"`
	Value string `wire:"2,value"`
}

// Graph is a list of nodes in topological order with the values that they name (GraphProto).
type Graph struct {
	Node                   []*Node             `wire:"1,node"`
	Name                   string              `wire:"2,name"`
	Initializer            []*Tensor           `wire:"5,initializer"`
	Doc                    string              `wire:"10,doc_string"`
	Input                  []*ValueInfo        `wire:"11,input"`
	Output                 []*ValueInfo        `wire:"12,output"`
	ValueInfo              []*ValueInfo        `wire:"13,value_info"`
	QuantizationAnnotation []*TensorAnnotation `wire:"14,quantization_annotation"`
	SparseInitializer      []*SparseTensor     `wire:"15,sparse_initializer"`
	Metadata               []*StringEntry      `wire:"16,metadata_props"`
}

// Node applies an operator or a function to values (NodeProto). An operand or result that is "" is left out.
type Node struct {
	Input     []string       `wire:"1,input"`
	Output    []string       `wire:"2,output"`
	Name      string         `wire:"3,name"`
	OpType    string         `wire:"4,op_type"`
	Attribute []*Attribute   `wire:"5,attribute"`
	Doc       string         `wire:"6,doc_string"`
	Domain    string         `wire:"7,domain"`
	Overload  string         `wire:"8,overload"`
	Metadata  []*StringEntry `wire:"9,metadata_props"`
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
	Name          string          `wire:"1,name"`
	F             float32         `wire:"2,f"`
	I             int64           `wire:"3,i"`
	S             string          `wire:"4,s"` // any bytes
	T             *Tensor         `wire:"5,t"`
	G             *Graph          `wire:"6,g"`
	Floats        []float32       `wire:"7,floats"`
	Ints          []int64         `wire:"8,ints"`
	Strings       []string        `wire:"9,strings"`
	Tensors       []*Tensor       `wire:"10,tensors"`
	Graphs        []*Graph        `wire:"11,graphs"`
	Doc           string          `wire:"13,doc_string"`
	TP            *Type           `wire:"14,tp"`
	TypeProtos    []*Type         `wire:"15,type_protos"`
	Type          AttributeType   `wire:"20,type"`
	RefAttrName   string          `wire:"21,ref_attr_name"`
	SparseTensor  *SparseTensor   `wire:"22,sparse_tensor"`
	SparseTensors []*SparseTensor `wire:"23,sparse_tensors"`
}

// ValueInfo declares a value (ValueInfoProto).
type ValueInfo struct {
	Name     string         `wire:"1,name"`
	Type     *Type          `wire:"2,type"` // nil if it is absent
	Doc      string         `wire:"3,doc_string"`
	Metadata []*StringEntry `wire:"4,metadata_props"`
}

// TensorAnnotation names the tensors by which a tensor is quantised (TensorAnnotation).
type TensorAnnotation struct {
	TensorName                string         `wire:"1,tensor_name"`
	QuantParameterTensorNames []*StringEntry `wire:"2,quant_parameter_tensor_names"`
}

// Function is an operator that a model defines by nodes (FunctionProto).
type Function struct {
	Name           string         `wire:"1,name"`
	Input          []string       `wire:"4,input"`
	Output         []string       `wire:"5,output"`
	Attribute      []string       `wire:"6,attribute"` // attributes without defaults
	Node           []*Node        `wire:"7,node"`
	Doc            string         `wire:"8,doc_string"`
	OpsetImport    []*OperatorSet `wire:"9,opset_import"`
	Domain         string         `wire:"10,domain"`
	AttributeProto []*Attribute   `wire:"11,attribute_proto"` // attributes with defaults
	ValueInfo      []*ValueInfo   `wire:"12,value_info"`
	Overload       string         `wire:"13,overload"`
	Metadata       []*StringEntry `wire:"14,metadata_props"`
}

// TrainingInfo says how a model is trained (TrainingInfoProto).
type TrainingInfo struct {
	Initialization        *Graph         `wire:"1,initialization"`
	Algorithm             *Graph         `wire:"2,algorithm"`
	InitializationBinding []*StringEntry `wire:"3,initialization_binding"`
	UpdateBinding         []*StringEntry `wire:"4,update_binding"`
}
