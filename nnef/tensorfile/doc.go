// Package tensorfile reads and writes NNEF tensor files (.dat): the 128-byte header of NNEF 1.0 to 1.0.5 and the
// variable-length header of the provisional 1.0, followed by the elements in row-major order, least significant byte
// first, without gaps.
package tensorfile
