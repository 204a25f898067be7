// Package examples_test opens the pages of the examples in Chromium, holds what they show to what the program yields, and takes the pictures of them
// that stand in the README.
package examples_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/web/chromium/browser"
)

var update = flag.Bool("update", false, "write the pictures of the README anew")

const (
	root  = "../../.." // the main module
	limit = 3 * time.Minute
)

// run runs a command in the main module and returns what it prints.
func run(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = root
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out.Bytes()
}

// built is the folder of the program.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", ""); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// concord builds the program, unless it is there.
func concord(t *testing.T) string {
	t.Helper()
	path := filepath.Join(built, "concord")
	run(t, "go", "build", "-o", path, "./cmd/concord")
	return path
}

// open serves the page that an example writes, and opens it.
func open(t *testing.T, example string, args ...string) (*browser.Page, string) {
	t.Helper()
	b, err := browser.Start(t.Context(), browser.Options{Flags: []string{
		"autoplay-policy=no-user-gesture-required", "use-fake-ui-for-media-stream", "use-fake-device-for-media-stream", "mute-audio"}})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(b.Close)
	dir := t.TempDir()
	run(t, append([]string{"go", "run", "./examples/" + example, "-o", dir}, args...)...)
	s, err := browser.Serve(browser.Isolated(browser.Folder(dir)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	p, err := b.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Picture("", 760, 780); err != nil { // gives the window its size
		t.Fatal(err)
	}
	if err := p.Go(s.URL+"/", limit); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, e := range p.Errors() {
			t.Errorf("the page reports %s", e)
		}
	})
	wait(t, p, "window.result")
	return p, dir
}

func wait(t *testing.T, p *browser.Page, expression string) {
	t.Helper()
	if _, err := browser.Wait[any](p, expression+" && true", limit); err != nil {
		said, _ := browser.Eval[string](p, "document.body.innerText", limit)
		t.Fatalf("%v; the page says %q", err, said)
	}
}

