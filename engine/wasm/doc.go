// Package wasm makes one WebAssembly module of a graph: ahead of time, so that running it needs neither this package nor Go. The passes and the plan of
// the memory are those of package engine; what a node means is its operator's reference in package op, which internal/wasmobj/gen has compiled.
//
// The module has its memory, and run, which computes the outputs from the inputs that lie in that memory, where [Module] says.
package wasm
