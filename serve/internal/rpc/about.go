package rpc

import (
	"context"
	"time"

	"github.com/concord-nn/concord/internal/wire"
	"github.com/concord-nn/concord/serve/internal/grpc"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// What can be asked about the server and its models, and done to them.

func (h *handler) metadata(_ context.Context, q *named) (*modelMetadata, error) {
	m, err := h.service.Model(q.name, q.version)
	if err != nil {
		return nil, err
	}
	return &modelMetadata{m.Name, m.Platform, m.Versions, metadataOf(m.Inputs), metadataOf(m.Outputs)}, nil
}

func metadataOf(list []oip.TensorMetadata) []*tensorMetadata {
	out := make([]*tensorMetadata, len(list))
	for i, t := range list {
		out[i] = &tensorMetadata{t.Name, t.Datatype, t.Shape}
	}
	return out
}

// types are the numbers of DataType in Triton's configuration.
var types = [tensor.NumDTypes]int32{
	tensor.Bool: 1, tensor.Uint8: 2, tensor.Uint16: 3, tensor.Uint32: 4, tensor.Uint64: 5, tensor.Int8: 6, tensor.Int16: 7, tensor.Int32: 8,
	tensor.Int64: 9, tensor.Float16: 10, tensor.Float32: 11, tensor.Float64: 12, tensor.BFloat16: 14,
}

func (h *handler) config(_ context.Context, q *named) (*modelConfigResponse, error) {
	c, err := h.service.Config(q.name, q.version)
	if err != nil {
		return nil, err
	}
	m := &modelConfig{name: c.Name, platform: c.Platform, batch: int32(c.MaxBatchSize), transactionPolicy: new(empty),
		inputs:  configOf(c.Inputs, func(t oip.TensorMetadata, d int32) *configInput { return &configInput{t.Name, d, t.Shape} }),
		outputs: configOf(c.Outputs, func(t oip.TensorMetadata, d int32) *configOutput { return &configOutput{t.Name, d, t.Shape} })}
	switch {
	case c.Sequences:
		m.sequences = new(empty)
	case c.MaxBatchSize > 0:
		m.batching = &dynamicBatching{nil, uint64(c.MaxQueueDelay.Microseconds()), uint64(c.PriorityLevels), uint64(c.DefaultPriority)}
		for _, n := range c.PreferredBatch {
			m.batching.preferred = append(m.batching.preferred, int32(n))
		}
	}
	return &modelConfigResponse{m}, nil
}

func configOf[T any](list []oip.TensorMetadata, of func(t oip.TensorMetadata, datatype int32) *T) []*T {
	out := make([]*T, len(list))
	for i, t := range list {
		d, _ := oip.ParseDatatype(t.Datatype) // Invalid, which is 0 here and there, for others
		out[i] = of(t, types[d])
	}
	return out
}

func durationOf(d oip.Duration) *duration { return &duration{d.Count, uint64(d.Took)} }

func (h *handler) statistics(_ context.Context, q *named) (*statisticsResponse, error) {
	list, err := h.service.Statistics(q.name, q.version)
	if err != nil {
		return nil, err
	}
	out := new(statisticsResponse)
	for _, s := range list {
		m := &modelStatistics{name: s.Name, version: s.Version, inferenceCount: s.InferenceCount, executionCount: s.ExecutionCount,
			inference: &inferStatistics{durationOf(s.Success), durationOf(s.Fail), durationOf(s.Queue), durationOf(s.ComputeInput),
				durationOf(s.ComputeInfer), durationOf(s.ComputeOutput)},
			memory: []*memoryUsage{{kind: "CPU", size: s.Memory}}}
		if !s.LastInference.IsZero() {
			m.lastInference = uint64(s.LastInference.UnixMilli())
		}
		for _, b := range s.Batches {
			m.batches = append(m.batches, &batchStatistics{b.Size, durationOf(b.Input), durationOf(b.Infer), durationOf(b.Output)})
		}
		out.models = append(out.models, m)
	}
	return out, nil
}

func (h *handler) index(_ context.Context, q *indexRequest) (*indexResponse, error) {
	list, err := h.service.Index(q.ready)
	if err != nil {
		return nil, err
	}
	out := new(indexResponse)
	for _, e := range list {
		out.models = append(out.models, &modelIndex{e.Name, e.Version, e.State, e.Reason})
	}
	return out, nil
}

// A model comes as it lies in the repository: what a client would put in its place, a configuration or files, it may not.
func (h *handler) load(ctx context.Context, q *repositoryRequest) (*empty, error) {
	for _, p := range q.parameters {
		return nil, oip.Errorf(oip.Unimplemented, "the parameter %s: models are loaded as they lie in the repository", oip.Quote(p.key))
	}
	return new(empty), h.service.Load(ctx, q.model)
}

// The parameter of Triton, unload_dependents, is about models made of others, which there are not.
func (h *handler) unload(ctx context.Context, q *repositoryRequest) (*empty, error) {
	return new(empty), h.service.Unload(ctx, q.model)
}

// The statuses of grpc.health.v1.
const (
	serving    = 1
	notServing = 2
	unknown    = 3 // there is no such service; of Watch alone
)

// health returns the status of a service: the server as a whole and its services are there when it is ready; "liveness" is whether it runs.
func (h *handler) health(service string) int32 {
	up := false
	switch service {
	case "", "readiness", "inference.GRPCInferenceService", "grpc.health.v1.Health":
		up = h.service.Ready()
	case "liveness":
		up = h.service.Live()
	default:
		return unknown
	}
	if up {
		return serving
	}
	return notServing
}

func (h *handler) check(_ context.Context, q *healthRequest) (*healthResponse, error) {
	status := h.health(q.service)
	if status == unknown {
		return nil, oip.Errorf(oip.NotFound, "there is no service %s", oip.Quote(q.service))
	}
	return &healthResponse{status}, nil
}

// watched is how often a service that is watched is looked at.
const watched = 500 * time.Millisecond

// watch sends the status of a service, and again when it changes.
func (h *handler) watch(ctx context.Context, s *grpc.Stream) error {
	b, err := s.Only()
	if err != nil {
		return err
	}
	q, err := decode[healthRequest](b)
	if err != nil {
		return err
	}
	down, ending := s.Down(), false
	tick := time.NewTicker(watched)
	defer tick.Stop()
	for last := int32(-1); ; {
		if status := h.health(q.service); status != last {
			last = status
			if err := s.Send(wire.Measure(&healthResponse{status})); err != nil {
				return err
			}
		}
		if ending {
			return grpc.ErrDown
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-down: // which is to be told
			down, ending = nil, true
		case <-tick.C:
		}
	}
}
