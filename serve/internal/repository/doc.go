// Package repository keeps the models of a folder loaded: it looks at the folder again and again, loads what is new, swaps it for what
// serves, and unloads what is gone or not used for the longest time if memory is short.
//
// The folder is only read. A model in it is one of
//
//	NAME/VERSION/model.*     a file or folder of any format that package concord reads; VERSION is a decimal number from 1 on
//	NAME/VERSION/…           a folder that is a model itself, such as that of an NNEF model
//	NAME.nnef, NAME.onnx …   a file or folder that is a model: version 1 of NAME
//	NAME/…                   a folder that is a model, or holds one, without versions: version 1 of NAME
//
// and names that begin with a dot do not count. What is loaded, this package does not know: a function opens a version.
package repository
