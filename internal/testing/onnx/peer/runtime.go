package peer

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// Runtime is ONNX Runtime, in a process of its own.
type Runtime struct{ node, script string }

//go:embed compare.mjs
var script []byte

// Find returns ONNX Runtime. The test is skipped if it is not there.
func Find(t testing.TB) *Runtime {
	t.Helper()
	node, err := installed()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "compare.mjs")
	if err := os.WriteFile(path, script, 0o600); err != nil {
		t.Fatal(err)
	}
	return &Runtime{node, path}
}

// installed returns node if it finds ONNX Runtime. To ask takes as long as many tests.
var installed = sync.OnceValues(func() (node string, err error) {
	if node, err = exec.LookPath("node"); err != nil {
		return "", errors.New("there is no node to run ONNX Runtime with")
	}
	if err := exec.Command(node, "-e", "require('onnxruntime-node')").Run(); err != nil {
		return "", errors.New("node finds no onnxruntime-node; NODE_PATH must name the folder node_modules that it is in")
	}
	return node, nil
})

// Case is a model with inputs to run it on, by their names.
type Case struct {
	Model  *proto.Model
	Inputs map[string]*tensor.Tensor
}

// Answer is what ONNX Runtime makes of a case: outputs by their names, or an error.
type Answer struct {
	Outputs map[string]*tensor.Tensor
	Stage   string // "load" or "run", where the error is from; "crash" if the process has ended; "read" if there are no such tensors here
	Error   string // empty if there is none
}

// How much ONNX Runtime changes a model before it runs it.
const (
	AsWritten = "disabled"
	Optimized = "all"
)

// Run returns an answer for each case. The level is AsWritten or Optimized.
func (r *Runtime) Run(t testing.TB, cases []Case, level string) []*Answer {
	t.Helper()
	lines := make([][]byte, len(cases))
	for i, c := range cases {
		b, err := proto.Encode(c.Model)
		if err != nil {
			t.Fatal(err)
		}
		q := question{Model: b, Inputs: make(map[string]elements), Level: level}
		for name, x := range c.Inputs {
			q.Inputs[name] = elements{x.DType().String(), append([]int{}, x.Shape()...), tensor.AppendRaw([]byte{}, x)}
		}
		if lines[i], err = json.Marshal(q); err != nil {
			t.Fatal(err)
		}
	}
	var out []*Answer
	for len(out) < len(lines) {
		got, err := r.batch(lines[len(out):])
		out = append(out, got...)
		if len(out) < len(lines) {
			out = append(out, &Answer{Stage: "crash", Error: fmt.Sprintf("ONNX Runtime ends: %v", err)})
		}
	}
	return out
}

// patience is how long a model may run before it is taken for one that never ends.
const patience = 20 * time.Second

// batch returns the answers up to the first model that ends the process or does not end itself.
func (r *Runtime) batch(lines [][]byte) (out []*Answer, err error) {
	cmd := exec.Command(r.node, r.script)
	cmd.Stdin = bytes.NewReader(bytes.Join(lines, []byte("\n")))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	watch := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() }) // which may have ended itself
	defer watch.Stop()
	for d := json.NewDecoder(pipe); ; watch.Reset(patience) {
		var a reply
		if err := d.Decode(&a); err != nil {
			if _, err := io.Copy(io.Discard, pipe); err != nil {
				return out, err
			}
			return out, cmd.Wait()
		}
		out = append(out, a.answer())
	}
}

// elements is a tensor as compare.mjs writes it.
type elements struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data []byte `json:"data"`
}

type question struct {
	Model  []byte              `json:"model"`
	Inputs map[string]elements `json:"inputs"`
	Level  string              `json:"level"`
}

type reply struct {
	Outputs map[string]elements `json:"outputs"`
	Stage   string              `json:"stage"`
	Error   string              `json:"error"`
}

func (r *reply) answer() *Answer {
	a := &Answer{make(map[string]*tensor.Tensor), r.Stage, r.Error}
	for name, e := range r.Outputs {
		d, err := tensor.ParseDType(e.Type)
		if err == nil {
			a.Outputs[name], err = tensor.FromRaw(d, e.Dims, e.Data)
		}
		if err != nil {
			return &Answer{Stage: "read", Error: fmt.Sprintf("output %s: %v", name, err)}
		}
	}
	return a
}

// Has reports whether onnxruntime-node has tensors of a type.
func Has(d tensor.DType) bool {
	switch d {
	case tensor.Float32, tensor.Float64, tensor.Float16, tensor.Bool, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		return true
	}
	return false
}
