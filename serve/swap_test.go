package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/serve"
)

// load asks from several goroutines until the test says stop. Every answer must be the same, bit for bit.
func (s *server) load(clients int) (stop func() (answers int)) {
	s.t.Helper()
	request := one(0.25)
	status, first := s.ask("POST", "/v2/models/digits/infer", request)
	if status != http.StatusOK {
		s.t.Fatal(first)
	}
	outputs := func(text string) string { return text[strings.Index(text, `"outputs"`):] } // without the version
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	var n atomic.Int64
	for range clients {
		all.Go(func() {
			for ctx.Err() == nil {
				if status, text := s.ask("POST", "/v2/models/digits/infer", request); status != http.StatusOK || outputs(text) != outputs(first) {
					s.t.Errorf("a request is lost: status %d, %s", status, text)
					return
				}
				n.Add(1)
			}
		})
	}
	return func() int {
		cancel()
		all.Wait()
		return int(n.Load())
	}
}

// TestSwaps exchanges versions while clients ask.
func TestSwaps(t *testing.T) {
	dir := folder(t, "digits.nnef")
	s := start(t, serve.Options{Dir: dir, Control: "explicit", Load: []string{"digits"}})
	stop := s.load(3)
	for range testdata.Cases(60, 1000) {
		s.wants("POST", "/v2/repository/models/digits/load", "", 200, "")
	}
	if n := stop(); n == 0 {
		t.Error("nobody has asked")
	}
}

// TestFlat loads a model anew again and again: memory, goroutines and mappings must stay.
func TestFlat(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		s := start(t, serve.Options{Dir: folder(t, "digits.nnef"), Control: "explicit", Load: []string{"digits"}, Mapped: mapped})
		again := func(n int) (heap uint64, goroutines, mappings int) {
			for range n {
				s.wants("POST", "/v2/repository/models/digits/load", "", 200, "")
				s.wants("POST", "/v2/models/digits/infer", one(0.5), 200, "")
			}
			http.DefaultClient.CloseIdleConnections()
			for range 10 { // what closes, closes
				runtime.GC()
				time.Sleep(5 * time.Millisecond)
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			maps, _ := os.ReadFile("/proc/self/maps")
			return m.HeapAlloc, runtime.NumGoroutine(), strings.Count(string(maps), "\n")
		}
		heap, goroutines, mappings := again(10)
		grows := true
		for range 6 { // what a busy machine has not closed yet is no leak, if it does not grow with each further number of loads
			moreHeap, moreGoroutines, moreMappings := again(testdata.Cases(40, 10_000))
			t.Logf("mapped: %v; bytes %d, then %d; goroutines %d, then %d; mappings %d, then %d", mapped, heap, moreHeap, goroutines, moreGoroutines, mappings, moreMappings)
			grows = moreHeap > heap+heap/4+1<<20 || moreGoroutines > goroutines+8 || moreMappings > mappings+16
			if !grows {
				break
			}
			heap, goroutines, mappings = moreHeap, moreGoroutines, moreMappings
		}
		if grows {
			t.Error("it grows")
		}
	}
}

// wait asks until an answer has a part.
func (s *server) wait(method, path, body, part string) {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, text := s.ask(method, path, body); strings.Contains(text, part) {
			return
		}
	}
	_, text := s.ask(method, path, body)
	s.t.Fatalf("%s %s: %s\nnever had %s", method, path, text, part)
}

// TestWatch changes the folder of a server that watches it.
func TestWatch(t *testing.T) {
	dir := folder(t, "digits/1/model.nnef")
	s := start(t, serve.Options{Dir: dir, Poll: 2 * time.Millisecond})
	s.wait("POST", "/v2/repository/index", "", `"version":"1","state":"READY"`)
	stop := s.load(2)
	install(t, filepath.Join(dir, "digits/2/model.nnef"))
	s.wait("GET", "/v2/models/digits", "", `"versions":["2"]`)
	if err := os.MkdirAll(filepath.Join(dir, "digits/3"), 0o755); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "digits/3/model.onnx")
	if err := os.WriteFile(broken, []byte("no model"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.wait("POST", "/v2/repository/index", "", `"version":"2","state":"READY","reason":"version 3 cannot be loaded: model.onnx: `)
	s.wants("GET", "/v2/health/ready", "", 200, "")
	s.wants("GET", "/metrics", "", 200, `concord_model_loads_total{model="digits",result="failure"} `)

	// What is written over the files of a version that serves changes no answer; that the files are broken is said.
	weights, err := filepath.Glob(filepath.Join(dir, "digits/2/model.nnef/*.dat"))
	if err != nil || len(weights) == 0 {
		t.Fatal(err)
	}
	for _, name := range weights {
		if err := os.WriteFile(name, []byte("rubbish"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.wait("POST", "/v2/repository/index", "", "its files on disk cannot be loaded")
	if n := stop(); n == 0 {
		t.Error("nobody has asked")
	}
	if err := os.RemoveAll(filepath.Join(dir, "digits")); err != nil {
		t.Fatal(err)
	}
	s.wait("POST", "/v2/models/digits/infer", one(0.5), "there is no model")
}

// TestMemory has room for one of two models.
func TestMemory(t *testing.T) {
	s := start(t, serve.Options{Dir: folder(t, "a.nnef"), Control: "none"})
	s.wants("POST", "/v2/models/a/infer", one(0.5), 200, `"outputs"`)
	var list struct {
		Stats []struct {
			Memory []struct {
				Bytes int64 `json:"byte_size"`
			} `json:"memory_usage"`
		} `json:"model_stats"`
	}
	_, text := s.ask("GET", "/v2/models/stats", "")
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Stats) != 1 || len(list.Stats[0].Memory) != 1 {
		t.Fatal(err, text)
	}
	size := list.Stats[0].Memory[0].Bytes // which depends on what kernels pack
	s = start(t, serve.Options{Dir: folder(t, "a.nnef", "b.nnef"), Control: "none", Memory: size * 3 / 2})
	for range 3 {
		for _, name := range []string{"a", "b"} {
			s.wants("POST", "/v2/models/"+name+"/infer", one(0.5), 200, `"outputs"`)
			s.wants("GET", "/v2/models/stats", "", 200, `"model_stats":[{"name":"`+name+`"`)
		}
	}
	s.wants("POST", "/v2/repository/index", "", 200, `{"name":"a","version":"1","state":"READY","reason":"it is unloaded, as memory is short, and is loaded when it is asked"}`)
	small := start(t, serve.Options{Dir: folder(t, "a.nnef"), Control: "none", Memory: size / 2})
	small.wants("POST", "/v2/models/a/infer", one(0.5), 503, fmt.Sprintf("%d are allowed", size/2))
}
