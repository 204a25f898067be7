// Package operators is the table of CVM's operators: their attributes and how these are spelled, how many operands they take, the rules
// of shapes and precisions, what they cost, and what they are on the operators of package op.
//
// A row says all of it. The operators stand in a file for each family of the formalisation, with the rules that the rows name behind them.
package operators

//go:generate go test -run ^TestPage$ . -update
