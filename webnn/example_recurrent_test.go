package webnn_test

import (
	"context"
	"fmt"
	"log"
	"slices"

	"github.com/concord-nn/concord/webnn"
)

// weave returns n numbers that look like weights.
func weave(n int) []float32 {
	w := make([]float32, n)
	for i := range w {
		w[i] = float32(i*7%11-5) / 8
	}
	return w
}

// A sequence can be run as one gru, or step by step as gruCell: the bits are the same.
func ExampleGraphBuilder_GruCell() {
	const steps, batch, inputSize, hidden = 3, 1, 2, 2
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	x := must(b.Input("x", floats(steps, batch, inputSize)))
	weight := must(b.Constant(floats(1, 3*hidden, inputSize), weave(3*hidden*inputSize)))
	recurrent := must(b.Constant(floats(1, 3*hidden, hidden), weave(3*hidden*hidden)))
	whole := must(b.Gru(x, weight, recurrent, steps, hidden, nil))[0]

	w := must(b.Reshape(weight, []int{3 * hidden, inputSize}, nil)) // without the dimension of directions
	r := must(b.Reshape(recurrent, []int{3 * hidden, hidden}, nil))
	state := must(b.Constant(floats(batch, hidden), make([]float32, batch*hidden)))
	for step := range steps {
		now := must(b.Slice(x, []int{step, 0, 0}, []int{1, batch, inputSize}, nil))
		now = must(b.Reshape(now, []int{batch, inputSize}, nil))
		state = must(b.GruCell(now, w, r, state, hidden, nil))
	}
	g := must(b.Build(context.Background(), webnn.NamedOperands{"gru": whole, "cells": state}))

	gru, cells := readable(c, floats(1, batch, hidden)), readable(c, floats(batch, hidden))
	inputs := webnn.NamedTensors{"x": filled(c, floats(steps, batch, inputSize), []float32{1, 2, 3, 4, 5, 6})}
	if err := c.Dispatch(g, inputs, webnn.NamedTensors{"gru": gru, "cells": cells}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", read(c, gru))
	fmt.Println(slices.Equal(read(c, gru), read(c, cells)))
	// Output:
	// [-0.2274 -0.4260]
	// true
}

// The state of a recurrent network stays in tensors from dispatch to dispatch, as a stream of sound or video needs it. Here
// lstmCell sees one step in each dispatch, and the result equals lstm over all steps.
func ExampleGraphBuilder_LstmCell_stream() {
	const steps, hidden = 4, 2
	c := must(webnn.ML{}.CreateContext(nil))
	defer c.Destroy()
	b := must(webnn.NewGraphBuilder(c))
	x, h, cell := must(b.Input("x", floats(1, 1))), must(b.Input("h", floats(1, hidden))), must(b.Input("c", floats(1, hidden)))
	weight := must(b.Constant(floats(4*hidden, 1), weave(4*hidden)))
	recurrent := must(b.Constant(floats(4*hidden, hidden), weave(4*hidden*hidden)))
	next := must(b.LstmCell(x, weight, recurrent, h, cell, hidden, &webnn.LstmCellOptions{Layout: webnn.LstmIFGO}))
	g := must(b.Build(context.Background(), webnn.NamedOperands{"h": next[0], "c": next[1]}))

	sound := []float32{0.5, -1, 2, 1}
	now := webnn.NamedTensors{"h": readable(c, floats(1, hidden)), "c": readable(c, floats(1, hidden))} // zeros at first
	then := webnn.NamedTensors{"h": readable(c, floats(1, hidden)), "c": readable(c, floats(1, hidden))}
	step := filled(c, floats(1, 1), sound[:1])
	for i := range sound {
		if err := c.WriteTensor(step, sound[i:i+1]); err != nil { // waits its turn behind the dispatches before it
			log.Fatal(err)
		}
		if err := c.Dispatch(g, webnn.NamedTensors{"x": step, "h": now["h"], "c": now["c"]}, then); err != nil {
			log.Fatal(err)
		}
		now, then = then, now
	}
	streamed := read(c, now["h"])

	b = must(webnn.NewGraphBuilder(c))
	weight = must(b.Constant(floats(1, 4*hidden, 1), weave(4*hidden)))
	recurrent = must(b.Constant(floats(1, 4*hidden, hidden), weave(4*hidden*hidden)))
	x = must(b.Input("x", floats(steps, 1, 1)))
	all := must(b.Lstm(x, weight, recurrent, steps, hidden, &webnn.LstmOptions{Layout: webnn.LstmIFGO}))
	g = must(b.Build(context.Background(), webnn.NamedOperands{"h": all[0]}))
	in, out := filled(c, floats(steps, 1, 1), sound), readable(c, floats(1, 1, hidden))
	if err := c.Dispatch(g, webnn.NamedTensors{"x": in}, webnn.NamedTensors{"h": out}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f %v\n", streamed, slices.Equal(streamed, read(c, out)))
	// Output: [0.0216 -0.1699] true
}
