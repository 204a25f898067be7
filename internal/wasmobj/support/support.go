// Package support is what references need around them in a WebAssembly module: internal/wasmobj/gen compiles it with them.
package support

import "github.com/concord-nn/concord/tensor"

// Runner evaluates the blocks of a node. It is the one [op.BlockRunner] that a module has.
type Runner struct{ Blocks []Block }

// Block is a block: its inputs without captures, its outputs, and what computes them.
type Block struct {
	Inputs, Outputs []*tensor.Tensor
	Compute         func()
}

// In returns input i of a block.
func (r *Runner) In(block, i int) *tensor.Tensor { return r.Blocks[block].Inputs[i] }

// Out returns output i of a block.
func (r *Runner) Out(block, i int) *tensor.Tensor { return r.Blocks[block].Outputs[i] }

// Run evaluates a block.
func (r *Runner) Run(block int) error {
	r.Blocks[block].Compute()
	return nil
}
