package rpc

// The messages, with the names of inference.proto. A request that names a model is a named, whatever its name there. What nobody reads has no name here.

type empty struct{}

// liveness and readiness answer whether something is so.
type liveness struct {
	value bool `wire:"1,live"`
}

type readiness struct {
	value bool `wire:"1,ready"`
}

type named struct {
	name    string `wire:"1,name"`
	version string `wire:"2,version"`
}

type serverMetadata struct {
	name       string   `wire:"1,name"`
	version    string   `wire:"2,version"`
	extensions []string `wire:"3,extensions"`
}

type tensorMetadata struct {
	name     string  `wire:"1,name"`
	datatype string  `wire:"2,datatype"`
	shape    []int64 `wire:"3,shape,packed"`
}

type modelMetadata struct {
	name     string            `wire:"1,name"`
	platform string            `wire:"3,platform"`
	versions []string          `wire:"2,versions"`
	inputs   []*tensorMetadata `wire:"4,inputs"`
	outputs  []*tensorMetadata `wire:"5,outputs"`
}

// parameter is an InferParameter: one of its values, and a map's entry of it.
type parameter struct {
	// bool, int64, string, float64, uint64, []byte or nil
	value any `wire:"1,bool_param,bool 2,int64_param,int64 3,string_param,string 4,double_param,float64 5,uint64_param,uint64"`
}

type entry struct {
	key   string     `wire:"1,key"`
	value *parameter `wire:"2,value"`
}

// loadParameter is a ModelRepositoryParameter.
type loadParameter struct {
	value any `wire:"1,bool_param,bool 2,int64_param,int64 3,string_param,string"`
}

type loadEntry struct {
	key string         `wire:"1,key"`
	_   *loadParameter `wire:"2,value"`
}

type contents struct {
	bools   []bool    `wire:"1,bool_contents,packed"`
	ints    []int32   `wire:"2,int_contents,packed"`
	int64s  []int64   `wire:"3,int64_contents,packed"`
	uints   []uint32  `wire:"4,uint_contents,packed"`
	uint64s []uint64  `wire:"5,uint64_contents,packed"`
	floats  []float32 `wire:"6,fp32_contents,packed"`
	doubles []float64 `wire:"7,fp64_contents,packed"`
	bytes   [][]byte  `wire:"8,bytes_contents"`
}

// inferTensor is an input or an output.
type inferTensor struct {
	name       string    `wire:"1,name"`
	datatype   string    `wire:"2,datatype"`
	shape      []int64   `wire:"3,shape,packed"`
	parameters []*entry  `wire:"4,parameters"`
	contents   *contents `wire:"5,contents"`
}

type requested struct {
	name       string   `wire:"1,name"`
	parameters []*entry `wire:"2,parameters"`
}

type inferRequest struct {
	model      string         `wire:"1,model_name"`
	version    string         `wire:"2,model_version"`
	id         string         `wire:"3,id"`
	parameters []*entry       `wire:"4,parameters"`
	inputs     []*inferTensor `wire:"5,inputs"`
	outputs    []*requested   `wire:"6,outputs"`
	raw        [][]byte       `wire:"7,raw_input_contents"`
}

type inferResponse struct {
	model      string         `wire:"1,model_name"`
	version    string         `wire:"2,model_version"`
	id         string         `wire:"3,id"`
	parameters []*entry       `wire:"4,parameters"`
	outputs    []*inferTensor `wire:"5,outputs"`
	raw        [][]byte       `wire:"6,raw_output_contents"`
}

type streamResponse struct {
	message  string         `wire:"1,error_message"`
	response *inferResponse `wire:"2,infer_response"`
}

type modelConfigResponse struct {
	config *modelConfig `wire:"1,config"`
}

type modelConfig struct {
	name              string           `wire:"1,name"`
	platform          string           `wire:"2,platform"`
	batch             int32            `wire:"4,max_batch_size"`
	inputs            []*configInput   `wire:"5,input"`
	outputs           []*configOutput  `wire:"6,output"`
	batching          *dynamicBatching `wire:"11,dynamic_batching"`
	sequences         *empty           `wire:"13,sequence_batching"`
	transactionPolicy *empty           `wire:"19,model_transaction_policy"`
}

// configInput and configOutput differ in one number.
type configInput struct {
	name     string  `wire:"1,name"`
	datatype int32   `wire:"2,data_type"`
	shape    []int64 `wire:"4,dims,packed"`
}

type configOutput struct {
	name     string  `wire:"1,name"`
	datatype int32   `wire:"2,data_type"`
	shape    []int64 `wire:"3,dims,packed"`
}

type dynamicBatching struct {
	preferred   []int32 `wire:"1,preferred_batch_size,packed"`
	delay       uint64  `wire:"2,max_queue_delay_microseconds"`
	levels      uint64  `wire:"4,priority_levels"`
	defaultRank uint64  `wire:"5,default_priority_level"`
}

type statisticsResponse struct {
	models []*modelStatistics `wire:"1,model_stats"`
}

type modelStatistics struct {
	name           string             `wire:"1,name"`
	version        string             `wire:"2,version"`
	lastInference  uint64             `wire:"3,last_inference"`
	inferenceCount uint64             `wire:"4,inference_count"`
	executionCount uint64             `wire:"5,execution_count"`
	inference      *inferStatistics   `wire:"6,inference_stats"`
	batches        []*batchStatistics `wire:"7,batch_stats"`
	memory         []*memoryUsage     `wire:"8,memory_usage"`
}

type duration struct {
	count uint64 `wire:"1,count"`
	ns    uint64 `wire:"2,ns"`
}

type inferStatistics struct {
	success *duration `wire:"1,success"`
	fail    *duration `wire:"2,fail"`
	queue   *duration `wire:"3,queue"`
	input   *duration `wire:"4,compute_input"`
	infer   *duration `wire:"5,compute_infer"`
	output  *duration `wire:"6,compute_output"`
}

type batchStatistics struct {
	size   uint64    `wire:"1,batch_size"`
	input  *duration `wire:"2,compute_input"`
	infer  *duration `wire:"3,compute_infer"`
	output *duration `wire:"4,compute_output"`
}

type memoryUsage struct {
	kind string `wire:"1,type"`
	_    int64  `wire:"2,id"`
	size uint64 `wire:"3,byte_size"`
}

type indexRequest struct {
	_     string `wire:"1,repository_name"`
	ready bool   `wire:"2,ready"`
}

type indexResponse struct {
	models []*modelIndex `wire:"1,models"`
}

type modelIndex struct {
	name    string `wire:"1,name"`
	version string `wire:"2,version"`
	state   string `wire:"3,state"`
	reason  string `wire:"4,reason"`
}

type repositoryRequest struct {
	_          string       `wire:"1,repository_name"`
	model      string       `wire:"2,model_name"`
	parameters []*loadEntry `wire:"3,parameters"`
}

type healthRequest struct {
	service string `wire:"1,service"`
}

type healthResponse struct {
	status int32 `wire:"1,status"`
}
