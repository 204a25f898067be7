// Package fmath is float32 and float64 arithmetic whose bits are the same on every processor.
//
// The standard library's transcendental functions may differ in the last bits from one
// architecture to another, and the compiler may fuse a product and a sum where the
// hardware can. The functions here leave no such freedom: each is a fixed sequence of
// correctly rounded operations, for float32 written so that a SIMD version of the same sequence gives
// the same bits. What Exp, Log and the others return is therefore a definition, and
// docs/numerics.md writes it out with coefficients and measured errors.
//
// Subnormal arguments and results are kept, the sign of zero follows C99's annex F, and every
// NaN that a function returns is the canonical quiet NaN, 0x7FC00000 or 0x7FF8000000000000.
package fmath
