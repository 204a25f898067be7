// Denoise runs a small recurrent network, built with the WebNN builder, that finds the voice in noise: it hears the levels
// of 22 bands of a sound, frame by frame, and says how much of each band to keep.
//
//	go run ./examples/denoise
//	go run ./examples/denoise -page
//	go run ./examples/denoise noisy.wav clean.wav
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/concord-nn/concord/examples/internal/site"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the noise")
	serve := flag.Bool("page", false, "serve a page that takes the noise out of sounds")
	out := site.Flags()
	flag.Parse()
	var err error
	switch {
	case *serve:
		err = out.Put(page())
	case flag.NArg() == 2:
		err = file(context.Background(), flag.Arg(0), flag.Arg(1))
	default:
		err = run(context.Background(), os.Stdout, *seed)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "denoise:", err)
		os.Exit(1)
	}
}

//go:embed page
var files embed.FS

// page returns the page with the exported network.
func page() (site.Site, error) {
	g, err := whole()
	if err != nil {
		return nil, err
	}
	s, err := site.New(files, "page")
	if err != nil {
		return nil, err
	}
	return s, s.Export(g, nil, "denoise")
}

// run plays the sound to the network and writes what it keeps.
func run(ctx context.Context, w io.Writer, seed uint64) error {
	sound := speak(seed)
	gains, err := denoise(ctx, sound)
	if err != nil {
		return err
	}
	report(w, sound, gains)
	return nil
}

// denoise returns the gains of every frame of a sound.
func denoise(ctx context.Context, sound []frame) ([][]float32, error) {
	s, err := newStream(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	gains := make([][]float32, len(sound))
	for i, f := range sound {
		if gains[i], err = s.next(ctx, f.levels[:]); err != nil {
			return nil, err
		}
	}
	return gains, nil
}

// shades are the marks of gains from 0 to 1.
const shades = " .:-=+*#%@"

// report writes a picture of the gains, time to the right and the highest band at the top, and how much of voice and noise
// is kept.
func report(w io.Writer, sound []frame, gains [][]float32) {
	for b := bands - 1; b >= 0; b-- {
		line := make([]byte, len(sound))
		for i := range sound {
			line[i] = shades[min(int(gains[i][b]*float32(len(shades))), len(shades)-1)]
		}
		fmt.Fprintf(w, "%2d |%s|\n", b, line)
	}
	voice, noise := kept(sound, gains)
	fmt.Fprintf(w, "kept: %.0f %% of the voice, %.0f %% of the noise\n", 100*voice, 100*noise)
}

// kept returns the means of the gains of bands with and without voice.
func kept(sound []frame, gains [][]float32) (voice, noise float32) {
	var sum, count [2]float32
	for i, f := range sound {
		for b, g := range gains[i] {
			k := 0
			if f.voice[b] {
				k = 1
			}
			sum[k] += g
			count[k]++
		}
	}
	return sum[1] / count[1], sum[0] / count[0]
}
