// Package export turns a graph into calls of OpenVX's neural-network extension: the inverse of what package openvx does with its nodes.
// [New] makes a [Network], a list of tensors and calls as data. [Network.Build] performs the calls on package openvx; [Network.Files]
// writes them as C with a file of weights, for any library that has the extension.
//
// Numbers of float types become Q7.8, 16 bits of which 8 are fractional, or stay float32, which no version of the standard has but this
// library. Elements of the types uint8, int8 and int16, the latter taken as Q7.8, are what they are: of an integer model the export
// computes the same to the bit, or is refused.
//
// A value lies in a tensor whose elements, in the order of memory, are those of the value in row-major order. The extents may be grouped
// otherwise than the value's shape: reshaping costs nothing as long as each layer finds the extents that it needs.
//
// A table has a row for each operator of package op and says which calls it becomes. What cannot be said is refused, with a list of all
// nodes that it concerns.
package export
