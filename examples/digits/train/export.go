package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/internal/nnef/container"
	"github.com/concord-nn/concord/internal/nnef/tensorfile"
	"github.com/concord-nn/concord/tensor"
)

// writeModel writes a network as an NNEF 1.0 folder: graph.nnef and a file for each parameter.
func writeModel(dir string, n network) error {
	return container.WriteFolder(dir, func(yield func(string, func(io.Writer) error) bool) {
		writeGraph := func(w io.Writer) error { _, err := io.WriteString(w, graphText(n)); return err }
		if !yield(container.GraphFile, writeGraph) {
			return
		}
		for _, p := range n.tensors() {
			writeParameter := func(w io.Writer) error {
				t, err := tensor.FromSlice(*p.data, p.shape...)
				if err != nil {
					return err
				}
				return tensorfile.Encode(w, t)
			}
			if !yield(p.name+".dat", writeParameter) {
				return
			}
		}
	})
}

// readModel reads what writeModel has written. The graph is not looked at: the network is always the same.
func readModel(dir string) (network, error) {
	n := newNetwork()
	for _, p := range n.tensors() {
		name := filepath.Join(dir, p.name+".dat")
		file, err := os.ReadFile(name)
		if err != nil {
			return network{}, err
		}
		t, _, err := tensorfile.Decode(file)
		if err != nil {
			return network{}, fmt.Errorf("%s: %w", name, err)
		}
		if t.DType() != tensor.Float32 || !t.Shape().Equal(p.shape) {
			return network{}, fmt.Errorf("%s: %v is not a float32 tensor of shape %v", name, t.Describe(), p.shape)
		}
		copy(*p.data, tensor.Data[float32](t))
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
