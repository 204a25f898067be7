package pipeline_test

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/pipeline"
	"github.com/concord-nn/concord/tensor"
)

// folder is the file system of a model with a manifest.
func folder(graph, description string) fstest.MapFS {
	return fstest.MapFS{"m/graph.nnef": {Data: []byte("version 1.0;\nextension KHR_enable_operator_expressions;\n" + graph)}, "m/concord.json": {Data: []byte(description)}}
}

func open(t *testing.T, fsys fs.FS) *pipeline.Pipeline {
	t.Helper()
	p, err := pipeline.OpenFS(fsys, "m")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestClasses reads a drawing from files and from a file system, by many goroutines.
func TestClasses(t *testing.T) {
	dir := filepath.Join(testdata.Root(t), "examples", "digits")
	drawing, err := media.OpenPicture(filepath.Join(dir, "drawings", "seven.png"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := pipeline.Open(filepath.Join(dir, "model.nnef"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want, err := p.Picture(t.Context(), drawing)
	if err != nil {
		t.Fatal(err)
	}
	if c := want.Classes(); len(c) != 3 || c[0].Label != "7" || c[0].Probability < 0.99 {
		t.Errorf("the drawing is read as %v", c)
	}
	if text, err := json.Marshal(want); err != nil || !strings.HasPrefix(string(text), `{"outputs":[{"name":"y","classes":[{"index":7,"label":"7"`) {
		t.Errorf("as JSON the answer is %s, %v", text, err)
	}
	again, err := pipeline.OpenFS(os.DirFS(dir), "model.nnef")
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	var wait sync.WaitGroup
	for _, p := range []*pipeline.Pipeline{p, p, again} {
		wait.Go(func() {
			if got, err := p.Run(t.Context(), pipeline.Inputs{Pictures: map[string]image.Image{"x": drawing}}); err != nil || !reflect.DeepEqual(got.Classes(), want.Classes()) {
				t.Errorf("the answer is %v, %v", got, err)
			}
		})
	}
	wait.Wait()
}

// TestBoxes places boxes in the picture that they were found in; a gray picture of any kind will do.
func TestBoxes(t *testing.T) {
	p := open(t, folder(`graph g( x ) -> ( boxes, scores ) {
  x = external(shape = [1, 1, 2, 2]);
  boxes = reshape(x, shape = [1, 1, 4]);
  scores = reshape(max_reduce(x, axes = [2, 3]), shape = [1, 1, 1]);
}`, `{"version": 1, "inputs": {"x": {"kind": "image", "colour": "gray", "std": 255}}, "outputs": {"boxes": {"kind": "boxes", "scores": "scores", "labels": ["all"]}}}`))
	m := image.NewGray(image.Rect(10, 10, 14, 18)) // its lower half is bright
	for y := 14; y < 18; y++ {
		for x := 10; x < 14; x++ {
			m.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	a, err := p.Picture(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if b := a.Boxes(); len(b) != 1 || b[0] != (media.Box{Label: "all", Score: 1, Right: 4, Bottom: 8}) || len(a.Outputs) != 1 || a.Tensors["scores"] == nil {
		t.Errorf("found are %+v", a)
	}
}

const sums = `graph g( x, state, gain ) -> ( y, next ) {
  x = external(shape = [1, 4]);
  state = external(shape = [1, 1]);
  gain = external(shape = [1, 1]);
  next = state + gain * sum_reduce(x, axes = [1]);
  y = copy(next);
}`

const sumsManifest = `{"version": 1,
  "inputs": {"x": {"kind": "audio", "rate": 8000}, "state": {"kind": "state", "from": "next"}, "gain": {"kind": "tensor", "value": 2}},
  "outputs": {"y": {"kind": "track", "label": "loud", "threshold": 5}}}`

// TestSound runs a model with a state window by window.
func TestSound(t *testing.T) {
	p := open(t, folder(sums, sumsManifest))
	sound := &media.Sound{Rate: 8000, Channels: 1, Samples: []float32{1, 0, 0, 0, 1, 1, 0, 0, 0.5}}
	for range 2 {
		a, err := p.Sound(t.Context(), sound)
		if err != nil {
			t.Fatal(err)
		}
		if track := a.Track(); track == nil || !reflect.DeepEqual(track.Values, []float32{2, 6, 7}) || track.Label != "loud" || track.Step != 0.0005 {
			t.Errorf("the track is %+v", track)
		}
		if len(a.Outputs) != 2 || a.Outputs[1].Name != "next" || tensor.Data[float32](a.Outputs[1].Tensor)[0] != 7 {
			t.Errorf("the outputs are %+v", a.Outputs)
		}
	}
	gain, err := tensor.FromSlice([]float32{1}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Run(t.Context(), pipeline.Inputs{Sound: sound, Tensors: map[string]*tensor.Tensor{"gain": gain}})
	if err != nil || !reflect.DeepEqual(a.Track().Values, []float32{1, 3, 3.5}) {
		t.Errorf("with another gain the answer is %+v, %v", a, err)
	}
	ctx := closes{t.Context(), p}
	if a, err := p.Run(ctx, pipeline.Inputs{Sound: sound}); err != nil || !reflect.DeepEqual(a.Track().Values, []float32{2, 6, 7}) {
		t.Errorf("closed while it runs: %+v, %v", a, err)
	}
	if _, err := p.Sound(t.Context(), sound); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after it was closed: %v", err)
	}
	p = open(t, folder(sums, sumsManifest))
	sound.Rate = 4000
	if _, err := p.Run(t.Context(), pipeline.Inputs{Sound: sound, Limits: media.Limits{Memory: 1000}}); !errors.As(err, new(*engine.LimitError)) {
		t.Errorf("a sound that takes too much memory at another rate: %v", err)
	}
}

// closes is a context that closes a pipeline whenever a run looks at it.
type closes struct {
	context.Context
	p *pipeline.Pipeline
}

func (c closes) Err() error {
	_ = c.p.Close()
	return c.Context.Err()
}

// TestSession answers in one session as a pipeline does, and window by window.
func TestSession(t *testing.T) {
	m, err := concord.OpenFS(folder(sums, ""), "m")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d, err := manifest.Parse("m", []byte(sumsManifest))
	if err != nil {
		t.Fatal(err)
	}
	programs := m.Programs(concord.Options{})
	defer programs.Close()
	of, err := programs.Session(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := pipeline.NewSession(of, d)
	if err != nil {
		t.Fatal(err)
	}
	in := pipeline.Inputs{Sound: &media.Sound{Rate: 8000, Channels: 1, Samples: []float32{1, 0, 0, 0, 1, 1, 0, 0, 0.5}}}
	p := open(t, folder(sums, sumsManifest))
	own, err := p.Session(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Step(t.Context(), 0); err == nil || err.Error() != "no inputs are set" {
		t.Errorf("a window before there are inputs: %v", err)
	}
	if a, err := own.Run(t.Context(), in); err != nil || !reflect.DeepEqual(a.Track().Values, []float32{2, 6, 7}) {
		t.Errorf("in a session of the pipeline the answer is %+v, %v", a, err)
	}
	if _, err := new(pipeline.Pipeline).Session(nil); err == nil {
		t.Error("a pipeline without a model makes a session")
	}
	for range 2 {
		if a, err := s.Run(t.Context(), in); err != nil || !reflect.DeepEqual(a.Track().Values, []float32{2, 6, 7}) {
			t.Errorf("the answer is %+v, %v", a, err)
		}
	}
	windows, err := s.Set(in)
	if err != nil || windows != 3 {
		t.Fatal(windows, err)
	}
	for i, want := range [][]float32{{2}, {2, 6}, {2, 6, 7}} {
		if err := s.Step(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		if a, err := s.Answer(); err != nil || !reflect.DeepEqual(a.Track().Values, want) {
			t.Errorf("after window %d the answer is %+v, %v", i, a, err)
		}
	}
	if err := s.Step(t.Context(), 3); err == nil || err.Error() != "there is no window 3; the sound has 3" {
		t.Errorf("a window beyond the sound: %v", err)
	}
	d.Inputs[0].Name = "z"
	if _, err := pipeline.NewSession(of, d); !errors.As(err, new(manifest.Errors)) {
		t.Errorf("a manifest of another model: %v", err)
	}
	for _, s := range []*pipeline.Session{nil, {}} {
		_, ran := s.Run(t.Context(), in)
		_, set := s.Set(in)
		_, answered := s.Answer()
		for _, err := range []error{ran, set, answered, s.Window(0), s.Step(t.Context(), 0)} {
			if err == nil {
				t.Error("a session that was never made answers")
			}
		}
	}
	if _, err := pipeline.NewSession(nil, nil); err == nil {
		t.Error("a nil session of a model makes one")
	}
}

// TestOpenExtents settles what a model leaves open by what the manifest says.
func TestOpenExtents(t *testing.T) {
	p := open(t, folder(`extension concord_operators;
extension concord_symbol N;
graph g( x ) -> ( y ) {
  x = external<scalar>(shape = [N, 1, 2, 2]);
  y = max_reduce(x, axes = [1, 2, 3]);
}`, `{"version": 1, "inputs": {"x": {"kind": "image", "colour": "gray", "layout": "NCHW"}}, "outputs": {"y": {"kind": "classes"}}}`))
	a, err := p.Picture(t.Context(), image.NewGray(image.Rect(0, 0, 3, 3)))
	if err != nil || len(a.Classes()) != 1 || a.Classes()[0].Label != "class 0" {
		t.Errorf("the answer is %+v, %v", a, err)
	}
}

// TestErrors names what is missing, what is too much, and what was never made.
func TestErrors(t *testing.T) {
	p := open(t, folder(sums, sumsManifest))
	x, err := tensor.New(tensor.Float32, tensor.Shape{1, 4})
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewGray(image.Rect(0, 0, 1, 1))
	for want, in := range map[string]pipeline.Inputs{
		`input "x": there is no sound for it`:                                  {},
		"Inputs.Picture is given, and the model has no such input":             {Sound: &media.Sound{Rate: 8000, Channels: 1, Samples: []float32{1}}, Picture: picture},
		`input "x": the sound is empty`:                                        {Sound: &media.Sound{Rate: 8000, Channels: 1}},
		`input "x": a sound with 600000 samples a second cannot be changed to`: {Sound: &media.Sound{Rate: 600000, Channels: 1, Samples: []float32{1}}},
		"other is given, and the model has no such input; it has [x: ":         {Tensors: map[string]*tensor.Tensor{"x": x, "other": x}},
	} {
		if _, err := p.Run(t.Context(), in); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	}
	if _, err := p.Picture(t.Context(), nil); err == nil {
		t.Error("a nil picture is answered")
	}
	if _, err := p.Sound(t.Context(), nil); err == nil {
		t.Error("a nil sound is answered")
	}
	var zero pipeline.Pipeline
	for _, p := range []*pipeline.Pipeline{nil, &zero} {
		if _, err := p.Run(t.Context(), pipeline.Inputs{}); err == nil || p.Close() != nil {
			t.Error("a pipeline without a model answers")
		}
	}
	if _, err := pipeline.New(nil, nil, concord.Options{}); err == nil {
		t.Error("a nil model makes a pipeline")
	}
	if _, err := pipeline.OpenFS(nil, "m"); err == nil {
		t.Error("a nil file system holds a model")
	}
	bare := folder(sums, sumsManifest)
	delete(bare, "m/concord.json")
	if _, err := pipeline.OpenFS(bare, "m"); !errors.As(err, new(*manifest.NotFoundError)) || !strings.Contains(err.Error(), "m: no manifest was found: looked for m/concord.json") {
		t.Errorf("without a manifest: %v", err)
	}
	var list manifest.Errors
	if _, err := pipeline.OpenFS(folder(sums, strings.NewReplacer(`"y"`, `"z": {"kind": "tensor", "no": 1}, "w"`, `"x"`, `"v"`).Replace(sumsManifest)), "m"); !errors.As(err, &list) || strings.Count(err.Error(), "the model has no ") != 3 {
		t.Errorf("a wrong manifest of another model: %v", err)
	}
}

// TestPlain takes tensors to tensors where no manifest says anything.
func TestPlain(t *testing.T) {
	m, err := concord.OpenFS(folder(`graph g( x ) -> ( y ) { x = external(shape = [2]); y = relu(x); }`, ""), "m")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	p, err := pipeline.New(m, nil, concord.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	x, err := tensor.FromSlice([]float32{-1, 2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Run(t.Context(), pipeline.Inputs{Tensors: map[string]*tensor.Tensor{"x": x}})
	if err != nil || !reflect.DeepEqual(tensor.Data[float32](a.Outputs[0].Tensor), []float32{0, 2}) || a.Classes() != nil || a.Boxes() != nil || a.Track() != nil {
		t.Errorf("the answer is %+v, %v", a, err)
	}
	if _, err := p.Picture(t.Context(), image.NewGray(image.Rect(0, 0, 1, 1))); err == nil || !strings.Contains(err.Error(), "input x: float32[2] is missing, and no manifest says how a picture") {
		t.Errorf("a picture for a tensor: %v", err)
	}
}
