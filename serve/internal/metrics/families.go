package metrics

import (
	"runtime"
	"strconv"
	"time"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/serve/internal/oip"
)

type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// family is a metric with all of its series.
type family struct {
	name   string
	kind   kind
	labels []string
	help   string
	series func(*snapshot, *writer) // writes them
}

// of a version of a model.
var versioned = []string{"model", "version"}

// families are the metrics by the names that are asked for. Those of the process come with all.
var families = map[Names][]family{Own: ownFamilies, Triton: tritonFamilies}

var ownFamilies = []family{
	{"concord_build_info", gauge, []string{"version"}, "1, for the version of the server.",
		func(s *snapshot, w *writer) { w.value(1, s.server.Version) }},
	{"concord_ready", gauge, nil, "1 if every model that the server should have can be asked, or else 0.",
		func(s *snapshot, w *writer) { w.value(truth(s.ready)) }},
	{"concord_requests_total", counter, []string{"model", "version", "method", "protocol", "code"},
		"Requests that ended. Model and version are empty where they are unknown or of no model.", writeRequests},
	{"concord_http_responses_total", counter, []string{"status"}, "Answers by HTTP, whatever was asked. Calls of gRPC that fail have status 200, too.", writeStatuses},
	{"concord_request_duration_seconds", histogram, versioned, "Time from arrival to answer of inferences that succeeded.",
		durations(func(x *oip.ModelStatistics) *oip.Duration { return &x.Success })},
	{"concord_queue_duration_seconds", histogram, versioned, "Time that inferences waited.",
		durations(func(x *oip.ModelStatistics) *oip.Duration { return &x.Queue })},
	{"concord_compute_duration_seconds", histogram, versioned, "Time that the model ran.",
		durations(func(x *oip.ModelStatistics) *oip.Duration { return &x.ComputeInfer })},
	{"concord_join_seconds_total", counter, versioned, "Time for putting requests together.",
		each(func(x *oip.ModelStatistics) float64 { return x.ComputeInput.Took.Seconds() })},
	{"concord_split_seconds_total", counter, versioned, "Time for taking answers apart.",
		each(func(x *oip.ModelStatistics) float64 { return x.ComputeOutput.Took.Seconds() })},
	{"concord_samples_total", counter, versioned, "Samples that were answered.",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.InferenceCount) })},
	{"concord_runs_total", counter, versioned, "Runs of the model, each of one or several requests.",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.ExecutionCount) })},
	{"concord_batch_size", histogram, versioned, "Samples of a run.", writeBatches},
	{"concord_batch_cuts_total", counter, []string{"model", "version", "reason"}, "Batches by why nothing more was put into them.", writeCuts},
	{"concord_queue_length", gauge, versioned, "Requests that wait.",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.Pending) })},
	{"concord_model_memory_bytes", gauge, versioned, "Memory of the model.",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.Memory) })},
	{"concord_model_last_inference_timestamp_seconds", gauge, versioned, "When the model ran last.", writeLastInference},
	{"concord_model_state", gauge, []string{"model", "version", "state"}, "1 for the state of the model, 0 for the others.", writeStates},
	{"concord_model_loads_total", counter, []string{"model", "result"}, "Loads and reloads of the model by result, success or failure.", writeLoads},
	{"concord_model_last_load_timestamp_seconds", gauge, []string{"model"}, "When the model was loaded last with success.", writeLastLoad},
}

