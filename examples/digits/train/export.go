package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeModel writes a network as an NNEF 1.0 folder: graph.nnef and a file for each parameter.
func writeModel(dir string, n network) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "graph.nnef"), []byte(graphText(n)), 0o644); err != nil {
		return err
	}
	for _, t := range n.tensors() {
		if err := os.WriteFile(filepath.Join(dir, t.name+".dat"), tensorFile(t), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readModel reads what writeModel has written. The graph is not looked at: the network is always the same.
func readModel(dir string) (network, error) {
	n := newNetwork()
	for _, t := range n.tensors() {
		name := filepath.Join(dir, t.name+".dat")
		file, err := os.ReadFile(name)
		if err != nil {
			return network{}, err
		}
		if want := tensorFile(t); len(file) != len(want) || !bytes.Equal(file[:128], want[:128]) {
			return network{}, fmt.Errorf("%s: not a float32 tensor of shape %v", name, t.shape)
		}
		if _, err := binary.Decode(file[128:], binary.LittleEndian, *t.data); err != nil {
			return network{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	return n, nil
}

// graphText returns the structure of the network.
func graphText(n network) string {
	var b strings.Builder
	b.WriteString("version 1.0;\n\ngraph digits( x ) -> ( y )\n{\n")
	fmt.Fprintf(&b, "\tx = external<scalar>(shape = [1, 1, %d, %d]);\n", side, side)
	for _, t := range n.tensors() {
		shape := strings.ReplaceAll(fmt.Sprint(t.shape), " ", ", ")
		fmt.Fprintf(&b, "\t%s = variable<scalar>(shape = %s, label = '%s');\n", t.name, shape, t.name)
	}
	input := "x"
	for i, pad := range []int{1, 0, 0} {
		k := i + 1
		fmt.Fprintf(&b, "\tconv%d = conv(%s, conv%d_filter, conv%d_bias, border = 'constant', padding = [(%d, %d), (%d, %d)], "+
			"stride = [1, 1], dilation = [1, 1], groups = 1);\n", k, input, k, k, pad, pad, pad, pad)
		fmt.Fprintf(&b, "\trelu%d = relu(conv%d);\n", k, k)
		fmt.Fprintf(&b, "\tpool%d = max_pool(relu%d, size = [1, 1, 2, 2], border = 'ignore', "+
			"padding = [(0, 0), (0, 0), (0, 0), (0, 0)], stride = [1, 1, 2, 2], dilation = [1, 1, 1, 1]);\n", k, k)
		input = fmt.Sprintf("pool%d", k)
	}
	fmt.Fprintf(&b, "\tflat = reshape(%s, shape = [1, %d]);\n", input, features)
	b.WriteString("\tscores = linear(flat, dense_filter, dense_bias);\n")
	b.WriteString("\ty = softmax(scores, axes = [1]);\n}\n")
	return b.String()
}

// tensorFile returns a parameter as an NNEF tensor file: a header of 128 bytes and the items as float32.
func tensorFile(p parameter) []byte {
	header := struct {
		Magic        [2]byte
		Version      [2]byte
		Length, Rank uint32
		Extents      [8]uint32
		Bits         uint32
		Type, Vendor uint16
		Parameters   [32]byte
		Reserved     [44]byte
	}{
		Magic: [2]byte{0x4E, 0xEF}, Version: [2]byte{1, 0},
		Length: uint32(4 * p.volume()), Rank: uint32(len(p.shape)), Bits: 32,
	}
	for i, n := range p.shape {
		header.Extents[i] = uint32(n)
	}
	var b bytes.Buffer
	// Neither can fail: the sizes are fixed and the buffer grows.
	_ = binary.Write(&b, binary.LittleEndian, header)
	_ = binary.Write(&b, binary.LittleEndian, *p.data)
	return b.Bytes()
}
