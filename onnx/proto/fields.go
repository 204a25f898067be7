package proto

import "github.com/concord-nn/concord/internal/wire"

// The fields of all messages, with the numbers and names of onnx.proto.

func (*Model) table() any            { return &modelFields }
func (*OperatorSet) table() any      { return &operatorSetFields }
func (*StringEntry) table() any      { return &stringEntryFields }
func (*Graph) table() any            { return &graphFields }
func (*Node) table() any             { return &nodeFields }
func (*Attribute) table() any        { return &attributeFields }
func (*ValueInfo) table() any        { return &valueInfoFields }
func (*TensorAnnotation) table() any { return &tensorAnnotationFields }
func (*Function) table() any         { return &functionFields }
func (*TrainingInfo) table() any     { return &trainingInfoFields }
func (*Tensor) table() any           { return &tensorFields }
func (*Segment) table() any          { return &segmentFields }
func (*SparseTensor) table() any     { return &sparseTensorFields }
func (*Type) table() any             { return &typeFields }
func (*TensorType) table() any       { return &tensorTypeFields }
func (*ElementType) table() any      { return &elementTypeFields }
func (*MapType) table() any          { return &mapTypeFields }
func (*OpaqueType) table() any       { return &opaqueTypeFields }
func (*Shape) table() any            { return &shapeFields }
func (*Dim) table() any              { return &dimFields }
func (*Sequence) table() any         { return &sequenceFields }
func (*Optional) table() any         { return &optionalFields }

var (
	modelFields            wire.Table[Model]
	operatorSetFields      wire.Table[OperatorSet]
	stringEntryFields      wire.Table[StringEntry]
	graphFields            wire.Table[Graph]
	nodeFields             wire.Table[Node]
	attributeFields        wire.Table[Attribute]
	valueInfoFields        wire.Table[ValueInfo]
	tensorAnnotationFields wire.Table[TensorAnnotation]
	functionFields         wire.Table[Function]
	trainingInfoFields     wire.Table[TrainingInfo]
	tensorFields           wire.Table[Tensor]
	segmentFields          wire.Table[Segment]
	sparseTensorFields     wire.Table[SparseTensor]
	typeFields             wire.Table[Type]
	tensorTypeFields       wire.Table[TensorType]
	elementTypeFields      wire.Table[ElementType]
	mapTypeFields          wire.Table[MapType]
	opaqueTypeFields       wire.Table[OpaqueType]
	shapeFields            wire.Table[Shape]
	dimFields              wire.Table[Dim]
	sequenceFields         wire.Table[Sequence]
	optionalFields         wire.Table[Optional]
)