var tritonFamilies = []family{
	{"nv_inference_request_success", counter, versioned, "Number of successful inference requests, all batch sizes",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.Success.Count) })},
	{"nv_inference_request_failure", counter, []string{"model", "reason", "version"}, "Number of failed inference requests, all batch sizes", writeFailures},
	{"nv_inference_count", counter, versioned, "Number of inferences performed (does not include cached requests)",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.InferenceCount) })},
	{"nv_inference_exec_count", counter, versioned, "Number of model executions performed (does not include cached requests)",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.ExecutionCount) })},
	{"nv_inference_request_duration_us", counter, versioned, "Cumulative inference request duration in microseconds",
		each(func(x *oip.ModelStatistics) float64 { return microseconds(x.Success) })},
	{"nv_inference_queue_duration_us", counter, versioned, "Cumulative inference queuing duration in microseconds",
		each(func(x *oip.ModelStatistics) float64 { return microseconds(x.Queue) })},
	{"nv_inference_compute_input_duration_us", counter, versioned, "Cumulative compute input duration in microseconds",
		each(func(x *oip.ModelStatistics) float64 { return microseconds(x.ComputeInput) })},
	{"nv_inference_compute_infer_duration_us", counter, versioned, "Cumulative compute inference duration in microseconds",
		each(func(x *oip.ModelStatistics) float64 { return microseconds(x.ComputeInfer) })},
	{"nv_inference_compute_output_duration_us", counter, versioned, "Cumulative inference compute output duration in microseconds",
		each(func(x *oip.ModelStatistics) float64 { return microseconds(x.ComputeOutput) })},
	{"nv_inference_pending_request_count", gauge, versioned, "Instantaneous number of pending requests awaiting execution per-model.",
		each(func(x *oip.ModelStatistics) float64 { return float64(x.Pending) })},
}

var processFamilies = []family{
	{"process_start_time_seconds", gauge, nil, "When the process began.",
		func(_ *snapshot, w *writer) { w.value(seconds(began)) }},
	{"process_cpu_seconds_total", counter, nil, "Processor's time of the process. Linux.",
		ofProcess(func(p *process) float64 { return p.cpu })},
	{"process_resident_memory_bytes", gauge, nil, "Memory that the process has. Linux.",
		ofProcess(func(p *process) float64 { return p.resident })},
	{"process_virtual_memory_bytes", gauge, nil, "Addresses that the process has. Linux.",
		ofProcess(func(p *process) float64 { return p.virtual })},
	{"process_open_fds", gauge, nil, "Files and connections that are open. Linux.",
		ofProcess(func(p *process) float64 { return p.open })},
	{"process_max_fds", gauge, nil, "How many may be open. Linux.",
		ofProcess(func(p *process) float64 { return p.most })},
	{"go_info", gauge, []string{"version"}, "1, for the version of Go.",
		func(_ *snapshot, w *writer) { w.value(1, runtime.Version()) }},
	{"go_goroutines", gauge, nil, "Goroutines.", ofGo("/sched/goroutines:goroutines")},
	{"go_threads", gauge, nil, "Threads of the system.", ofGo("/sched/threads/total:threads")},
	{"go_sched_gomaxprocs_threads", gauge, nil, "Threads that may run at once.", ofGo("/sched/gomaxprocs:threads")},
	{"go_gc_cycles_total_gc_cycles_total", counter, nil, "Collections of garbage.", ofGo("/gc/cycles/total:gc-cycles")},
	{"go_gc_gomemlimit_bytes", gauge, nil, "The limit of Go's memory.", ofGo("/gc/gomemlimit:bytes")},
	{"go_memstats_heap_alloc_bytes", gauge, nil, "Memory of objects.", ofGo("/memory/classes/heap/objects:bytes")},
	{"go_memstats_alloc_bytes_total", counter, nil, "Memory of all objects that ever were.", ofGo("/gc/heap/allocs:bytes")},
	{"go_memstats_sys_bytes", gauge, nil, "Memory that Go has of the system, without files that are mapped.", ofGo("/memory/classes/total:bytes")},
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1e3 }

func microseconds(d oip.Duration) float64 { return float64(d.Took.Microseconds()) }

// each writes a number of each version.
func each(number func(*oip.ModelStatistics) float64) func(*snapshot, *writer) {
	return func(s *snapshot, w *writer) {
		for i := range s.statistics {
			x := &s.statistics[i]
			w.value(number(x), x.Name, x.Version)
		}
	}
}

// durations writes a histogram of each version.
func durations(d func(*oip.ModelStatistics) *oip.Duration) func(*snapshot, *writer) {
	return func(s *snapshot, w *writer) {
		for i := range s.statistics {
			x := &s.statistics[i]
			took, sum := d(x), uint64(0)
			for k, bound := range oip.Bounds {
				sum += took.Within[k]
				w.bucket(sum, bound.Seconds(), x.Name, x.Version)
			}
			w.whole(took.Count, took.Took.Seconds(), x.Name, x.Version)
		}
	}
}

