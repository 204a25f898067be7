package nnef_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/tensor"
)

// tractFile is a tensor file as tract writes it.
func tractFile(item, vendor uint16, bits int, data []byte, shape ...int) *fstest.MapFile {
	b := make([]byte, 128, 128+len(data))
	copy(b, []byte{0x4E, 0xEF, 1, 0})
	binary.LittleEndian.PutUint32(b[4:], uint32(len(data)))
	binary.LittleEndian.PutUint32(b[8:], uint32(len(shape)))
	for i, n := range shape {
		binary.LittleEndian.PutUint32(b[12+4*i:], uint32(n))
	}
	binary.LittleEndian.PutUint32(b[44:], uint32(int32(bits)))
	binary.LittleEndian.PutUint16(b[48:], item)
	binary.LittleEndian.PutUint16(b[50:], vendor)
	return &fstest.MapFile{Data: append(b, data...)}
}

const tractModel = `version 1.0;

extension tract_registry tract_core;
extension tract_symbol N;

fragment tract_core_properties(
) -> (properties: (string, tensor<scalar>)[])
{
  properties = [("tract_nnef_ser_version", "0.21.4"), ("count", tract_core_cast(8, to = "i64"))];
}

fragment picked( x: tensor<scalar> ) -> ( y: tensor<scalar> )
{
    order = variable<scalar>(label = "order.0", shape = [3]);
    y = tract_core_gather(x, order, axis = 1);
}

graph network(i"in/x") -> (i"out/y") {
  i"in/x" = tract_core_external(shape = [N, 2], datum_type = 'f32');
  half = variable<scalar>(label = "half", shape = [1, 3]);
  blocks = variable(label = "blocks", shape = [3, 32]);
  z = tract_core_cast(picked(i"in/x"), to = "f16") * half;
  i"out/y" = tract_core_cast(z, to = "f32") + unsqueeze(slice(squeeze(blocks, axes = []), axes = [1], begin = [0], end = [1])[1], axes = [0]);
}
`

// TestTractModel reads a folder with the files that tract writes: integers of 64 bits, 16-bit floats, and weights in
// blocks of 4 bits.
func TestTractModel(t *testing.T) {
	var order, half []byte
	for _, n := range []int64{1, 0, -1} {
		order = binary.LittleEndian.AppendUint64(order, uint64(n))
	}
	for _, f := range []float32{0.5, 2, -1} {
		half = binary.LittleEndian.AppendUint16(half, uint16(tensor.ToF16(f)))
	}
	var blocks []byte
	for i := range 3 { // a scale and 32 codes of 4 bits, the first of which are 8 + 3 and 8 - 8
		blocks = binary.LittleEndian.AppendUint16(blocks, uint16(tensor.ToF16(float32(i))))
		blocks = append(append(blocks, 0x0B), make([]byte, 15)...)
	}
	files := fstest.MapFS{
		"m/graph.nnef":  {Data: []byte(tractModel)},
		"m/order.0.dat": tractFile(3, 0, 64, order, 3),
		"m/half.dat":    tractFile(0, 0, 16, half, 1, 3),
		"m/blocks.dat":  tractFile(0x2040, 0x5452, -1, blocks, 3, 32),
	}
	f, err := nnef.OpenFS(files, "m", nnef.Options{Shapes: map[string]tensor.Shape{"in/x": {2, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if list := f.Check(); list.Err() != nil {
		t.Fatal(list.Err())
	}
	m, err := f.Model()
	if err != nil {
		t.Fatal(err)
	}
	if v, n := m.Properties["tract_nnef_ser_version"], m.Properties["count"]; v != "0.21.4" || n != "8" {
		t.Errorf("the properties are %v", m.Properties)
	}
	x := map[string][]float32{m.Graph.Inputs[0].Name: {1, 2, 3, 4}}
	if got, _ := runGraph(t, m.Graph, x); !near(got, []float64{1 + 3, 2 + 3, -2 + 3, 2 + 3, 6 + 3, -4 + 3}) {
		t.Errorf("got %v", got)
	}
}

// TestTractVariables takes the types of variables from their files, whatever the document says; floats of 64 bits become those of 32.
func TestTractVariables(t *testing.T) {
	for _, c := range []struct {
		item uint16
		bits int
		want tensor.DType
	}{{0, 16, tensor.Float16}, {0, 64, tensor.Float32}, {3, 64, tensor.Int64}, {2, 8, tensor.Uint8}} {
		files := fstest.MapFS{
			"graph.nnef": {Data: []byte(tractText("[2]", "", "out = variable<scalar>(label = 'w', shape = [2]);"))},
			"w.dat":      tractFile(c.item, 0, c.bits, make([]byte, 2*c.bits/8), 2),
		}
		m, err := loadFS(files, ".")
		if err != nil {
			t.Error(err)
			continue
		}
		if got := m.Graph.Outputs[0].Value.Type.DType; got != c.want {
			t.Errorf("items of type %d with %d bits are %v; want %v", c.item, c.bits, got, c.want)
		}
	}
}

func FuzzTract(f *testing.F) {
	for _, c := range tractCases {
		f.Add(tractText(c.x, c.y, c.body))
	}
	f.Add(symbolText)
	f.Add(scanText)
	f.Add(tractModel)
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "tract_") {
			return
		}
		shapes := map[string]tensor.Shape{"x": {1, 5, 2}, "y": {7, 2}}
		if g, err := parseTract(text, shapes); (g == nil) == (err == nil) {
			t.Errorf("a graph %v and the error %v", g, err)
		}
	})
}
