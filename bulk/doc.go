// Package bulk runs a model over many inputs: files, folders, archives and lists, in their order, on all processors, in parts that several machines
// share.
package bulk