func writeRequests(s *snapshot, w *writer) {
	for _, v := range s.versions {
		c := s.calls[v]
		for p := range protocols {
			for m := range methods {
				for k := range codes {
					// What is expected to count is there from the beginning, so that its rate is known from the first on.
					if n := c[p][m][k].Load(); n > 0 || v.version != "" && p != Page && m == infer && oip.Code(k) == answered {
						w.value(float64(n), v.model, v.version, methodNames[m], protocolNames[p], codeName(oip.Code(k)))
					}
				}
			}
		}
	}
}

func writeStatuses(s *snapshot, w *writer) {
	for status := range statuses {
		if n := s.statuses[status].Load(); n > 0 {
			w.value(float64(n), strconv.Itoa(status))
		}
	}
}

// mostSamples are the bounds of batch sizes.
var mostSamples = [...]uint64{1, 2, 4, 8, 16, 32, 64, 128, 256}

func writeBatches(s *snapshot, w *writer) {
	for i := range s.statistics {
		x := &s.statistics[i]
		var runs, samples uint64
		next := 0
		for _, most := range mostSamples {
			for ; next < len(x.Batches) && x.Batches[next].Size <= most; next++ {
				runs += x.Batches[next].Infer.Count
				samples += x.Batches[next].Infer.Count * x.Batches[next].Size
			}
			w.bucket(runs, float64(most), x.Name, x.Version)
		}
		for ; next < len(x.Batches); next++ {
			runs += x.Batches[next].Infer.Count
			samples += x.Batches[next].Infer.Count * x.Batches[next].Size
		}
		w.whole(runs, float64(samples), x.Name, x.Version)
	}
}

func writeCuts(s *snapshot, w *writer) {
	for i := range s.statistics {
		x := &s.statistics[i]
		for _, why := range naming.Sorted(x.Cuts) {
			w.value(float64(x.Cuts[why]), x.Name, x.Version, why)
		}
	}
}

func writeLastInference(s *snapshot, w *writer) {
	for i := range s.statistics {
		if x := &s.statistics[i]; !x.LastInference.IsZero() {
			w.value(seconds(x.LastInference), x.Name, x.Version)
		}
	}
}

func writeStates(s *snapshot, w *writer) {
	for i := range s.index {
		x := &s.index[i]
		for _, state := range []string{oip.Unknown, oip.Loading, oip.ReadyState, oip.Unloading, oip.Unavailable} {
			w.value(truth(x.State == state), x.Name, x.Version, state)
		}
	}
}

func writeLoads(s *snapshot, w *writer) {
	for _, model := range naming.Sorted(s.loads) {
		w.value(float64(s.loads[model].done), model, "success")
		w.value(float64(s.loads[model].failed), model, "failure")
	}
}

func writeLastLoad(s *snapshot, w *writer) {
	for _, model := range naming.Sorted(s.loads) {
		if t := s.loads[model].last; !t.IsZero() {
			w.value(seconds(t), model)
		}
	}
}

// reasons are Triton's words for codes; all others are OTHER.
var reasons = map[oip.Code]string{oip.Exhausted: "REJECTED", oip.DeadlineExceeded: "REJECTED", oip.Canceled: "CANCELED", oip.Internal: "BACKEND"}

func writeFailures(s *snapshot, w *writer) {
	for _, v := range s.versions {
		if v.model == "" {
			continue
		}
		counts := make(map[string]uint64)
		for p := range protocols {
			for k := range oip.NumCodes {
				reason := "OTHER"
				if r := reasons[oip.Code(k)]; r != "" {
					reason = r
				}
				counts[reason] += s.calls[v][p][infer][k].Load()
			}
		}
		for _, reason := range naming.Sorted(counts) {
			w.value(float64(counts[reason]), v.model, reason, v.version)
		}
	}
}
