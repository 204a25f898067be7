package onnx_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/internal/random"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

var (
	peerModels = flag.Int("models", 0, "how many random models of each operator are compared with ONNX Runtime")
	peerSeed   = flag.Uint64("seed", 1, "of random models")
	peerOp     = flag.String("op", "", "compare only models of these operators, separated by commas")
	peerKeep   = flag.String("keep", "", "a folder for the models that disagree")
)

// TestPeer compares random models with ONNX Runtime, if its package for Node is there.
func TestPeer(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run ONNX Runtime with")
	}
	if err := exec.Command(node, "-e", "require('onnxruntime-node')").Run(); err != nil {
		t.Skip("node finds no onnxruntime-node; NODE_PATH must name the folder node_modules that it is in")
	}
	ops, n := random.Ops(), 10
	if testing.Short() {
		n = 1
	}
	if *peerModels > 0 {
		n = *peerModels
	}
	if *peerOp != "" {
		ops = strings.Split(*peerOp, ",")
	}
	var all []*random.Model
	for _, op := range ops {
		for i := range n {
			all = append(all, random.Of(op, *peerSeed+uint64(i)))
		}
	}
	peer := &peer{node: node}
	theirs := peer.run(t, all, "disabled")
	tally := make(map[string]*tallies)
	for i, m := range all {
		c := tally[m.Op]
		if c == nil {
			c = &tallies{refused: make(map[string]int)}
			tally[m.Op] = c
		}
		c.judge(t, m, theirs[i])
	}
	for _, op := range slices.Sorted(maps.Keys(tally)) {
		c := tally[op]
		if c.agree == 0 || testing.Verbose() {
			t.Logf("%-40s %d agree, %d differ, %d disputed, %d gaps, %d refused by ORT, %d by both %v", op, c.agree, c.differ, c.disputed, c.gaps, c.theirs, c.both,
				c.refused)
		}
	}
}

type tallies struct {
	agree, differ, disputed, gaps, theirs, both int
	refused                                     map[string]int
}

func (c *tallies) judge(t *testing.T, m *random.Model, theirs *answer) {
	ours, err := runRandom(m)
	switch {
	case err != nil && theirs.Error != "":
		c.both++
		t.Logf("BOTH %s\n\t%v", describe(m), err)
		c.refused[brief(theirs.Error)+" | "+brief(err.Error())]++
	case theirs.Error != "":
		c.theirs++
		c.refused[brief(theirs.Error)]++
	case err != nil:
		c.gaps++
		t.Errorf("%s\n\trefused: %v", describe(m), err)
		keep(m, nil, theirs)
	default:
		if err := compare(m, ours, theirs); err != nil {
			if why := disputed(m, theirs); why != "" {
				c.disputed++
				return
			}
			c.differ++
			t.Errorf("%s\n\t%v", describe(m), err)
			keep(m, ours, theirs)
			return
		}
		c.agree++
	}
}

func brief(s string) string {
	if i := strings.LastIndex(s, "Status Message:"); i >= 0 {
		s = s[i+15:]
	}
	if len(s) > 120 {
		s = s[:120]
	}
	return s
}

// keep writes a model as a case of the standard, with what ONNX Runtime makes of it and beside that what we do.
func keep(m *random.Model, ours model.Values, theirs *answer) {
	if *peerKeep == "" {
		return
	}
	name := fmt.Sprintf("%s-%d", m.Op, m.Seed)
	dir := filepath.Join(*peerKeep, name, "test_data_set_0")
	write := func(name string, message []byte, err error) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), message, 0o600)
		}
		if err != nil {
			panic(err)
		}
	}
	value := func(name, file string, x *tensor.Tensor) {
		p, err := proto.NewTensor(name, x)
		if err != nil {
			panic(err)
		}
		b, err := proto.EncodeTensor(p)
		write(file, b, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err)
	}
	b, err := proto.Encode(m.Proto)
	write("../model.onnx", b, err)
	i := 0
	for _, v := range m.Proto.Graph.Input {
		if x := m.Inputs[v.Name]; x != nil {
			value(v.Name, fmt.Sprintf("input_%d.pb", i), x)
			i++
		}
	}
	for i, v := range m.Proto.Graph.Output {
		if x := ours[v.Name]; x != nil {
			value(v.Name, fmt.Sprintf("ours_%d.pb", i), x)
		}
		if x, err := theirs.Outputs[v.Name].tensor(); err == nil {
			value(v.Name, fmt.Sprintf("output_%d.pb", i), x)
		}
	}
}