func init() {
	modelFields.Set(
		wire.Row(1, "ir_version", wire.Number(wire.Signed, func(m *Model) *int64 { return &m.IRVersion })),
		wire.Row(2, "producer_name", wire.Text(func(m *Model) *string { return &m.ProducerName })),
		wire.Row(3, "producer_version", wire.Text(func(m *Model) *string { return &m.ProducerVersion })),
		wire.Row(4, "domain", wire.Text(func(m *Model) *string { return &m.Domain })),
		wire.Row(5, "model_version", wire.Number(wire.Signed, func(m *Model) *int64 { return &m.ModelVersion })),
		wire.Row(6, "doc_string", wire.Text(func(m *Model) *string { return &m.Doc })),
		wire.Row(7, "graph", wire.One(&graphFields, func(m *Model) **Graph { return &m.Graph })),
		wire.Row(8, "opset_import", wire.Many(&operatorSetFields, func(m *Model) *[]*OperatorSet { return &m.OpsetImport })),
		wire.Row(14, "metadata_props", wire.Many(&stringEntryFields, func(m *Model) *[]*StringEntry { return &m.Metadata })),
		wire.Row(20, "training_info", wire.Many(&trainingInfoFields, func(m *Model) *[]*TrainingInfo { return &m.TrainingInfo })),
		wire.Row(25, "functions", wire.Many(&functionFields, func(m *Model) *[]*Function { return &m.Functions })),
	)

	operatorSetFields.Set(
		wire.Row(1, "domain", wire.Text(func(m *OperatorSet) *string { return &m.Domain })),
		wire.Row(2, "version", wire.Number(wire.Signed, func(m *OperatorSet) *int64 { return &m.Version })),
	)

	stringEntryFields.Set(
		wire.Row(1, "key", wire.Text(func(m *StringEntry) *string { return &m.Key })),
		wire.Row(2, "value", wire.Text(func(m *StringEntry) *string { return &m.Value })),
	)

	graphFields.Set(
		wire.Row(1, "node", wire.Many(&nodeFields, func(m *Graph) *[]*Node { return &m.Node })),
		wire.Row(2, "name", wire.Text(func(m *Graph) *string { return &m.Name })),
		wire.Row(5, "initializer", wire.Many(&tensorFields, func(m *Graph) *[]*Tensor { return &m.Initializer })),
		wire.Row(10, "doc_string", wire.Text(func(m *Graph) *string { return &m.Doc })),
		wire.Row(11, "input", wire.Many(&valueInfoFields, func(m *Graph) *[]*ValueInfo { return &m.Input })),
		wire.Row(12, "output", wire.Many(&valueInfoFields, func(m *Graph) *[]*ValueInfo { return &m.Output })),
		wire.Row(13, "value_info", wire.Many(&valueInfoFields, func(m *Graph) *[]*ValueInfo { return &m.ValueInfo })),
		wire.Row(14, "quantization_annotation", wire.Many(&tensorAnnotationFields, func(m *Graph) *[]*TensorAnnotation { return &m.QuantizationAnnotation })),
		wire.Row(15, "sparse_initializer", wire.Many(&sparseTensorFields, func(m *Graph) *[]*SparseTensor { return &m.SparseInitializer })),
		wire.Row(16, "metadata_props", wire.Many(&stringEntryFields, func(m *Graph) *[]*StringEntry { return &m.Metadata })),
	)

	nodeFields.Set(
		wire.Row(1, "input", wire.Texts(func(m *Node) *[]string { return &m.Input })),
		wire.Row(2, "output", wire.Texts(func(m *Node) *[]string { return &m.Output })),
		wire.Row(3, "name", wire.Text(func(m *Node) *string { return &m.Name })),
		wire.Row(4, "op_type", wire.Text(func(m *Node) *string { return &m.OpType })),
		wire.Row(5, "attribute", wire.Many(&attributeFields, func(m *Node) *[]*Attribute { return &m.Attribute })),
		wire.Row(6, "doc_string", wire.Text(func(m *Node) *string { return &m.Doc })),
		wire.Row(7, "domain", wire.Text(func(m *Node) *string { return &m.Domain })),
		wire.Row(8, "overload", wire.Text(func(m *Node) *string { return &m.Overload })),
		wire.Row(9, "metadata_props", wire.Many(&stringEntryFields, func(m *Node) *[]*StringEntry { return &m.Metadata })),
	)

	// The value of an attribute is written even if it is zero: some readers look for it.
	attributeFields.Set(
		wire.Row(1, "name", wire.Text(func(m *Attribute) *string { return &m.Name })),
		wire.Row(2, "f", wire.Number(wire.Single, func(m *Attribute) *float32 { return &m.F }).When(func(m *Attribute) bool { return m.Type == AttributeFloat || wire.Single.Bits(m.F) != 0 })),
		wire.Row(3, "i", wire.Number(wire.Signed, func(m *Attribute) *int64 { return &m.I }).When(func(m *Attribute) bool { return m.Type == AttributeInt || m.I != 0 })),
		wire.Row(4, "s", wire.Text(func(m *Attribute) *string { return &m.S }).When(func(m *Attribute) bool { return m.Type == AttributeString || m.S != "" })),
		wire.Row(5, "t", wire.One(&tensorFields, func(m *Attribute) **Tensor { return &m.T })),
		wire.Row(6, "g", wire.One(&graphFields, func(m *Attribute) **Graph { return &m.G })),
		wire.Row(7, "floats", wire.Numbers(wire.Single, func(m *Attribute) *[]float32 { return &m.Floats })),
		wire.Row(8, "ints", wire.Numbers(wire.Signed, func(m *Attribute) *[]int64 { return &m.Ints })),
		wire.Row(9, "strings", wire.Texts(func(m *Attribute) *[]string { return &m.Strings })),
		wire.Row(10, "tensors", wire.Many(&tensorFields, func(m *Attribute) *[]*Tensor { return &m.Tensors })),
		wire.Row(11, "graphs", wire.Many(&graphFields, func(m *Attribute) *[]*Graph { return &m.Graphs })),
		wire.Row(13, "doc_string", wire.Text(func(m *Attribute) *string { return &m.Doc })),
		wire.Row(14, "tp", wire.One(&typeFields, func(m *Attribute) **Type { return &m.TP })),
		wire.Row(15, "type_protos", wire.Many(&typeFields, func(m *Attribute) *[]*Type { return &m.TypeProtos })),
		wire.Row(20, "type", wire.Enum(func(m *Attribute) *AttributeType { return &m.Type })),
		wire.Row(21, "ref_attr_name", wire.Text(func(m *Attribute) *string { return &m.RefAttrName })),
		wire.Row(22, "sparse_tensor", wire.One(&sparseTensorFields, func(m *Attribute) **SparseTensor { return &m.SparseTensor })),
		wire.Row(23, "sparse_tensors", wire.Many(&sparseTensorFields, func(m *Attribute) *[]*SparseTensor { return &m.SparseTensors })),
	)

	valueInfoFields.Set(
		wire.Row(1, "name", wire.Text(func(m *ValueInfo) *string { return &m.Name })),
		wire.Row(2, "type", wire.One(&typeFields, func(m *ValueInfo) **Type { return &m.Type })),
		wire.Row(3, "doc_string", wire.Text(func(m *ValueInfo) *string { return &m.Doc })),
		wire.Row(4, "metadata_props", wire.Many(&stringEntryFields, func(m *ValueInfo) *[]*StringEntry { return &m.Metadata })),
	)

	tensorAnnotationFields.Set(
		wire.Row(1, "tensor_name", wire.Text(func(m *TensorAnnotation) *string { return &m.TensorName })),
		wire.Row(2, "quant_parameter_tensor_names", wire.Many(&stringEntryFields, func(m *TensorAnnotation) *[]*StringEntry { return &m.QuantParameterTensorNames })),
	)

	functionFields.Set(
		wire.Row(1, "name", wire.Text(func(m *Function) *string { return &m.Name })),
		wire.Row(4, "input", wire.Texts(func(m *Function) *[]string { return &m.Input })),
		wire.Row(5, "output", wire.Texts(func(m *Function) *[]string { return &m.Output })),
		wire.Row(6, "attribute", wire.Texts(func(m *Function) *[]string { return &m.Attribute })),
		wire.Row(7, "node", wire.Many(&nodeFields, func(m *Function) *[]*Node { return &m.Node })),
		wire.Row(8, "doc_string", wire.Text(func(m *Function) *string { return &m.Doc })),
		wire.Row(9, "opset_import", wire.Many(&operatorSetFields, func(m *Function) *[]*OperatorSet { return &m.OpsetImport })),
		wire.Row(10, "domain", wire.Text(func(m *Function) *string { return &m.Domain })),
		wire.Row(11, "attribute_proto", wire.Many(&attributeFields, func(m *Function) *[]*Attribute { return &m.AttributeProto })),
		wire.Row(12, "value_info", wire.Many(&valueInfoFields, func(m *Function) *[]*ValueInfo { return &m.ValueInfo })),
		wire.Row(13, "overload", wire.Text(func(m *Function) *string { return &m.Overload })),
		wire.Row(14, "metadata_props", wire.Many(&stringEntryFields, func(m *Function) *[]*StringEntry { return &m.Metadata })),
	)

	trainingInfoFields.Set(
		wire.Row(1, "initialization", wire.One(&graphFields, func(m *TrainingInfo) **Graph { return &m.Initialization })),
		wire.Row(2, "algorithm", wire.One(&graphFields, func(m *TrainingInfo) **Graph { return &m.Algorithm })),
		wire.Row(3, "initialization_binding", wire.Many(&stringEntryFields, func(m *TrainingInfo) *[]*StringEntry { return &m.InitializationBinding })),
		wire.Row(4, "update_binding", wire.Many(&stringEntryFields, func(m *TrainingInfo) *[]*StringEntry { return &m.UpdateBinding })),
	)

	tensorFields.Set(
		wire.Row(1, "dims", wire.Numbers(wire.Signed, func(m *Tensor) *[]int64 { return &m.Dims })),
		wire.Row(2, "data_type", wire.Enum(func(m *Tensor) *DataType { return &m.DataType })),
		wire.Row(3, "segment", wire.One(&segmentFields, func(m *Tensor) **Segment { return &m.Segment })),
		wire.Row(4, "float_data", wire.Packed(wire.Viewed(wire.Single), func(m *Tensor) *[]float32 { return &m.FloatData })),
		wire.Row(5, "int32_data", wire.Packed(wire.Narrow[int32](), func(m *Tensor) *[]int32 { return &m.Int32Data })),
		wire.Row(6, "string_data", wire.Texts(func(m *Tensor) *[]string { return &m.StringData })),
		wire.Row(7, "int64_data", wire.Packed(wire.Signed, func(m *Tensor) *[]int64 { return &m.Int64Data })),
		wire.Row(8, "name", wire.Text(func(m *Tensor) *string { return &m.Name })),
		wire.Row(9, "raw_data", wire.Data(func(m *Tensor) *[]byte { return &m.RawData })),
		wire.Row(10, "double_data", wire.Packed(wire.Viewed(wire.Double), func(m *Tensor) *[]float64 { return &m.DoubleData })),
		wire.Row(11, "uint64_data", wire.Packed(wire.Unsigned, func(m *Tensor) *[]uint64 { return &m.Uint64Data })),
		wire.Row(12, "doc_string", wire.Text(func(m *Tensor) *string { return &m.Doc })),
		wire.Row(13, "external_data", wire.Many(&stringEntryFields, func(m *Tensor) *[]*StringEntry { return &m.ExternalData })),
		wire.Row(14, "data_location", wire.Enum(func(m *Tensor) *DataLocation { return &m.DataLocation })),
		wire.Row(16, "metadata_props", wire.Many(&stringEntryFields, func(m *Tensor) *[]*StringEntry { return &m.Metadata })),
	)

	segmentFields.Set(
		wire.Row(1, "begin", wire.Number(wire.Signed, func(m *Segment) *int64 { return &m.Begin })),
		wire.Row(2, "end", wire.Number(wire.Signed, func(m *Segment) *int64 { return &m.End })),
	)

	sparseTensorFields.Set(
		wire.Row(1, "values", wire.One(&tensorFields, func(m *SparseTensor) **Tensor { return &m.Values })),
		wire.Row(2, "indices", wire.One(&tensorFields, func(m *SparseTensor) **Tensor { return &m.Indices })),
		wire.Row(3, "dims", wire.Numbers(wire.Signed, func(m *SparseTensor) *[]int64 { return &m.Dims })),
	)

	// The kinds of a type are alternatives: the last one counts.
	typeFields.Set(
		wire.Row(1, "tensor_type", wire.One(&tensorTypeFields, func(m *Type) **TensorType { return &m.Tensor }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, Tensor: m.Tensor} })),
		wire.Row(4, "sequence_type", wire.One(&elementTypeFields, func(m *Type) **ElementType { return &m.Sequence }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, Sequence: m.Sequence} })),
		wire.Row(5, "map_type", wire.One(&mapTypeFields, func(m *Type) **MapType { return &m.Map }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, Map: m.Map} })),
		wire.Row(6, "denotation", wire.Text(func(m *Type) *string { return &m.Denotation })),
		wire.Row(7, "opaque_type", wire.One(&opaqueTypeFields, func(m *Type) **OpaqueType { return &m.Opaque }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, Opaque: m.Opaque} })),
		wire.Row(8, "sparse_tensor_type", wire.One(&tensorTypeFields, func(m *Type) **TensorType { return &m.SparseTensor }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, SparseTensor: m.SparseTensor} })),
		wire.Row(9, "optional_type", wire.One(&elementTypeFields, func(m *Type) **ElementType { return &m.Optional }).Then(func(m *Type) { *m = Type{Denotation: m.Denotation, Optional: m.Optional} })),
	)

	tensorTypeFields.Set(
		wire.Row(1, "elem_type", wire.Enum(func(m *TensorType) *DataType { return &m.ElemType })),
		wire.Row(2, "shape", wire.One(&shapeFields, func(m *TensorType) **Shape { return &m.Shape })),
	)

	elementTypeFields.Set(
		wire.Row(1, "elem_type", wire.One(&typeFields, func(m *ElementType) **Type { return &m.ElemType })),
	)

	mapTypeFields.Set(
		wire.Row(1, "key_type", wire.Enum(func(m *MapType) *DataType { return &m.KeyType })),
		wire.Row(2, "value_type", wire.One(&typeFields, func(m *MapType) **Type { return &m.ValueType })),
	)

	opaqueTypeFields.Set(
		wire.Row(1, "domain", wire.Text(func(m *OpaqueType) *string { return &m.Domain })),
		wire.Row(2, "name", wire.Text(func(m *OpaqueType) *string { return &m.Name })),
	)

	shapeFields.Set(
		wire.Row(1, "dim", wire.Many(&dimFields, func(m *Shape) *[]*Dim { return &m.Dim })),
	)

	// A number and a parameter are alternatives: the last one counts.
	dimFields.Set(
		wire.Row(1, "dim_value", wire.Number(wire.Signed, func(m *Dim) *int64 { return &m.Value }).When(func(m *Dim) bool { return m.Known }).Then(func(m *Dim) { m.Known, m.Param = true, "" })),
		wire.Row(2, "dim_param", wire.Text(func(m *Dim) *string { return &m.Param }).Then(func(m *Dim) { m.Known, m.Value = false, 0 })),
		wire.Row(3, "denotation", wire.Text(func(m *Dim) *string { return &m.Denotation })),
	)

	sequenceFields.Set(
		wire.Row(1, "name", wire.Text(func(m *Sequence) *string { return &m.Name })),
		wire.Row(2, "elem_type", wire.Enum(func(m *Sequence) *ElementKind { return &m.ElemType })),
		wire.Row(3, "tensor_values", wire.Many(&tensorFields, func(m *Sequence) *[]*Tensor { return &m.TensorValues })),
		wire.Row(4, "sparse_tensor_values", wire.Many(&sparseTensorFields, func(m *Sequence) *[]*SparseTensor { return &m.SparseTensorValues })),
		wire.Row(5, "sequence_values", wire.Many(&sequenceFields, func(m *Sequence) *[]*Sequence { return &m.SequenceValues })),
		wire.Row(7, "optional_values", wire.Many(&optionalFields, func(m *Sequence) *[]*Optional { return &m.OptionalValues })),
	)

	optionalFields.Set(
		wire.Row(1, "name", wire.Text(func(m *Optional) *string { return &m.Name })),
		wire.Row(2, "elem_type", wire.Enum(func(m *Optional) *ElementKind { return &m.ElemType })),
		wire.Row(3, "tensor_value", wire.One(&tensorFields, func(m *Optional) **Tensor { return &m.TensorValue })),
		wire.Row(4, "sparse_tensor_value", wire.One(&sparseTensorFields, func(m *Optional) **SparseTensor { return &m.SparseTensorValue })),
		wire.Row(5, "sequence_value", wire.One(&sequenceFields, func(m *Optional) **Sequence { return &m.SequenceValue })),
		wire.Row(7, "optional_value", wire.One(&optionalFields, func(m *Optional) **Optional { return &m.OptionalValue })),
	)
}
