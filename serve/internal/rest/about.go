package rest

import (
	"net/http"
	"strings"

	"github.com/concord-nn/concord/serve/internal/oip"
)

// What can be asked about the server and its models, and done to them.

func (h *handler) server(w http.ResponseWriter, r *http.Request) error {
	return answer(w, r, http.StatusOK, h.service.Server())
}

// available is the status of what is ready or not: probes of Kubernetes look at nothing else.
func available(ready bool) int {
	if ready {
		return http.StatusOK
	}
	return http.StatusServiceUnavailable
}

func (h *handler) live(w http.ResponseWriter, r *http.Request) error {
	live := h.service.Live()
	return answer(w, r, available(live), map[string]bool{"live": live})
}

// The protocol's text calls the field live here, too, and clients read ready.
func (h *handler) ready(w http.ResponseWriter, r *http.Request) error {
	ready := h.service.Ready()
	return answer(w, r, available(ready), map[string]bool{"live": h.service.Live(), "ready": ready})
}

func (h *handler) modelReady(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("model")
	ready, err := h.service.ModelReady(name, r.PathValue("version"))
	if err != nil {
		return err
	}
	return answer(w, r, available(ready), struct {
		Name  string `json:"name"`
		Ready bool   `json:"ready"`
	}{name, ready})
}

func (h *handler) model(w http.ResponseWriter, r *http.Request) error {
	m, err := h.service.Model(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, m)
}

// configTensor is ModelInput or ModelOutput of Triton's configuration.
type configTensor struct {
	Name     string  `json:"name"`
	DataType string  `json:"data_type"`
	Dims     []int64 `json:"dims"`
}

func configTensors(list []oip.TensorMetadata) []configTensor {
	out := make([]configTensor, len(list))
	for i, t := range list {
		out[i] = configTensor{t.Name, "TYPE_" + t.Datatype, append([]int64{}, t.Shape...)}
	}
	return out
}

// batching is ModelDynamicBatching of Triton's configuration.
type batching struct {
	PreferredBatchSize        []int64 `json:"preferred_batch_size"`
	MaxQueueDelayMicroseconds int64   `json:"max_queue_delay_microseconds"`
	PriorityLevels            int     `json:"priority_levels"`
	DefaultPriorityLevel      int     `json:"default_priority_level"`
}

