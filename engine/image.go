package engine

import (
	"github.com/concord-nn/concord/graph"
	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
)

// Image is a program bound to memory, for who makes code of it instead of running it: what is computed in which order, on tensors that lie in the
// arena or are constants.
type Image struct {
	Arena, Scratch  []byte
	Inputs, Outputs []*tensor.Tensor // in the order of the graph; of a block without its captures
	Steps           []ImageStep
	// Copies are made at the end of a run, then Updates, which give states their next content. Resets give them the first one.
	Copies, Updates, Resets []Move
}

// ImageStep is a unit of an image.
type ImageStep struct {
	*Unit
	Parts  []ImagePart
	Blocks []*Image // of a node that owns graphs, in the same arena
}

// ImagePart is what one kernel evaluates.
type ImagePart struct {
	Nodes  []*graph.Node
	Call   *op.Call
	Pieces int
	Code   any           // of the plan of its kernel, nil for a reference
	In     kernel.Layout // of the operand that a unit without nodes brings into the layout Out
	Out    kernel.Layout
}

// Move is a copy of the elements of a tensor to another one of its type.
type Move struct{ To, From *tensor.Tensor }

// Image binds the program to memory of its own.
func (p *Program) Image() (*Image, error) {
	s, err := p.NewSession()
	if err != nil {
		return nil, err
	}
	return s.image(s.frame, s.arena), nil
}

// working is the working memory of the session's own goroutine.
func (s *Session) working() []byte {
	if len(s.scratch) == 0 {
		return nil
	}
	return s.scratch[0]
}

func (s *Session) image(f *frame, arena []byte) *Image {
	moves := func(list []move) []Move {
		out := make([]Move, len(list))
		for i, m := range list {
			out[i] = Move{m.to, m.from}
		}
		return out
	}
	m := &Image{Arena: arena, Scratch: s.working(), Inputs: f.inputs, Outputs: f.outputs, Copies: moves(f.copies), Updates: moves(f.updates)}
	for _, st := range f.states {
		m.Resets = append(m.Resets, Move{st.value, st.init})
	}
	for i := range f.steps {
		st := &f.steps[i]
		made := ImageStep{Unit: st.Unit}
		for k := range st.parts {
			p := &st.parts[k]
			made.Parts = append(made.Parts, ImagePart{p.nodes, &st.calls[0][k], p.each * st.Pieces, p.code, p.in[0].layout, p.out[0].layout})
		}
		if st.blocks != nil {
			for _, b := range st.blocks.frames {
				made.Blocks = append(made.Blocks, s.image(b, arena))
			}
		}
		m.Steps = append(m.Steps, made)
	}
	return m
}
