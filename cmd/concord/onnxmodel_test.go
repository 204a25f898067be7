package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/onnx/proto"
	"github.com/concord-nn/concord/tensor"
)

// onnxValue declares an input or output; extents are numbers or symbols.
func onnxValue(name string, d proto.DataType, extents ...any) *proto.ValueInfo {
	shape := &proto.Shape{}
	for _, e := range extents {
		switch e := e.(type) {
		case int:
			shape.Dim = append(shape.Dim, &proto.Dim{Known: true, Value: int64(e)})
		case string:
			shape.Dim = append(shape.Dim, &proto.Dim{Param: e})
		}
	}
	return proto.NewValueInfo(name, d, shape)
}

// writeONNX writes a model into a folder of the test.
func writeONNX(t *testing.T, g *proto.Graph) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "model.onnx")
	m := &proto.Model{IRVersion: 8, OpsetImport: []*proto.OperatorSet{{Version: 17}}, Graph: g}
	if err := proto.WriteFile(name, m, false); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestNames gives inputs whose names have the character that stands behind them, one of which begins with the other; the shape of one is that of its file.
func TestNames(t *testing.T) {
	m := writeONNX(t, &proto.Graph{Name: "names", Input: []*proto.ValueInfo{onnxValue("a", proto.Float, 1), onnxValue("a=b", proto.Float, "rows")},
		Output: []*proto.ValueInfo{onnxValue("y", proto.Float, "rows")},
		Node:   []*proto.Node{{OpType: "Add", Input: []string{"a", "a=b"}, Output: []string{"y"}}}})
	one, three := writeArray(t, zeros(t, tensor.Float32, 1)), writeArray(t, zeros(t, tensor.Float32, 3))
	if out, code := execute(t, "run", m, "a=b="+three, "a="+one, "-o", t.TempDir()); code != 0 || !strings.Contains(out, "y: float32[3]") {
		t.Errorf("code %d: %s", code, out)
	}
	if out, code := execute(t, "run", m, "a="+one, "a=c="+three, "--shape", "rows=3"); code != exitUsage || !strings.Contains(out, "the input a already") {
		t.Errorf("code %d: %s", code, out)
	}
	for _, set := range []string{"a=b=4", "a=b=" + one} {
		if out, code := execute(t, "run", m, "a="+one, "--set", set, "--hash"); code != 0 || !strings.Contains(out, "  y float32[1]") {
			t.Errorf("--set %s: code %d: %s", set, code, out)
		}
	}
	if out, code := execute(t, "profile", m, "a=b="+three, "a="+one, "--svg", three, "--force"); code != exitUsage || !strings.Contains(out, "it is an input and would be overwritten") {
		t.Errorf("code %d: %s", code, out)
	}
}

// nonZero has no single graph: how many elements are not zero decides about a shape.
func nonZero(t *testing.T) string {
	return writeONNX(t, &proto.Graph{Name: "places",
		Input:  []*proto.ValueInfo{onnxValue("x", proto.Float, "rows", 4), onnxValue("y", proto.Float, 4)},
		Output: []*proto.ValueInfo{onnxValue("z", proto.Float, "rows", 4), onnxValue("at", proto.Int64, 2, "count")},
		Node: []*proto.Node{
			{OpType: "Add", Input: []string{"x", "y"}, Output: []string{"z"}},
			{Name: "places", OpType: "NonZero", Input: []string{"z"}, Output: []string{"found"}},
			{OpType: "Mul", Input: []string{"found", "found"}, Output: []string{"at"}},
		}})
}

