// Package tensorfile reads and writes NNEF tensor files (.dat): the 128-byte header of NNEF 1.0 to 1.0.5 and the
// variable-length header of the provisional 1.0, followed by the items in row-major order without gaps. Items of whole
// bytes stand with the least significant byte first; others begin with the most significant bit of a byte, as the tools
// in the field write them.
//
// [Decode] shares memory with the file where it can: a mapped file is not touched beyond its header.
package tensorfile
