package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

// ran is what run --json prints.
type ran struct {
	Runs []struct {
		Outputs []struct {
			Boxes []media.Box
			Track *media.Track
		}
	}
}

func runJSON(t *testing.T, args ...string) ran {
	t.Helper()
	out, code := execute(t, append([]string{"run", "--json", "--output", t.TempDir()}, args...)...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	var r ran
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestONNXFaces finds in the shared photographs the faces that ONNX Runtime finds: as many but for those near the threshold, at the same places.
func TestONNXFaces(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	dir := testdata.Shared(t, "models", "ultraface")
	data, err := os.ReadFile(filepath.Join(dir, "faces.json"))
	if err != nil {
		t.Fatal(err)
	}
	var photos map[string]struct {
		Size            [2]float64
		RFB320, Slim320 [][5]float64
	}
	if err := json.Unmarshal(data, &photos); err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{"version-RFB-320.onnx", "version-RFB-320_simplified.onnx", "version-slim-320.onnx", "version-slim-320_simplified.onnx"}[:testdata.Cases(2, 4)] {
		args := []string{filepath.Join(dir, m)}
		names := testdata.Some(naming.Sorted(photos), 2)
		for _, name := range names {
			args = append(args, filepath.Join(dir, "photos", name))
		}
		for i, run := range runJSON(t, args...).Runs {
			name, photo, boxes := names[i], photos[names[i]], run.Outputs[0].Boxes
			faces := photo.Slim320
			if strings.Contains(m, "RFB") {
				faces = photo.RFB320
			}
			for _, pair := range [][2][][5]float64{{faces, shares(boxes, photo.Size)}, {shares(boxes, photo.Size), faces}} {
				for _, f := range pair[0] {
					if math.Abs(f[0]-0.7) > 0.02 && !found(f, pair[1]) {
						t.Errorf("%s, %s: the face %v is found by one side only", m, name, f)
					}
				}
			}
		}
	}
}

// shares writes boxes as faces.json does.
func shares(boxes []media.Box, size [2]float64) (out [][5]float64) {
	for _, b := range boxes {
		out = append(out, [5]float64{float64(b.Score), b.Left / size[0], b.Top / size[1], b.Right / size[0], b.Bottom / size[1]})
	}
	return out
}

// found reports whether a list has a face whose intersection with f is 0.9 of their union, or more.
func found(f [5]float64, list [][5]float64) bool {
	for _, g := range list {
		w, h := min(f[3], g[3])-max(f[1], g[1]), min(f[4], g[4])-max(f[2], g[2])
		area := func(x [5]float64) float64 { return (x[3] - x[1]) * (x[4] - x[2]) }
		if both := max(w, 0) * max(h, 0); both >= 0.9*(area(f)+area(g)-both) {
			return true
		}
	}
	return false
}

// TestONNXSpeech tracks speech through the shared recording as ONNX Runtime does, within 1e-3.
func TestONNXSpeech(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	dir := testdata.Shared(t, "models", "silero-vad")
	for m, probs := range map[string]string{
		"silero_vad.onnx": "probs_op16.npy", "silero_vad_16k_op15.onnx": "probs_op15.npy", "silero_vad_op18_ifless.onnx": "probs_op18.npy",
	} {
		x, err := feed.ReadNPY(filepath.Join(dir, probs))
		if err != nil {
			t.Fatal(err)
		}
		wide, err := tensor.Cast(x, tensor.Float64)
		if err != nil {
			t.Fatal(err)
		}
		want := tensor.Data[float64](wide)
		track := runJSON(t, filepath.Join(dir, m), filepath.Join(dir, "speech-20s.wav")).Runs[0].Outputs[0].Track
		if track == nil || len(track.Values) != len(want) {
			t.Fatalf("%s: %v, want %d values", m, track, len(want))
		}
		for i, v := range track.Values {
			if !(math.Abs(float64(v)-want[i]) <= 1e-3) {
				t.Errorf("%s: value %d is %v, want %v", m, i, v, want[i])
				break
			}
		}
	}
}

// TestConvertONNX writes models as ONNX and reads them again: the same bits, also after a way through NNEF.
func TestConvertONNX(t *testing.T) {
	dir := t.TempDir()
	sums := func(model string) string {
		out, code := execute(t, "run", model, "--random", "--hash")
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", model, code, out)
		}
		return out
	}
	digits := filepath.Join(testdata.Root(t), "examples", "digits", "model.nnef")
	want := sums(digits)
	src := digits
	for _, name := range []string{"a.onnx", "b.nnef.tgz", "c.onnx"} {
		dst := filepath.Join(dir, name)
		if out, code := execute(t, "convert", src, dst); code != 0 {
			t.Fatalf("%s: exit code %d: %s", name, code, out)
		}
		if got := sums(dst); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
		src = dst
	}
	if _, code := execute(t, "convert", digits, src); code == 0 {
		t.Error("a file that is there is replaced without --force")
	}
	if out, code := execute(t, "convert", digits, src, "--force", "--external"); code != 0 || sums(src) != want {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// TestRefuseONNX refuses states, and leaves the file that is there.
func TestRefuseONNX(t *testing.T) {
	src, dst := testdata.Shared(t, "conformance", "nnef", "models", "mdl-state"), filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(dst, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := execute(t, "convert", src, dst, "--force")
	if got, err := os.ReadFile(dst); code == 0 || !strings.Contains(out, "make the state an input") || err != nil || string(got) != "before" {
		t.Errorf("exit code %d, %q is left, error %v: %s", code, got, err, out)
	}
}