func runRandom(m *random.Model) (out model.Values, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("PANIC %v", x)
		}
	}()
	f, err := onnx.New(m.Proto)
	if err != nil {
		return nil, err
	}
	n, err := f.Network()
	if err != nil {
		return nil, err
	}
	p := model.NewPrograms(n, engine.Options{Threads: 1}, 0)
	defer p.Close()
	return p.Run(context.Background(), m.Inputs)
}

// peer runs models in a process of its own.
type peer struct{ node string }

// elements is a tensor as compare.mjs writes it.
type elements struct {
	Type string `json:"type"`
	Dims []int  `json:"dims"`
	Data []byte `json:"data"`
}

func (e elements) tensor() (*tensor.Tensor, error) {
	d, err := tensor.ParseDType(e.Type)
	if err != nil {
		return nil, err
	}
	return tensor.FromRaw(d, e.Dims, e.Data)
}

type question struct {
	Model  []byte              `json:"model"`
	Inputs map[string]elements `json:"inputs"`
	Level  string              `json:"level"`
}

type answer struct {
	Outputs map[string]elements `json:"outputs"`
	Stage   string              `json:"stage"`
	Error   string              `json:"error"`
}

// run returns an answer for each model.
func (p *peer) run(t *testing.T, models []*random.Model, level string) []*answer {
	t.Helper()
	var lines [][]byte
	for _, m := range models {
		b, err := proto.Encode(m.Proto)
		if err != nil {
			t.Fatal(err)
		}
		q := question{Model: b, Inputs: make(map[string]elements), Level: level}
		for name, x := range m.Inputs {
			q.Inputs[name] = elements{x.DType().String(), append([]int{}, x.Shape()...), tensor.AppendRaw([]byte{}, x)}
		}
		line, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	var out []*answer
	for len(out) < len(lines) {
		got, err := p.batch(lines[len(out):])
		out = append(out, got...)
		if len(out) < len(lines) {
			out = append(out, &answer{Stage: "crash", Error: fmt.Sprintf("ONNX Runtime ends: %v", err)})
		}
	}
	return out
}

// patience is how long a model may run before it is taken for one that never ends.
const patience = 20 * time.Second

// batch returns the answers up to the first model that ends the process or does not end itself.
func (p *peer) batch(lines [][]byte) (out []*answer, err error) {
	cmd := exec.Command(p.node, filepath.Join("testdata", "compare.mjs"))
	cmd.Stdin = bytes.NewReader(bytes.Join(lines, []byte("\n")))
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	watch := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer watch.Stop()
	for d := json.NewDecoder(pipe); ; watch.Reset(patience) {
		a := new(answer)
		if err := d.Decode(a); err != nil {
			return out, cmd.Wait()
		}
		out = append(out, a)
	}
}

// compare returns where outputs differ.
func compare(m *random.Model, ours model.Values, theirs *answer) error {
	for _, o := range m.Proto.Graph.Output {
		e, ok := theirs.Outputs[o.Name]
		if !ok {
			return fmt.Errorf("%s: ORT has no such output", o.Name)
		}
		want, err := e.tensor()
		if err != nil {
			return err
		}
		if err := near(ours[o.Name], want, m); err != nil {
			return fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	return nil
}

// near returns where two tensors differ by more than rounding: each element is held to a part of itself and of the greatest one.
func near(got, want *tensor.Tensor, m *random.Model) error {
	if got == nil {
		return errors.New("it is missing")
	}
	if got.DType() != want.DType() || !got.Shape().Equal(want.Shape()) {
		return fmt.Errorf("it is %v; ORT has %v", got, want)
	}
	if d := want.DType(); !d.IsFloat() {
		return nearIntegers(got, want, m.Quanta)
	}
	relative := map[tensor.DType]float64{tensor.Float16: 5e-3, tensor.Float32: 1e-5, tensor.Float64: 1e-6}[want.DType()] * m.Loose
	x, y := tensor.Data[float64](must(tensor.Cast(got, tensor.Float64))), tensor.Data[float64](must(tensor.Cast(want, tensor.Float64)))
	least := map[tensor.DType]float64{tensor.Float16: -65504, tensor.Float32: -math.MaxFloat32, tensor.Float64: -math.MaxFloat64}[want.DType()] // ORT's -Inf
	greatest := 0.0
	for _, v := range y {
		if v = math.Abs(v); v < math.Inf(1) {
			greatest = max(greatest, v)
		}
	}
	for i := range x {
		if math.IsNaN(x[i]) && math.IsNaN(y[i]) || x[i] == y[i] || math.IsInf(x[i], -1) && y[i] == least {
			continue
		}
		if !(math.Abs(x[i]-y[i]) <= relative*(10*math.Abs(y[i])+greatest)+relative/10) || math.IsInf(y[i], 0) {
			return fmt.Errorf("element %d of %v is %v; ORT has %v\n\tours %v\n\tORT  %v", i, want, x[i], y[i], clip(x), clip(y))
		}
	}
	return nil
}

func nearIntegers(got, want *tensor.Tensor, quanta int) error {
	for i := range got.Len() {
		if x, y := integer(got, i), integer(want, i); x != y && !(max(x, y)-min(x, y) <= int64(quanta) && max(x, y)-min(x, y) > 0) {
			return fmt.Errorf("element %d of %v is %d; ORT has %d\n\tours %v\n\tORT  %v", i, want, x, y, numbersOf(got), numbersOf(want))
		}
	}
	return nil
}

func numbersOf(t *tensor.Tensor) []int64 {
	return clip(tensor.Data[int64](must(tensor.Cast(t, tensor.Int64))))
}

func integer(t *tensor.Tensor, i int) int64 {
	return tensor.Data[int64](must(tensor.Cast(t, tensor.Int64)))[i]
}

func clip[T any](x []T) []T { return x[:min(len(x), 40)] }

func must(t *tensor.Tensor, err error) *tensor.Tensor {
	if err != nil {
		panic(err)
	}
	return t
}

// describe writes a model.
func describe(m *random.Model) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s seed %d, opset %d", m.Op, m.Seed, m.Opset)
	g := m.Proto.Graph
	for _, v := range g.Input {
		if x := m.Inputs[v.Name]; x != nil {
			fmt.Fprintf(&b, "\n\t%s: %v = %s", v.Name, x, short(x))
		}
	}
	for _, p := range g.Initializer {
		if x, err := p.Value(nil); err == nil {
			fmt.Fprintf(&b, "\n\t%s: %v = stored %s", p.Name, x, short(x))
		}
	}
	for _, n := range g.Node {
		fmt.Fprintf(&b, "\n\t%s = %s(%s)", strings.Join(n.Output, ", "), n.OpType, strings.Join(n.Input, ", "))
		for _, a := range n.Attribute {
			fmt.Fprintf(&b, " %s=%s", a.Name, attributeText(a))
		}
	}
	return b.String()
}

func attributeText(a *proto.Attribute) string {
	switch a.Type {
	case proto.AttributeInt:
		return fmt.Sprint(a.I)
	case proto.AttributeFloat:
		return fmt.Sprint(a.F)
	case proto.AttributeString:
		return a.S
	case proto.AttributeInts:
		return fmt.Sprint(a.Ints)
	case proto.AttributeFloats:
		return fmt.Sprint(a.Floats)
	case proto.AttributeStrings:
		return fmt.Sprint(a.Strings)
	case proto.AttributeTensor:
		x, err := a.T.Value(nil)
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%v%s", x, short(x))
	case proto.AttributeGraph:
		return "{" + describe(&random.Model{Proto: &proto.Model{Graph: a.G}}) + "}"
	}
	return "?"
}

func short(x *tensor.Tensor) string {
	if x.DType().IsInteger() || x.DType() == tensor.Bool {
		return fmt.Sprint(numbersOf(x))
	}
	return fmt.Sprint(clip(tensor.Data[float64](must(tensor.Cast(x, tensor.Float64)))))
}
