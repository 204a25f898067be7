// Package std holds the declarations of the standard operations as documents of the language itself: standard.nnef, the
// 118 operations of NNEF 1.0.5, and provisional.nnef, the 85 of the provisional text. They say parameters with types and
// defaults, and for the operations that the standard defines by others their bodies.
package std
