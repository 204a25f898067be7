// Package limits holds, in one table, every bound on what foreign input can cost: memory, time, depth, counts and sizes. A package
// takes its constants from here; public options that lower or raise a bound take their defaults from here.
//
// Sizes of tiles and caches, waiting times and whatever else only tunes speed stand where they are used, and so does what only
// shortens a message.
package limits

//go:generate go test . -run ^TestPage$ -update

// Row says what a bound of [All] is for.
type Row struct {
	Name   string // stands for the bound in documentation: the part of the system, a dot, what is counted
	Value  int64
	Unit   string
	Bounds string // what is bounded, and why
	Beyond string // what happens beyond it
	Test   string // the test that reaches it, behind the folder of its package
}
