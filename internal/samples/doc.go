// Package samples computes several samples of a model in one run: the inputs of n samples are stacked along their first extents, and so are the
// outputs. That each sample has the bits that it would have alone is proved: the graph for one sample and the graph for n are followed from outputs to
// inputs, node beside node, by what operators say of the dimensions that they keep apart ([op.LaneOf]). Where that is not known, it is an error that
// names the node, a [MixedError]; nothing is tried.
package samples
