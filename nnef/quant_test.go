package nnef_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// dataFile returns a tensor file of 8-bit items with two parameters.
func dataFile(item tensorfile.ItemType, first, second uint32, items ...byte) []byte {
	data := make([]byte, tensorfile.HeaderSize, tensorfile.HeaderSize+len(items))
	copy(data, []byte{0x4E, 0xEF, 1, 0})
	le := binary.LittleEndian
	le.PutUint32(data[4:], uint32(len(items)))
	le.PutUint32(data[8:], 1)
	le.PutUint32(data[12:], uint32(len(items)))
	le.PutUint32(data[44:], 8)
	le.PutUint16(data[48:], uint16(item))
	le.PutUint32(data[52:], first)
	le.PutUint32(data[56:], second)
	return append(data, items...)
}

// provisionalFile returns a tensor file of 8-bit codes with a provisional header.
func provisionalFile(algorithm string, codes ...byte) []byte {
	le := binary.LittleEndian
	data := []byte{0x4E, 0xEF, 1, 0}
	data = le.AppendUint32(data, uint32(20+len(algorithm)))
	data = le.AppendUint32(data, 1)
	data = le.AppendUint32(data, uint32(len(codes)))
	data = append(data, 1, 8)
	data = le.AppendUint16(data, uint16(len(algorithm)))
	return append(append(data, algorithm...), codes...)
}

