// Package std holds the declarations of the standard operations as documents of the language itself: standard.nnef, the
// 118 operations of NNEF 1.0.5, provisional.nnef, the 85 of the provisional text, and tract.nnef, those that the engine
// tract adds. They say parameters with types and defaults, and for the operations that are defined by others their bodies.
//
// [Of] returns the operations of a dialect and [Tract] those of tract.
package std
