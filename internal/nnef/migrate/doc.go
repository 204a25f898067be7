// Package migrate turns documents of the provisional dialect of NNEF 1.0 into documents of the final one.
//
// [Document] rewrites the syntax, the names of operations and parameters and what each operation left to its rank, gives
// the tensors of fragments their item types, and expands in the graph those fragments that the final dialect cannot
// express. Whatever is more than another way of writing the same is listed as a note with its place in the old text.
// [Quantization] does the same for quantization files.
//
// The result is read back strictly before it is returned. Whether shapes and values agree is for the caller to see, with
// package nnef; command concord migrate does so.
package migrate