func (h *handler) config(w http.ResponseWriter, r *http.Request) error {
	c, err := h.service.Config(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	out := struct {
		*oip.ModelConfig
		Input              []configTensor `json:"input"`
		Output             []configTensor `json:"output"`
		DynamicBatching    *batching      `json:"dynamic_batching,omitempty"`
		SequenceBatching   *struct{}      `json:"sequence_batching,omitempty"`
		ModelTransactional struct {
			Decoupled bool `json:"decoupled"`
		} `json:"model_transaction_policy"`
	}{ModelConfig: c, Input: configTensors(c.Inputs), Output: configTensors(c.Outputs)}
	switch {
	case c.Sequences:
		out.SequenceBatching = new(struct{})
	case c.MaxBatchSize > 0:
		out.DynamicBatching = &batching{append([]int64{}, c.PreferredBatch...), c.MaxQueueDelay.Microseconds(), c.PriorityLevels, c.DefaultPriority}
	}
	return answer(w, r, http.StatusOK, out)
}

// duration is $duration_stat of the statistics.
type duration struct {
	Count uint64 `json:"count"`
	NS    int64  `json:"ns"`
}

func durationOf(d oip.Duration) duration { return duration{d.Count, d.Took.Nanoseconds()} }

// computing is what statistics say of the runs.
type computing struct {
	Input  duration `json:"compute_input"`
	Infer  duration `json:"compute_infer"`
	Output duration `json:"compute_output"`
}

// modelStat is $model_stat of the statistics, with "cancel", "batch_cuts" and "pending_request_count" of our own.
type modelStat struct {
	Name           string `json:"name"`
	Version        string `json:"version"`
	LastInference  int64  `json:"last_inference"` // milliseconds since 1970
	InferenceCount uint64 `json:"inference_count"`
	ExecutionCount uint64 `json:"execution_count"`
	InferenceStats struct {
		Success duration `json:"success"`
		Fail    duration `json:"fail"`
		Queue   duration `json:"queue"`
		computing
		CacheHit  duration `json:"cache_hit"`
		CacheMiss duration `json:"cache_miss"`
		Cancel    duration `json:"cancel"`
	} `json:"inference_stats"`
	ResponseStats struct{}          `json:"response_stats"` // of models with several responses to a request
	BatchStats    []batchStat       `json:"batch_stats"`
	MemoryUsage   []memoryUsage     `json:"memory_usage"`
	BatchCuts     map[string]uint64 `json:"batch_cuts"` // how many batches ended there, by why
	Pending       uint64            `json:"pending_request_count"`
}

type memoryUsage struct {
	Type     string `json:"type"`
	ID       int    `json:"id"`
	ByteSize uint64 `json:"byte_size"`
}

type batchStat struct {
	BatchSize uint64 `json:"batch_size"`
	computing
}

func modelStatOf(s *oip.ModelStatistics) modelStat {
	out := modelStat{
		Name: s.Name, Version: s.Version, InferenceCount: s.InferenceCount, ExecutionCount: s.ExecutionCount,
		BatchStats: make([]batchStat, len(s.Batches)), BatchCuts: s.Cuts, Pending: s.Pending,
		MemoryUsage: []memoryUsage{{"CPU", 0, s.Memory}},
	}
	if !s.LastInference.IsZero() {
		out.LastInference = s.LastInference.Round(0).UnixMilli()
	}
	if s.Cuts == nil {
		out.BatchCuts = map[string]uint64{}
	}
	i := &out.InferenceStats
	i.Success, i.Fail, i.Queue, i.Cancel = durationOf(s.Success), durationOf(s.Fail), durationOf(s.Queue), durationOf(s.Cancel)
	i.computing = computing{durationOf(s.ComputeInput), durationOf(s.ComputeInfer), durationOf(s.ComputeOutput)}
	for i, b := range s.Batches {
		out.BatchStats[i] = batchStat{b.Size, computing{durationOf(b.Input), durationOf(b.Infer), durationOf(b.Output)}}
	}
	return out
}

func (h *handler) stats(w http.ResponseWriter, r *http.Request) error {
	list, err := h.service.Statistics(r.PathValue("model"), r.PathValue("version"))
	if err != nil {
		return err
	}
	out := make([]modelStat, len(list))
	for i := range list {
		out[i] = modelStatOf(&list[i])
	}
	return answer(w, r, http.StatusOK, map[string]any{"model_stats": out})
}

func (h *handler) index(w http.ResponseWriter, r *http.Request) error {
	ready := false
	err := h.post(w, r, func(p *reader, name string) (bool, error) {
		if name != "ready" {
			return false, nil
		}
		var err error
		ready, err = p.boolean()
		return true, err
	})
	if err != nil {
		return err
	}
	list, err := h.service.Index(ready)
	if err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, append([]oip.IndexEntry{}, list...))
}

func (h *handler) load(w http.ResponseWriter, r *http.Request) error {
	parameters, err := h.parameters(w, r)
	if err != nil {
		return err
	}
	for name := range parameters {
		if name == "config" || strings.HasPrefix(name, "file:") {
			return oip.Errorf(oip.Unimplemented, "the parameter %s: models are loaded as they lie in the repository, which is never written", oip.Quote(name))
		}
	}
	name := r.PathValue("model")
	if err := h.service.Load(r.Context(), name); err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, map[string]any{"name": name, "load": true})
}

// There are no models that depend on others, so the parameter unload_dependents changes nothing.
func (h *handler) unload(w http.ResponseWriter, r *http.Request) error {
	if _, err := h.parameters(w, r); err != nil {
		return err
	}
	name := r.PathValue("model")
	if err := h.service.Unload(r.Context(), name); err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, map[string]any{"name": name, "unload": true})
}

// parameters reads a body that has nothing else.
func (h *handler) parameters(w http.ResponseWriter, r *http.Request) (p oip.Parameters, err error) {
	err = h.post(w, r, func(q *reader, name string) (bool, error) {
		if name != "parameters" {
			return false, nil
		}
		var err error
		p, err = q.parameters()
		return true, err
	})
	return p, err
}
