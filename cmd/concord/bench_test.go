package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/measure"
	"github.com/concord-nn/concord/internal/simd"
	"github.com/concord-nn/concord/internal/testdata/golden"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// someTimes is what a fictitious machine took for a fictitious model.
func someTimes() modelTimes {
	return modelTimes{Model: "net.onnx", Format: "ONNX", Version: "1.0", Threads: 2, Tier: "avx2", Inputs: []portReport{{"x", "float32[1,3,8,8]"}},
		Machine: measure.Machine{Processor: "Abacus 9000", Features: []string{"avx2", "fma"}, Processors: 2, Platform: "linux/amd64"},
		Load:    12.34, First: 3.3333, Runs: 1234, Median: 2.5, P10: 2.41, P99: 3.012, Min: 2.4, MACs: 100_000_000, Rate: 40e9, Share: 0.8,
		Peaks:  measure.Peaks{Threads: 2, Float32: 50e9, Int16: 100e9, Int8: 200e9, Read: []measure.Level{{Bytes: 16 << 10, Rate: 2e11}, {Bytes: 64 << 20, Rate: 2e10}}},
		SHA256: strings.Repeat("0f", 32)}
}

// TestBenchText holds what bench prints of given times, alone and beside earlier ones.
func TestBenchText(t *testing.T) {
	r := &benchReport{modelTimes: someTimes(), RSS: 34.567, Base: 14.2, Bound: 5.79, Arena: 1.5, Packed: 2, Weights: 1.99999, Samples: []float64{2.4, 2.5, 2.6}}
	var b bytes.Buffer
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "golden", "bench.txt"), b.String())

	before := &benchReport{modelTimes: someTimes(), Samples: []float64{3, 3.1, 3.2}}
	before.Median, before.SHA256, before.Threads = 3.1, "", 1
	b.Reset()
	r.RSS, r.Comparison = 0, r.against("before.json", before)
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, filepath.Join("testdata", "golden", "bench-compare.txt"), b.String())
}

// TestVerdict: what is within the noise is no difference, and only what is beyond it and the tolerance is worse.
func TestVerdict(t *testing.T) {
	base := &benchReport{modelTimes: someTimes(), Samples: []float64{1, 1.01, 1.02, 1.03, 1.04}}
	for _, tt := range []struct {
		factor  float64
		verdict string
		worse   bool
	}{{1, "no difference", false}, {0.5, "faster", false}, {1.05, "slower", false}, {1.5, "slower", true}} {
		r := &benchReport{modelTimes: someTimes()}
		for _, x := range base.Samples {
			r.Samples = append(r.Samples, x*tt.factor)
		}
		if c := r.against("", base); c.Verdict != tt.verdict || c.worse(0.1) != tt.worse {
			t.Errorf("%v: %+v, worse: %v", tt.factor, c, c.worse(0.1))
		}
		r.SHA256 = "other"
		if c := r.against("", base); !c.worse(0.1) {
			t.Errorf("%v: other results are not worse", tt.factor)
		}
	}
}

// TestBench measures, and compares with the file of an earlier measurement.
func TestBench(t *testing.T) {
	t.Setenv(simd.Variable, "")
	model := digits(t, "model.nnef")
	out, code := execute(t, "bench", model, "--runs", "3", "--warm-up", "0", "--threads", "1", "--tier", "portable", "--json")
	var r benchReport
	if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
		t.Fatalf("code %d, %v: %s", code, err, out)
	}
	if r.Runs != 3 || r.Threads != 1 || r.Tier != "portable" || r.Median < r.Min || r.P99 < r.Median || r.MACs != 999_552 || r.Rate <= 0 || len(r.Samples) != 3 || r.Weights <= 0 {
		t.Errorf("%+v", r)
	}
	hash, _ := execute(t, "run", model, "--random", "--hash")
	if !strings.HasPrefix(hash, r.SHA256+"  y ") {
		t.Errorf("the hash is %s; run prints %s", r.SHA256, hash)
	}
	name := filepath.Join(t.TempDir(), "before.json")
	if err := os.WriteFile(name, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code = execute(t, "bench", model, "--warm-up", "0", "--runs", "2", "--compare", name, "--seed", "2")
	if code != 0 || !strings.Contains(out, "the results") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code = execute(t, "bench", model, "--warm-up", "0", "--runs", "2", "--compare", name, "--tolerance", "1e9", "--seed", "2"); code != exitFailure {
		t.Errorf("other results: code %d: %s", code, out)
	}
	if out, code = execute(t, "bench", model, "--warm-up", "0", "--runs", "2", "--compare", name, "--tolerance", "1e9"); code != 0 {
		t.Errorf("code %d: %s", code, out)
	}
}

