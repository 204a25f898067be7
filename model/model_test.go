package model_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// sum is the model x + y of inputs [N,2], and counts how often its graph is made.
func sum(made *int) *model.Model {
	batch := model.Shape{{Symbol: "N"}, {Extent: 2}}
	return model.New([]model.Input{{Name: "x", DType: tensor.Float32, Shape: batch}, {Name: "y", DType: tensor.Float32, Shape: batch}}, func(shapes model.Shapes) (*graph.Graph, error) {
		*made++
		b := graph.NewBuilder(op.Rules, "sum")
		var in []*graph.Value
		for _, name := range []string{"x", "y"} {
			v, err := b.Input(name, graph.Type{DType: tensor.Float32, Shape: shapes[name]})
			if err != nil {
				return nil, err
			}
			in = append(in, v)
		}
		z, err := b.One("add", in, nil, "")
		if err != nil {
			return nil, err
		}
		if err := b.Output("z", z); err != nil {
			return nil, err
		}
		return b.Build()
	})
}

func TestGraph(t *testing.T) {
	made := 0
	m := sum(&made)
	for _, c := range []struct {
		given model.Shapes
		want  string // the type of z or the error
	}{
		{nil, "input x: float32[N,2]: the extent N must be given a number"},
		{model.Shapes{"z": {1}}, `a shape is given for "z"; the inputs are x, y`},
		{model.Shapes{"x": {1}}, "input x: float32[N,2]: the shape [1] has another rank"},
		{model.Shapes{"x": {-1, 2}}, "negative"},
		{model.Shapes{"x": {1, 2}, "y": {3, 2}}, "input y: float32[N,2]: the shape [3,2] binds N to 3, but it is 1 elsewhere"},
		{model.Shapes{"x": {3, 2}, "y": {3, 5}}, "does not broadcast"},
		{model.Shapes{"x": {3, 2}}, "float32[3,2]"},
		{model.Shapes{"N": {3}}, "float32[3,2]"},
		{model.Shapes{"N": {3, 2}}, `a shape is given for "N"`},
		{model.Shapes{"N": {3}, "x": {4, 2}}, "binds N to 4, but it is 3 elsewhere"},
		{model.Shapes{"y": {0, 2}}, "float32[0,2]"},
		{model.Shapes{"x": {3, 4}, "y": {3, 4}}, "float32[3,4]"},
	} {
		got := ""
		if g, err := m.Graph(c.given); err != nil {
			got = err.Error()
		} else {
			got = g.Output("z").Type.String()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: got %s; want %s", c.given, got, c.want)
		}
	}
	var open *model.OpenError
	if _, err := m.Graph(nil); !errors.As(err, &open) || open.Symbol != "N" || open.Input.Name != "x" {
		t.Errorf("an open extent: got %#v", err)
	}
	before := made
	a, _ := m.Graph(model.Shapes{"x": {3, 2}})
	b, _ := m.Graph(model.Shapes{"y": {3, 2}})
	if a != b || made != before+1 {
		t.Errorf("the graph of one set of shapes was made %d times", made-before)
	}
}

func TestOf(t *testing.T) {
	made := 0
	g, err := sum(&made).Graph(model.Shapes{"x": {3, 2}})
	if err != nil {
		t.Fatal(err)
	}
	m := model.Of(g)
	for _, given := range []model.Shapes{nil, {"y": {3, 2}}} {
		if got, err := m.Graph(given); got != g || err != nil {
			t.Errorf("%v: got %v", given, err)
		}
	}
	if _, err := m.Graph(model.Shapes{"x": {4, 2}}); err == nil || !strings.Contains(err.Error(), "fixes") {
		t.Errorf("another shape: got %v", err)
	}
}

