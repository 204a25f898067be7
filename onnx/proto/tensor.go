package proto

import "github.com/concord-nn/concord/internal/mapfile"

// Tensor is a constant (TensorProto). RawData, FloatData and DoubleData share memory with what was decoded, where they can. [Tensor.Value] makes a tensor of it.
type Tensor struct {
	Dims         []int64
	DataType     DataType
	Segment      *Segment
	FloatData    []float32
	Int32Data    []int32
	StringData   []string
	Int64Data    []int64
	Name         string
	RawData      []byte // nil if it is absent
	DoubleData   []float64
	Uint64Data   []uint64
	Doc          string
	ExternalData []*StringEntry
	DataLocation DataLocation
	Metadata     []*StringEntry

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
type Segment struct{ Begin, End int64 }

// SparseTensor holds the elements of a tensor that are not zero (SparseTensorProto). Indices are of shape [N], counting all elements, or of
// shape [N, rank].
type SparseTensor struct {
	Values  *Tensor
	Indices *Tensor
	Dims    []int64
}

// Sequence is a value that is a list (SequenceProto). One of the lists holds the elements, as ElemType says.
type Sequence struct {
	Name               string
	ElemType           ElementKind
	TensorValues       []*Tensor
	SparseTensorValues []*SparseTensor
	SequenceValues     []*Sequence
	OptionalValues     []*Optional
}

// Optional is a value that may be absent (OptionalProto). If all pointers are nil, it is.
type Optional struct {
	Name              string
	ElemType          ElementKind
	TensorValue       *Tensor
	SparseTensorValue *SparseTensor
	SequenceValue     *Sequence
	OptionalValue     *Optional
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
