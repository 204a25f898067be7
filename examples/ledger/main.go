// Ledger makes an integer model of the network in examples/digits, as CVM runs it, and lets it read the drawings beside that.
// What a reader costs and what comes out are the same on every machine, so that machines that do not trust each other can agree.
//
//	go run ./examples/ledger            # read the drawings with the model in digits.cvm
//	go run ./examples/ledger -convert   # make that model anew
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/media"
	"github.com/concord-nn/concord/tensor"
)

func main() {
	folder := flag.String("examples", "examples", "the folder with the examples")
	again := flag.Bool("convert", false, "make the model anew")
	flag.Parse()
	run := read
	if *again {
		run = write
	}
	if err := run(os.Stdout, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

// drawing is a picture of a digit as the bytes of the model's input.
type drawing struct {
	name  string
	input []byte
}

// drawings prepares the pictures of examples/digits as the manifest of the model says.
func drawings(folder string) ([]drawing, error) {
	m, err := manifest.Open(filepath.Join(folder, "ledger", "digits.cvm", manifest.FileName))
	if err != nil {
		return nil, err
	}
	spec, ok := m.Input("data").(*manifest.Image)
	if !ok {
		return nil, fmt.Errorf("the manifest has no picture called data")
	}
	names, err := filepath.Glob(filepath.Join(folder, "digits", "drawings", "*.png"))
	if err != nil {
		return nil, err
	}
	var all []drawing
	for _, name := range names {
		var picture *image.RGBA
		if picture, err = media.OpenPicture(name); err != nil {
			return nil, err
		}
		data := manifest.Type{Name: "data", DType: tensor.Int8, Shape: tensor.Shape{1, 1, 28, 28}}
		t, _, err := media.PrepareImage(spec, data, picture)
		if err != nil {
			return nil, err
		}
		all = append(all, drawing{filepath.Base(name), t.Bytes()})
	}
	return all, nil
}

// write converts the network of floats and writes the two files of the model.
func write(w io.Writer, folder string) error {
	files, err := build(folder)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"graph.json": files.Symbol, "params.bin": files.Params} {
		if err := os.WriteFile(filepath.Join(folder, "ledger", "digits.cvm", name), data, 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "written: a graph of %d bytes and parameters of %d\n", len(files.Symbol), len(files.Params))
	return err
}

func build(folder string) (cvm.Files, error) {
	model, err := concord.Open(filepath.Join(folder, "digits", "model.nnef"))
	if err != nil {
		return cvm.Files{}, err
	}
	defer model.Close()
	g, err := model.Graph(nil)
	if err != nil {
		return cvm.Files{}, err
	}
	weights := make(map[string]*tensor.Tensor)
	for c := range g.Constants() {
		weights[c.Label] = c.Const
	}
	all, err := drawings(folder)
	if err != nil {
		return cvm.Files{}, err
	}
	var samples [][]byte
	for _, d := range all {
		samples = append(samples, d.input)
	}
	return convert(weights, samples)
}

// read prints what the model costs, and for every drawing the digit and the sum of the output's bytes.
func read(w io.Writer, folder string) error {
	model, err := cvm.Open(filepath.Join(folder, "ledger", "digits.cvm"), cvm.Options{})
	if err != nil {
		return err
	}
	defer model.Close()
	a := model.Admission()
	fmt.Fprintf(w, "gas %d, storage %d bytes\n\n", a.Gas, a.Storage)
	all, err := drawings(folder)
	if err != nil {
		return err
	}
	for _, d := range all {
		out, err := model.Run(context.Background(), d.input)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if _, err := fmt.Fprintf(w, "%-12s %d   %x\n", d.name, best(out), sha256.Sum256(out)); err != nil {
			return err
		}
	}
	return nil
}

// best returns the place of the greatest of the scores in an output.
func best(out []byte) int {
	place := 0
	score := func(i int) int32 { return int32(binary.LittleEndian.Uint32(out[4*i:])) }
	for i := range len(out) / 4 {
		if score(i) > score(place) {
			place = i
		}
	}
	return place
}
