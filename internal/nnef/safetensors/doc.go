// Package safetensors reads files in the safetensors format: the length of a JSON header in 8 bytes, the header, which
// gives each tensor a name, a type, a shape and a range of bytes, and the bytes, least significant first. Models of the
// engine tract may hold such files beside or in place of tensor files.
//
// Files are hostile input: every length is checked against the bytes that are there before it is used.
package safetensors
