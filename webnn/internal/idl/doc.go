// Package idl has the interface of WebNN as data: interfaces, dictionaries, enumerations and type definitions as the
// standard's WebIDL declares them, and the rows of its tables "Tensor limits".
//
// The data stands in idl.json. The command in the folder generate writes it from the standard's source, which [Parse]
// reads, and from it the table of limits in package webnn and the page docs/webnn-coverage.md. Package webnn/session converts
// the arguments of a page by these declarations; programs that use package webnn alone do not carry them.
package idl
