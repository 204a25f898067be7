package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/cvm/params"
	"github.com/concord-nn/concord/cvm/symbol"
	"github.com/concord-nn/concord/internal/report"
	"github.com/concord-nn/concord/tensor"
)

func strokes(elem ...string) string {
	return filepath.Join(append([]string{"testdata", "cvm", "strokes"}, elem...)...)
}

func sum(data string) string {
	s := sha256.Sum256([]byte(data))
	return hex.EncodeToString(s[:])
}

// TestHash holds the lines of --hash to their definition, at any number of threads.
func TestHash(t *testing.T) {
	scores := "\x00\x00\x00\x00\x5f\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // 0 95 0 0
	want := sum(scores) + "  scores int32[1,4]\n" + sum("\x01\x00\x00\x00") + "  encoded uint8[4]\n"
	for _, threads := range []string{"1", "2", "7"} {
		if out, code := execute(t, "run", strokes(), strokes("vertical.bin"), "--hash", "--threads", threads); code != 0 || out != want {
			t.Errorf("%s threads: code %d:\n%s", threads, code, out)
		}
	}

	dir := t.TempDir()
	model, input := filepath.Join(dir, "two.nnef"), filepath.Join(dir, "x.bin")
	text := "version 1.0;\ngraph two( x ) -> ( y, z )\n{\n    x = external<scalar>(shape = [2]);\n    y = add(x, x);\n    z = gt(x, 0.0);\n}\n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(input, []byte("\x00\x00\x80\x3f\x00\x00\x00\xc0"), 0o600); err != nil { // 1 and -2
		t.Fatal(err)
	}
	lines := sum("\x00\x00\x00\x40\x00\x00\x80\xc0") + "  y float32[2]\n" + sum("\x01\x00") + "  z bool[2]\n"
	want = lines + sum(lines) + "  all\n"
	if out, code := execute(t, "run", model, input, "--hash"); code != 0 || out != want {
		t.Errorf("code %d:\n%s\nwant\n%s", code, out, want)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
		t.Errorf("--hash writes files: %v, %v", files, err)
	}
}

