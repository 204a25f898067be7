package media

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/tensor"
)

// The face detector's shared files: one exact input with the outputs of another engine, and the faces that a program of
// its authors' kind finds in photographs.

func faceManifest(t *testing.T) (*manifest.Manifest, *manifest.Image, *manifest.Boxes) {
	t.Helper()
	m, err := manifest.Open(filepath.Join(testdata.Root(t), "examples", "ultraface", "slim-320_simplified.concord.json"))
	if err != nil {
		t.Fatal(err)
	}
	return m, m.Input("external1").(*manifest.Image), m.Output("concat2").(*manifest.Boxes)
}

func readNPZ(t *testing.T, path string) map[string]*tensor.Tensor {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	list, err := tensor.ReadNPZ(f, info.Size(), tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*tensor.Tensor{}
	for _, n := range list {
		m[n.Name] = n.Tensor
	}
	return m
}

var faceInput = manifest.Type{Name: "external1", DType: tensor.Float32, Shape: tensor.Shape{1, 3, 240, 320}}

// face is a box of faces.json: score, left, top, right, bottom, the corners in shares of the picture.
type face [5]float64

type facePhoto struct {
	Size    [2]float64
	Slim320 []face
}

func readFaces(t *testing.T) map[string]facePhoto {
	t.Helper()
	data, err := os.ReadFile(testdata.Shared(t, "models", "ultraface", "faces.json"))
	if err != nil {
		t.Fatal(err)
	}
	var photos map[string]facePhoto
	if err := json.Unmarshal(data, &photos); err != nil {
		t.Fatal(err)
	}
	return photos
}

func TestManifestOfFaceDetector(t *testing.T) {
	m, _, _ := faceManifest(t)
	outputs := []manifest.Type{
		{Name: "softmax1", DType: tensor.Float32, Shape: tensor.Shape{1, 4420, 2}},
		{Name: "concat2", DType: tensor.Float32, Shape: tensor.Shape{1, 4420, 4}},
	}
	if err := m.Check([]manifest.Type{faceInput}, outputs); err != nil {
		t.Error(err)
	}
}

// The network's raw outputs, decoded, are those of the export that decodes by itself.
func TestDecodePriors(t *testing.T) {
	_, _, spec := faceManifest(t)
	dir := testdata.Shared(t, "models", "ultraface")
	raw := readNPZ(t, filepath.Join(dir, "expected_slim320_simplified_1.npz"))
	want := tensor.Data[float32](readNPZ(t, filepath.Join(dir, "expected_slim320_1.npz"))["boxes"])
	var e eval
	got := tensor.Data[float32](e.corners(spec, View{Columns: 320, Rows: 240}, e.rows(raw["boxes"])))
	if e.err != nil {
		t.Fatal(e.err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d coordinates, want %d", len(got), len(want))
	}
	worst := 0.0
	for i := range got {
		worst = max(worst, math.Abs(float64(got[i])-float64(want[i])))
	}
	if worst > 1e-5 {
		t.Errorf("a coordinate differs by %g", worst)
	}
	t.Logf("greatest difference %g", worst)
}

// Decoded and suppressed, they are the faces of faces.json.
func TestFaces(t *testing.T) {
	_, spec, boxes := faceManifest(t)
	raw := readNPZ(t, testdata.Shared(t, "models", "ultraface", "expected_slim320_simplified_1.npz"))
	m, err := OpenPicture(testdata.Shared(t, "models", "ultraface", "photos", "1.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	_, view, err := PrepareImage(spec, faceInput, m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Boxes(boxes, view, raw["boxes"], raw["scores"])
	if err != nil {
		t.Fatal(err)
	}
	photo := readFaces(t)["1.jpg"]
	if len(got) != len(photo.Slim320) {
		t.Fatalf("%d faces, want %d", len(got), len(photo.Slim320))
	}
	w, h := photo.Size[0], photo.Size[1]
	for i, f := range photo.Slim320 {
		g := face{float64(got[i].Score), got[i].Left / w, got[i].Top / h, got[i].Right / w, got[i].Bottom / h}
		for k := range f {
			if math.Abs(f[k]-g[k]) > 1e-4 {
				t.Errorf("face %d is %v, want %v", i, g, f)
				break
			}
		}
		if got[i].Label != "face" || got[i].Class != 1 {
			t.Errorf("face %d is labelled %q, class %d", i, got[i].Label, got[i].Class)
		}
	}
}

// The prepared photograph is the exact input that was stored, but for the difference between two JPEG decoders and
// the rounding to whole numbers after it.
func TestPrepareFaces(t *testing.T) {
	_, spec, _ := faceManifest(t)
	dir := testdata.Shared(t, "models", "ultraface")
	f, err := os.Open(filepath.Join(dir, "input_1.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	want, err := tensor.ReadNPY(f, tensor.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := OpenPicture(filepath.Join(dir, "photos", "1.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	got, view, err := PrepareImage(spec, faceInput, m)
	if err != nil {
		t.Fatal(err)
	}
	if view != (View{0, 0, 720, 478, 320, 240}) {
		t.Errorf("the view is %+v", view)
	}
	if got.Describe() != want.Describe() {
		t.Fatalf("the input is %v, want %v", got, want)
	}
	worst, sum := 0.0, 0.0
	a, b := tensor.Data[float32](got), tensor.Data[float32](want)
	for i := range a {
		d := 128 * math.Abs(float64(a[i])-float64(b[i]))
		worst, sum = max(worst, d), sum+d
	}
	if mean := sum / float64(len(a)); mean > 0.5 || worst > 5 {
		t.Errorf("values differ by %.3f of 255 on average, %.3f at most", mean, worst)
	}
}
