// Command generate writes what follows from the interface of WebNN: the options, typed methods and rows of package webnn, as the
// templates in code.tmpl have them. words.txt has the sentences of the documentation. Run it by
//
//	go generate ./webnn
//
// Its tests hold package webnn to the interface, and the interface, webnn/internal/idl/webnn.txt, to the standard's source, if the environment
// variable CONCORD_WEBNN_BS has the path of a copy of its file index.bs. With the flag -update they write that file anew, and the page
// docs/webnn-coverage.md, which says for each member of the interface where it is in Go.
package main
