package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// piped is execute with something on standard input.
func piped(t *testing.T, stdin []byte, args ...string) (out string, code int) {
	t.Helper()
	var b bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(bytes.NewReader(stdin))
	root.SetOut(&b)
	root.SetErr(&b)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		code = exitCode(err)
		printError(&b, err)
	}
	return b.String(), code
}

// TestRunPiped gives the same input as a file and on standard input, in every form that is recognised.
func TestRunPiped(t *testing.T) {
	dir := t.TempDir()
	x := op.NewRand(1, 1).Uniform(tensor.Float32, tensor.Shape{1, 1, 28, 28}, 0, 1)
	var array bytes.Buffer
	if err := tensor.WriteNPY(&array, x); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"x.npy": array.Bytes(), "x.bin": tensor.AppendRaw(nil, x)}
	saveNPZ(t, filepath.Join(dir, "x.npz"), tensor.Named{Name: "x", Tensor: x})
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"x.npy", "x.bin", "x.npz", digits(t, "drawings", "seven.png")}
	for _, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := execute(t, "run", "--hash", digits(t, "model.nnef"), name)
		for _, arg := range []string{"-", "x=-"} {
			if got, code := piped(t, data, "run", "--hash", digits(t, "model.nnef"), arg); code != 0 || got != want {
				t.Errorf("%s as %s: code %d, %s; want %s", name, arg, code, got, want)
			}
		}
	}
	for _, c := range []struct{ stdin, want string }{
		{"", "<stdin>: 0 bytes do not fill a tensor of type float32[1,1,28,28]"},
		{"\x89PNG\r\n\x1a\n", "<stdin>: the picture is damaged"},
		{"\x93NUMPY\x01", "<stdin>: "},
		{"PK\x03\x04", "<stdin>: "},
		{"RIFF\x00\x00\x00\x00WAVE", "does not say how this file becomes input x"},
	} {
		if got, code := piped(t, []byte(c.stdin), "run", digits(t, "model.nnef"), "-"); code != exitInput || !strings.Contains(got, c.want) {
			t.Errorf("%q: code %d, %s; want %s", c.stdin, code, got, c.want)
		}
	}
	if got, code := piped(t, array.Bytes()[:90], "run", inTestdata("open.nnef")[0], "-"); code != exitInput {
		t.Errorf("an array cut off: code %d, %s", code, got)
	}
}

// TestRunPipedMedia reads JPEG and WAV from standard input, and writes only where --output says.
func TestRunPipedMedia(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	for _, c := range []struct{ model, input, want string }{
		{"ultraface/slim-320_simplified.nnef.tgz", "ultraface/photos/2.jpg", "4 found\nwritten: " + filepath.Join(dir, "stdin-boxes.png")},
		{"silero-vad/silero_vad_16k_op15.onnx", "silero-vad/speech-20s.wav", "speech\n"},
	} {
		data, err := os.ReadFile(testdata.Shared(t, "models", filepath.FromSlash(c.input)))
		if err != nil {
			t.Fatal(err)
		}
		if c.input[len(c.input)-3:] == "wav" {
			data = data[:64000] // two seconds
		}
		model := testdata.Shared(t, "models", filepath.FromSlash(c.model))
		if out, code := piped(t, data, "run", model, "-", "-o", dir); code != 0 || !strings.Contains(out, c.want) {
			t.Errorf("%s: code %d, %s; want %s", c.input, code, out, c.want)
		}
		if out, code := piped(t, data, "run", model, "-"); code != 0 || strings.Contains(out, "written") {
			t.Errorf("%s: code %d, %s", c.input, code, out)
		}
	}
}

// TestRunFolders runs a model on folders and patterns, in the order of names.
func TestRunFolders(t *testing.T) {
	dir := t.TempDir()
	seven, err := os.ReadFile(digits(t, "drawings", "seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.png", "a.PNG", "notes.txt", "a-boxes.png", "a-outputs.npz", "c-boxes.png", "empty/x.txt", "sub.png/z.png"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, seven, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 1, 28, 28})
	if err != nil {
		t.Fatal(err)
	}
	saveNPZ(t, filepath.Join(dir, "arrays.npz"), tensor.Named{Name: "x", Tensor: x})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, c := range []struct {
		args []string
		want string // names of the inputs, or a part of the error
		code int
	}{
		{[]string{dir}, "a.PNG b.png c-boxes.png", 0},
		{[]string{"x=" + dir}, "a.PNG b.png c-boxes.png", 0},
		{[]string{at("*.png"), at("a.PNG")}, "b.png c-boxes.png a.PNG", 0},
		{[]string{at("*")}, "a.PNG arrays.npz b.png c-boxes.png", 0},
		{[]string{at("[ab].*")}, "a.PNG b.png", 0},
		{[]string{at("empty")}, "empty: the folder has no files for the inputs, which end in .png, .jpg, .jpeg, .gif, .npy, .npz, .bin", exitInput},
		{[]string{at("*.txt")}, "*.txt: it matches 1 names, but no files for the inputs", exitInput},
		{[]string{at("*.wav")}, "*.wav: no file matches the pattern", exitInput},
		{[]string{at("none.png")}, "none.png: there is no such file or folder", exitInput},
		{[]string{at("a[")}, "a[: this is no pattern", exitUsage},
		{[]string{"x=" + at("a.PNG"), "x=" + at("b.png")}, "a file is given for the input x already", exitUsage},
		{[]string{"x=" + dir, at("a.PNG")}, "x: several files are given for it", exitUsage},
		{[]string{"y=" + dir}, `the model has no input "y"`, exitUsage},
	} {
		out, code := piped(t, nil, slices.Concat([]string{"run", "--hash", digits(t, "model.nnef")}, c.args)...)
		if c.code == 0 {
			var names []string
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, dir) {
					names = append(names, filepath.Base(strings.TrimSpace(line)))
				}
			}
			out = strings.Join(names, " ")
		}
		if code != c.code || !strings.Contains(out, c.want) || code == 0 && out != c.want {
			t.Errorf("%q: code %d, %s; want %s", c.args, code, out, c.want)
		}
	}
}

// TestOutputFolder refuses a file in place of the folder for results.
func TestOutputFolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := piped(t, nil, "run", digits(t, "model.nnef"), "--random", "-o", name); code != exitInput || !strings.Contains(out, "the results need a folder") {
		t.Errorf("code %d: %s", code, out)
	}
}
