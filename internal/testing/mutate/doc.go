// Command mutate takes the guards of packages away, one after the other, and says which of them no test misses.
//
//	go run ./internal/testing/mutate ./op -- ./engine ./nnef
//
// tries the guards of op with the tests of op, and those that they do not miss with the tests of engine and nnef; -only op/pad.go tries some of them.
// A guard is the condition of an if or of a case that stands for itself, unless it only hands on an error, or a function that draws random cases, with
// a *Rand, asks it. Where it is taken away it never holds.
// A reason beside a guard, on its line or in the comment above it, says what no test can tell:
//
//	if n == 1 { // Without this one goroutine would do what none has to.
//
// It begins with the words "Without this". A guard that neither a test nor a reason needs is printed with its place, and ends the command with 1.
//
// The packages are compiled once, with all guards numbered; a variable of the environment says which one a process takes away. Each test runs by
// itself first, to learn which guards hold in it: only those tests can miss them, and the quick ones are asked first, with few random cases before
// with all. What takes several times as long, or more than 8 GB, is missed, too. A package takes some minutes. It needs a Unix.
package main
