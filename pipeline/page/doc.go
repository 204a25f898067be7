// Package page writes web pages on models that run as WebAssembly: they show what a model says of a picture or a sound, as its manifest has it, without
// Concord and without a server that computes.
package page
