// Package lint finds what is allowed in a valid NNEF document but deprecated, without effect, or a likely slip.
//
// All findings are warnings. Only what follows from the text with certainty is reported.
package lint
