// Package export writes a graph as files that a page or Node loads without this program: WebAssembly modules, for engines with and without a fused
// multiply-add and for one thread or several, the weights, and an ES module that picks the right one, with its types.
package export
