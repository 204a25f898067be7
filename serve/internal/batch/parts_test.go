package batch_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/serve/internal/batch"
	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/tensor"
)

// zeros is a model in parts: it yields as many zeros as its input says.
func zeros(t *testing.T) *concord.Model {
	t.Helper()
	return encoded(t, []*proto.ValueInfo{port("x", 7, 1)}, []*proto.ValueInfo{port("y", 1, 0)}, &proto.Node{OpType: "ConstantOfShape", Input: []string{"x"}, Output: []string{"y"}})
}

// encoded loads a model of ONNX.
func encoded(t *testing.T, inputs, outputs []*proto.ValueInfo, nodes ...*proto.Node) *concord.Model {
	t.Helper()
	b, err := proto.Encode(&proto.Model{IRVersion: 8, OpsetImport: []*proto.OperatorSet{{Version: 17}}, Graph: &proto.Graph{Name: "net", Input: inputs, Output: outputs, Node: nodes}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := concord.OpenFS(fstest.MapFS{"net.onnx": {Data: b}}, "net.onnx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// port declares a list of numbers; of any length if that is 0.
func port(name string, of proto.DataType, length int64) *proto.ValueInfo {
	shape := &proto.Shape{Dim: []*proto.Dim{{Value: length, Known: length > 0}}}
	return proto.NewValueInfo(name, of, shape)
}

// length is an input of the model.
func length(n int64) model.Values {
	x, _ := tensor.FromSlice([]int64{n}, 1) // one element
	return model.Values{"x": x}
}

// TestBudget: answers count from before their run, if their size is known, until the lease of the client is released.
func TestBudget(t *testing.T) {
	of := budget.New(100)
	s := start(t, load(t, fixed), batch.Options{Queue: 16})
	defer s.Close()
	in := model.Values{"x": random(1, 1, 4)} // which is answered with 16 bytes
	var leases []*budget.Lease
	for n := range 8 {
		ctx, l := of.Lease(t.Context())
		leases = append(leases, l)
		_, err := s.Run(ctx, batch.Request{Inputs: in})
		if got, want := strings.HasPrefix(code(err), fmt.Sprint(oip.Exhausted)), n >= 6; got != want || (err != nil) != want {
			t.Errorf("answer %d, with %d bytes held: %v", n, of.Held(), err)
		}
	}
	if n := s.Statistics().ExecutionCount; n != 6 || of.Held() != 96 {
		t.Errorf("there were %d runs, and %d bytes are held; want 6, as there is no room for others, and 96", n, of.Held())
	}
	for _, l := range leases {
		l.Release()
	}
	ctx, l := of.Lease(t.Context())
	defer l.Release()
	if _, err := s.Run(ctx, batch.Request{Inputs: in}); err != nil {
		t.Errorf("when there is room again: %v", err)
	}
}

// TestBudgetTogether: a request for which there is no room does not keep others from running, and its part is refused whatever run it is in.
func TestBudgetTogether(t *testing.T) {
	of := budget.New(1 << 20)
	m := load(t, apart)
	s := start(t, m, batch.Options{})
	defer s.Close()
	in := model.Values{"x": random(1, 20, 3, 8, 8)}
	want := alone(t, m, in)
	bytes := int64(len(want["y"].Bytes()) + len(want["z"].Bytes()))
	ctx, l := of.Lease(t.Context())
	out, err := s.Run(ctx, batch.Request{Inputs: in})
	if err != nil || of.Held() != bytes {
		t.Fatalf("%v, and %d bytes are held; want the %d of the answer, once", err, of.Held(), bytes)
	}
	expect(t, "in three runs", out.Outputs, want)
	if l.Release(); of.Held() != 0 {
		t.Errorf("%d bytes are held", of.Held())
	}
	ctx, l = budget.New(bytes - 1).Lease(t.Context())
	defer l.Release()
	if _, err := s.Run(ctx, batch.Request{Inputs: in}); !strings.HasPrefix(code(err), fmt.Sprint(oip.TooLarge)) {
		t.Errorf("an answer of more than all may take: %v", err)
	}
}

// TestBudgetParts: of a model in parts the run shows what its answer takes.
func TestBudgetParts(t *testing.T) {
	of := budget.New(1000)
	s := start(t, zeros(t), batch.Options{})
	defer s.Close()
	for n, want := range map[int64]string{200: "", 251: fmt.Sprint(oip.TooLarge), -1: fmt.Sprint(oip.InvalidArgument)} {
		ctx, l := of.Lease(t.Context())
		_, err := s.Run(ctx, batch.Request{Inputs: length(n)})
		if !strings.HasPrefix(code(err), want) || (err == nil) != (want == "") || err == nil && of.Held() != 4*n {
			t.Errorf("%d elements: %v, and %d bytes are held", n, err, of.Held())
		}
		l.Release()
	}
}

// TestEmptySamples has requests of few bytes that ask for any number of samples, and for any memory.
func TestEmptySamples(t *testing.T) {
	symbols := func(name string, dims ...string) *proto.ValueInfo {
		v := port(name, 1, 0)
		v.Type.Tensor.Shape.Dim = nil
		for _, d := range dims {
			v.Type.Tensor.Shape.Dim = append(v.Type.Tensor.Shape.Dim, &proto.Dim{Param: d})
		}
		return v
	}
	relu := &proto.Node{OpType: "Relu", Input: []string{"x"}, Output: []string{"y"}}
	next := &proto.Node{OpType: "Identity", Input: []string{"s"}, Output: []string{"next"}}
	plain := start(t, encoded(t, []*proto.ValueInfo{symbols("x", "N", "M")}, []*proto.ValueInfo{symbols("y", "N", "M")}, relu), batch.Options{})
	defer plain.Close()
	square := start(t, encoded(t, []*proto.ValueInfo{symbols("x", "N", "N")}, []*proto.ValueInfo{symbols("y", "N", "N")}, relu), batch.Options{})
	defer square.Close()
	keeps := start(t, encoded(t, []*proto.ValueInfo{symbols("x", "N", "M"), symbols("s", "N")}, []*proto.ValueInfo{symbols("y", "N", "M"), symbols("next", "N")}, relu, next),
		batch.Options{Manifest: &manifest.Manifest{Inputs: []manifest.Input{{Name: "s", Kind: &manifest.State{From: "next"}}}}})
	defer keeps.Close()
	of := budget.New(1000)
	for _, c := range []struct {
		s     *batch.Scheduler
		shape tensor.Shape
		want  string
	}{
		{plain, tensor.Shape{1, 0}, ""}, {plain, tensor.Shape{3, 2}, ""}, {plain, tensor.Shape{1 << 20, 0}, "1048576 samples have no elements"},
		{square, tensor.Shape{3, 3}, ""}, {square, tensor.Shape{3, 2}, "binds N"},
		{keeps, tensor.Shape{100, 0}, ""}, {keeps, tensor.Shape{1 << 20, 0}, "take more than 1000 bytes"},
	} {
		x, err := tensor.New(tensor.Float32, c.shape)
		if err != nil {
			t.Fatal(err)
		}
		ctx, l := of.Lease(t.Context())
		if _, err = c.s.Run(ctx, batch.Request{Inputs: model.Values{"x": x}}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v; want %q", c.shape, err, c.want)
		}
		l.Release()
	}
}

// TestMemory asks a model in parts for ever more, and one of any shape: what is kept of all that stays within the bound, and can be given up.
func TestMemory(t *testing.T) {
	const most = 400_000
	opts := batch.Options{Memory: most, Compile: concord.Options{Limits: engine.Limits{Memory: most}}}
	parts, shapes := start(t, zeros(t), opts), start(t, load(t, wide), opts)
	defer parts.Close()
	defer shapes.Close()
	for n := range 20 {
		if _, err := parts.Run(t.Context(), batch.Request{Inputs: length(int64(10_000 + n))}); err != nil {
			t.Fatal(err)
		}
		if _, err := shapes.Run(t.Context(), batch.Request{Inputs: model.Values{"x": random(1, 1, 4000+n)}}); err != nil {
			t.Fatal(err)
		}
		if a, b := parts.Memory(), shapes.Memory(); a > most || b > most {
			t.Fatalf("after %d requests: %d and %d bytes; want at most %d", n+1, a, b, most)
		}
	}
	for _, s := range []*batch.Scheduler{parts, shapes} {
		if before := s.Memory(); s.Trim(0) != before || s.Memory() != 0 {
			t.Errorf("of %d bytes %d are left when all is given up", before, s.Memory())
		}
	}
	if _, err := parts.Run(t.Context(), batch.Request{Inputs: length(7)}); err != nil {
		t.Errorf("after all was given up: %v", err)
	}
}