func eval[T any](t *testing.T, p *browser.Page, expression string) T {
	t.Helper()
	v, err := browser.Eval[T](p, expression, limit)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// picture writes the picture of a page for the README, with -update, in so many colours; without it the page is only drawn.
func picture(t *testing.T, p *browser.Page, name string, width, height int64, colours int) {
	t.Helper()
	data, err := p.Picture("", width, height)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil || int64(m.Bounds().Dx()) != width || int64(m.Bounds().Dy()) != height {
		t.Fatalf("%s is a picture of %v, %v", name, m.Bounds(), err)
	}
	if !*update {
		return
	}
	if data, err = small(m, colours); err != nil {
		t.Fatal(err)
	}
	if len(data) > 100<<10 {
		t.Errorf("%s would have %d bytes", name, len(data))
	}
	if err := os.WriteFile(filepath.Join(root, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// says asserts what a page says when something that it was asked for cannot be done.
func says(t *testing.T, p *browser.Page, do, want string) {
	t.Helper()
	eval[any](t, p, do+"; undefined")
	wait(t, p, fmt.Sprintf(`document.getElementById("message").textContent.includes(%q)`, want))
}

// drop drops a file of text on a page, and refuse lets no page have a camera or a microphone.
const (
	drop = `(() => { const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File(["text"], "letter.txt"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true })); })()`
	refuse = `navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", %q)); document.getElementById(%q).click()`
)

// answers are the parts of what `concord run --json` prints that are compared.
type answers struct {
	Runs []result `json:"runs"`
}

type result struct {
	Input   string `json:"input"`
	Outputs []struct {
		Classes []struct {
			Label       string  `json:"label"`
			Probability float32 `json:"probability"`
		} `json:"classes"`
		Boxes []box `json:"boxes"`
	} `json:"outputs"`
}

type box struct {
	Score  float32 `json:"score"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
}

func answer(t *testing.T, text []byte) answers {
	t.Helper()
	var a answers
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestDigits asserts that the page reads every drawing with the probabilities that the program prints, by a network that is small.
func TestDigits(t *testing.T) {
	p, dir := open(t, "digits")
	var size int64
	for _, name := range []string{"digits.wasm", "digits.bin", "digits.js"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 150<<10 {
		t.Errorf("the network takes %d bytes of a page", size)
	}
	wanted := map[string]result{}
	all := answer(t, run(t, concord(t), "run", "examples/digits/model.nnef", "examples/digits/drawings", "--json", "--output", t.TempDir()))
	for _, r := range all.Runs {
		wanted[filepath.Base(r.Input)] = r
	}
	for i, name := range strings.Fields("zero one two three four five six seven eight nine") {
		for k, file := range []string{name + ".png", name + "-2.png"} {
			eval[any](t, p, fmt.Sprintf(`window.result = null; document.querySelectorAll("#drawings button")[%d].click()`, 2*i+k))
			wait(t, p, "window.result")
			y := eval[[]float32](t, p, "window.result.y")
			want := wanted[file]
			if len(want.Outputs) != 1 {
				t.Fatalf("the program says nothing of %s", file)
			}
			for _, c := range want.Outputs[0].Classes {
				if got := y[c.Label[0]-'0']; got != c.Probability {
					t.Errorf("%s is a %s by %v on the page and by %v in the program", file, c.Label, got, c.Probability)
				}
			}
			if got := eval[int](t, p, "window.result.digit"); got != i {
				t.Errorf("%s is read as %d", file, got)
			}
		}
	}
	// A seven, drawn by hand: the mouse, and then the keyboard.
	eval[any](t, p, `document.getElementById("clear").click();
		(() => {
			const paper = document.getElementById("paper"), box = paper.getBoundingClientRect();
			paper.setPointerCapture = () => {}; // of a pointer that is none
			const at = (type, x, y) => paper.dispatchEvent(new PointerEvent(type, { clientX: box.left + x * box.width, clientY: box.top + y * box.height, button: 0, bubbles: true }));
			at("pointerdown", 0.25, 0.2);
			for (let i = 1; i <= 10; i++) at("pointermove", 0.25 + 0.045 * i, 0.2 + 0.003 * i);
			for (let i = 1; i <= 12; i++) at("pointermove", 0.7 - 0.023 * i, 0.23 + 0.05 * i);
			at("pointerup", 0.424, 0.83);
		})()`)
	wait(t, p, "window.result.digit === 7")
	time.Sleep(300 * time.Millisecond) // bars grow
	picture(t, p, "examples/digits/page.png", 860, 700, 128)
	eval[any](t, p, `document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }))`)
	wait(t, p, "window.result.digit === null")
	eval[any](t, p, `(() => {
			const paper = document.getElementById("paper"), press = (key) => paper.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
			press(" ");
			for (let i = 0; i < 22; i++) press("ArrowDown");
		})()`)
	wait(t, p, "window.result.digit === 1")
	says(t, p, drop, "is not a picture")
	says(t, p, `window.ImageData = class { constructor() { throw new Error("no memory"); } }; document.getElementById("clear").click()`, "could not be read: no memory")
}

// TestFaces asserts that the page finds the faces that the program does: of the painting, whose pixels both have, the same; of photos, which browsers
// decode otherwise, nearly the same.
func TestFaces(t *testing.T) {
	alone := exec.CommandContext(t.Context(), "go", "run", "./examples/faces", "-o", t.TempDir())
	alone.Dir = root
	if out, err := alone.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("one model of UltraFace must be given")) {
		t.Errorf("without a model: %v\n%s", err, out)
	}
	shared, err := filepath.Abs(root + "/../shared/models/ultraface")
	if err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(shared, "version-RFB-320.onnx")
	if _, err := os.Stat(model); err != nil {
		t.Skip("the models of UltraFace are not there: ", err)
	}
	p, dir := open(t, "faces", model)
	program := concord(t)
	faces := func(picture string) (page, want []box) {
		return eval[[]box](t, p, "window.result.faces"), answer(t, run(t, program, "run", model, picture, "--json", "--output", t.TempDir())).Runs[0].Outputs[0].Boxes
	}
	painting := filepath.Join(dir, "painting.png")
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(eval[string](t, p, "window.result.pixels()"), "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(painting, data, 0o600); err != nil {
		t.Fatal(err)
	}
	page, want := faces(painting)
	if len(want) != 11 || !slices.Equal(page, want) {
		t.Errorf("in the painting are\n%v\nthe page finds\n%v", want, page)
	}
	picture(t, p, "examples/faces/page.png", 760, 735, 128)
	photos, err := filepath.Glob(filepath.Join(shared, "photos", "*.jpg"))
	if err != nil || len(photos) == 0 {
		t.Fatal(err)
	}
	for _, photo := range photos {
		data, err := os.ReadFile(photo)
		if err != nil {
			t.Fatal(err)
		}
		eval[any](t, p, fmt.Sprintf(`window.result = null; fetch("data:image/jpeg;base64,%s").then((r) => r.blob()).then((b) => {
			const clipboardData = new DataTransfer();
			clipboardData.items.add(new File([b], "photo.jpg", { type: "image/jpeg" }));
			document.dispatchEvent(new ClipboardEvent("paste", { clipboardData }));
		})`, base64.StdEncoding.EncodeToString(data)))
		wait(t, p, "window.result")
		page, want := faces(photo)
		compare(t, filepath.Base(photo), page, want)
	}
	says(t, p, drop, "letter.txt is not a picture")
	says(t, p, fmt.Sprintf(refuse, "NotFoundError", "camera"), "There is no camera.")
	says(t, p, fmt.Sprintf(refuse, "NotAllowedError", "camera"), "The camera was not allowed")
}

// compare asserts that lists have the same boxes but for those about as good as the threshold.
func compare(t *testing.T, name string, page, want []box) {
	t.Helper()
	for _, lists := range [][2][]box{{page, want}, {want, page}} {
		for _, b := range lists[0] {
			if b.Score > 0.73 && !slices.ContainsFunc(lists[1], func(other box) bool { return overlap(b, other) > 0.9 }) {
				t.Errorf("%s: %+v is on one side only", name, b)
			}
		}
	}
}

func overlap(a, b box) float64 {
	both := max(0, min(a.Right, b.Right)-max(a.Left, b.Left)) * max(0, min(a.Bottom, b.Bottom)-max(a.Top, b.Top))
	return both / ((a.Right-a.Left)*(a.Bottom-a.Top) + (b.Right-b.Left)*(b.Bottom-b.Top) - both)
}

// TestDenoise asserts that the worklet makes of a sound what Go does, bit by bit, and that it does so while a sound plays.
func TestDenoise(t *testing.T) {
	p, dir := open(t, "denoise", "-page")
	samples := `const bytes = (x) => { const b = new Uint8Array(x.buffer, x.byteOffset, x.byteLength); let s = ""; for (const v of b) s += String.fromCharCode(v); return btoa(s); };`
	const rate = 48000
	sounds := func() [2][]byte {
		return eval[[2][]byte](t, p, fmt.Sprintf(`(async () => { %s
			const noisy = window.result.speak(%d).slice(0, 3 * %[2]d + 100);
			return [bytes(noisy), bytes(await window.result.denoised(noisy, %[2]d))];
		})()`, samples, rate))
	}
	got := sounds()
	noisy, clean := filepath.Join(dir, "noisy.wav"), filepath.Join(dir, "clean.wav")
	if err := os.WriteFile(noisy, append(header(len(got[0]), rate), got[0]...), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "run", "./examples/denoise", noisy, clean)
	want, err := os.ReadFile(clean)
	if err != nil {
		t.Fatal(err)
	}
	if want = want[44:]; len(got[1]) != len(got[0]) || len(want) != len(got[1]) {
		t.Fatalf("%d bytes of samples become %d on the page and %d in Go", len(got[0]), len(got[1]), len(want))
	}
	for i := 0; i < len(want); i += 4 {
		if a, b := binary.LittleEndian.Uint32(got[1][i:]), binary.LittleEndian.Uint32(want[i:]); a != b {
			t.Fatalf("sample %d is %v on the page and %v in Go", i/4, math.Float32frombits(a), math.Float32frombits(b))
		}
	}
	eval[any](t, p, `document.getElementById("sample").click()`)
	wait(t, p, "window.result.frames > 650")
	picture(t, p, "examples/denoise/page.png", 640, 860, 48)
	eval[any](t, p, `document.getElementById("microphone").click()`)
	wait(t, p, `document.getElementById("message").textContent.startsWith("You hear nothing")`)
	eval[any](t, p, `document.getElementById("stop").click()`)
	says(t, p, drop, "letter.txt is not a sound")
	says(t, p, fmt.Sprintf(refuse, "NotFoundError", "microphone"), "There is no microphone.")
	says(t, p, fmt.Sprintf(refuse, "NotAllowedError", "microphone"), "The microphone was not allowed")
	if err := p.Go(eval[string](t, p, `new URL("?exact", location).href`), limit); err != nil {
		t.Fatal(err)
	}
	wait(t, p, "window.result")
	if level := eval[string](t, p, `document.getElementById("multiply").textContent`); !strings.HasPrefix(level, "emulated") {
		t.Errorf("multiply-adds are %s", level)
	}
	if exact := sounds(); !bytes.Equal(exact[1], got[1]) {
		t.Error("emulated multiply-adds yield other samples")
	}
}

// TestPlayground asserts that every network of the playground yields a picture, but for the mistake, which is said.
func TestPlayground(t *testing.T) {
	p, _ := open(t, "playground")
	choose := func(name string) {
		eval[any](t, p, fmt.Sprintf(`window.result = null; [...document.querySelectorAll("#presets button")].find((b) => b.textContent === %q).click()`, name))
		wait(t, p, "window.result")
	}
	for _, name := range eval[[]string](t, p, `[...document.querySelectorAll("#presets button")].map((b) => b.textContent)`) {
		choose(name)
		switch got := eval[string](t, p, `window.result.error ?? ""`); {
		case name == "Mistake":
			const want = "TypeError: [my first] MLGraphBuilder.conv2d: groups: 3 groups do not divide 3 input and 4 output channels"
			if !strings.HasPrefix(got, want) {
				t.Errorf("the mistake is told as %q", got)
			}
		case got != "":
			t.Errorf("%s: %s", name, got)
		case !eval[bool](t, p, `window.result.y.every(Number.isFinite) && new Set(window.result.y).size > 1`):
			t.Errorf("%s yields an empty picture", name)
		}
	}
	// What is typed runs.
	eval[any](t, p, `const code = document.getElementById("code"); window.result = null; code.value = "return b.sub(b.constant('float32', 1), x);";
		code.dispatchEvent(new Event("input"))`)
	wait(t, p, "window.result")
	if got := eval[float64](t, p, `(() => { const { data } = document.getElementById("before").getContext("2d").getImageData(0, 0, 1, 1);
		return window.result.y[0] - Math.fround(1 - Math.fround(data[0] / 255)); })()`); got != 0 {
		t.Errorf("the first pixel differs by %v", got)
	}
	choose("Life")
	wait(t, p, "window.result.round >= 12")
	// A context that is lost is replaced.
	says(t, p, `const { dispatch } = MLContext.prototype; MLContext.prototype.dispatch = function (...list) {
		MLContext.prototype.dispatch = dispatch; this.destroy(); dispatch.apply(this, list); }`, "the context is lost")
	choose("Edges")
	if got := eval[string](t, p, `window.result.error ?? ""`); got != "" {
		t.Errorf("with another context: %s", got)
	}
	says(t, p, drop, "letter.txt is not a picture")
	choose("Edges")
	picture(t, p, "examples/playground/page.png", 1120, 800, 128)
}

// header is that of a WAV file of floats.
func header(size, rate int) []byte {
	b := []byte("RIFF....WAVEfmt ")
	binary.LittleEndian.PutUint32(b[4:], uint32(36+size))
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = append(b, 3, 0, 1, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(4*rate))
	b = append(b, 4, 0, 32, 0)
	return binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(size))
}
