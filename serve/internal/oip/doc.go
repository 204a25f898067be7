// Package oip holds the messages of the Open Inference Protocol, version 2, free of any transport: what a client asks, what a
// model answers, and what can be asked about models. Its extensions for a repository of models and for statistics are those of
// Triton.
//
// [Service] is what answers. Package rest and package rpc bring it to clients; neither knows how it answers.
package oip
