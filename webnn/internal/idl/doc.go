// Package idl has the interface of WebNN as data: interfaces, dictionaries, enumerations and type definitions as the
// standard's WebIDL declares them, and the rows of its tables "Tensor limits".
//
// The data stands in webnn.txt, which the test of the command in the folder generate writes from the standard's source. From it the command
// makes the options, the typed methods and the table of methods of package webnn, by which webnn/session converts the arguments of a page, and its
// test the page docs/webnn-coverage.md. No program that uses webnn carries the interface itself.
package idl
