package main

import (
	"slices"

	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/emit"
	"github.com/concord-nn/concord/internal/fmath"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn"
)

const (
	hop   = 512     // samples of a frame
	wide  = 2 * hop // samples that are transformed at once: a frame and the one before it
	lines = wide/2 + 1
)

// middles are the frequencies in the middle of each band, in lines of the spectrum (47 Hz at 48 kHz): even steps where vowels are told apart, and
// wider ones above, as ears have them.
var middles = [bands]int{0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 136, 160, 192, 240, 312, 400}

// whole returns the network with what stands around it, from samples to samples. All that is kept between frames, the samples of the frame before,
// the states of the layers, and the half of the result that the next frame completes, are states of the graph.
//
// Its inputs are noisy, the samples of a frame from -1 to 1, and keep, the share of the noise that is left, from 0 to 1. Its outputs are clean, the
// samples of the frame before the last, and the levels and gains of the bands.
func whole() (*graph.Graph, error) {
	network, err := layers()
	if err != nil {
		return nil, err
	}
	b := graph.NewBuilder(op.Rules, "denoise")
	w := &wires{Emitter: emit.Emitter{Target: b}, b: b}
	w.connect(network)
	if w.Err != nil {
		return nil, w.Err
	}
	return b.Build()
}

// layers returns the network without compiling it.
func layers() (*graph.Graph, error) {
	c, err := webnn.ML{}.CreateContext(nil)
	if err != nil {
		return nil, err
	}
	defer c.Destroy()
	b, err := webnn.NewGraphBuilder(c)
	if err != nil {
		return nil, err
	}
	outputs := webnn.NamedOperands{}
	if err := webnn.Try(func(must *webnn.Must) { define(&network{b, must}, outputs) }); err != nil {
		return nil, err
	}
	return b.Network(outputs)
}

// wires adds nodes around the network; the first error stays.
type wires struct {
	emit.Emitter
	b *graph.Builder
}

func (w *wires) connect(network *graph.Graph) {
	noisy, keep := w.input("noisy", hop), w.input("keep", 1)
	spectrum := w.analyse(noisy)
	levels := w.levels(spectrum)
	gains := w.decide(network, levels)
	// The network's gain g becomes g + keep·(1-g).
	one := w.scalar(1)
	gains = w.Node("add", nil, gains, w.Node("mul", nil, w.Reshape(keep, 1, 1, 1), w.Node("sub", nil, one, gains)))
	clean := w.synthesise(spectrum, gains)
	w.output("clean", clean)
	w.output("levels", w.Reshape(levels, bands))
	w.output("gains", w.Reshape(gains, bands))
}

// analyse returns the spectrum [1,lines,2] of the samples of a frame and those of the one before.
func (w *wires) analyse(noisy *graph.Value) *graph.Value {
	before := w.state("before", hop, 0)
	both := w.Node("concat", emit.Attr("axis", 0), before, noisy)
	w.update(before, noisy)
	both = w.Reshape(w.Node("mul", nil, both, w.window()), 1, wide, 1)
	return w.Node("dft", emit.Attr("axis", 1, "onesided", true), both)
}

// levels returns the levels [1,1,bands] of a spectrum: decibels above -100, where 0 is a sine from -1 to 1, in units of 100.
func (w *wires) levels(spectrum *graph.Value) *graph.Value {
	power := w.Node("sum_reduce", emit.Attr("axes", []int{2}), w.Node("mul", nil, spectrum, spectrum))
	weights := make([]float32, lines*bands)
	const full = wide / 3.1415927 // the height of such a sine in the spectrum
	for band := range bands {
		shape := triangle(band)
		var sum float32
		for _, x := range shape {
			sum += x
		}
		for line, x := range shape {
			weights[line*bands+band] = x / sum / (full * full)
		}
	}
	mean := w.Node("matmul", nil, w.Reshape(power, 1, 1, lines), w.floats(weights, 1, lines, bands))
	bel := w.Node("mul", nil, w.Node("log", nil, w.Node("add", nil, mean, w.scalar(1e-10))), w.scalar(0.4342945/10))
	return w.Node("add", nil, bel, w.scalar(1))
}

