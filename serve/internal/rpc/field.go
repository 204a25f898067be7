package rpc

import "github.com/concord-nn/concord/internal/wire"

// The fields of the messages, with the numbers and names of inference.proto.

var (
	emptyFields          wire.Table[empty]
	liveFields           wire.Table[flag]
	readyFields          wire.Table[flag]
	namedFields          wire.Table[named]
	serverFields         wire.Table[serverMetadata]
	metadataFields       wire.Table[tensorMetadata]
	modelFields          wire.Table[modelMetadata]
	parameterFields      wire.Table[parameter]
	entryFields          wire.Table[entry]
	loadParameterFields  wire.Table[parameter]
	loadEntryFields      wire.Table[entry]
	contentsFields       wire.Table[contents]
	tensorFields         wire.Table[inferTensor]
	requestedFields      wire.Table[requested]
	inferRequestFields   wire.Table[inferRequest]
	inferResponseFields  wire.Table[inferResponse]
	streamResponseFields wire.Table[streamResponse]
	configResponseFields wire.Table[modelConfigResponse]
	configFields         wire.Table[modelConfig]
	configInputFields    wire.Table[configTensor]
	configOutputFields   wire.Table[configTensor]
	batchingFields       wire.Table[dynamicBatching]
	statisticsFields     wire.Table[statisticsResponse]
	modelStatFields      wire.Table[modelStatistics]
	durationFields       wire.Table[duration]
	inferStatFields      wire.Table[inferStatistics]
	batchStatFields      wire.Table[batchStatistics]
	memoryFields         wire.Table[memoryUsage]
	indexRequestFields   wire.Table[indexRequest]
	indexResponseFields  wire.Table[indexResponse]
	modelIndexFields     wire.Table[modelIndex]
	repositoryFields     wire.Table[repositoryRequest]
	healthRequestFields  wire.Table[healthRequest]
	healthResponseFields wire.Table[healthResponse]
)

