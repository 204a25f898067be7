package rpc

// The messages, with the names of inference.proto. A request that names a model is a named, whatever its name there.

type empty struct{}

// flag answers whether something is so.
type flag struct{ value bool }

type named struct{ name, version string }

type serverMetadata struct {
	name, version string
	extensions    []string
}

type tensorMetadata struct {
	name, datatype string
	shape          []int64
}

type modelMetadata struct {
	name, platform  string
	versions        []string
	inputs, outputs []*tensorMetadata
}

// parameter is an InferParameter, or a ModelRepositoryParameter: one of its values, and a map's entry of it.
type parameter struct {
	value any // bool, int64, string, float64, uint64, []byte or nil
}

type entry struct {
	key   string
	value *parameter
}

type contents struct {
	bools   []bool
	ints    []int32
	int64s  []int64
	uints   []uint32
	uint64s []uint64
	floats  []float32
	doubles []float64
	bytes   [][]byte
}

// inferTensor is an input or an output.
type inferTensor struct {
	name, datatype string
	shape          []int64
	parameters     []*entry
	contents       *contents
}

type requested struct {
	name       string
	parameters []*entry
}

type inferRequest struct {
	model, version, id string
	parameters         []*entry
	inputs             []*inferTensor
	outputs            []*requested
	raw                [][]byte
}

type inferResponse struct {
	model, version, id string
	parameters         []*entry
	outputs            []*inferTensor
	raw                [][]byte
}

type streamResponse struct {
	message  string
	response *inferResponse
}

type modelConfigResponse struct{ config *modelConfig }

type modelConfig struct {
	name, platform    string
	batch             int32
	inputs, outputs   []*configTensor
	batching          *dynamicBatching
	sequences         *empty
	transactionPolicy *empty
}

type configTensor struct {
	name     string
	datatype int32
	shape    []int64
}

type dynamicBatching struct {
	preferred           []int32
	delay               uint64
	levels, defaultRank uint64
}

type statisticsResponse struct{ models []*modelStatistics }

type modelStatistics struct {
	name, version                                 string
	lastInference, inferenceCount, executionCount uint64
	inference                                     *inferStatistics
	batches                                       []*batchStatistics
	memory                                        []*memoryUsage
}

type duration struct{ count, ns uint64 }

type inferStatistics struct {
	success, fail, queue, input, infer, output *duration
}

type batchStatistics struct {
	size                 uint64
	input, infer, output *duration
}

type memoryUsage struct {
	kind string
	id   int64
	size uint64
}

type indexRequest struct {
	repository string
	ready      bool
}

type indexResponse struct{ models []*modelIndex }

type modelIndex struct{ name, version, state, reason string }

type repositoryRequest struct {
	repository, model string
	parameters        []*entry
}

type healthRequest struct{ service string }

type healthResponse struct{ status int32 }
