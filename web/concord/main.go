//go:build js && wasm

// Concord is the program behind package concord-webnn. On a page it checks the calls of the interface; in a worker it compiles the graphs that
// they describe. It computes nothing. web/interface.js and web/worker.js call the functions that it exports; what they take lies in the memory
// that room returns, and what they return where reply says.
package main

import (
	"bytes"
	"encoding/json"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/engine/wasm"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

func main() {
	debug.SetGCPercent(400) // the heap is small, and goroutines share the page's thread with the collector
	select {}               // the page keeps on calling
}

var host = session.NewHost(session.HostOptions{Context: webnn.ContextOptions{CheckOnly: true}})

// exchanged says where what is exchanged with a page lies: room for what it gives, with its size, and the last answer.
var exchanged struct{ room, size, answer uint32 }

// What exchanged says, kept alive.
var (
	given    []byte
	answered []byte
	module   *wasm.Module
	weights  bytes.Buffer // of the module
)

// exchange returns where exchanged lies, which never changes.
//
//go:wasmexport exchange
func exchange() unsafe.Pointer { return unsafe.Pointer(&exchanged) }

// room makes room for n bytes, which the next call takes.
//
//go:wasmexport room
func room(n int32) {
	given = nil // before there is more
	given = make([]byte, n)
	exchanged.room, exchanged.size = address(given), uint32(n)
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// answer keeps an answer and returns its length.
func answer(b []byte) int32 {
	answered = b
	exchanged.answer = address(b)
	return int32(len(b))
}

func answerJSON(v any) int32 {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // answers have a JSON form
	}
	return answer(text)
}

// check performs the call in the room, which has n bytes, in the flat form of package session, and answers it by a [session.Reply].
//
//go:wasmexport check
func check(n int32) int32 {
	var got session.Reply
	host.Do(given[:n], nil, func(r session.Reply) { got = r })
	return answerJSON(got)
}

// probe answers with the module of [wasm.Probe].
//
//go:wasmexport probe
func probe(int32) int32 { return answer(wasm.Probe()) }

// compiled describes a module, or says why there is none.
type compiled struct {
	Code      place  `json:"code"`
	Weights   place  `json:"weights"`
	WeightsAt int    `json:"weightsAt"`
	Threads   int    `json:"threads"`
	Pages     int    `json:"pages"`
	Inputs    []port `json:"inputs"`
	Outputs   []port `json:"outputs"`
	Error     string `json:"error,omitempty"`
}

// place is memory: address and length.
type place [2]uint32

func placeOf(b []byte) place {
	return place{address(b), uint32(len(b))}
}

// port is an input or an output by name, and where its bytes lie in the memory of the module.
type port struct {
	Name  string `json:"name"`
	At    int    `json:"at"`
	Bytes int64  `json:"bytes"`
}

func ports(list []wasm.Port) []port {
	out := []port{}
	for _, p := range list {
		out = append(out, port{p.Name, p.At, p.Type.Bytes()})
	}
	return out
}

// compile makes a module of the session in the room: text bytes of JSON, and behind it, from the next multiple of 64, the contents of buffers.
//
//go:wasmexport compile
func compile(text, level, threads int32) int32 {
	options := wasm.Options{Level: wasm.Level(level), Threads: int(threads), Limits: engine.Limits{Nodes: mostNodes}}
	m, err := compiledSession(given[:text], given[min((int(text)+63)&^63, len(given)):], options)
	room(0)
	if err != nil {
		return answerJSON(compiled{Error: err.Error()})
	}
	module, weights = m, bytes.Buffer{}
	weights.Grow(m.WeightsLen)
	if err := m.WriteWeights(&weights); err != nil {
		return answerJSON(compiled{Error: err.Error()})
	}
	return answerJSON(compiled{placeOf(m.Code), placeOf(weights.Bytes()), m.WeightsAt, m.Threads, m.Pages, ports(m.Inputs), ports(m.Outputs), ""})
}

// mostNodes bounds a graph beyond what is the default: a page pays with its own time.
const mostNodes = 1 << 18

func compiledSession(text, data []byte, options wasm.Options) (*wasm.Module, error) {
	s, err := session.Decode(text, data, &session.Limits{Calls: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	g, err := s.Graph(nil)
	if err != nil {
		return nil, err
	}
	return wasm.Compile(g, options)
}
