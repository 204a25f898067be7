// Command libopenvx is OpenVX for C: built with -buildmode=c-shared it is a shared library with the functions of the standard's
// neural-network feature set and of its extension for importing kernels. It has no logic of its own: handles become
// objects of package openvx, pointers slices, attributes methods. docs/openvx.md tells what there is to know for its users.
//
// The files are named after the objects of the standard; those that have attributes alone stand in attribute.go. A function of the
// standard is a Go function of the same name; call.go has what they share.
package main

func main() {} // is not called in a shared library
