package oip

import (
	"context"
	"time"

	"github.com/concord-nn/concord/tensor"
)

// Service answers requests. Any number of goroutines may call it at the same time. Errors are an [*Error]; any other one is a
// failure of the server itself.
//
// A version is a decimal number, or empty for the one that the server would take.
type Service interface {
	// Live reports whether the server runs, Ready whether every model that it should have can be asked.
	Live() bool
	Ready() bool
	Server() ServerMetadata

	// ModelReady reports whether a model can be asked. It fails for a model that there is not.
	ModelReady(name, version string) (bool, error)
	Model(name, version string) (*ModelMetadata, error)
	Config(name, version string) (*ModelConfig, error)
	// Statistics are those of a model, or of all models if the name is empty.
	Statistics(name, version string) ([]ModelStatistics, error)

	// Infer runs a model. The tensors of the request must not be changed before it returns; those of the response belong to the caller.
	// A context that ends takes the request out of the queue, or ends its run if nobody else waits for it.
	Infer(ctx context.Context, r *Request) (*Response, error)

	// Index lists the models of the repository, only those that are ready if asked so.
	Index(ready bool) ([]IndexEntry, error)
	// Load loads a model, or loads it anew, and Unload takes it out of service when its requests are answered.
	Load(ctx context.Context, name string) error
	Unload(ctx context.Context, name string) error
}

// Parameters are values that go with a request, a tensor or an answer: string, bool, int64, uint64 or float64, by their names.
type Parameters map[string]any

// refused are parameters that would change the meaning of a tensor. Others that nobody knows do nothing.
var refused = []string{"classification", "shared_memory_region"}

// Check fails if the parameters of an input or output, named for the message, ask for an extension that there is not.
func (p Parameters) Check(of string) error {
	for _, name := range refused {
		if _, ok := p[name]; ok {
			return Errorf(Unimplemented, "the parameter %s of %s: this server does not have that extension", name, of)
		}
	}
	return nil
}

// Request asks a model for outputs.
type Request struct {
	Model, Version string
	ID             string // the client's own, given back to it
	Parameters     Parameters
	Inputs         []Tensor
	Outputs        []Requested // all outputs if there are none
}

// Requested names an output that a client wants.
type Requested struct {
	Name       string
	Parameters Parameters
}

// Tensor is an input or an output.
type Tensor struct {
	Name       string
	Data       *tensor.Tensor
	Parameters Parameters
}

// Response is what a model answers.
type Response struct {
	Model, Version string
	ID             string
	Parameters     Parameters
	Outputs        []Tensor
}

// The parameters of requests that mean something here. [SequenceID] is a string or a number other than 0 or "".
const (
	SequenceID    = "sequence_id"
	SequenceStart = "sequence_start" // bool: the request is the first of its sequence
	SequenceEnd   = "sequence_end"   // bool: the request is the last of its sequence
	Priority      = "priority"       // a number: 1 is the most urgent, 0 or absent the model's default
	Timeout       = "timeout"        // microseconds from arrival to the run
)

// ServerMetadata says what a server is.
type ServerMetadata struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Extensions []string `json:"extensions"`
}

// ModelMetadata says what a model takes and yields.
type ModelMetadata struct {
	Name     string           `json:"name"`
	Versions []string         `json:"versions"` // all that can be asked
	Platform string           `json:"platform"` // such as "nnef" or "onnx_concord"
	Inputs   []TensorMetadata `json:"inputs"`
	Outputs  []TensorMetadata `json:"outputs"`
}

// TensorMetadata says what a tensor looks like.
type TensorMetadata struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"` // see [Datatype]
	Shape    []int64 `json:"shape"`    // -1 for an extent that is open
}

// ModelConfig is what of Triton's model configuration there is.
type ModelConfig struct {
	Name            string           `json:"name"`
	Platform        string           `json:"platform"`
	MaxBatchSize    int64            `json:"max_batch_size"` // 0 if requests are never put together
	Inputs          []TensorMetadata `json:"-"`              // without the extent of a batch
	Outputs         []TensorMetadata `json:"-"`
	PreferredBatch  []int64          `json:"-"`
	MaxQueueDelay   time.Duration    `json:"-"`
	PriorityLevels  int              `json:"-"`
	DefaultPriority int              `json:"-"`
	Sequences       bool             `json:"-"` // whether the model keeps a state for each sequence
}

// IndexEntry is a model of the repository.
type IndexEntry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`  // one of the states below
	Reason  string `json:"reason"` // why it is not ready, or why the newest version on disk is not this one
}

// The states of a model.
const (
	Unknown     = "UNKNOWN"
	Loading     = "LOADING"
	ReadyState  = "READY"
	Unloading   = "UNLOADING"
	Unavailable = "UNAVAILABLE"
)

// ModelStatistics counts what happened to a version of a model since it was loaded.
type ModelStatistics struct {
	Name, Version  string
	LastInference  time.Time // zero if there was none
	InferenceCount uint64    // samples
	ExecutionCount uint64    // runs, each of which may be of several requests
	Success        Duration
	Fail           Duration
	Queue          Duration
	ComputeInput   Duration // making a batch
	ComputeInfer   Duration // the runs
	ComputeOutput  Duration // taking it apart
	Cancel         Duration
	Batches        []BatchStatistics // by size, ascending
	Cuts           map[string]uint64 // how many batches ended there, by why
	Pending        uint64            // requests that wait now
	Memory         uint64            // bytes that the version takes now
}

// BatchStatistics counts the runs of one batch size.
type BatchStatistics struct {
	Size                 uint64
	Input, Infer, Output Duration
}

// Duration is how often something happened, how long it took in all, and how often it took how long.
type Duration struct {
	Count  uint64
	Took   time.Duration
	Within [len(Bounds)]uint64 // how often it took at most the bound, but more than the one before it
}

// Bounds divide durations, ascending. What takes longer than the last one is counted by Count alone.
var Bounds = [...]time.Duration{
	10 * time.Microsecond, 25 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	1 * time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, 1 * time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

// Add counts once more.
func (d *Duration) Add(took time.Duration) {
	d.Count, d.Took = d.Count+1, d.Took+took
	for i, b := range Bounds {
		if took <= b {
			d.Within[i]++
			return
		}
	}
}
