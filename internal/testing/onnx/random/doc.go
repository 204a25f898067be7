// Package random makes models of ONNX at random, and inputs for them, for tests: of one operator, in all its versions and with all forms of
// its attributes and operands, or small graphs of many. A table of rules says what is possible, a row for each operator; it computes
// nothing. Only tests and the generator of the page of operators may import it.
package random
