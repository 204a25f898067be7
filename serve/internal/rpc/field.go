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
	emptyFields.Set(func(*empty) []wire.Field { return nil })
	liveFields.Set(func(m *flag) []wire.Field { return []wire.Field{wire.Number(1, "live", wire.Bool, &m.value)} })
	readyFields.Set(func(m *flag) []wire.Field { return []wire.Field{wire.Number(1, "ready", wire.Bool, &m.value)} })
	namedFields.Set(func(m *named) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "version", &m.version),
		}
	})
	serverFields.Set(func(m *serverMetadata) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "version", &m.version),
			wire.Texts(3, "extensions", &m.extensions),
		}
	})
	metadataFields.Set(func(m *tensorMetadata) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "datatype", &m.datatype),
			wire.Packed(3, "shape", wire.Signed, &m.shape),
		}
	})
	modelFields.Set(func(m *modelMetadata) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Texts(2, "versions", &m.versions),
			wire.Text(3, "platform", &m.platform),
			wire.Many(4, "inputs", &metadataFields, &m.inputs),
			wire.Many(5, "outputs", &metadataFields, &m.outputs),
		}
	})

	// A parameter has one of its values: the last one that stands there.
	parameterFields.Set(func(m *parameter) []wire.Field {
		return []wire.Field{
			wire.Choice(1, "bool_param", wire.Bool, &m.value),
			wire.Choice(2, "int64_param", wire.Signed, &m.value),
			wire.ChoiceText(3, "string_param", &m.value),
			wire.Choice(4, "double_param", wire.Double, &m.value),
			wire.Choice(5, "uint64_param", wire.Unsigned, &m.value),
		}
	})
	entryFields.Set(func(m *entry) []wire.Field {
		return []wire.Field{
			wire.Text(1, "key", &m.key),
			wire.One(2, "value", &parameterFields, &m.value),
		}
	})
	loadParameterFields.Set(func(m *parameter) []wire.Field {
		return []wire.Field{
			wire.Choice(1, "bool_param", wire.Bool, &m.value),
			wire.Choice(2, "int64_param", wire.Signed, &m.value),
			wire.ChoiceText(3, "string_param", &m.value),
		}
	})
	loadEntryFields.Set(func(m *entry) []wire.Field {
		return []wire.Field{
			wire.Text(1, "key", &m.key),
			wire.One(2, "value", &loadParameterFields, &m.value),
		}
	})

	contentsFields.Set(func(m *contents) []wire.Field {
		return []wire.Field{
			wire.Packed(1, "bool_contents", wire.Bool, &m.bools),
			wire.Packed(2, "int_contents", wire.Narrow, &m.ints),
			wire.Packed(3, "int64_contents", wire.Signed, &m.int64s),
			wire.Packed(4, "uint_contents", wire.Narrowed, &m.uints),
			wire.Packed(5, "uint64_contents", wire.Unsigned, &m.uint64s),
			wire.Packed(6, "fp32_contents", wire.ViewedSingle, &m.floats),
			wire.Packed(7, "fp64_contents", wire.ViewedDouble, &m.doubles),
			wire.Datas(8, "bytes_contents", &m.bytes),
		}
	})
	tensorFields.Set(func(m *inferTensor) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "datatype", &m.datatype),
			wire.Packed(3, "shape", wire.Signed, &m.shape),
			wire.Many(4, "parameters", &entryFields, &m.parameters),
			wire.One(5, "contents", &contentsFields, &m.contents),
		}
	})
	requestedFields.Set(func(m *requested) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Many(2, "parameters", &entryFields, &m.parameters),
		}
	})
	inferRequestFields.Set(func(m *inferRequest) []wire.Field {
		return []wire.Field{
			wire.Text(1, "model_name", &m.model),
			wire.Text(2, "model_version", &m.version),
			wire.Text(3, "id", &m.id),
			wire.Many(4, "parameters", &entryFields, &m.parameters),
			wire.Many(5, "inputs", &tensorFields, &m.inputs),
			wire.Many(6, "outputs", &requestedFields, &m.outputs),
			wire.Datas(7, "raw_input_contents", &m.raw),
		}
	})
	inferResponseFields.Set(func(m *inferResponse) []wire.Field {
		return []wire.Field{
			wire.Text(1, "model_name", &m.model),
			wire.Text(2, "model_version", &m.version),
			wire.Text(3, "id", &m.id),
			wire.Many(4, "parameters", &entryFields, &m.parameters),
			wire.Many(5, "outputs", &tensorFields, &m.outputs),
			wire.Datas(6, "raw_output_contents", &m.raw),
		}
	})
	streamResponseFields.Set(func(m *streamResponse) []wire.Field {
		return []wire.Field{
			wire.Text(1, "error_message", &m.message),
			wire.One(2, "infer_response", &inferResponseFields, &m.response),
		}
	})

	configResponseFields.Set(func(m *modelConfigResponse) []wire.Field {
		return []wire.Field{wire.One(1, "config", &configFields, &m.config)}
	})
	configFields.Set(func(m *modelConfig) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "platform", &m.platform),
			wire.Enum(4, "max_batch_size", &m.batch),
			wire.Many(5, "input", &configInputFields, &m.inputs),
			wire.Many(6, "output", &configOutputFields, &m.outputs),
			wire.One(11, "dynamic_batching", &batchingFields, &m.batching),
			wire.One(13, "sequence_batching", &emptyFields, &m.sequences),
			wire.One(19, "model_transaction_policy", &emptyFields, &m.transactionPolicy),
		}
	})
	configInputFields.Set(func(m *configTensor) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Enum(2, "data_type", &m.datatype),
			wire.Packed(4, "dims", wire.Signed, &m.shape),
		}
	})
	configOutputFields.Set(func(m *configTensor) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Enum(2, "data_type", &m.datatype),
			wire.Packed(3, "dims", wire.Signed, &m.shape),
		}
	})
	batchingFields.Set(func(m *dynamicBatching) []wire.Field {
		return []wire.Field{
			wire.Packed(1, "preferred_batch_size", wire.Narrow, &m.preferred),
			wire.Number(2, "max_queue_delay_microseconds", wire.Unsigned, &m.delay),
			wire.Number(4, "priority_levels", wire.Unsigned, &m.levels),
			wire.Number(5, "default_priority_level", wire.Unsigned, &m.defaultRank),
		}
	})

	statisticsFields.Set(func(m *statisticsResponse) []wire.Field {
		return []wire.Field{wire.Many(1, "model_stats", &modelStatFields, &m.models)}
	})
	modelStatFields.Set(func(m *modelStatistics) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "version", &m.version),
			wire.Number(3, "last_inference", wire.Unsigned, &m.lastInference),
			wire.Number(4, "inference_count", wire.Unsigned, &m.inferenceCount),
			wire.Number(5, "execution_count", wire.Unsigned, &m.executionCount),
			wire.One(6, "inference_stats", &inferStatFields, &m.inference),
			wire.Many(7, "batch_stats", &batchStatFields, &m.batches),
			wire.Many(8, "memory_usage", &memoryFields, &m.memory),
		}
	})
	durationFields.Set(func(m *duration) []wire.Field {
		return []wire.Field{
			wire.Number(1, "count", wire.Unsigned, &m.count),
			wire.Number(2, "ns", wire.Unsigned, &m.ns),
		}
	})
	inferStatFields.Set(func(m *inferStatistics) []wire.Field {
		return []wire.Field{
			wire.One(1, "success", &durationFields, &m.success),
			wire.One(2, "fail", &durationFields, &m.fail),
			wire.One(3, "queue", &durationFields, &m.queue),
			wire.One(4, "compute_input", &durationFields, &m.input),
			wire.One(5, "compute_infer", &durationFields, &m.infer),
			wire.One(6, "compute_output", &durationFields, &m.output),
		}
	})
	batchStatFields.Set(func(m *batchStatistics) []wire.Field {
		return []wire.Field{
			wire.Number(1, "batch_size", wire.Unsigned, &m.size),
			wire.One(2, "compute_input", &durationFields, &m.input),
			wire.One(3, "compute_infer", &durationFields, &m.infer),
			wire.One(4, "compute_output", &durationFields, &m.output),
		}
	})
	memoryFields.Set(func(m *memoryUsage) []wire.Field {
		return []wire.Field{
			wire.Text(1, "type", &m.kind),
			wire.Number(2, "id", wire.Signed, &m.id),
			wire.Number(3, "byte_size", wire.Unsigned, &m.size),
		}
	})

	indexRequestFields.Set(func(m *indexRequest) []wire.Field {
		return []wire.Field{
			wire.Text(1, "repository_name", &m.repository),
			wire.Number(2, "ready", wire.Bool, &m.ready),
		}
	})
	indexResponseFields.Set(func(m *indexResponse) []wire.Field {
		return []wire.Field{wire.Many(1, "models", &modelIndexFields, &m.models)}
	})
	modelIndexFields.Set(func(m *modelIndex) []wire.Field {
		return []wire.Field{
			wire.Text(1, "name", &m.name),
			wire.Text(2, "version", &m.version),
			wire.Text(3, "state", &m.state),
			wire.Text(4, "reason", &m.reason),
		}
	})
	repositoryFields.Set(func(m *repositoryRequest) []wire.Field {
		return []wire.Field{
			wire.Text(1, "repository_name", &m.repository),
			wire.Text(2, "model_name", &m.model),
			wire.Many(3, "parameters", &loadEntryFields, &m.parameters),
		}
	})
	healthRequestFields.Set(func(m *healthRequest) []wire.Field { return []wire.Field{wire.Text(1, "service", &m.service)} })
	healthResponseFields.Set(func(m *healthResponse) []wire.Field { return []wire.Field{wire.Enum(1, "status", &m.status)} })
}
