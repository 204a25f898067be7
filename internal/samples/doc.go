// Package samples computes several samples of a model in one run: the inputs of n samples are stacked along their first extents, and so are the
// outputs. Each sample has the bits that it would have alone, or [Batch.Session] is an error.
package samples
