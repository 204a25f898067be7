// Package kernel holds the kernels that are faster than the references of package op and equal them bit for bit: tables by operator,
// element types and tier. A tier is what a processor can do; the last one is portable Go.
//
// A kernel evaluates a region of a graph: a node, or a node with those behind it that work on its result element by element. What a region
// means is defined by the references of its nodes, so that fusing defines nothing new. [For] finds the kernel of a region and lets it
// prepare a [Plan]: geometry, packed constants, independent pieces, memory. Package engine divides, schedules and runs plans.
//
// One test holds every row of every tier to the references, on random shapes, divisions into pieces and alignments.
package kernel
