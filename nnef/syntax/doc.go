// Package syntax reads and writes the text of NNEF documents: it holds the lexer, the syntax tree with positions, the
// parser, the formatter and the diagnostics that every later layer of the reader shares.
//
// One parser reads both dialects, the provisional 1.0 text of December 2017 and the final 1.0 … 1.0.5 text. The token
// after the version number tells them apart: a semicolon means final. [Parse] reads a whole document, [ParseFragments]
// a list of fragment declarations, [ParseBody] the assignments of a body, [ParseExpr] one expression and [ParseQuant] a
// quantization file. [Format] writes the canonical text; reading that text gives an equal tree.
//
// The package checks what can be seen in the text alone: characters and literals, the grammar of the dialect, the
// version and, if [Options.Strict] asks for it, that the constructs used are enabled by an extension. Names, types,
// and everything that has to be evaluated belong to the packages above.
//
// Errors are returned as [Diagnostics], sorted by position, several per run. [Limits] bound the work that a document
// can cause.
package syntax
