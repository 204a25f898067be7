package main

import (
	"context"
	"slices"

	"github.com/concord-nn/concord/webnn"
)

// stream runs the network frame by frame. The states never leave their tensors: what one dispatch writes, the next reads.
type stream struct {
	context   *webnn.Context
	graph     *webnn.Graph
	levels    *webnn.Tensor
	gains     *webnn.Tensor
	now, then webnn.NamedTensors // the states before and after the next frame
}

func newStream(ctx context.Context) (*stream, error) {
	c, err := webnn.ML{}.CreateContext(&webnn.ContextOptions{PowerPreference: webnn.LowPower})
	if err != nil {
		return nil, err
	}
	s := &stream{context: c, now: webnn.NamedTensors{}, then: webnn.NamedTensors{}}
	if err := s.prepare(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stream) prepare(ctx context.Context) (err error) {
	if s.graph, err = build(ctx, s.context); err != nil {
		return err
	}
	d := webnn.TensorDescriptor{OperandDescriptor: floats(1, 1, bands), Readable: true, Writable: true}
	if s.levels, err = s.context.CreateTensor(d); err != nil {
		return err
	}
	if s.gains, err = s.context.CreateTensor(d); err != nil {
		return err
	}
	for _, layer := range states {
		d := webnn.TensorDescriptor{OperandDescriptor: floats(1, 1, layer.size), Writable: true}
		for _, group := range []webnn.NamedTensors{s.now, s.then} {
			if group[layer.name], err = s.context.CreateTensor(d); err != nil {
				return err
			}
		}
		if err := s.context.WriteTensor(s.now[layer.name], slices.Repeat([]float32{layer.start}, layer.size)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stream) close() { s.context.Destroy() }

// next returns the gains of the frame with these levels.
func (s *stream) next(ctx context.Context, levels []float32) ([]float32, error) {
	if err := s.context.WriteTensor(s.levels, levels); err != nil {
		return nil, err
	}
	in, out := webnn.NamedTensors{"levels": s.levels}, webnn.NamedTensors{"gains": s.gains}
	for name := range s.now {
		in[name], out[name+" after"] = s.now[name], s.then[name]
	}
	if err := s.context.Dispatch(s.graph, in, out); err != nil {
		return nil, err
	}
	s.now, s.then = s.then, s.now
	gains := make([]float32, bands)
	return gains, s.context.ReadTensorInto(ctx, s.gains, gains)
}
