// Package emit adds nodes to graphs for those who translate something else into operators. An [Emitter] keeps the first error, so
// that a translation reads as what it makes and looks at the error once, at its end.
package emit