// decide returns the gains [1,1,bands] of the network for levels.
func (w *wires) decide(network *graph.Graph, levels *graph.Value) *graph.Value {
	if w.Err != nil {
		return nil
	}
	in := make([]*graph.Value, len(network.Inputs))
	held := map[string]*graph.Value{}
	for i, v := range network.Inputs {
		in[i] = levels
		if at := slices.IndexFunc(states, func(s state) bool { return s.name == v.Name }); at >= 0 {
			s := states[at]
			in[i] = w.state(s.name, s.size, s.start, 1, 1, s.size)
			held[s.name+" after"] = in[i]
		}
	}
	out, err := w.b.Inline(network, in)
	if err != nil {
		w.Fail(err)
		return nil
	}
	var gains *graph.Value
	for i, o := range network.Outputs {
		if held[o.Name] != nil {
			w.update(held[o.Name], out[i])
		} else {
			gains = out[i]
		}
	}
	return gains
}

// synthesise returns the samples of a spectrum with gains, of the frame that is complete now.
func (w *wires) synthesise(spectrum, gains *graph.Value) *graph.Value {
	weights := make([]float32, bands*lines)
	for band := range bands {
		copy(weights[band*lines:], triangle(band))
	}
	curve := w.Reshape(w.Node("matmul", nil, gains, w.floats(weights, 1, bands, lines)), 1, lines, 1)
	samples := w.Node("dft", emit.Attr("axis", 1, "onesided", true, "inverse", true), w.Node("mul", nil, spectrum, curve))
	samples = w.Node("mul", nil, w.Reshape(samples, wide), w.window())
	half := func(from int) *graph.Value {
		return w.Node("slice", emit.Attr("axes", []int{0}, "begin", []int{from}, "end", []int{from + hop}), samples)
	}
	rest := w.state("rest", hop, 0)
	clean := w.Node("add", nil, rest, half(0))
	w.update(rest, half(hop))
	return clean
}

// triangle returns the share of a band in each line of the spectrum. The shares of all bands add up to 1.
func triangle(band int) []float32 {
	shares := make([]float32, lines)
	for line := range shares {
		next := 0
		for next < bands && middles[next] <= line {
			next++
		}
		if next == bands {
			if band == bands-1 {
				shares[line] = 1
			}
			continue
		}
		from, to := middles[next-1], middles[next]
		up := float32(line-from) / float32(to-from)
		switch band {
		case next:
			shares[line] = up
		case next - 1:
			shares[line] = 1 - up
		}
	}
	return shares
}

// window is half a sine. Its square and that of its other half add up to 1, so that what is not changed comes out as it went in.
func (w *wires) window() *graph.Value {
	samples := make([]float32, wide)
	for i := range samples {
		sin, _ := fmath.Turn(int64(2*i+1), 4*wide)
		samples[i] = float32(sin)
	}
	return w.floats(samples, wide)
}

func (w *wires) floats(data []float32, shape ...int) *graph.Value {
	t, err := tensor.FromSlice(data, shape...)
	if err != nil {
		w.Fail(err)
		return nil
	}
	return w.Constant(t)
}

func (w *wires) scalar(x float32) *graph.Value { return w.floats([]float32{x}, 1, 1, 1) }

func (w *wires) input(name string, n int) *graph.Value {
	v, err := w.b.Input(name, graph.Type{DType: tensor.Float32, Shape: tensor.Shape{n}})
	w.Fail(err)
	return v
}

func (w *wires) output(name string, v *graph.Value) {
	if w.Err == nil {
		w.Fail(w.b.Output(name, v))
	}
}

// state adds a state of n elements that are all start.
func (w *wires) state(name string, n int, start float32, shape ...int) *graph.Value {
	if w.Err != nil {
		return nil
	}
	if len(shape) == 0 {
		shape = []int{n}
	}
	t, err := tensor.FromSlice(slices.Repeat([]float32{start}, n), shape...)
	if err != nil {
		w.Fail(err)
		return nil
	}
	v, err := w.b.State(name, "", t)
	w.Fail(err)
	return v
}

func (w *wires) update(state, next *graph.Value) {
	if w.Err == nil {
		w.Fail(w.b.Update(state, next))
	}
}
