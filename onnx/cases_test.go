package onnx_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var (
	only  = flag.String("case", "", "run only the shared cases whose path matches the expression, and report each")
	cases = flag.String("cases", "", "a folder of cases in place of the shared ones")
)

// TestCases runs shared cases of the standard while rows are written; package conform holds all of them.
func TestCases(t *testing.T) {
	if *only == "" && *cases == "" {
		t.Skip("-case and -cases say which cases to report")
	}
	root := filepath.Join(testdata.Root(t), "../shared/conformance/onnx")
	if *cases != "" {
		root = *cases
	}
	paths, _ := filepath.Glob(filepath.Join(root, "*", "*", "model.onnx"))
	if len(paths) == 0 {
		t.Skipf("there are no cases in %s", root)
	}
	failed := make(map[string]string)
	passed := 0
	match := regexp.MustCompile(*only)
	for _, p := range paths {
		dir := filepath.Dir(p)
		name := filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir))
		if !match.MatchString(name) {
			continue
		}
		if err := runCase(dir); err != nil {
			failed[name] = err.Error()
		} else {
			passed++
		}
	}
	var names []string
	for n := range failed {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		line, _, _ := strings.Cut(strings.ReplaceAll(failed[n], root+"/", ""), "\n")
		t.Logf("%s: %s", n, line)
	}
	t.Logf("%d passed, %d failed", passed, len(failed))
}

func runCase(dir string) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("PANIC %v", x)
		}
	}()
	data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	if err != nil {
		return err
	}
	m, err := proto.Decode(data)
	if err != nil {
		return err
	}
	f, err := onnx.New(m)
	if err != nil {
		return err
	}
	n, err := f.Network()
	if err != nil {
		return err
	}
	sets, _ := filepath.Glob(filepath.Join(dir, "test_data_set_*"))
	for _, set := range sets {
		if err := runSet(m, n, set); err != nil {
			return err
		}
	}
	return nil
}

func runSet(m *proto.Model, n *model.Model, set string) error {
	in := make(model.Values)
	for i, x := range n.Inputs() {
		t, err := readTensor(filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
		if err != nil {
			return err
		}
		if t != nil {
			in[x.Name] = t
		}
	}
	programs := model.NewPrograms(n, engine.Options{Threads: 1}, 0)
	defer programs.Close()
	out, err := programs.Run(context.Background(), in)
	if err != nil {
		return err
	}
	for i, o := range m.Graph.Output {
		want, err := readTensor(filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return err
		}
		if want == nil {
			continue
		}
		if err := close(out[o.Name], want); err != nil {
			return fmt.Errorf("output %s: %w", o.Name, err)
		}
	}
	return nil
}

func readTensor(path string) (*tensor.Tensor, error) {
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := proto.DecodeTensor(data)
	if err != nil {
		return nil, err
	}
	return p.Value(nil)
}

func close(got, want *tensor.Tensor) error {
	if got == nil {
		return fmt.Errorf("is missing")
	}
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("is %v; it must be %v", got, want)
	}
	rel := 1e-3
	if want.DType().IsHalf() {
		rel = 1e-2
	}
	a, err := tensor.Cast(got, tensor.Float64)
	if err != nil {
		return err
	}
	b, err := tensor.Cast(want, tensor.Float64)
	if err != nil {
		return err
	}
	x, y := tensor.Data[float64](a), tensor.Data[float64](b)
	for i := range x {
		if math.IsNaN(x[i]) && math.IsNaN(y[i]) || x[i] == y[i] {
			continue
		}
		if !want.DType().IsFloat() || !(math.Abs(x[i]-y[i]) <= 1e-7+rel*math.Abs(y[i])) {
			return fmt.Errorf("element %d is %v; it must be %v", i, x[i], y[i])
		}
	}
	return nil
}
