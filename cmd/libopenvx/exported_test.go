package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/openvx"
	"github.com/concord-nn/concord/openvx/export"
	elements "github.com/concord-nn/concord/tensor"
)

// TestExported compiles the C that package export writes, and runs it on the library: the bytes are those of the calls from Go.
func TestExported(t *testing.T) {
	dir, cc := library(t)
	pieces := filepath.Join(t.TempDir(), "pieces.nnef")
	if err := os.WriteFile(pieces, []byte(everyCall), 0o666); err != nil {
		t.Fatal(err)
	}
	models := map[string]string{"digits": "../../examples/digits/model.nnef", "pieces": pieces}
	for _, faces := range testdata.Glob(t, "models", "ultraface", "slim-320_simplified.nnef.tgz") {
		models["faces"] = faces
	}
	for model, path := range models {
		for _, f := range []export.Format{export.Q78, export.Float32} {
			t.Run(fmt.Sprintf("%s, %v", model, f), func(t *testing.T) {
				m, err := nnef.Load(path, nnef.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				n, err := export.New(m.Graph, export.Options{Float: f})
				if err != nil {
					t.Fatal(err)
				}
				exported(t, n, dir, cc)
			})
		}
	}
}

// everyCall is a model of which each function that the export knows makes a part, other than those of the other models.
const everyCall = `version 1.0;
extension KHR_enable_operator_expressions;
graph pieces( x, m ) -> ( a, b, c, d )
{
    x = external(shape = [1, 4, 6, 6]);
    m = external(shape = [3, 4]);
    f = constant(shape = [4, 2, 3, 3], value = [0.25]);
    n = local_response_normalization(x, size = [1, 3, 1, 1], alpha = 1.0, beta = 0.75, bias = 1.0);
    g = conv(n, f, 0.5, padding = [(1, 0), (1, 2)], stride = [1, 2], dilation = [], groups = 2, border = 'constant');
    h = deconv(g, f, 0.0, padding = [(1, 1), (1, 1)], stride = [2, 1], dilation = [], groups = 2, border = 'constant', output_shape = []);
    p = avg_pool(h, size = [1, 1, 2, 2], stride = [1, 1, 2, 1], padding = [(0, 0), (0, 0), (0, 0), (0, 0)], border = 'constant');
    s = sigmoid(p) * tanh(p) - 0.125;
    a = clamp(s, -0.5, 0.5);
    [b, e] = split(x, axis = 1, ratios = [1, 3]);
    c = transpose(concat([e, b], axis = 1), axes = [0, 2, 3, 1]);
    d = matmul(m, m, transposeA = false, transposeB = true) / 3.0;
}
`

// exported compares the outputs of a network that C makes with those of one that Go makes.
func exported(t *testing.T, n *export.Network, dir, cc string) {
	t.Helper()
	work := t.TempDir()
	files := n.Files("net work")
	for ending, data := range map[string][]byte{".c": files.Source, ".h": files.Header, ".bin": testdata.Written(t, files.Weights)} {
		if err := os.WriteFile(filepath.Join(work, "net work"+ending), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	inputs := make(map[string]*elements.Tensor)
	var given, want []byte
	for i, p := range n.Inputs {
		inputs[p.Name] = op.NewRand(uint64(i), 4).Uniform(p.DType, p.Shape, -1, 1)
		raw, err := p.Tensor.Encode(inputs[p.Name])
		if err != nil {
			t.Fatal(err)
		}
		given = elements.AppendRaw(given, raw)
	}
	ctx, err := openvx.NewContext(openvx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	built, err := n.Build(ctx)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := built.Run(n, inputs)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range n.Outputs {
		raw, err := p.Tensor.Encode(outputs[p.Name])
		if err != nil {
			t.Fatal(err)
		}
		want = elements.AppendRaw(want, raw)
	}
	source, program := filepath.Join(work, "main.c"), filepath.Join(work, "main")
	if err := os.WriteFile(source, []byte(mainFor(n)), 0o666); err != nil {
		t.Fatal(err)
	}
	run(t, exec.Command(cc, "-std=c99", "-pedantic", "-O1", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-I"+work, "-o", program, source,
		filepath.Join(work, "net work.c"), filepath.Join(dir, "libopenvx.so.1"), "-Wl,-rpath,"+dir))
	c := exec.Command(program, filepath.Join(work, "net work.bin"))
	c.Stdin = bytes.NewReader(given)
	got, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the program gives %d bytes, which are not the %d bytes of the calls from Go", len(got), len(want))
	}
	if out, err := exec.Command(program, source).Output(); err == nil || !strings.Contains(string(out), "weights") {
		t.Errorf("with another file as weights the program ends with %v: %s", err, out)
	}
}

// mainFor is a program that reads the inputs of a network and writes its outputs.
func mainFor(n *export.Network) string {
	var b strings.Builder
	b.WriteString(`#include "net work.h"
#include <stdio.h>
#include <stdlib.h>

static vx_status transfer(vx_tensor tensor, vx_enum usage)
{
    vx_size rank, dims[6], start[6] = {0}, strides[6];
    vx_enum type;
    vxQueryTensor(tensor, VX_TENSOR_NUMBER_OF_DIMS, &rank, sizeof rank);
    vxQueryTensor(tensor, VX_TENSOR_DIMS, dims, rank * sizeof *dims);
    vxQueryTensor(tensor, VX_TENSOR_DATA_TYPE, &type, sizeof type);
    vx_size bytes = type == VX_TYPE_FLOAT32 ? 4 : type == VX_TYPE_INT16 ? 2 : 1;
    for (vx_size d = 0; d < rank; d++) {
        strides[d] = bytes;
        bytes *= dims[d];
    }
    void *data = malloc(bytes);
    vx_size moved = bytes;
    if (usage == VX_WRITE_ONLY)
        moved = fread(data, 1, bytes, stdin);
    vx_status status = vxCopyTensorPatch(tensor, rank, start, dims, strides, data, usage, VX_MEMORY_TYPE_HOST);
    if (usage == VX_READ_ONLY)
        moved = fwrite(data, 1, bytes, stdout);
    free(data);
    return moved == bytes ? status : VX_FAILURE;
}

int main(int count, char **arguments)
{
    net_work_network network;
    vx_context context = vxCreateContext();
    vx_uint32 before, after;
    (void)count;
    vxQueryContext(context, VX_CONTEXT_REFERENCES, &before, sizeof before);
    if (net_work_create(context, arguments[1], &network) != VX_SUCCESS) {
        printf("failed: %s\n", network.failed);
        return 1;
    }
`)
	step := func(call string) { fmt.Fprintf(&b, "    if (%s != VX_SUCCESS)\n        return 2;\n", call) }
	for _, p := range n.Inputs {
		step("transfer(network." + p.Tensor.Name + ", VX_WRITE_ONLY)")
	}
	step("vxProcessGraph(network.graph)")
	for _, p := range n.Outputs {
		step("transfer(network." + p.Tensor.Name + ", VX_READ_ONLY)")
	}
	b.WriteString(`    net_work_release(&network);
    vxQueryContext(context, VX_CONTEXT_REFERENCES, &after, sizeof after);
    if (before != after)
        return 3;
    return vxReleaseContext(&context) == VX_SUCCESS ? 0 : 4;
}
`)
	return b.String()
}