func writeArray(t *testing.T, x *tensor.Tensor) string {
	t.Helper()
	var b bytes.Buffer
	if err := tensor.WriteNPY(&b, x); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "array.npy")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func zeros(t *testing.T, d tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(d, shape)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestInspectParts: the first part of a model without a single graph, with all its inputs and outputs and why it ends.
func TestInspectParts(t *testing.T) {
	m := nonZero(t)
	out, code := execute(t, "inspect", m, "--shape", "rows=2")
	for _, want := range []string{
		"x: float32[2,4]\n", "y: float32[4]\n", "z: float32[2,4]\n", "at: what a later part yields\n", `node "places" (NonZero, opset 17)`, "non_zero", "GRAPH\n",
	} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("code %d, no %q in\n%s", code, want, out)
		}
	}
	out, code = execute(t, "inspect", "--json", m, "--shape", "rows=2")
	if code != 0 || !strings.Contains(out, `"why": "node \"places\"`) {
		t.Errorf("code %d\n%s", code, out)
	}
	for _, args := range [][]string{{"inspect", "--text", m}, {"convert", m, filepath.Join(t.TempDir(), "a.nnef")}, {"export", "--webnn", m}, {"export", "--openvx", m}} {
		if out, code := execute(t, append(args, "--shape", "rows=2")...); code != exitInput || !strings.Contains(out, "no single graph") {
			t.Errorf("%v: code %d\n%s", args, code, out)
		}
	}
}

// TestONNXMistakes: what users do wrong is named.
func TestONNXMistakes(t *testing.T) {
	m := nonZero(t)
	folder := t.TempDir()
	missing := writeONNX(t, &proto.Graph{Name: "external", Input: []*proto.ValueInfo{onnxValue("x", proto.Float, 4)},
		Output: []*proto.ValueInfo{onnxValue("y", proto.Float, 4)},
		Initializer: []*proto.Tensor{{Name: "weight", DataType: proto.Float, Dims: []int64{4}, DataLocation: proto.DataExternal,
			ExternalData: []*proto.StringEntry{{Key: "location", Value: "weights.bin"}}}},
		Node: []*proto.Node{{OpType: "Add", Input: []string{"x", "weight"}, Output: []string{"y"}}}})
	x, y := writeArray(t, zeros(t, tensor.Float32, 2, 4)), writeArray(t, zeros(t, tensor.Float32, 4))
	wide, whole := writeArray(t, zeros(t, tensor.Float32, 5)), writeArray(t, zeros(t, tensor.Int32, 4))
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"run", filepath.Join(folder, "none.onnx")}, []string{"none.onnx: there is no such file or folder"}},
		{[]string{"inspect", m}, []string{m + ": input x: float32[rows,4]: the extent rows must be given a number, such as --shape rows=1"}},
		{[]string{"shapes", m}, []string{"such as --shape rows=1"}},
		{[]string{"explain", m}, []string{"such as --shape rows=1"}},
		{[]string{"explain", m, "--shape", "rows=2", "nothing", "a b"}, []string{`has no node, value or operator "nothing", "a b"`}},
		{[]string{"convert", m, filepath.Join(folder, "a.nnef")}, []string{"such as --shape rows=1"}},
		{[]string{"diff", m, m}, []string{"such as --shape rows=1"}},
		{[]string{"export", "--webnn", m}, []string{"such as --shape rows=1"}},
		{[]string{"run", "--random", m}, []string{"such as --shape rows=1"}},
		{[]string{"run", m, "x=" + x}, []string{"y: float32[4]"}},
		{[]string{"run", m, "x=" + x, "y=" + wide}, []string{wide + ": input y: got float32[5]; want float32[4]"}},
		{[]string{"run", m, "x=" + x, "y=" + whole}, []string{whole + ": input y: got int32[4]; want float32[4]"}},
		{[]string{"run", m, "z=" + x}, []string{"such as --shape rows=1, or x=FILE"}},
		{[]string{"run", m, "x=" + x, "y=" + y, "z=" + y}, []string{`the model has no input "z"; it has x: float32[2,4], y: float32[4]`}},
		{[]string{"run", missing, "x=" + y}, []string{missing, `weight: "weights.bin": there is no such file`}},
	} {
		out, code := execute(t, c.args...)
		for _, want := range c.want {
			if code == 0 || !strings.Contains(out, want) {
				t.Errorf("%v: code %d, no %q in\n%s", c.args, code, want, out)
			}
		}
	}
}

