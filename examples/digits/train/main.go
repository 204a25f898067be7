// Train trains the network of examples/digits, which reads a handwritten digit, on pictures that it makes itself,
// and writes it as an NNEF folder. The same seed gives the same network, bit for bit, whatever the number of
// processors.
//
//	cd examples/digits/train && go run .
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The committed network comes from these.
const (
	defaultSeed    = 1
	defaultSamples = 256000
	defaultRate    = 2e-3
)

func main() {
	model := flag.String("model", "../model.nnef", "NNEF folder to write, or with -test to read")
	drawings := flag.String("drawings", "../drawings", "folder with drawings to try the network on")
	seed := flag.Uint64("seed", defaultSeed, "seed of the training samples; the test uses the next one")
	samples := flag.Int("samples", defaultSamples, "number of training samples")
	tests := flag.Int("tests", 10000, "number of test samples")
	rate := flag.Float64("rate", defaultRate, "learning rate at its highest")
	testOnly := flag.Bool("test", false, "only test the network in the folder")
	sheet := flag.String("sheet", "", "only write this PNG with the first 300 training samples")
	flag.Parse()

	err := func() error {
		if *sheet != "" {
			return writeSheet(*sheet, *seed)
		}
		if !*testOnly {
			start := time.Now()
			net := train(*seed, *samples, *rate, func(seen int, confidence float64) {
				fmt.Printf("%7d samples, %3.0f s: probability of the right digit %.3f\n", seen, time.Since(start).Seconds(), confidence)
			})
			if err := writeModel(*model, net); err != nil {
				return err
			}
		}
		net, err := readModel(*model)
		if err != nil {
			return err
		}
		testSamples(net, *seed+1, *tests)
		return testDrawings(net, *drawings)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// testSamples prints how many fresh samples the network reads right.
func testSamples(net network, seed uint64, n int) {
	fmt.Printf("fresh samples (seed %d):\n", seed)
	sum := 0.0
	for digit, share := range accuracy(net, seed, n) {
		fmt.Printf("  %d: %6.2f %%\n", digit, 100*share)
		sum += share
	}
	fmt.Printf("  all %d: %.2f %%\n", n, 100*sum/10)
}

// testDrawings prints what the network reads in each drawing of a folder.
func testDrawings(net network, dir string) error {
	results, err := readDrawings(net, dir)
	if err != nil {
		return err
	}
	right := 0
	fmt.Println("drawings:")
	for _, r := range results {
		verdict := "wrong"
		if r.read == r.want {
			verdict = "right"
			right++
		}
		fmt.Printf("  %-12s read as %d with %5.1f %%: %s\n", r.name, r.read, 100*r.probability, verdict)
	}
	fmt.Printf("  right: %d of %d\n", right, len(results))
	return nil
}

// A reading is what the network makes of one drawing.
type reading struct {
	name        string
	want, read  int
	probability float32
}

// readDrawings lets the network read every drawing of a folder. A file is named after its digit: seven.png or
// seven-2.png.
func readDrawings(net network, dir string) ([]reading, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil {
		return nil, err
	}
	w := newWorkspace()
	var readings []reading
	for _, file := range files {
		m, err := readPicture(file)
		if err != nil {
			return nil, err
		}
		r := reading{name: strings.TrimSuffix(filepath.Base(file), ".png")}
		if r.want, err = digitNamed(r.name); err != nil {
			return nil, err
		}
		r.read = net.classify(w, prepare(m))
		r.probability = w.scores[r.read]
		readings = append(readings, r)
	}
	return readings, nil
}

// readPicture reads a PNG in grey.
func readPicture(file string) (*image.Gray, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	grey := image.NewGray(image.Rectangle{Max: m.Bounds().Size()})
	draw.Draw(grey, grey.Rect, m, m.Bounds().Min, draw.Src)
	return grey, nil
}

// digitNamed returns the digit that a drawing's name starts with.
func digitNamed(name string) (int, error) {
	word, _, _ := strings.Cut(name, "-")
	for digit, w := range [10]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"} {
		if w == word {
			return digit, nil
		}
	}
	return 0, fmt.Errorf("drawing %q: the name should start with a digit in words", name)
}
