// Package conform runs conformance cases that are kept as data: the operator cases of web-platform-tests for WebNN, the cases
// for NNEF and ONNX, and the operators and models of CVM. [Find] reads the cases below a path, [Run] runs them. Cases of kinds that are not
// known are found too, and reported as skipped.
//
// How the data looks is said by the README beside it. A new kind of case is a row of the table kinds and a loader.
package conform
