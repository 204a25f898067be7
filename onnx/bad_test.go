package onnx_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/model"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// What a run of a bad model may take.
var badLimits = engine.Limits{Memory: 64 << 20, Operations: 1 << 16, Time: 10 * time.Second}

// TestBadInput opens a model in a file, with everything that a hostile one may have beside it, and runs it: the error is of its type and says
// where it is. Of the wanted error all fields count that are set; its message is part of the one there is.
func TestBadInput(t *testing.T) {
	testdata.Wide(t)
	on := func(g *proto.Graph, functions ...*proto.Function) *proto.Model { return modelOf(18, g, functions...) }
	relu := func(nodes ...*proto.Node) *proto.Model { return on(graphOf("x: float[2] -> y", nodes...)) }
	named := func(name string, n *proto.Node) *proto.Node {
		n.Name = name
		return n
	}
	outside := func(pairs ...string) *proto.Model {
		g := graphOf("x: float[2] -> y", node("Add", "x, w -> y"))
		w := &proto.Tensor{Name: "w", DataType: proto.Float, Dims: []int64{2}, DataLocation: proto.DataExternal}
		for i := 0; i < len(pairs); i += 2 {
			w.ExternalData = append(w.ExternalData, &proto.StringEntry{Key: pairs[i], Value: pairs[i+1]})
		}
		g.Initializer = append(g.Initializer, w)
		return on(g)
	}
	const folder = "the folder of the model"
	shaped := func(dims ...int64) *proto.Model {
		g := graphOf("x: float[2] -> y", node("Abs", "w -> y"))
		g.Initializer = append(g.Initializer, &proto.Tensor{Name: "w", DataType: proto.Float, Dims: dims, RawData: []byte{0, 0, 0, 0}})
		return on(g)
	}
	sized := func(n *proto.Node, sizes ...int64) *proto.Model {
		return on(stored(graphOf("x: float[2] -> y", n), "s", []int{len(sizes)}, sizes...))
	}
	function := func(name string, nodes ...*proto.Node) *proto.Function {
		return &proto.Function{Name: name, Domain: "own", Input: []string{"a"}, Output: []string{"b"}, Node: nodes,
			OpsetImport: []*proto.OperatorSet{{Version: 18}, {Domain: "own", Version: 1}}}
	}
	calls := func(functions ...*proto.Function) *proto.Model {
		return on(graphOf("x: float[2] -> y", node("own.F", "x -> y")), functions...)
	}
	loop := func(values string, body *proto.Graph) *proto.Node { return node("Loop", values, "body", body) }
	forever := graphOf("i, c, v: float[2] -> c, w", node("Abs", "v -> w"))
	chain := func(first string, n int) *proto.Model {
		g := stored(graphOf("x: float[2] -> y"), "w", []int{2}, float32(1), 2)
		for i := range n {
			g.Node = append(g.Node, &proto.Node{OpType: "Relu", Input: []string{first}, Output: []string{"v" + strconv.Itoa(i)}})
			first = "v" + strconv.Itoa(i)
		}
		g.Node = append(g.Node, node("Abs", first+" -> y"))
		return on(g)
	}

	type row struct {
		name   string
		source any // bytes, or a model
		want   error
	}
	rows := []row{
		{"graph with a cycle", relu(named("a", node("Add", "x, y -> z")), named("b", node("Abs", "z -> y"))),
			&onnx.Error{Node: `"a"`, Op: "Add", Msg: "the graph has a cycle"}},
		{"node that reads itself", relu(node("Relu", "y -> y")), &onnx.Error{Node: "#0", Op: "Relu", Msg: "the graph has a cycle"}},
		{"cycle through a branch", relu(node("If", "t -> y", "then_branch", graphOf("-> z", node("Abs", "y -> z")), "else_branch", graphOf("-> x")),
			node("IsNaN", "y -> t")), &onnx.Error{Node: "#0", Op: "If", Msg: "the graph has a cycle"}},
		{"cycle in a function", calls(function("F", node("Abs", "b -> c"), node("Abs", "c -> b"))), &onnx.Error{Node: "#0", Op: "Abs", Msg: "the graph has a cycle"}},

		{"wrong wire type", []byte("\x08\x08\x3A\x04\x0A\x02\x20\x00"), &proto.Error{Path: "graph.node[0].op_type", Err: proto.ErrWireType}},
		{"length that wraps", []byte("\x3A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"), &proto.Error{Path: "graph", Msg: "18446744073709551615 bytes should follow"}},
		{"no model", []byte("version https://git-lfs.github.com/spec/v1"), &proto.Error{}},
		{"graphs in one another", func() *proto.Model {
			g := graphOf("-> z", node("Abs", "x -> z"))
			for range 60 {
				g = graphOf("-> z", node("If", "x -> z", "then_branch", g, "else_branch", graphOf("-> x")))
			}
			return on(g)
		}(), &proto.Error{Err: proto.ErrLimit}},

		{"input of 10¹⁸ elements", on(graphOf("x: float[1000000000,1000000000] -> y", node("Abs", "x -> y"))), &onnx.Error{Operand: "x", Msg: "no tensor has the shape"}},
		{"input of 10⁹ elements", on(graphOf("x: float[1000000000] -> y", node("Abs", "x -> y"))), &engine.LimitError{What: "memory"}},
		{"stored tensor of 10⁹ elements", shaped(1000, 1000, 1000), &onnx.Error{Node: "#0", Op: "Abs", Operand: "w", Msg: "4 bytes"}},
		{"stored tensor whose size wraps", shaped(1<<32, 1<<32), &onnx.Error{Node: "#0", Op: "Abs", Operand: "w", Msg: "[4294967296,4294967296]"}},
		{"stored tensor with a negative extent", shaped(-1, -4), &onnx.Error{Node: "#0", Op: "Abs", Operand: "w", Msg: "-1"}},
		{"ConstantOfShape of 10¹⁸ elements", sized(node("ConstantOfShape", "s -> y"), 1e9, 1e9), &onnx.Error{Node: "#0", Op: "ConstantOfShape", Msg: "[1000000000,1000000000]"}},
		{"ConstantOfShape of 10⁹ elements", sized(node("ConstantOfShape", "s -> y"), 1e9), &engine.LimitError{What: "memory"}},
		{"Expand to 10⁹ elements", sized(node("Expand", "x, s -> y"), 5e8, 2), &engine.LimitError{What: "memory"}},
		{"Tile to 10¹⁸ elements", sized(node("Tile", "x, s -> y"), 5e17), &onnx.Error{Node: "#0", Op: "Tile"}},
		{"Pad to 10¹⁸ elements", sized(node("Pad", "x, s -> y"), 1e18, 1e18), &onnx.Error{Node: "#0", Op: "Pad"}},
		{"Reshape to a size that wraps", sized(node("Reshape", "x, s -> y"), 1<<32, 1<<32), &onnx.Error{Node: "#0", Op: "Reshape"}},
		{"Range of 10¹⁸ numbers", on(stored(stored(graphOf("-> y", node("Range", "near, far, near -> y")), "near", nil, int64(1)), "far", nil, int64(1e18))), &onnx.Error{Node: "#0", Op: "Range"}},
		{"sparse tensor of 10¹⁸ elements", on(func() *proto.Graph {
			g := graphOf("-> y", node("Abs", "s -> y"))
			g.SparseInitializer = []*proto.SparseTensor{{Values: message("s", []int{1}, float32(1)), Indices: message("", []int{1}, int64(0)), Dims: []int64{1e9, 1e9}}}
			return g
		}()), &onnx.Error{Node: "#0", Op: "Abs", Operand: "s"}},

		{"external data at an absolute path", outside("location", "/etc/passwd"), &onnx.Error{Operand: "w", Msg: folder}},
		{"external data above the folder", outside("location", "../secret"), &onnx.Error{Operand: "w", Msg: folder}},
		{"external data above a folder below", outside("location", "sub/../../secret"), &onnx.Error{Operand: "w", Msg: folder}},
		{"external data behind a link to a file", outside("location", "link"), &onnx.Error{Operand: "w", Msg: `"link"`}},
		{"external data behind a link to a folder", outside("location", "up/secret"), &onnx.Error{Operand: "w", Msg: `"up/secret"`}},
		{"external data behind a link to a device", outside("location", "zero"), &onnx.Error{Operand: "w", Msg: `"zero"`}},
		{"external data in a pipe", outside("location", "pipe"), &onnx.Error{Operand: "w", Msg: "no regular file"}},
		{"external data in a folder", outside("location", "sub"), &onnx.Error{Operand: "w", Msg: "it is a folder"}},
		{"external data in a missing file", outside("location", "absent"), &onnx.Error{Operand: "w", Msg: `"absent"`, Err: os.ErrNotExist}},
		{"external data nowhere", outside("offset", "0"), &onnx.Error{Operand: "w", Msg: "no location"}},
		{"external data behind the end", outside("location", "weights", "offset", "9"), &onnx.Error{Operand: "w", Msg: "at 9 of \"weights\", which has 8"}},
		{"external data beyond the end", outside("location", "weights", "offset", "4", "length", "8"), &onnx.Error{Operand: "w", Msg: "8 bytes at 4"}},
		{"external data whose end wraps", outside("location", "weights", "offset", "8", "length", "9223372036854775807"), &onnx.Error{Operand: "w", Msg: "which has 8"}},
		{"external data at a negative offset", outside("location", "weights", "offset", "-8"), &onnx.Error{Operand: "w", Msg: `offset of the external data is "-8"`}},
		{"external data of a negative length", outside("location", "weights", "length", "-8"), &onnx.Error{Operand: "w", Msg: `length of the external data is "-8"`}},
		{"external data in an attribute", relu(node("Constant", "-> w", "value", outside("location", "../secret").Graph.Initializer[0]), node("Add", "x, w -> y")),
			&onnx.Error{Node: "#0", Op: "Constant", Operand: "value", Msg: folder}},
		{"external data in a branch", relu(node("If", "x -> y", "then_branch", outside("location", "../secret").Graph, "else_branch", graphOf("-> x"))),
			&onnx.Error{Operand: "w", Msg: folder}},

		{"function that calls itself", calls(function("F", node("own.F", "a -> b"))), &onnx.Error{Msg: "the function F calls itself"}},
		{"functions that call each other", calls(function("F", node("own.G", "a -> b")), function("G", node("own.F", "a -> b"))), &onnx.Error{Msg: "calls itself"}},
		{"function that calls itself in a branch", calls(function("F", node("If", "a -> b", "then_branch", graphOf("-> z", node("own.F", "a -> z")), "else_branch",
			graphOf("-> a")))), &onnx.Error{Msg: "the function F calls itself"}},
		{"function that calls itself and is not called", on(graphOf("x: float[2] -> y", node("Abs", "x -> y")), function("F", node("own.F", "a -> b"))), &onnx.Error{Msg: "the function F calls itself"}},

		{"loop without an end", relu(loop(", , x -> y", forever)), &engine.LimitError{What: "operations"}},
		{"loop without an end in a branch", on(graphOf("x: float[2], t: bool[] -> y", node("If", "t -> y", "then_branch", graphOf("-> x"),
			"else_branch", graphOf("-> z", loop(", , x -> z", forever))))), &engine.LimitError{What: "operations"}},
		{"loop without an end in a loop", relu(loop(", , x -> y", graphOf("i, c, v: float[2] -> c, w", loop(", , v -> w", forever)))), &engine.LimitError{What: "operations"}},
		{"loop without an end in a function", calls(function("F", loop(", , a -> b", forever))), &engine.LimitError{What: "operations"}},
		{"loop of 2⁶² turns", on(stored(graphOf("x: float[2] -> y", loop("m, , x -> y", forever)), "m", nil, int64(1)<<62)), &engine.LimitError{What: "operations"}},
		{"loop without an end whose value grows", relu(loop(", , x -> y", graphOf("i, c, v -> c, w", node("Concat", "v, v -> w", "axis", 0)))), &onnx.Error{Op: "Concat"}},
		{"loop of a graph of another kind", relu(node("Loop", ", , x -> y", "body", graphOf("i -> i"))), &onnx.Error{Node: "#0", Op: "Loop", Operand: "body"}},

		{"value named twice", relu(named("a", node("Abs", "x -> y")), named("b", node("Abs", "x -> y"))), &onnx.Error{Operand: "y", Msg: `a result of node "b"`}},
		{"value named like an input", relu(node("Abs", "x -> x"), node("Abs", "x -> y")), &onnx.Error{Operand: "x", Msg: "given to two values"}},
		{"value named like a stored one", on(stored(graphOf("x: float[2] -> y", node("Abs", "x -> y")), "y", nil, float32(1))), &onnx.Error{Operand: "y", Msg: "given to two values"}},
		{"value named twice in a branch", relu(node("If", "x -> y", "then_branch", graphOf("-> z", node("Abs", "x -> z"), node("Abs", "x -> z")), "else_branch", graphOf("-> x"))),
			&onnx.Error{Operand: "z", Msg: "given to two values"}},
		{"value named twice in a function", calls(function("F", node("Abs", "a -> b"), node("Abs", "a -> b"))), &onnx.Error{Operand: "b", Msg: `function "F"`}},
		{"input named twice", on(graphOf("x: float[2], x: float[2] -> y", node("Abs", "x -> y"))), &onnx.Error{Operand: "x", Msg: "given to two values"}},
		{"output named twice", on(graphOf("x: float[2] -> y, y", node("Abs", "x -> y"))), &onnx.Error{Operand: "y", Msg: "the output is named twice"}},
		{"stored tensors named alike", on(stored(stored(graphOf("x: float[2] -> y", node("Add", "x, w -> y")), "w", nil, float32(1)), "w", nil, float32(2))),
			&onnx.Error{Operand: "w", Msg: "an initializer"}},
		{"functions named alike", calls(function("F", node("Abs", "a -> b")), function("F", node("Neg", "a -> b"))), &onnx.Error{Msg: "the function own.F is defined twice"}},
		{"attribute named twice", relu(node("LeakyRelu", "x -> y", "alpha", float32(1), "alpha", float32(2))), &onnx.Error{Node: "#0", Op: "LeakyRelu", Operand: "alpha"}},
	}
	// These take seconds, and more bytes.
	heavy := func() []row {
		return []row{
			{"loop without an end that waits for the run", relu(node("IsInf", "x -> inf"), node("Not", "inf -> fine"), node("Cast", "fine -> n", "to", int(proto.Float)),
				node("ReduceMax", "n -> most", "keepdims", 0), node("Cast", "most -> go", "to", int(proto.Bool)),
				loop(", go, x -> y", graphOf("i, c, v -> go, w", node("Concat", "v, x -> w", "axis", 0), node("Compress", "w, fine -> unused", "axis", 0)))),
				&onnx.Error{Err: onnx.ErrLimit}},
			{"10⁶ nodes", chain("x", 1_000_000), &onnx.Error{Err: onnx.ErrLimit}},
			{"10⁵ nodes", chain("x", 100_000), &engine.LimitError{What: "nodes"}},
			{"10⁵ nodes of constants", chain("w", 100_000), &engine.LimitError{What: "nodes"}},
			{"10⁶ operands", relu(&proto.Node{OpType: "Concat", Input: slices.Repeat([]string{"x"}, 1_000_000), Output: []string{"y"}}), &onnx.Error{Node: "#0", Op: "Concat", Operand: "axis"}},
		}
	}
	dir := badFolder(t)
	try := func(c row, most uint64) {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "m.onnx")
			write(t, path, c.source)
			before := allocated()
			err := runFile(path)
			if taken := allocated() - before; taken > most {
				t.Errorf("%d MiB are allocated", taken>>20)
			}
			if !like(err, c.want) {
				t.Errorf("the error is %#v\n%v\nit must be like %#v", err, err, c.want)
			}
		})
	}
	for _, c := range rows {
		try(c, 256<<20)
	}
	if testdata.Cases(0, 1) == 1 {
		for _, c := range heavy() {
			try(c, 8<<30)
		}
	}
}

