// Package lint finds what is allowed in a valid NNEF document but deprecated, without effect, or a likely slip.
//
// All findings are warnings. [Document] looks at the text alone, [Graph] at the shapes of a flattened graph.
package lint
