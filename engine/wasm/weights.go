package wasm

import (
	"io"

	"github.com/concord-nn/concord/internal/stage"
	"github.com/concord-nn/concord/tensor"
)

// weights are what modules of one image read and no run changes. What kernels read in a form of their own is packed when it is written, so that it takes
// no more memory than the largest constant.
type weights struct {
	stage.Pieces
	at map[any]int // where they lie, by what they are
}

// stretch is memory of a constant.
type stretch struct {
	at *byte
	n  int
}

func newWeights() *weights {
	return &weights{Pieces: stage.Pieces{Align: tensor.Alignment}, at: make(map[any]int)}
}

// plain adds the elements of a constant from some byte on, and returns where they lie.
func (w *weights) plain(t *tensor.Tensor, from int) int {
	b := t.Bytes()[from:]
	return w.once(stretch{&b[0], len(b)}, func() int { return w.Add(tensor.Raw(t)[from:]) })
}

// packed adds n bytes that are packed when they are written. Equal keys stand for the same bytes.
func (w *weights) packed(key any, n int, pack func(out []byte)) int {
	return w.once(key, func() int { return w.AddFilled(n, pack) })
}

func (w *weights) once(key any, add func() int) int {
	if _, ok := w.at[key]; !ok {
		w.at[key] = add()
	}
	return w.at[key]
}

// WriteWeights writes what must stand in the memory of the module before the first run. Much of it is computed for that.
func (m *Module) WriteWeights(w io.Writer) error {
	if m == nil || m.weights == nil {
		return nil
	}
	return m.weights.Write(w)
}
