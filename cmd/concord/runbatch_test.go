package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// openDocument leaves the number of samples open, and mixes nothing between them. The second input has no samples.
const openDocument = `version 1.0

graph net( x, scale ) -> ( y, z )
{
    x = external(shape = [0, 3, 8, 8])
    scale = external(shape = [1, 3, 1, 1])
    a = mul(x, scale)
    b = avg_pool(a, size = [1, 1, 3, 3], stride = [1, 1, 2, 2])
    y = softmax(b)
    z = max_reduce(a, axes = [1, 2, 3])
}
`

// TestRunBatch computes samples together, with a last run that is not full, and compares all that is printed with one at a time.
func TestRunBatch(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "net.nnef")
	if err := os.WriteFile(path, []byte(openDocument), 0o600); err != nil {
		t.Fatal(err)
	}
	scale := op.NewRand(9, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 1, 1}, 0, 1)
	for k := range 5 {
		x := op.NewRand(uint64(k), 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 8, 8}, -1, 1)
		saveNPZ(t, filepath.Join(dir, "in"+strconv.Itoa(k)+".npz"), tensor.Named{Name: "x", Tensor: x}, tensor.Named{Name: "scale", Tensor: scale})
	}
	for _, flags := range []string{"--hash", "--format ndjson", "--raw"} {
		args := append([]string{"run", path, filepath.Join(dir, "in?.npz"), "-o", dir, "--force"}, strings.Fields(flags)...)
		want, code := execute(t, args...)
		if code != 0 {
			t.Fatal(want)
		}
		for _, n := range []string{"1", "2", "5", "16"} {
			if got, code := execute(t, append(args, "--batch", n)...); code != 0 || got != want {
				t.Errorf("%s --batch %s: code %d\n%s\nwant\n%s", flags, n, code, got, want)
			}
		}
	}
	broken := filepath.Join(dir, "in1b.npz")
	if err := os.WriteFile(broken, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", path, filepath.Join(dir, "in*.npz"), "-o", dir, "--force", "--format", "csv", "--keep-going"}
	want, code := execute(t, args...)
	if code != exitInput || strings.Count(want, broken) != 1 || !strings.Contains(want, "in4.npz") {
		t.Fatalf("code %d, %s", code, want)
	}
	for _, n := range []string{"1", "2", "4", "16"} {
		if got, code := execute(t, append(args, "--batch", n)...); code != exitInput || got != want {
			t.Errorf("--keep-going --batch %s: code %d\n%s\nwant\n%s", n, code, got, want)
		}
	}
	saveNPZ(t, filepath.Join(dir, "in9.npz"), tensor.Named{Name: "x", Tensor: op.NewRand(9, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 8, 8}, 0, 1)},
		tensor.Named{Name: "scale", Tensor: op.NewRand(8, 1).Uniform(tensor.Float32, tensor.Shape{1, 3, 1, 1}, 0, 1)})
	mixing := filepath.Join(dir, "mixing.nnef")
	if err := os.WriteFile(mixing, []byte(strings.Replace(openDocument, "softmax(b)", "softmax(b, axes = [0])", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{path, filepath.Join(dir, "in?.npz"), "--batch", "2", "--force"}, exitInput, "in9.npz: --batch: the input scale: float32[1,3,1,1] has no extent for samples"},
		{[]string{digits(t, "model.nnef"), "--random", "--batch", "2"}, exitInput, "reshape: shape: [1,192] has 192 elements"},
		{[]string{filepath.Join("testdata", "open.nnef"), "--random", "--batch", "2"}, exitInput, "samples cannot be told apart"},
		{[]string{mixing, "--random", "--batch", "2"}, exitInput, "--batch: samples may not be as they are alone behind the operator softmax"},
		{[]string{filepath.Join("testdata", "cvm", "strokes"), "--random", "--batch", "2"}, exitInput, "which the model fixes; it cannot be [2,1,3,3]"},
		{[]string{path, "--random", "--batch", "-1"}, exitUsage, "--batch -1: it must be a whole number of 1 or more"},
		{[]string{path, "--random", "--batch", "2", "--save", "a"}, exitUsage, "exclude each other"},
	} {
		if out, code := execute(t, append([]string{"run", "-o", dir}, c.args...)...); code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%q: code %d, %s; want %s", c.args, code, out, c.want)
		}
	}
}

// TestRunBatchPictures finds boxes in pictures of different sizes: each stands in the pixels of its own picture.
func TestRunBatchPictures(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{
		"net.nnef": []byte("version 1.0;\ngraph n(x) -> (y, s)\n{\n    x = external<scalar>(shape = [1,1,2,2]);\n    y = reshape(x, shape = [0,1,4]);\n" +
			"    m = max_reduce(x, axes = [1,2,3]);\n    s = reshape(m, shape = [0,1,1]);\n}\n"),
		"net.nnef.concord.json": []byte(`{"version": 1, "inputs": {"x": {"kind": "image", "resize": "stretch", "colour": "gray", "std": 255}},
			"outputs": {"y": {"kind": "boxes", "scores": "s", "labels": ["half"]}}}`),
	}
	for k := range 3 {
		picture := image.NewGray(image.Rect(0, 0, 2*k+2, 2))
		for x := range 2*k + 2 {
			picture.SetGray(x, 1, color.Gray{Y: 255})
		}
		var b bytes.Buffer
		if err := png.Encode(&b, picture); err != nil {
			t.Fatal(err)
		}
		files[strconv.Itoa(k)+".png"] = b.Bytes()
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"run", filepath.Join(dir, "net.nnef"), filepath.Join(dir, "?.png"), "-o", t.TempDir(), "--force", "--format", "ndjson"}
	want, code := execute(t, args...)
	if code != 0 || !strings.Contains(want, `"right":6,`) {
		t.Fatalf("code %d\n%s", code, want)
	}
	if got, code := execute(t, append(args, "--batch", "2")...); code != 0 || got != want {
		t.Errorf("code %d\n%s\nwant\n%s", code, got, want)
	}
}
