// Package exact evaluates the layers and tensor nodes of OpenVX straight from the text of the standard, in exact arithmetic, one element
// after the other. It is the opinion that tests of package openvx compare with: it is deliberately slow, follows the formulas as the text
// has them, and knows nothing of package op or of the lowering to it. Only tests may import it.
//
// Elements are plain integers, as they stand in memory. Sums and products are exact; what a layer rounds it rounds once, at the end.
// Where a formula has a transcendental function, an interval encloses its value, and a [Result] says which elements are possible.
//
// Where the text is silent or cannot be meant, a comment says what holds; docs/openvx.md lists these places.
package exact