// TestEncoded writes the encoded outputs of a CVM model, for inputs as bytes and as an array.
func TestEncoded(t *testing.T) {
	dir := t.TempDir()
	array := filepath.Join(dir, "falling.npz")
	picture, err := tensor.FromSlice([]int8{127, 0, 0, 0, 127, 0, 0, 0, 127}, 1, 1, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	saveNPZ(t, array, tensor.Named{Name: "data", Tensor: picture})
	file := filepath.Join(dir, "out")
	for _, tt := range []struct {
		args string
		want string
	}{
		{"--encoded " + file, "\x02\x00\x00\x00\x00\x00\x00\x00"},
		{"--hash --encoded " + file, "\x02\x00\x00\x00\x00\x00\x00\x00"},
		{"--hex --encoded " + file, "02000000\n00000000\n"},
	} {
		args := append([]string{"run", "--force", strokes(), strokes("rising.bin"), strokes("horizontal.bin")}, strings.Fields(tt.args)...)
		if out, code := execute(t, args...); code != 0 || !strings.Contains(out, "rising.bin") {
			t.Errorf("%s: code %d:\n%s", tt.args, code, out)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != tt.want {
			t.Errorf("%s: the file is %q, %v; want %q", tt.args, got, err, tt.want)
		}
	}
	for _, flag := range []string{"--hex", "--encoded=-"} {
		want := map[string]string{"--hex": "03000000\n", "--encoded=-": "\x03\x00\x00\x00"}[flag]
		if out, code := execute(t, "run", strokes(), array, flag); code != 0 || out != want {
			t.Errorf("%s: code %d: %q; want %q", flag, code, out, want)
		}
	}
}

// TestRunCVMPicture prepares a picture by the manifest of a CVM model.
func TestRunCVMPicture(t *testing.T) {
	out, code := execute(t, "run", strokes(), digits(t, "drawings", "one.png"))
	if code != 0 || !strings.HasPrefix(out, "vertical ") {
		t.Errorf("code %d:\n%s", code, out)
	}
}

// TestStandardInput takes the bytes of an input from standard input.
func TestStandardInput(t *testing.T) {
	const rising = "\x00\x00\x7f\x00\x7f\x00\x7f\x00\x00"
	for _, tt := range []struct {
		stdin, args, want string
	}{
		{rising, "run cvm/strokes data=- --hex", "02000000\nexit code 0\n"},
		{rising, "run cvm/strokes - --hex", "02000000\nexit code 0\n"},
		{rising, "run cvm/strokes - cvm/strokes/vertical.bin --hex", "02000000\n01000000\nexit code 0\n"},
		{rising, "diff cvm/strokes cvm/strokes data=-", "exit code 0\n"},
		{rising[1:], "run cvm/strokes data=-", "concord: <stdin>: 8 bytes do not fill"},
		{rising + "\x00", "run cvm/strokes data=-", "concord: <stdin>: it is longer than the 9 bytes"},
		{rising, "run cvm/strokes - -", "standard input can be read once; 2 inputs are to be read from it\nexit code 2\n"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if got := terminal(t, tt.stdin, strings.Fields(tt.args)...); !strings.Contains(got, tt.want) {
				t.Errorf("%swant %q", got, tt.want)
			}
		})
	}
	t.Run("files", func(t *testing.T) { // of an input without a place are only written where --output says
		dir := t.TempDir()
		got := terminal(t, "\x01\x02\x03\x04", "run", "--compat", "cvm/overlap", "-", "-o", dir)
		if want := "written: " + filepath.Join(dir, "stdin-outputs.npz") + "\nexit code 0\n"; !strings.Contains(got, want) {
			t.Errorf("%swant %q", got, want)
		}
	})
	t.Run("no files", func(t *testing.T) {
		if got := terminal(t, "\x01\x02\x03\x04", "run", "--compat", "cvm/overlap", "-"); strings.Contains(got, "written") {
			t.Error(got)
		}
	})
}

// TestStatesTogether runs a model whose storages keep what was written on several inputs: the outputs that are shown are those that are
// encoded.
func TestStatesTogether(t *testing.T) {
	dir := t.TempDir()
	four, file := filepath.Join("testdata", "cvm", "overlap", "four.bin"), filepath.Join(dir, "out")
	model := filepath.Join("testdata", "cvm", "overlap")
	out, code := execute(t, "run", "--compat", model, four, four, "--hash", "--encoded", file)
	encoded, err := os.ReadFile(file)
	if code != 0 || err != nil || len(encoded) != 64 {
		t.Fatalf("code %d, %d bytes, %v: %s", code, len(encoded), err, out)
	}
	for run := range 2 {
		for head, name := range []string{"rest", "size"} { // one row each
			at := 32*run + 16*head
			if want := sum(string(encoded[at:at+16])) + "  " + name; !strings.Contains(out, want) {
				t.Errorf("run %d: there is no %s in\n%s", run, want, out)
			}
		}
	}
}

// TestScores calls integers scores, and what softmax makes of them probabilities.
func TestScores(t *testing.T) {
	for _, flag := range []string{"--softmax", "--softmax=false"} {
		out, code := execute(t, "run", strokes(), strokes("rising.bin"), "--json", flag)
		score := flag == "--softmax=false"
		if strings.Contains(out, `"score": 95`) != score || strings.Contains(out, `"probability"`) == score || code != 0 {
			t.Errorf("%s: code %d: %s", flag, code, out)
		}
	}
}

// TestRandomPrecision draws inputs of a CVM model from all of its precision, to run it and to compare it with others.
func TestRandomPrecision(t *testing.T) {
	dir := t.TempDir()
	for name, most := range map[string]string{"wide": "127", "narrow": "25"} {
		s := symbol.Symbol{
			Version: symbol.V110,
			Nodes: []symbol.Node{{Op: "null", Name: "data"}, {Op: "null", Name: "w"}, {
				Op: "cvm_op", Name: "y", Attrs: &symbol.NodeAttrs{FuncName: "clip"}, Inputs: []symbol.Entry{{Node: 0}},
			}},
			Heads:     []symbol.Entry{{Node: 2}},
			OpAttrs:   []string{"{}", "{}", symbol.FormatAttrs(map[string]string{"a_min": "-" + most, "a_max": most})},
			Shape:     []tensor.Shape{{100}, {1}, {100}},
			StorageID: []int{0, 1, 2},
			Precision: []int{8, 8, -1},
		}
		unused, err := tensor.New(tensor.Int8, tensor.Shape{1}) // a parameter file needs one
		if err != nil {
			t.Fatal(err)
		}
		f, err := cvm.Encode(&s, []params.Param{{Name: "w", Tensor: unused}})
		if err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{"graph.json": f.Symbol, "params.bin": f.Params} {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name, file), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	wide, narrow := filepath.Join(dir, "wide"), filepath.Join(dir, "narrow")
	if out, code := execute(t, "diff", wide, narrow, "--random"); code != exitFailure {
		t.Errorf("no number is beyond 25: code %d: %s", code, out)
	}
	if hashes(t, wide, "--random") == hashes(t, narrow, "--random") {
		t.Error("no number of a run is beyond 25")
	}
}

// TestCVMUsage holds wrong command lines about CVM models to a reason.
func TestCVMUsage(t *testing.T) {
	bin := strokes("vertical.bin")
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"run MODEL BIN --hex --json", exitUsage, "print nothing else"},
		{"run MODEL BIN --encoded=- --hash", exitUsage, "print nothing else"},
		{"run MODEL BIN --hash --profile", exitUsage, "--profile needs --json"},
		{"run DIGITS --random --hex", exitUsage, "the model is no CVM model"},
		{"run MODEL BIN --shape data=1,9", exitUsage, "--shape data=1,9: input data has the shape [1,1,3,3], which the model fixes"},
		{"run MODEL BIN --shape x=1,9", exitUsage, `--shape x=1,9: a shape is given for "x"; the inputs are data`},
		{"run MODEL BIN --encoded testdata/absent/out", exitInput, "testdata/absent/out"},
		{"inspect MODEL --compiled", 0, "MEMORY PLAN"},
		{"admit", exitUsage, "usage: concord admit MODEL"},
		{"admit MODEL --limit-gas -1", exitUsage, "0 or more"},
		{"admit MODEL --limit-gas 479", 0, "479"},
		{"admit MODEL --limit-gas 478", exitFailure, "want at most 478"},
		{"admit testdata/absent", exitInput, "absent"},
		{"admit DIGITS", exitInput, "this is an NNEF model; admit is for CVM models"},
	} {
		args := strings.Fields(strings.NewReplacer("MODEL", strokes(), "BIN", bin, "DIGITS", digits(t, "model.nnef")).Replace(tt.args))
		out, code := execute(t, args...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: code %d; want %d and %q:\n%s", tt.args, code, tt.code, tt.want, out)
		}
	}
}

// TestEncodedText shows no more of the bytes than fits a line.
func TestEncodedText(t *testing.T) {
	for n, want := range map[int]string{0: "0 bytes, ", 2: "2 bytes, abab", 33: "33 bytes, " + strings.Repeat("ab", 32) + "…"} {
		if got := fmt.Sprint(report.HexBytes(strings.Repeat("\xab", n))); got != want {
			t.Errorf("%d bytes: %q; want %q", n, got, want)
		}
	}
}