func TestQuantizedVariables(t *testing.T) {
	const (
		rest       = ", bits = 8, signed = false, symmetric = false);"
		signedRest = ", bits = 8, signed = true, symmetric = false);"
		unsigned   = tensorfile.QuantizedUnsigned
		signed     = tensorfile.QuantizedSigned
		tract      = "version 1.0;\nextension tract_registry tract_core;\n"
		scalar     = "version 1.0;\n"
		range0     = `"w": linear_quantize(min = -1.0, max = 254.0, bits = 8);`
	)
	lo, hi := math.Float32bits(-1), math.Float32bits(254)
	for _, c := range []struct {
		name, version, quant string
		file                 []byte
		want                 string // the numbers, or a part of the error
	}{
		{"zero point", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5` + rest, dataFile(unsigned, 0, 0, 4, 255), "[1.5 127]"},
		{"signed", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5` + signedRest, dataFile(signed, 0, 0, 4, 255), "[1.5 -1]"},
		{"by element", scalar, `"w": zero_point_linear_quantize(zero_point = [0, 1], scale = 0.5` + signedRest, dataFile(signed, 0, 0, 4, 255), "[2 -1]"},
		{"both by element", scalar, `"w": zero_point_linear_quantize(zero_point = [0], scale = [0.5, 1.0]` + signedRest, dataFile(signed, 0, 0, 4, 255), "[2 -1]"},
		{"range", scalar, range0, dataFile(unsigned, 0, 0, 4, 255), "[3 254]"},
		{"plain codes", scalar, range0, dataFile(tensorfile.Unsigned, 0, 0, 4, 255), "[3 254]"},
		{"signed codes", scalar, range0, dataFile(signed, 0, 0, 0x84, 0x7F), "[3 254]"},
		{"signed range", scalar, `"w": min_max_linear_quantize(min = -128.0, max = 127.0` + signedRest, dataFile(signed, 0, 0, 4, 255), "[4 -1]"},
		{"symmetric range", scalar, `"w": min_max_linear_quantize(min = -127.0, max = 127.0, bits = 8, signed = true, symmetric = true);`,
			dataFile(signed, 0, 0, 4, 255), "[4 -1]"},
		{"logarithmic", scalar, `"w": logarithmic_quantize(max = 1.0, bits = 8);`, dataFile(unsigned, 0, 0, 254, 255), "[0.5 1]"},
		{"zero point that is no code", scalar, `"w": zero_point_linear_quantize(zero_point = 256, scale = 0.5` + rest,
			dataFile(unsigned, 0, 0, 4, 255), "[-126 -0.5]"},
		{"deprecated parameters", scalar, "", dataFile(unsigned, lo, hi, 4, 255), "[3 254]"},
		{"parameters and entry", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5` + rest, dataFile(unsigned, lo, hi, 4, 255), "[1.5 127]"},
		{"provisional header", scalar, "", provisionalFile("linear_quantize(min = -1.0, max = 254.0, bits = 8)", 4, 255), "[3 254]"},
		{"plain integers of tract", tract, "", dataFile(signed, 0, 0, 4, 255), "[4 -1]"},

		{"entry for nothing in tract", tract, `"gone": linear_quantize(min = -1.0, max = 254.0, bits = 8);`, dataFile(signed, 0, 0, 4, 255), "[4 -1]"},

		{"symmetric code of tract", tract, `"w": zero_point_linear_quantize(zero_point = 0, scale = 0.5, bits = 8, signed = true, symmetric = true);`,
			dataFile(signed, 0, 0, 4, 0x80), "[2 -64]"},
		{"signed logarithms", scalar, `"w": logarithmic_quantize(max = 1.0, bits = 7);`, dataFile(signed, 0, 0, 127, 0x81), "[1 -1]"},

		{"code of more bits", scalar, `"w": linear_quantize(min = -1.0, max = 254.0, bits = 4);`, dataFile(unsigned, 0, 0, 15, 16),
			"layer/w.dat: item 1 is 16, which is no code of linear_quantize: those have 4 bits, from 0 to 15"},
		{"code below the range", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 4, signed = true, symmetric = false);`,
			dataFile(signed, 0, 0, 0xF8, 0xF7), "item 1 is -9, which is no code of zero_point_linear_quantize: those have 4 bits, from -8 to 7"},
		{"unsymmetric code", scalar, `"w": min_max_linear_quantize(min = -127.0, max = 127.0, bits = 8, signed = true, symmetric = true);`,
			dataFile(signed, 0, 0, 0x80, 0x81), "item 0 is -128, which is no code of min_max_linear_quantize: those have 8 bits, from -127 to 127"},
		{"code of the other sign", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = 0.5` + rest, dataFile(signed, 0, 0, 4, 255), "item 1 is -1"},
		{"logarithm of more bits", scalar, `"w": logarithmic_quantize(max = 1.0, bits = 4);`, dataFile(signed, 0, 0, 0xF1, 0xF0), "item 1 is -16"},
		{"no entry", scalar, `"x": linear_quantize(min = -1.0, max = 254.0, bits = 8);`, dataFile(unsigned, 0, 0, 4, 255),
			"graph.nnef:4:36: graph error [NNEF0907]: layer/w.dat holds codes of a quantization, but graph.quant has no entry for w"},
		{"broken string", scalar, "", provisionalFile("linear_quantize(min = -1.0, bits = 8)", 4, 255), "layer/w.dat:1:4: argument error"},
		{"integers", scalar, "", dataFile(tensorfile.Signed, 0, 0, 4, 255), "layer/w.dat holds elements of type integer; the document says scalar"},
		{"integers of 8 bits", scalar, "", dataFile(tensorfile.Signed, 0, 0, 4, 255), "hint: the items are int8; tensor files of type scalar have item type 0 (float)"},
		{"string that does not align", scalar, "", provisionalFile("linear_quantize(min = [-1.0, 0.0, 1.0], max = 254.0, bits = 8)", 4, 255),
			"layer/w.dat: min of linear_quantize has shape [3], which does not align with [2]"},
		{"scale that does not align", scalar, `"w": zero_point_linear_quantize(zero_point = 1, scale = [[0.5]]` + rest, dataFile(unsigned, 0, 0, 4, 255), "graph.quant:1:57: shape error"},
		{"zero points that do not align", scalar, `"w": zero_point_linear_quantize(zero_point = [0, 1, 2], scale = [0.5, 0.5]` + rest, dataFile(unsigned, 0, 0, 4, 255),
			"graph.quant:1:46: shape error"},
		{"mistake", scalar, `"w": linear_quantize(min = -1.0, bits = 8);`, dataFile(unsigned, 0, 0, 4, 255), "graph.quant:1:6: argument error"},
		{"shape", scalar, `"w": linear_quantize(min = [-1.0, 0.0, 1.0], max = 3.0, bits = 8);`, dataFile(unsigned, 0, 0, 4, 255), "graph.quant:1:28: shape error"},
	} {
		text := c.version + "graph g( x ) -> ( y ) {\n x = external(shape = [2]);\n w = variable(shape = [2], label = 'layer/w');\n y = mul(x, w);\n}"
		files := fstest.MapFS{"graph.nnef": {Data: []byte(text)}, "layer/w.dat": {Data: c.file}}
		if c.quant != "" {
			files["graph.quant"] = &fstest.MapFile{Data: []byte(c.quant)}
		}
		m, err := loadFS(files, ".")
		if err != nil {
			told := err.Error()
			if list := (syntax.Diagnostics)(nil); errors.As(err, &list) {
				told = list.Render()
			}
			if !strings.Contains(told, c.want) {
				t.Errorf("%s: got %v; want %s", c.name, told, c.want)
			}
			continue
		}
		y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 1, 1)})["y"]
		if got := fmt.Sprint(tensor.Data[float32](y)); got != c.want {
			t.Errorf("%s: got %s; want %s", c.name, got, c.want)
		}
		if c.version == scalar {
			checkSaved(t, c.name, m.Graph)
		}
	}
}

// checkSaved saves the graph of quantized variables twice and reads it back.
func checkSaved(t *testing.T, name string, g *graph.Graph) {
	t.Helper()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.tgz"), filepath.Join(dir, "b.tgz")
	if err := nnef.Save(a, g); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	m, err := nnef.Load(a, nnef.Options{})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer m.Close()
	if got, want := graph.Text(m.Graph, op.Rules), graph.Text(g, op.Rules); got != want {
		t.Errorf("%s: saved, it is\n%s\nwant\n%s", name, got, want)
	}
	for i := range m.Document.Extensions {
		t.Errorf("%s: the document has an extension %s", name, m.Document.Extensions[i].Name)
	}
	if err := nnef.Save(b, m.Graph); err != nil {
		t.Fatal(err)
	}
	first, errA := os.ReadFile(a)
	second, errB := os.ReadFile(b)
	if errA != nil || errB != nil || !bytes.Equal(first, second) {
		t.Errorf("%s: saving what was saved gives other bytes, %v, %v", name, errA, errB)
	}
}

// TestQuantizationFile finds the quantization file that belongs to a graph, and names it in messages.
func TestQuantizationFile(t *testing.T) {
	dir := t.TempDir()
	const text = "version 1.0;\ngraph g( x ) -> ( y ) {\n x = external(shape = [2]);\n y = relu(x);\n}"
	for name, data := range map[string]string{"graph.nnef": text, "graph.quant": "!", "net.nnef": text, "net.quant": "?", "plain.nnef": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	archive := filepath.Join(t.TempDir(), "m.tgz")
	c, err := container.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := container.Write(archive, c.Members()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                            filepath.Join(dir, "graph.quant:1:1"),
		filepath.Join(dir, "net.nnef"): filepath.Join(dir, "net.quant:1:1"),
		archive:                        archive + ":graph.quant:1:1",
	} {
		if _, err := nnef.Load(path, nnef.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %s…", path, err, want)
		}
	}
	m, err := nnef.Load(filepath.Join(dir, "plain.nnef"), nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
}

// TestSaveQuantized shows the files that quantized variables are saved as.
func TestSaveQuantized(t *testing.T) {
	files := fstest.MapFS{
		"graph.nnef": {Data: []byte("version 1.0;\ngraph g( x ) -> ( y ) {\n x = external(shape = [1, 2]);\n v = variable(shape = [1, 2], label = 'v');\n" +
			" w = variable(shape = [1, 2], label = 'v');\n z = mul(x, w);\n y = add(z, v);\n}")},
		"v.dat": {Data: func() []byte {
			d := dataFile(tensorfile.QuantizedSigned, 0, 0, 4, 255)
			d[8], d[12], d[16] = 2, 1, 2
			return d
		}()},
		"graph.quant": {Data: []byte(`"v": min_max_linear_quantize(bits = 4, min = [[-1.0, -0.1]], max = 1.0, signed = true, symmetric = true);` +
			`"w": zero_point_linear_quantize(zero_point = 0, scale = [[0.1, 0.2]], bits = 8, signed = true, symmetric = false);`)},
	}
	m, err := loadFS(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "graph.quant"))
	want := `"v": min_max_linear_quantize(min = [[-1.0, -0.1]], max = 1.0, bits = 4, signed = true, symmetric = true);` + "\n" +
		`"w": zero_point_linear_quantize(zero_point = [[0, 0]], scale = [[0.1, 0.2]], bits = 8, signed = true,` + "\n" +
		"    symmetric = false);\n"
	if err != nil || string(got) != want {
		t.Errorf("graph.quant is\n%s%v; want\n%s", got, err, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "v.dat"))
	if err != nil || !bytes.Equal(data, files["v.dat"].Data) {
		t.Errorf("v.dat differs, %v", err)
	}
	again, err := nnef.Load(dir, nnef.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got, want := graph.Text(again.Graph, op.Rules), graph.Text(m.Graph, op.Rules); got != want {
		t.Errorf("two meanings of one file: saved, the graph is\n%s\nit was\n%s", got, want)
	}
}

// TestSaveNoCodes saves codes of which there are none, with as many scales.
func TestSaveNoCodes(t *testing.T) {
	b := graph.NewBuilder(op.Rules, "none")
	var in []*graph.Value
	for i, d := range []tensor.DType{tensor.Uint8, tensor.Float32, tensor.Uint8} {
		none, err := tensor.New(d, tensor.Shape{0})
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Constant("", fmt.Sprint("label", i), none)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, v)
	}
	y, err := b.One("dequantize_linear", in, nil, "", "y")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Output("out", y); err != nil {
		t.Fatal(err)
	}
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if back := reload(t, g, "none").Graph; graph.Text(back, op.Rules) != graph.Text(g, op.Rules) {
		t.Errorf("saved, it is\n%s", graph.Text(back, op.Rules))
	}
}

// TestHalves keeps 16-bit floats as they are stored, also through saving.
func TestHalves(t *testing.T) {
	w, err := tensor.Cast(vector(t, 1.5, -2), tensor.Float16)
	if err != nil {
		t.Fatal(err)
	}
	m, err := loadFS(fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: encoded(t, w)}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 1, 1)})["y"]
	if got := fmt.Sprint(tensor.Data[float32](y)); got != "[1.5 -2]" {
		t.Errorf("got %s", got)
	}
	checkSaved(t, "halves", m.Graph)
	dir := t.TempDir()
	if err := nnef.Save(dir, m.Graph); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "layer", "w.dat"))
	if err != nil || !bytes.Equal(data, encoded(t, w)) {
		t.Errorf("the file differs, %v", err)
	}
}

// TestQuantizeOption rounds tensors while the model runs only if that is asked for.
func TestQuantizeOption(t *testing.T) {
	files := fstest.MapFS{
		"graph.nnef": {Data: []byte("version 1.0;\ngraph g( x ) -> ( y ) {\n x = external(shape = [2]);\n c = variable(shape = [2], label = 'c');\n" +
			" w = variable(shape = [2], label = 'w');\n a = add(x, c);\n b = add(a, w);\n y = copy(b);\n}")},
		"c.dat": {Data: dataFile(tensorfile.QuantizedUnsigned, 0, 0, 1, 0)}, "w.dat": {Data: encoded(t, vector(t, 0.3, 0))},
		"graph.quant": {Data: []byte(`"x": zero_point_linear_quantize(zero_point = 1, scale = [0.5], bits = 4, signed = true, symmetric = false);
			"c": linear_quantize(min = 0.0, max = 255.0, bits = 8);
			"w": min_max_linear_quantize(min = 0.0, max = 1.0, bits = 1, signed = false, symmetric = false);
			"b": logarithmic_quantize(max = 4.0, bits = 8);`)},
	}
	for want, on := range map[string]bool{"[1.8 -9]": false, "[2 -4]": true} {
		f, err := nnef.OpenFS(files, ".", nnef.Options{Quantize: on})
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Model()
		if err != nil {
			t.Fatal(err)
		}
		y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 0.5, -9)})["y"]
		if got := fmt.Sprint(tensor.Data[float32](y)); got != want {
			t.Errorf("Quantize %v: got %s; want %s", on, got, want)
		}
	}
}

// TestQuantizeMistakes refuses entries that do not fit the tensors that they would round.
func TestQuantizeMistakes(t *testing.T) {
	files := fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: encoded(t, vector(t, 1, 2))},
		"graph.quant": {Data: []byte(`"x": zero_point_linear_quantize(zero_point = 1, scale = [[0.5]], bits = 4, signed = true, symmetric = false);`)}}
	f, err := nnef.OpenFS(files, ".", nnef.Options{Quantize: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Model(); err == nil || !strings.Contains(err.Error(), "graph.nnef:4:9: graph error [NNEF0907]: graph.quant cannot be decoded: scale of zero_point_linear") {
		t.Errorf("got %v", err)
	}
}

// TestSaveDequantized saves applications of dequantize_linear, of which some a quantization file can say.
func TestSaveDequantized(t *testing.T) {
	half, err := tensor.Cast(vector(t, 0.5), tensor.Float16)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		scale *tensor.Tensor
		then  string // what the result goes through
		want  bool
	}{
		{"a positive scale", vector(t, 0.5), "relu", true},
		{"of a network beyond the standard", vector(t, 0.5), "gelu", false},
		{"a negative scale", vector(t, -0.5), "relu", false},
		{"an infinite scale", vector(t, float32(math.Inf(1))), "relu", false},
		{"a scale for each block", vector(t, 0.5, 0.25), "relu", false},
		{"numbers of 16 bits", half, "relu", false},
	} {
		codes, err := tensor.FromSlice([]uint8{1, 2, 3, 4}, 4)
		if err != nil {
			t.Fatal(err)
		}
		zero, err := tensor.New(tensor.Uint8, c.scale.Shape())
		if err != nil {
			t.Fatal(err)
		}
		b := graph.NewBuilder(op.Rules, "net")
		var in []*graph.Value
		for i, x := range []*tensor.Tensor{codes, c.scale, zero} {
			v, err := b.Constant([]string{"d_codes1", "const1", "const2"}[i], []string{"w", "", ""}[i], x)
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, v)
		}
		if _, err := b.Input("x", in[1].Type); err != nil {
			t.Fatal(err)
		}
		y, err := b.One("dequantize_linear", in, nil, "", "d")
		if err == nil {
			y, err = b.One(c.then, []*graph.Value{y}, nil, "", "y")
		}
		if err == nil {
			err = b.Output("y", y)
		}
		if err != nil {
			t.Fatal(err)
		}
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := reload(t, g, "m")
		if got, want := graph.Text(m.Graph, op.Rules), graph.Text(g, op.Rules); got != want {
			t.Errorf("%s: saved, it is\n%s\nwant\n%s", c.name, got, want)
		}
		if got := strings.Contains(m.Document.Source.Text, "dequantize_linear"); got == c.want {
			t.Errorf("%s: the document is\n%s", c.name, m.Document.Source.Text)
		}
	}
}

// TestQuantizedState runs models whose variables are codes first and then what update makes of them.
func TestQuantizedState(t *testing.T) {
	const unsigned, signed = tensorfile.QuantizedUnsigned, tensorfile.QuantizedSigned
	for _, c := range []struct {
		name, quant string
		file        []byte
		init        string
	}{
		{"linear", `"s": linear_quantize(min = -1.0, max = 254.0, bits = 8);`, dataFile(unsigned, 0, 0, 4, 255), "[3 254]"},
		{"zero point", `"s": zero_point_linear_quantize(zero_point = 1, scale = 0.5, bits = 8, signed = true, symmetric = false);`,
			dataFile(signed, 0, 0, 4, 255), "[1.5 -1]"},
		{"range", `"s": min_max_linear_quantize(min = -127.0, max = 127.0, bits = 8, signed = true, symmetric = true);`,
			dataFile(signed, 0, 0, 4, 255), "[4 -1]"},
		{"logarithmic", `"s": logarithmic_quantize(max = 1.0, bits = 8);`, dataFile(unsigned, 0, 0, 254, 255), "[0.5 1]"},
		{"deprecated parameters", "", dataFile(unsigned, math.Float32bits(-1), math.Float32bits(254), 4, 255), "[3 254]"},
		{"provisional header", "", provisionalFile("linear_quantize(min = -1.0, max = 254.0, bits = 8)", 4, 255), "[3 254]"},
	} {
		files := fstest.MapFS{
			"graph.nnef": {Data: []byte("version 1.0;\ngraph g( x ) -> ( y ) {\n x = external(shape = [2]);\n s = variable(shape = [2], label = 's');\n" +
				" r = variable(shape = [2], label = 's');\n z = add(x, s);\n y = copy(r);\n n = update(s, z);\n}")},
			"s.dat": {Data: c.file}, "graph.quant": {Data: []byte(c.quant)},
		}
		for _, on := range []bool{false, true} {
			m := built(t, files, nnef.Options{Quantize: on})
			checkSteps(t, c.name, m.Graph, c.init)
			dir := t.TempDir()
			if err := m.Save(dir); err != nil {
				t.Fatal(err)
			}
			again, err := nnef.Load(dir, nnef.Options{Quantize: on})
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			checkSteps(t, c.name+", saved", again.Graph, c.init)
			data, err := os.ReadFile(filepath.Join(dir, "s.dat"))
			if items := c.file[len(c.file)-2:]; err != nil || !bytes.Equal(data[tensorfile.HeaderSize:], items) {
				t.Errorf("%s: the codes are saved as %x, %v; want %x", c.name, data, err, items)
			}
			again.Close()
		}
	}
}

// checkSteps runs a graph twice, whose state begins with init and grows by 1 then.
func checkSteps(t *testing.T, name string, g *graph.Graph, init string) {
	t.Helper()
	p, err := engine.Compile(g, engine.Options{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	defer p.Close()
	s, err := p.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetInput(0, vector(t, 1, 1)); err != nil {
		t.Fatal(err)
	}
	var steps [2][]float32
	for i := range steps {
		if err := s.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		steps[i] = slices.Clone(tensor.Data[float32](s.Output(0)))
	}
	if fmt.Sprint(steps[0]) != init || steps[1][0] != steps[0][0]+1 || steps[1][1] != steps[0][1]+1 {
		t.Errorf("%s: the steps give %v; they must begin with %s", name, steps, init)
	}
}

// TestDataFiles finds the data of variables in other files than LABEL.dat.
func TestDataFiles(t *testing.T) {
	const text = "version 1.0;\ngraph g( x ) -> ( y ) {\n x = external(shape = [2]);\n w = variable(shape = [2], label = 'a/w');\n y = mul(x, w);\n}"
	header := `{"a/w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	collection := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	collection = append(collection, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40)
	other := bytes.Replace(collection, []byte("a/w"), []byte("a/v"), 1)
	w := encoded(t, vector(t, 3, 4))
	for _, c := range []struct {
		name  string
		files map[string][]byte
		want  string
	}{
		{"version", map[string][]byte{"a/w.dat.f32": w}, ""},
		{"collection", map[string][]byte{"model.safetensors": collection}, ""},
		{"two collections", map[string][]byte{"a.safetensors": other, "b.safetensors": collection}, ""},
		{"tensor file before collection", map[string][]byte{"a/w.dat": w, "model.safetensors": {1}}, ""},
		{"broken collection", map[string][]byte{"model.safetensors": {1}}, "model.safetensors: the file has 1 bytes"},
		{"several versions", map[string][]byte{"a/w.dat.1": w, "a/w.dat.2": w}, "rename the one to use"},
		{"model within", map[string][]byte{"a/w.nnef.tgz": nil}, "models within models are not supported"},
		{"case", map[string][]byte{"a/W.dat": w}, "upper and lower case differ"},
	} {
		files := fstest.MapFS{"graph.nnef": {Data: []byte(text)}}
		for name, data := range c.files {
			files[name] = &fstest.MapFile{Data: data}
		}
		m, err := loadFS(files, ".")
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: the error is %v; want …%s…", c.name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		y := evaluate(t, m.Graph, map[string]*tensor.Tensor{"x": vector(t, 1, 1)})["y"]
		if got := fmt.Sprint(tensor.Data[float32](y)); got != "[3 4]" {
			t.Errorf("%s: got %s", c.name, got)
		}
	}
}

// TestItemsBeyondElements refuses items that the elements of a variable cannot hold, with and without a state.
func TestItemsBeyondElements(t *testing.T) {
	for _, c := range []struct {
		kind, extension string
		items           *tensor.Tensor
		want            string
	}{
		{"integer", "", slice(t, uint64(math.MaxInt64), 1<<63), "w.dat: item 1 is 9223372036854775808, which int64 cannot hold"},
		{"integer", "", slice(t, uint64(math.MaxInt64), 0), ""},
		{"integer", "uint8", slice(t, int16(255), 256), "item 1 is 256, which uint8 cannot hold"},
		{"integer", "uint64", slice(t, int8(127), -1), "item 1 is -1, which uint64 cannot hold"},
		{"integer", "int8", slice(t, uint8(127), 128), "item 1 is 128, which int8 cannot hold"},
		{"scalar", "", slice(t, 1e38, -1e39), "item 1 is -1e+39, which float32 cannot hold"},
		{"scalar", "", slice(t, 0x1.fffffefffffffp127, math.Inf(-1)), ""},
		{"scalar", "float16", slice(t, float32(65519), 65520), "item 1 is 65520, which float16 cannot hold"},
		{"scalar", "float64", slice(t, 1e39, 0), ""},
	} {
		for _, state := range []string{"", " u = update(w, w);\n"} {
			extension := ""
			if c.extension != "" {
				extension = "extension concord_operators;\nextension concord_type w " + c.extension + ";\n"
			}
			text := fmt.Sprintf("version 1.0;\n%sgraph g( x ) -> ( y, w ) {\n x = external(shape = [2]);\n y = copy(x);\n w = variable<%s>(shape = [2], label = 'w');\n%s}",
				extension, c.kind, state)
			_, err := loadFS(fstest.MapFS{"graph.nnef": {Data: []byte(text)}, "w.dat": {Data: encoded(t, c.items)}}, ".")
			if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "graph.nnef:")) {
				t.Errorf("%v as %s %s%s: got %v; want %s", c.items.Describe(), c.kind, c.extension, state, err, c.want)
			}
		}
	}
}

// slice returns a tensor of two elements.
func slice[T tensor.Element](t *testing.T, elements ...T) *tensor.Tensor {
	t.Helper()
	x, err := tensor.FromSlice(elements, len(elements))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// FuzzModelFiles loads, saves and loads a model with hostile tensor and quantization files.
func FuzzModelFiles(f *testing.F) {
	entry := `"w": min_max_linear_quantize(min = [-1.0], max = [1.0, 2.0], bits = 4, signed = true, symmetric = true);`
	f.Add(dataFile(tensorfile.QuantizedSigned, 0, 0, 4, 255), entry)
	f.Add(dataFile(tensorfile.QuantizedUnsigned, 0, 0, 4, 255), `"w": zero_point_linear_quantize(zero_point = 3, scale = 0.5, bits = 8, signed = false, symmetric = false);`)
	f.Add(dataFile(tensorfile.QuantizedUnsigned, math.Float32bits(-1), math.Float32bits(1), 4, 255), "")
	f.Add(provisionalFile("logarithmic_quantize(max = 4.0, bits = 3)", 4, 255), `"x": linear_quantize(min = 0.0, max = 1.0, bits = 8);`)
	f.Fuzz(func(t *testing.T, data []byte, entries string) {
		files := fstest.MapFS{"graph.nnef": {Data: []byte(smallModel)}, "layer/w.dat": {Data: data}, "graph.quant": {Data: []byte(entries)}}
		m, err := loadFS(files, ".")
		if err != nil {
			return
		}
		first, second := new(bytes.Buffer), new(bytes.Buffer)
		if err := m.WriteArchive(first, false); err != nil {
			t.Fatal(err)
		}
		saved := unpacked(t, first.Bytes())
		again, err := loadFS(saved, ".")
		if err != nil {
			t.Fatalf("%v\n%s", err, saved["graph.nnef"].Data)
		}
		if err := again.WriteArchive(second, false); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("saving what was saved gives other bytes:\n%q\n%q", first, second)
		}
	})
}
