// Package container opens the files that make an NNEF model: a folder, a tar archive, plain or gzipped, or a graph file
// alone. Members of folders and of archives that are not gzipped are mapped into memory; nothing outside of the folder
// can be reached, and archives are held to [Limits].
//
// It also writes folders and archives, the same bytes for the same members, and packs and unpacks models without
// decoding them ([Convert]).
package container
