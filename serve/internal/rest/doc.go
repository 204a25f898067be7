// Package rest brings an [oip.Service] to clients by HTTP: the Open Inference Protocol, version 2, in JSON, with Triton's extensions for binary
// tensors, parameters, sequences, scheduling, repositories of models, their configuration and statistics. docs/serve.md lists the paths and headers.
//
// A body is read whole, within [Options], and a reader of its own (reader, request) takes the tensors of a request from it without any value in
// between: numbers are converted once, from their text to the element, so that an integer of 64 bits and a NaN arrive as they were sent. Binary
// tensors are the bytes of the body. What is wrong with a request is said with its place, as status 400.
package rest