func TestBatch(t *testing.T) {
	dims := func(name string, d ...any) *proto.ValueInfo { return onnxValue(name, proto.Float, d...) }
	open := writeONNX(t, &proto.Graph{Name: "double", Input: []*proto.ValueInfo{dims("x", "N", 4)}, Output: []*proto.ValueInfo{dims("y", "N", 4)},
		Node: []*proto.Node{{OpType: "Add", Input: []string{"x", "x"}, Output: []string{"y"}}}})
	two := writeONNX(t, &proto.Graph{Name: "two", Input: []*proto.ValueInfo{dims("x", "N", 4), dims("z", "M", 4)}, Output: []*proto.ValueInfo{dims("y", "N", 4)},
		Node: []*proto.Node{{OpType: "Add", Input: []string{"x", "z"}, Output: []string{"y"}}}})
	array := writeArray(t, zeros(t, tensor.Float32, 2, 4))
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"bench OPEN --batch 3 --warm-up 0 --runs 1", 0, "x: float32[3,4]"},
		{"profile OPEN --batch 3 --warm-up 0 --runs 1", 0, "x: float32[3,4]"},
		{"bench OPEN x=ARRAY --warm-up 0 --runs 1", 0, "x: float32[2,4]"},
		{"bench OPEN x=ARRAY --batch 3 --warm-up 0 --runs 1", exitInput, "float32[3,4]"},
		{"bench OPEN --warm-up 0 --runs 1", exitInput, "--shape N=1"},
		{"bench TWO --batch 3 --warm-up 0 --runs 1", exitInput, "N, M; which of them counts the samples is not known"},
		{"bench DIGITS --batch 3 --warm-up 0 --runs 1", exitInput, "no input leaves its first extent open, which counts the samples; they are x: float32[1,1,28,28], "},
		{"bench DIGITS --batch 3 --warm-up 0 --runs 1", exitInput, "reshape: shape: [1,192] has 192 elements"}, // it says a batch of 1 itself
		{"bench DIGITS --batch -1", exitUsage, "--batch"},
		{"bench DIGITS --runs -1", exitUsage, "--runs"},
		{"bench DIGITS --seconds NaN", exitUsage, "--seconds"},
		{"bench DIGITS --warm-up -1", exitUsage, "--warm-up"},
		{"bench DIGITS --tier abacus", exitUsage, "--tier abacus: this processor has no such tier; it has "},
		{"bench DIGITS --tolerance 3", exitUsage, "needs --compare"},
		{"bench DIGITS --compare OPEN", exitInput, "nothing that concord bench --json prints"},
		{"bench DIGITS DRAWING DRAWING", exitUsage, "2 inputs are given; the model is measured on one"},
		{"profile DIGITS --units -1", exitUsage, "--units"},
	} {
		args := strings.Fields(tt.args)
		for i, a := range args {
			args[i] = strings.NewReplacer("OPEN", open, "TWO", two, "ARRAY", array, "DIGITS", digits(t, "model.nnef"), "DRAWING", digits(t, "drawings", "seven.png")).Replace(a)
		}
		if out, code := execute(t, args...); code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: code %d, want %d and %q in\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
}
