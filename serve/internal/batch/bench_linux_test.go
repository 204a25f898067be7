package batch_test

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/serve/internal/batch"
)

// BenchmarkLoad keeps a number of clients busy, each of which asks again when it is answered, without and with runs of several samples. It reports
// requests in a second, the time that 1 in 100 exceeds, and the processor's time for each, which says on a busy machine, too, what a saturated one would do.
//
//	go test ./serve/internal/batch -run - -bench Load
func BenchmarkLoad(b *testing.B) {
	var layers strings.Builder
	for k := range 4 {
		fmt.Fprintf(&layers, "h%d = relu(linear(h%d, constant(shape = [1024, 1024], value = [0.01])));\n", k+1, k)
	}
	perceptron := "graph net( h0 ) -> ( y )\n{\n    h0 = external(shape = [0, 1024]);\n    " + layers.String() + "y = softmax(h4);\n}"
	faces := filepath.Join(testdata.Root(b), "..", "shared", "models", "ultraface", "version-RFB-320.onnx")
	for _, c := range []struct {
		name    string
		open    func() (*concord.Model, error)
		input   model.Values
		clients int
	}{
		{"perceptron", func() (*concord.Model, error) { return load(b, perceptron), nil }, model.Values{"h0": random(1, 1, 1024)}, 32},
		{"ultraface", func() (*concord.Model, error) { return concord.Open(faces) }, model.Values{"input": random(1, 1, 3, 240, 320)}, 16},
	} {
		m, err := c.open()
		if err != nil {
			b.Log(err)
			continue
		}
		for _, o := range []struct {
			name             string
			largest, workers int
		}{
			{"alone", 1, 1}, {"alone/workers", 1, runtime.GOMAXPROCS(0)}, {"together", 8, 1}, {"together/workers", 8, runtime.GOMAXPROCS(0)},
		} {
			b.Run(c.name+"/"+o.name, func(b *testing.B) {
				opts := batch.Options{Largest: o.largest, Workers: o.workers}
				if o.workers > 1 {
					opts.Compile.Threads = 1
				}
				s, err := batch.New(m, opts)
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				var mu sync.Mutex
				var took []time.Duration
				var group sync.WaitGroup
				left := make(chan struct{}, b.N)
				for range b.N {
					left <- struct{}{}
				}
				close(left)
				before := processorTime(b)
				b.ResetTimer()
				for range c.clients {
					group.Go(func() {
						var own []time.Duration
						for range left {
							began := time.Now()
							if _, err := s.Run(b.Context(), batch.Request{Inputs: c.input}); err != nil {
								b.Error(err)
							}
							own = append(own, time.Since(began))
						}
						mu.Lock()
						defer mu.Unlock()
						took = append(took, own...)
					})
				}
				group.Wait()
				b.StopTimer()
				b.ReportMetric(float64((processorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/request")
				slices.Sort(took)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(float64(s.Statistics().InferenceCount)/float64(s.Statistics().ExecutionCount), "samples/run")
			})
		}
		_ = m.Close()
	}
}

// processorTime is that of the process so far.
func processorTime(b *testing.B) time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		b.Fatal(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// BenchmarkOverhead is the way of a single request through the scheduler, around a run that does next to nothing, and that run alone.
func BenchmarkOverhead(b *testing.B) {
	m := load(b, fixed)
	in := model.Values{"x": random(1, 1, 4)}
	b.Run("scheduler", func(b *testing.B) {
		s := start(b, m, batch.Options{})
		defer s.Close()
		for b.Loop() {
			if _, err := s.Run(b.Context(), batch.Request{Inputs: in}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("program", func(b *testing.B) {
		programs := m.Programs(concord.Options{Threads: 1})
		defer programs.Close()
		for b.Loop() {
			if _, err := programs.Run(b.Context(), in); err != nil {
				b.Fatal(err)
			}
		}
	})
}
