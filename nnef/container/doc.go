// Package container opens the files that make an NNEF model: a folder, a tar archive, plain or gzipped, or a graph file
// alone. Members of a folder are mapped into memory; nothing outside of the folder can be reached. It also writes
// folders and archives, the same bytes for the same members.
package container
