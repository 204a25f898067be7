// Package formal evaluates CVM graphs straight from the text of the operator formalisation, in plain int64 arithmetic, one element after
// the other. It is the opinion that tests of package cvm compare with: it is deliberately slow, follows the index formulas as the text has
// them, and knows nothing of package op, of the lowering to it, or of the table of operators.
//
// Where the text is silent or cannot be meant, a comment says what holds; docs/deviations.md lists these places.
package formal