// TestRunParts runs a model in parts with a profile, and with one thread and two.
func TestRunParts(t *testing.T) {
	m, x, y := nonZero(t), writeArray(t, zeros(t, tensor.Float32, 2, 4)), writeArray(t, zeros(t, tensor.Float32, 4))
	one, code := execute(t, "run", m, "x="+x, "y="+y, "--hash", "--threads", "1")
	two, _ := execute(t, "run", m, "x="+x, "y="+y, "--hash", "--threads", "2")
	if code != 0 || one != two || !strings.Contains(one, "at int64[2,0]") {
		t.Errorf("code %d\n%s%s", code, one, two)
	}
	out, code := execute(t, "run", m, "--random", "--shape", "rows=3", "--profile", "--output", t.TempDir())
	if code != 0 || !strings.Contains(out, "non_zero") || !strings.Contains(out, "mul") {
		t.Errorf("code %d\n%s", code, out)
	}
}

// TestDiffSymbols: a number for a symbol that only one of two models has, which are a model and what it becomes as NNEF.
func TestDiffSymbols(t *testing.T) {
	a := writeONNX(t, &proto.Graph{Name: "double", Input: []*proto.ValueInfo{onnxValue("x", proto.Float, "rows", 4)},
		Output: []*proto.ValueInfo{onnxValue("y", proto.Float, "rows", 4)}, Node: []*proto.Node{{OpType: "Add", Input: []string{"x", "x"}, Output: []string{"y"}}}})
	b := filepath.Join(t.TempDir(), "b.nnef")
	if out, code := execute(t, "convert", a, b, "--shape", "rows=3"); code != 0 {
		t.Fatal(out)
	}
	for _, args := range [][]string{{a, a}, {a, b}, {a, b, "--random"}} {
		if out, code := execute(t, append([]string{"diff", "--shape", "rows=3"}, args...)...); code != 0 {
			t.Errorf("%v: code %d\n%s", args, code, out)
		}
	}
	one, _ := execute(t, "run", a, "--random", "--hash", "--shape", "rows=3")
	if two, code := execute(t, "run", b, "--random", "--hash"); code != 0 || one != two {
		t.Errorf("code %d\n%s%s", code, one, two)
	}
}

