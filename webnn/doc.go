// Package webnn builds graphs by the methods of the W3C Web Neural Network API's MLGraphBuilder.
//
// Every builder method is a row of one table ([Methods]) that names its arguments and options, with their defaults, and
// the operators that it lowers to. A method is called by name with [GraphBuilder.Call]; the package computes nothing
// itself. Arguments follow the interface definition of https://www.w3.org/TR/webnn/ (editor's source of June 2026).
package webnn