// badFolder makes a folder for models, with all that external data may try to reach.
func badFolder(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "model")
	err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(root, "secret"), []byte("12345678"), 0o600), os.WriteFile(filepath.Join(dir, "weights"), []byte("12345678"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "../secret", "up": "..", "zero": "/dev/zero"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Logf("there are no links here: %v", err)
		}
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run(); err != nil {
		t.Logf("there are no pipes here: %v", err)
	}
	return dir
}

// write writes bytes, or a model.
func write(t *testing.T, path string, source any) {
	t.Helper()
	b, ok := source.([]byte)
	if !ok {
		var err error
		if b, err = proto.Encode(source.(*proto.Model)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// runFile opens a model and runs it on zeros.
func runFile(path string) error {
	f, err := onnx.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Network()
	if err != nil {
		return err
	}
	p := model.NewPrograms(n, engine.Options{Threads: 1, Limits: badLimits}, 0)
	defer p.Close()
	shapes, err := n.Complete(nil)
	if err != nil {
		return err
	}
	in := make(model.Values)
	for _, x := range n.Inputs() {
		if !small(shapes[x.Name], 1<<20) {
			_, err := p.For(shapes)
			return err
		}
		if in[x.Name], err = tensor.New(x.DType, shapes[x.Name]); err != nil {
			return err
		}
	}
	_, err = p.Run(context.Background(), in)
	return err
}

// like reports whether an error is, or wraps, one of the type of another, and is equal to it in all that that one sets.
func like(err, want error) bool {
	target := reflect.New(reflect.TypeOf(want))
	if !errors.As(err, target.Interface()) {
		return false
	}
	got, pattern := target.Elem().Elem(), reflect.ValueOf(want).Elem()
	for i := range pattern.NumField() {
		g, w := got.Field(i).Interface(), pattern.Field(i).Interface()
		switch field := pattern.Type().Field(i).Name; {
		case pattern.Field(i).IsZero():
		case field == "Err":
			if !errors.Is(err, w.(error)) {
				return false
			}
		case field == "Msg":
			if !strings.Contains(g.(string), w.(string)) {
				return false
			}
		case g != w:
			return false
		}
	}
	return true
}

// TestGuard: no panic crosses the boundary of the package. Messages that no file holds make some.
func TestGuard(t *testing.T) {
	for name, g := range map[string]*proto.Graph{
		"no node":      {Node: []*proto.Node{nil}},
		"no attribute": {Node: []*proto.Node{{Attribute: []*proto.Attribute{nil}}}},
		"no tensor":    {Initializer: []*proto.Tensor{nil}},
		"no input":     {Input: []*proto.ValueInfo{nil}},
	} {
		_, err := onnx.New(modelOf(13, g))
		if !like(err, &onnx.Error{Msg: "internal error during the reading of the model"}) || !errors.As(err, new(*engine.InternalError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongMessages cuts what repeats a shape, which may have any length.
func TestLongMessages(t *testing.T) {
	f, err := onnx.New(modelOf(13, graphOf("x: float["+strings.Repeat("1,", 4999)+"1] -> y", node("Abs", "x -> y"))))
	if err == nil {
		_, err = f.Network()
	}
	if err == nil || len(err.Error()) > 1100 {
		t.Errorf("%.2000v", err)
	}
}
