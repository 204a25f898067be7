// Package proto reads and writes the files of ONNX: the messages of a model, tensors in them and beside them, and tensors in files of their
// own. It knows no operators: what a model means is for others to say.
//
// The messages and their fields have the names of the standard, onnx.proto, in Go's spelling; doc_string is Doc and metadata_props is
// Metadata. A field that is absent is the zero value of its type. Fields that are not known here are skipped, those that spread a model over
// devices among them.
package proto