func init() {
	emptyFields.Set()
	liveFields.Set(wire.Row(1, "live", wire.Number(wire.Bool, func(m *flag) *bool { return &m.value })))
	readyFields.Set(wire.Row(1, "ready", wire.Number(wire.Bool, func(m *flag) *bool { return &m.value })))
	namedFields.Set(
		wire.Row(1, "name", wire.Text(func(m *named) *string { return &m.name })),
		wire.Row(2, "version", wire.Text(func(m *named) *string { return &m.version })),
	)
	serverFields.Set(
		wire.Row(1, "name", wire.Text(func(m *serverMetadata) *string { return &m.name })),
		wire.Row(2, "version", wire.Text(func(m *serverMetadata) *string { return &m.version })),
		wire.Row(3, "extensions", wire.Texts(func(m *serverMetadata) *[]string { return &m.extensions })),
	)
	metadataFields.Set(
		wire.Row(1, "name", wire.Text(func(m *tensorMetadata) *string { return &m.name })),
		wire.Row(2, "datatype", wire.Text(func(m *tensorMetadata) *string { return &m.datatype })),
		wire.Row(3, "shape", wire.Packed(wire.Signed, func(m *tensorMetadata) *[]int64 { return &m.shape })),
	)
	modelFields.Set(
		wire.Row(1, "name", wire.Text(func(m *modelMetadata) *string { return &m.name })),
		wire.Row(2, "versions", wire.Texts(func(m *modelMetadata) *[]string { return &m.versions })),
		wire.Row(3, "platform", wire.Text(func(m *modelMetadata) *string { return &m.platform })),
		wire.Row(4, "inputs", wire.Many(&metadataFields, func(m *modelMetadata) *[]*tensorMetadata { return &m.inputs })),
		wire.Row(5, "outputs", wire.Many(&metadataFields, func(m *modelMetadata) *[]*tensorMetadata { return &m.outputs })),
	)

	// A parameter has one of its values: the last one that stands there.
	parameterFields.Set(
		wire.Row(1, "bool_param", wire.Choice(wire.Bool, func(m *parameter) *any { return &m.value })),
		wire.Row(2, "int64_param", wire.Choice(wire.Signed, func(m *parameter) *any { return &m.value })),
		wire.Row(3, "string_param", wire.ChoiceText(func(m *parameter) *any { return &m.value })),
		wire.Row(4, "double_param", wire.Choice(wire.Double, func(m *parameter) *any { return &m.value })),
		wire.Row(5, "uint64_param", wire.Choice(wire.Unsigned, func(m *parameter) *any { return &m.value })),
	)
	entryFields.Set(
		wire.Row(1, "key", wire.Text(func(m *entry) *string { return &m.key })),
		wire.Row(2, "value", wire.One(&parameterFields, func(m *entry) **parameter { return &m.value })),
	)
	loadParameterFields.Set(
		wire.Row(1, "bool_param", wire.Choice(wire.Bool, func(m *parameter) *any { return &m.value })),
		wire.Row(2, "int64_param", wire.Choice(wire.Signed, func(m *parameter) *any { return &m.value })),
		wire.Row(3, "string_param", wire.ChoiceText(func(m *parameter) *any { return &m.value })),
	)
	loadEntryFields.Set(
		wire.Row(1, "key", wire.Text(func(m *entry) *string { return &m.key })),
		wire.Row(2, "value", wire.One(&loadParameterFields, func(m *entry) **parameter { return &m.value })),
	)

	contentsFields.Set(
		wire.Row(1, "bool_contents", wire.Packed(wire.Bool, func(m *contents) *[]bool { return &m.bools })),
		wire.Row(2, "int_contents", wire.Packed(wire.Narrow[int32](), func(m *contents) *[]int32 { return &m.ints })),
		wire.Row(3, "int64_contents", wire.Packed(wire.Signed, func(m *contents) *[]int64 { return &m.int64s })),
		wire.Row(4, "uint_contents", wire.Packed(wire.Narrowed, func(m *contents) *[]uint32 { return &m.uints })),
		wire.Row(5, "uint64_contents", wire.Packed(wire.Unsigned, func(m *contents) *[]uint64 { return &m.uint64s })),
		wire.Row(6, "fp32_contents", wire.Packed(wire.Viewed(wire.Single), func(m *contents) *[]float32 { return &m.floats })),
		wire.Row(7, "fp64_contents", wire.Packed(wire.Viewed(wire.Double), func(m *contents) *[]float64 { return &m.doubles })),
		wire.Row(8, "bytes_contents", wire.Datas(func(m *contents) *[][]byte { return &m.bytes })),
	)
	tensorFields.Set(
		wire.Row(1, "name", wire.Text(func(m *inferTensor) *string { return &m.name })),
		wire.Row(2, "datatype", wire.Text(func(m *inferTensor) *string { return &m.datatype })),
		wire.Row(3, "shape", wire.Packed(wire.Signed, func(m *inferTensor) *[]int64 { return &m.shape })),
		wire.Row(4, "parameters", wire.Many(&entryFields, func(m *inferTensor) *[]*entry { return &m.parameters })),
		wire.Row(5, "contents", wire.One(&contentsFields, func(m *inferTensor) **contents { return &m.contents })),
	)
	requestedFields.Set(
		wire.Row(1, "name", wire.Text(func(m *requested) *string { return &m.name })),
		wire.Row(2, "parameters", wire.Many(&entryFields, func(m *requested) *[]*entry { return &m.parameters })),
	)
	inferRequestFields.Set(
		wire.Row(1, "model_name", wire.Text(func(m *inferRequest) *string { return &m.model })),
		wire.Row(2, "model_version", wire.Text(func(m *inferRequest) *string { return &m.version })),
		wire.Row(3, "id", wire.Text(func(m *inferRequest) *string { return &m.id })),
		wire.Row(4, "parameters", wire.Many(&entryFields, func(m *inferRequest) *[]*entry { return &m.parameters })),
		wire.Row(5, "inputs", wire.Many(&tensorFields, func(m *inferRequest) *[]*inferTensor { return &m.inputs })),
		wire.Row(6, "outputs", wire.Many(&requestedFields, func(m *inferRequest) *[]*requested { return &m.outputs })),
		wire.Row(7, "raw_input_contents", wire.Datas(func(m *inferRequest) *[][]byte { return &m.raw })),
	)
	inferResponseFields.Set(
		wire.Row(1, "model_name", wire.Text(func(m *inferResponse) *string { return &m.model })),
		wire.Row(2, "model_version", wire.Text(func(m *inferResponse) *string { return &m.version })),
		wire.Row(3, "id", wire.Text(func(m *inferResponse) *string { return &m.id })),
		wire.Row(4, "parameters", wire.Many(&entryFields, func(m *inferResponse) *[]*entry { return &m.parameters })),
		wire.Row(5, "outputs", wire.Many(&tensorFields, func(m *inferResponse) *[]*inferTensor { return &m.outputs })),
		wire.Row(6, "raw_output_contents", wire.Datas(func(m *inferResponse) *[][]byte { return &m.raw })),
	)
	streamResponseFields.Set(
		wire.Row(1, "error_message", wire.Text(func(m *streamResponse) *string { return &m.message })),
		wire.Row(2, "infer_response", wire.One(&inferResponseFields, func(m *streamResponse) **inferResponse { return &m.response })),
	)

	configResponseFields.Set(wire.Row(1, "config", wire.One(&configFields, func(m *modelConfigResponse) **modelConfig { return &m.config })))
	configFields.Set(
		wire.Row(1, "name", wire.Text(func(m *modelConfig) *string { return &m.name })),
		wire.Row(2, "platform", wire.Text(func(m *modelConfig) *string { return &m.platform })),
		wire.Row(4, "max_batch_size", wire.Enum(func(m *modelConfig) *int32 { return &m.batch })),
		wire.Row(5, "input", wire.Many(&configInputFields, func(m *modelConfig) *[]*configTensor { return &m.inputs })),
		wire.Row(6, "output", wire.Many(&configOutputFields, func(m *modelConfig) *[]*configTensor { return &m.outputs })),
		wire.Row(11, "dynamic_batching", wire.One(&batchingFields, func(m *modelConfig) **dynamicBatching { return &m.batching })),
		wire.Row(13, "sequence_batching", wire.One(&emptyFields, func(m *modelConfig) **empty { return &m.sequences })),
		wire.Row(19, "model_transaction_policy", wire.One(&emptyFields, func(m *modelConfig) **empty { return &m.transactionPolicy })),
	)
	configInputFields.Set(
		wire.Row(1, "name", wire.Text(func(m *configTensor) *string { return &m.name })),
		wire.Row(2, "data_type", wire.Enum(func(m *configTensor) *int32 { return &m.datatype })),
		wire.Row(4, "dims", wire.Packed(wire.Signed, func(m *configTensor) *[]int64 { return &m.shape })),
	)
	configOutputFields.Set(
		wire.Row(1, "name", wire.Text(func(m *configTensor) *string { return &m.name })),
		wire.Row(2, "data_type", wire.Enum(func(m *configTensor) *int32 { return &m.datatype })),
		wire.Row(3, "dims", wire.Packed(wire.Signed, func(m *configTensor) *[]int64 { return &m.shape })),
	)
	batchingFields.Set(
		wire.Row(1, "preferred_batch_size", wire.Packed(wire.Narrow[int32](), func(m *dynamicBatching) *[]int32 { return &m.preferred })),
		wire.Row(2, "max_queue_delay_microseconds", wire.Number(wire.Unsigned, func(m *dynamicBatching) *uint64 { return &m.delay })),
		wire.Row(4, "priority_levels", wire.Number(wire.Unsigned, func(m *dynamicBatching) *uint64 { return &m.levels })),
		wire.Row(5, "default_priority_level", wire.Number(wire.Unsigned, func(m *dynamicBatching) *uint64 { return &m.defaultRank })),
	)

	statisticsFields.Set(wire.Row(1, "model_stats", wire.Many(&modelStatFields, func(m *statisticsResponse) *[]*modelStatistics { return &m.models })))
	modelStatFields.Set(
		wire.Row(1, "name", wire.Text(func(m *modelStatistics) *string { return &m.name })),
		wire.Row(2, "version", wire.Text(func(m *modelStatistics) *string { return &m.version })),
		wire.Row(3, "last_inference", wire.Number(wire.Unsigned, func(m *modelStatistics) *uint64 { return &m.lastInference })),
		wire.Row(4, "inference_count", wire.Number(wire.Unsigned, func(m *modelStatistics) *uint64 { return &m.inferenceCount })),
		wire.Row(5, "execution_count", wire.Number(wire.Unsigned, func(m *modelStatistics) *uint64 { return &m.executionCount })),
		wire.Row(6, "inference_stats", wire.One(&inferStatFields, func(m *modelStatistics) **inferStatistics { return &m.inference })),
		wire.Row(7, "batch_stats", wire.Many(&batchStatFields, func(m *modelStatistics) *[]*batchStatistics { return &m.batches })),
		wire.Row(8, "memory_usage", wire.Many(&memoryFields, func(m *modelStatistics) *[]*memoryUsage { return &m.memory })),
	)
	durationFields.Set(
		wire.Row(1, "count", wire.Number(wire.Unsigned, func(m *duration) *uint64 { return &m.count })),
		wire.Row(2, "ns", wire.Number(wire.Unsigned, func(m *duration) *uint64 { return &m.ns })),
	)
	inferStatFields.Set(
		wire.Row(1, "success", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.success })),
		wire.Row(2, "fail", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.fail })),
		wire.Row(3, "queue", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.queue })),
		wire.Row(4, "compute_input", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.input })),
		wire.Row(5, "compute_infer", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.infer })),
		wire.Row(6, "compute_output", wire.One(&durationFields, func(m *inferStatistics) **duration { return &m.output })),
	)
	batchStatFields.Set(
		wire.Row(1, "batch_size", wire.Number(wire.Unsigned, func(m *batchStatistics) *uint64 { return &m.size })),
		wire.Row(2, "compute_input", wire.One(&durationFields, func(m *batchStatistics) **duration { return &m.input })),
		wire.Row(3, "compute_infer", wire.One(&durationFields, func(m *batchStatistics) **duration { return &m.infer })),
		wire.Row(4, "compute_output", wire.One(&durationFields, func(m *batchStatistics) **duration { return &m.output })),
	)
	memoryFields.Set(
		wire.Row(1, "type", wire.Text(func(m *memoryUsage) *string { return &m.kind })),
		wire.Row(2, "id", wire.Number(wire.Signed, func(m *memoryUsage) *int64 { return &m.id })),
		wire.Row(3, "byte_size", wire.Number(wire.Unsigned, func(m *memoryUsage) *uint64 { return &m.size })),
	)

	indexRequestFields.Set(
		wire.Row(1, "repository_name", wire.Text(func(m *indexRequest) *string { return &m.repository })),
		wire.Row(2, "ready", wire.Number(wire.Bool, func(m *indexRequest) *bool { return &m.ready })),
	)
	indexResponseFields.Set(wire.Row(1, "models", wire.Many(&modelIndexFields, func(m *indexResponse) *[]*modelIndex { return &m.models })))
	modelIndexFields.Set(
		wire.Row(1, "name", wire.Text(func(m *modelIndex) *string { return &m.name })),
		wire.Row(2, "version", wire.Text(func(m *modelIndex) *string { return &m.version })),
		wire.Row(3, "state", wire.Text(func(m *modelIndex) *string { return &m.state })),
		wire.Row(4, "reason", wire.Text(func(m *modelIndex) *string { return &m.reason })),
	)
	repositoryFields.Set(
		wire.Row(1, "repository_name", wire.Text(func(m *repositoryRequest) *string { return &m.repository })),
		wire.Row(2, "model_name", wire.Text(func(m *repositoryRequest) *string { return &m.model })),
		wire.Row(3, "parameters", wire.Many(&loadEntryFields, func(m *repositoryRequest) *[]*entry { return &m.parameters })),
	)
	healthRequestFields.Set(wire.Row(1, "service", wire.Text(func(m *healthRequest) *string { return &m.service })))
	healthResponseFields.Set(wire.Row(1, "status", wire.Enum(func(m *healthResponse) *int32 { return &m.status })))
}
