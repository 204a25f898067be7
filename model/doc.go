// Package model makes a network a function of the shapes of its inputs.
//
// The graphs of package graph have numbers for extents, never symbols: what an operator yields can always be said. A model whose extents
// are open is therefore no graph but a [Model], which makes a graph when the shapes of the inputs are given. Everything that depends on
// shapes is a number at that moment, the extents that a network computes itself included, so that no front-end needs an algebra of symbols.
// [Programs] keeps the programs of the shapes that were used last.
package model
