// Package std holds the declarations of the 118 operations of NNEF 1.0.5 as a document of the language itself,
// standard.nnef: parameters with types and defaults, and for the operations that the standard defines by others their
// bodies.
package std