func TestPrograms(t *testing.T) {
	made := 0
	p := model.NewPrograms(sum(&made), engine.Options{Threads: 2}, 2)
	defer p.Close()
	get := func(n int) *engine.Program {
		t.Helper()
		got, err := p.For(model.Shapes{"x": {n, 2}})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	one, two := get(1), get(2)
	if get(1) != one || get(2) != two {
		t.Error("a program that is kept is compiled again")
	}
	get(1)
	get(3) // in the place of two
	if get(1) != one {
		t.Error("the program that was used last but one is gone")
	}
	if get(2) == two {
		t.Error("more programs are kept than shall be")
	}
	if _, err := p.For(nil); err == nil {
		t.Error("open extents are accepted")
	}
	if _, err := two.Run(context.Background(), map[string]*tensor.Tensor{"x": ones(2), "y": ones(2)}); err != nil {
		t.Errorf("a program that is not kept does not run: %v", err)
	}
}

// TestProgramsAreShared runs many shapes from many goroutines.
func TestProgramsAreShared(t *testing.T) {
	made := 0
	p := model.NewPrograms(sum(&made), engine.Options{}, 3)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			n := 1 + i%5
			out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": ones(n), "y": ones(n)})
			if err != nil || !slices.Equal(tensor.Data[float32](out["z"]), slices.Repeat([]float32{2}, 2*n)) {
				t.Errorf("%d rows: got %v, %v", n, out, err)
			}
		})
	}
	all.Wait()
	p.Close()
	if _, err := p.For(model.Shapes{"x": {1, 2}}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

func ones(rows int) *tensor.Tensor {
	t, err := tensor.FromSlice(slices.Repeat([]float32{1}, 2*rows), rows, 2)
	if err != nil {
		panic(err)
	}
	return t
}

func ExamplePrograms() {
	made := 0
	p := model.NewPrograms(sum(&made), engine.Options{}, 0)
	defer p.Close()
	for _, rows := range []int{1, 2, 1} {
		out, err := p.Run(context.Background(), map[string]*tensor.Tensor{"x": ones(rows), "y": ones(rows)})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(out["z"].Describe(), made)
	}
	// Output:
	// float32[1,2] 1
	// float32[2,2] 2
	// float32[1,2] 2
}

// TestPartsLimit: a model that asks for ever ends.
func TestPartsLimit(t *testing.T) {
	var part *model.Part
	part = &model.Part{Asked: []string{"x"}, Why: "more", Rest: func(model.Values) (*model.Part, error) { return part, nil }}
	m := model.InParts([]model.Input{{Name: "x", DType: tensor.Int64, Shape: model.Shape{}}}, []string{"x"}, func(model.Shapes) (*model.Part, error) { return part, nil })
	in := model.Values{"x": tensor.Scalar[int64](1)}
	var over *engine.LimitError
	if _, err := m.Eval(in, nil); !errors.As(err, &over) || over.What != "parts" {
		t.Errorf("Eval: %v", err)
	}
	if _, err := model.NewPrograms(m, engine.Options{}, 0).Run(context.Background(), in); !errors.As(err, &over) || over.What != "parts" {
		t.Errorf("Run: %v", err)
	}
}

// TestPartsKept: of the parts that follow the first one, so many are kept that were used last.
func TestPartsKept(t *testing.T) {
	made := 0
	first := &model.Part{Asked: []string{"x"}, Rest: func(model.Values) (*model.Part, error) {
		made++
		return &model.Part{}, nil
	}}
	m := model.InParts([]model.Input{{Name: "x", DType: tensor.Int64, Shape: model.Shape{}}}, []string{"x"}, func(model.Shapes) (*model.Part, error) { return first, nil })
	p := model.NewPrograms(m, engine.Options{}, 1)
	defer p.Close()
	run := func(x int64, want int) {
		t.Helper()
		if _, err := p.Run(context.Background(), model.Values{"x": tensor.Scalar(x)}); err != nil || made != want {
			t.Fatalf("%d: %d parts are made, not %d; %v", x, made, want, err)
		}
	}
	for x := range int64(limits.ModelKept) {
		run(x, int(x)+1)
	}
	run(0, limits.ModelKept) // is the last one used now
	run(-1, limits.ModelKept+1)
	run(0, limits.ModelKept+1)
	run(1, limits.ModelKept+2)
}
