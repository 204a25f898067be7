package syntax

import (
	"github.com/concord-nn/concord/internal/limits"
)

// Dialect is one of the two languages that go by the name NNEF 1.0.
type Dialect uint8

const (
	// Final is the language of June 2018 and all its revisions up to 1.0.5: "version 1.0;".
	Final Dialect = iota
	// Provisional is the language of December 2017: "version 1.0" without a semicolon.
	Provisional
)

func (d Dialect) String() string {
	if d == Provisional {
		return "provisional"
	}
	return "final"
}

// Names of the extensions of the standard.
const (
	ExtFragments = "KHR_enable_fragment_definitions" // allows fragment declarations
	ExtOperators = "KHR_enable_operator_expressions" // allows expressions beyond the flat syntax
)

// ExtConcord is Concord's own extension: the operations are those of package op. Graphs and fragments may then have no parameters.
const ExtConcord = "concord_operators"

// Options say how to read a text. The zero value is the grammar of the standard with the default limits.
type Options struct {
	// Strict reports fragments and expressions of a final document that no extension enables: once for each extension
	// that is missing, as a warning if Lenient is set. Documents that declare an extension of the engine tract, or
	// [ExtConcord], need no others. Without Strict the extension statements are read but not asked for.
	Strict bool

	// Lenient accepts what belongs to the other dialect (a missing semicolon, "extent" for "integer", either form of
	// the comprehension, an expression in a provisional graph, …) and unknown escapes in strings, with a warning each
	// in [Document.Warnings].
	Lenient bool

	// Tract accepts what the engine tract adds to the language: escaped identifiers i"any text", free text in its
	// extension statements, empty argument lists and text beyond ASCII in strings. A document that declares an
	// extension whose name starts with "tract_" switches it on for itself.
	Tract bool

	// Limits bound the work; fields that are 0 mean the default.
	Limits Limits
}

// Limits bound what a reader accepts, so that no document exhausts memory, stack or time. A field of 0 stands for the
// default in parentheses. Exceeding a limit is an error with a position and ends the reading.
type Limits struct {
	Bytes   int // length of a text (64 MiB, never more than 4 GiB)
	Tokens  int // number of tokens (16 Mi)
	Depth   int // nesting of expressions, types and patterns, and height of their trees (1000)
	Literal int // bytes of one identifier or literal (65536)
	Errors  int // diagnostics in one run (50)
}

// DefaultLimits are the limits that hold where [Options.Limits] has a 0.
var DefaultLimits = Limits{
	Bytes: limits.TextBytes, Tokens: limits.TextTokens, Depth: limits.TextDepth, Literal: limits.TextLiteral, Errors: limits.TextErrors,
}

// Filled returns the limits with the defaults in place of zeros. Offsets have 32 bits, whatever the caller asks for.
func (l Limits) Filled() Limits {
	l = limits.Filled(l, DefaultLimits)
	l.Bytes = int(min(int64(l.Bytes), limits.TextOffset))
	return l
}
