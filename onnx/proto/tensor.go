package proto

import "github.com/concord-nn/concord/internal/mapfile"

// Tensor is a constant (TensorProto). RawData, FloatData and DoubleData share memory with what was decoded, where they can. [Tensor.Value] makes a tensor of it.
type Tensor struct {
	Dims         []int64        `wire:"1,dims"`
	DataType     DataType       `wire:"2,data_type"`
	Segment      *Segment       `wire:"3,segment"`
	FloatData    []float32      `wire:"4,float_data,packed"`
	Int32Data    []int32        `wire:"5,int32_data,packed"`
	StringData   []string       `wire:"6,string_data"`
	Int64Data    []int64        `wire:"7,int64_data,packed"`
	Name         string         `wire:"8,name"`
	RawData      []byte         `wire:"9,raw_data"` // nil if it is absent
	DoubleData   []float64      `wire:"10,double_data,packed"`
	Uint64Data   []uint64       `wire:"11,uint64_data,packed"`
	Doc          string         `wire:"12,doc_string"`
	ExternalData []*StringEntry `wire:"13,external_data"`
	DataLocation DataLocation   `wire:"14,data_location"`
	Metadata     []*StringEntry `wire:"16,metadata_props"`

	mapping *mapfile.Mapping // what keeps RawData, if it is that of a mapped file
}

// DataLocation says where the elements of a tensor stand.
type DataLocation int32

// The locations of elements.
const (
	DataDefault  DataLocation = 0 // in the message
	DataExternal DataLocation = 1 // in the file that ExternalData names
)

// Segment is the part of a larger tensor that a message holds.
type Segment struct {
	Begin int64 `wire:"1,begin"`
	End   int64 `wire:"2,end"`
}

// SparseTensor holds the elements of a tensor that are not zero (SparseTensorProto). Indices are of shape [N], counting all elements, or of
// shape [N, rank].
type SparseTensor struct {
	Values  *Tensor `wire:"1,values"`
	Indices *Tensor `wire:"2,indices"`
	Dims    []int64 `wire:"3,dims"`
}

// Sequence is a value that is a list (SequenceProto). One of the lists holds the elements, as ElemType says.
type Sequence struct {
	Name               string          `wire:"1,name"`
	ElemType           ElementKind     `wire:"2,elem_type"`
	TensorValues       []*Tensor       `wire:"3,tensor_values"`
	SparseTensorValues []*SparseTensor `wire:"4,sparse_tensor_values"`
	SequenceValues     []*Sequence     `wire:"5,sequence_values"`
	OptionalValues     []*Optional     `wire:"7,optional_values"`
}

// Optional is a value that may be absent (OptionalProto). If all pointers are nil, it is.
type Optional struct {
	Name              string        `wire:"1,name"`
	ElemType          ElementKind   `wire:"2,elem_type"`
	TensorValue       *Tensor       `wire:"3,tensor_value"`
	SparseTensorValue *SparseTensor `wire:"4,sparse_tensor_value"`
	SequenceValue     *Sequence     `wire:"5,sequence_value"`
	OptionalValue     *Optional     `wire:"7,optional_value"`
}

// ElementKind says what the elements of a [Sequence] or an [Optional] are.
type ElementKind int32

// The kinds of elements. Maps are not read.
const (
	ElementUndefined    ElementKind = 0
	ElementTensor       ElementKind = 1
	ElementSparseTensor ElementKind = 2
	ElementSequence     ElementKind = 3
	ElementMap          ElementKind = 4
	ElementOptional     ElementKind = 5
)