// TestSet: an input that decides about shapes and is set leaves a single graph, for every command.
func TestSet(t *testing.T) {
	m := writeONNX(t, &proto.Graph{Name: "asks",
		Input: []*proto.ValueInfo{onnxValue("x", proto.Float, 2, 3), onnxValue("s", proto.Int64, "rank"), onnxValue("k", proto.Float),
			onnxValue("d", proto.Float)},
		Initializer: []*proto.Tensor{{Name: "d", DataType: proto.Float, FloatData: []float32{7}}},
		Output:      []*proto.ValueInfo{onnxValue("y", proto.Float, "a", "b")},
		Node: []*proto.Node{
			{OpType: "Mul", Input: []string{"x", "k"}, Output: []string{"z"}},
			{OpType: "Add", Input: []string{"z", "d"}, Output: []string{"sum"}},
			{Name: "reshape", OpType: "Reshape", Input: []string{"sum", "s"}, Output: []string{"y"}},
		}})
	document := digits(t, "model.nnef")
	x := writeArray(t, zeros(t, tensor.Float32, 2, 3))
	two, err := tensor.FromSlice([]int64{3, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	shape := writeArray(t, two)
	other, err := tensor.FromSlice([]float32{8.5})
	if err != nil {
		t.Fatal(err)
	}
	stored := "d=" + writeArray(t, other)
	set := []string{"--set", "s=3,2", "--set", "k=0.5"}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{append([]string{"inspect", m}, set...), 0, "y: float32[3,2]"},
		{append([]string{"inspect", m, "--text"}, set...), 0, "reshape"},
		{[]string{"inspect", m, "--set", "s=" + shape}, 0, "y: float32[3,2]"},
		{append([]string{"shapes", m}, set...), 0, "[3,2]"},
		{append([]string{"explain", m, "reshape"}, set...), 0, "float32[3,2]"},
		{append([]string{"check", m}, set...), 0, "valid"},
		{append([]string{"check", m}, "--set", "s=4,2"), exitFailure, "reshape"},
		{append([]string{"run", m, x, "--output", t.TempDir()}, set...), 0, "y: float32[3,2]"},
		{append([]string{"run", m, x, "--set", "d=8.5", "--output", t.TempDir()}, set...), 0, "from 8.5 to 8.5"},
		{append([]string{"diff", m, m, "--random"}, set...), 0, "agree to the bit"},
		{append([]string{"convert", m, filepath.Join(t.TempDir(), "m.nnef")}, set...), 0, "written"},
		{append([]string{"run", m, stored, x, "--output", t.TempDir()}, set...), 0, "from 8.5 to 8.5"},
		{append([]string{"bulk", m, "x=" + x, stored, "--output", t.TempDir()}, set...), 0, "1 input"},
		{append([]string{"bench", m, stored, "--runs", "1"}, set...), 0, "result"},
		{append([]string{"run", m, stored, x, stored, "--output", t.TempDir()}, set...), exitUsage, "d is set already"},
		{append([]string{"run", m, x, "d=" + x, "--output", t.TempDir()}, set...), exitInput, "d: it is float32[2,3]; the input is d: float32[]"},
		{append([]string{"run", m, "x=1,2"}, set...), exitInput, "1,2: no such file"},
		{[]string{"admit", m}, exitInput, "this is an ONNX model; admit is for CVM models"},
		{[]string{"admit", document}, exitInput, "this is an NNEF model; admit is for CVM models"},
		{[]string{"inspect", m, "--set", "q=1"}, exitInput, `q: the model has no such input`},
		{[]string{"inspect", m, "--set", "s=1.5"}, exitInput, "int64 does not hold all of its elements"},
		{[]string{"inspect", m, "--set", "x=1"}, exitInput, "x: it is float64[1]; the input is x: float32[2,3]"},
		{[]string{"inspect", m, "--set", "d=1,2"}, exitInput, "d: it is float64[2]; the input is d: float32[]"},
		{[]string{"inspect", m, "--set", "s"}, exitUsage, "it must be NAME=VALUE"},
		{[]string{"inspect", m, "--set", "s.npy"}, exitUsage, "it must be NAME=VALUE"},
		{[]string{"inspect", m, "--set", "s=two"}, exitUsage, `"two" is neither a number nor an .npy`},
		{[]string{"inspect", document, "--set", "x=1"}, exitUsage, "--set is for ONNX models"},
		{[]string{"inspect", document + "x", "--set", "x=1"}, exitInput, "there is no such file"},
		{[]string{"check", document, "--set", "x=1"}, exitUsage, "--set is for ONNX models"},
	} {
		if out, code := execute(t, c.args...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%v: code %d; want %d and %q:\n%s", c.args, code, c.code, c.want, out)
		}
	}
	wrong := filepath.Join(writeFiles(t, map[string]string{"m.json": `{"version": 2, "inputs": {"s": {"kind": "tensor"}}, "outputs": {}}`}), "m.json")
	if out, code := execute(t, append([]string{"run", m, x, "--manifest", wrong}, set...)...); code != exitInput || !strings.Contains(out, "it must be 1") || strings.Contains(out, "no input") {
		t.Errorf("a wrong manifest that describes what is set: code %d: %s", code, out)
	}
	right := filepath.Join(writeFiles(t, map[string]string{"m.json": `{"version": 1, "inputs": {"s": {"kind": "tensor"}, "d": {"kind": "tensor"}}, "outputs": {}}`}), "m.json")
	if out, code := execute(t, append([]string{"manifest", "check", m, "--manifest", right, "--set", "d=8.5"}, set...)...); code != 0 {
		t.Errorf("a manifest that describes what is set: code %d: %s", code, out)
	}
}
