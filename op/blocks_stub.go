package op

import "github.com/concord-nn/concord/tensor"

type Block struct{ Name, Doc string }

type BlockRunner interface {
	In(block, i int) *tensor.Tensor
	Out(block, i int) *tensor.Tensor
	Run(block int) error
}
