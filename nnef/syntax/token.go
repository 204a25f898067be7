package syntax

import "strings"

// kind is the kind of a token: one of those below, or the only character of the token.
type kind uint8

const (
	tokEOF kind = iota
	tokIdent
	tokInteger
	tokScalar
	tokString

	tokArrow
	tokLE
	tokGE
	tokEQ
	tokNE
	tokAnd
	tokOr

	// Keywords of both dialects.
	tokGraph
	tokFragment
	tokTensor
	tokScalarType
	tokLogicalType
	tokStringType
	tokShapeOf
	tokLengthOf
	tokRangeOf
	tokFor
	tokIn
	tokIf
	tokElse
	tokTrue
	tokFalse
	// Keywords of one dialect. The integer type is spelled "integer" or "extent".
	tokVersion
	tokExtension
	tokYield
	tokIntegerType

	numKinds     // less than any character of a token
	firstKeyword = tokGraph
)

var kindText = [numKinds]string{
	tokEOF: "the end of the text", tokIdent: "an identifier", tokInteger: "a number", tokScalar: "a number", tokString: "a string",
	tokArrow: "'->'", tokLE: "'<='", tokGE: "'>='", tokEQ: "'=='", tokNE: "'!='", tokAnd: "'&&'", tokOr: "'||'",
	tokGraph: "'graph'", tokFragment: "'fragment'", tokTensor: "'tensor'", tokScalarType: "'scalar'",
	tokLogicalType: "'logical'", tokStringType: "'string'", tokShapeOf: "'shape_of'", tokLengthOf: "'length_of'",
	tokRangeOf: "'range_of'", tokFor: "'for'", tokIn: "'in'", tokIf: "'if'", tokElse: "'else'", tokTrue: "'true'",
	tokFalse: "'false'", tokVersion: "'version'", tokExtension: "'extension'", tokYield: "'yield'",
	tokIntegerType: "the integer type",
}

// text describes the kind for a message.
func (k kind) text() string {
	if k < numKinds {
		return kindText[k]
	}
	return "'" + string(rune(k)) + "'"
}

// isKeyword tells whether the kind is that of a keyword of the dialect that was lexed.
func (k kind) isKeyword() bool { return firstKeyword <= k && k < numKinds }

// keywords holds the reserved words of each dialect.
var keywords = func() (words [2]map[string]kind) {
	words[Final], words[Provisional] = make(map[string]kind), make(map[string]kind)
	for k := firstKeyword; k < numKinds; k++ {
		word := strings.Trim(kindText[k], "'")
		if k == tokIntegerType {
			word = Integer.Text(Final)
		}
		words[Final][word] = k
		if k < tokVersion {
			words[Provisional][word] = k
		}
	}
	words[Provisional][Integer.Text(Provisional)] = tokIntegerType
	return words
}()

// keyword returns the kind of a word, tokIdent if it is no keyword of the dialect.
func keyword(word string, d Dialect) kind {
	if len(word) < 2 || len(word) > 9 { // Without this every word would be looked up.
		return tokIdent
	}
	if k, ok := keywords[d][word]; ok {
		return k
	}
	return tokIdent
}

// IsKeyword tells whether the word is reserved in the dialect.
func IsKeyword(word string, d Dialect) bool { return keyword(word, d) != tokIdent }

// IsIdentifier tells whether the word can name something in the dialect: ASCII letters, digits and underscores, no digit
// first, not a keyword.
func IsIdentifier(word string, d Dialect) bool {
	if word == "" || classOf[word[0]] != clsLetter {
		return false
	}
	for i := range len(word) {
		if !isWord[word[i]] {
			return false
		}
	}
	return !IsKeyword(word, d)
}

// token is a part of the text. Its value is computed by the parser, where it is needed. It has no more than four fields, so
// that the compiler keeps it in registers: tokens are what a reader spends its time on.
type token struct {
	kind     kind
	flags    tokenFlags
	from, to Pos
}

// tokenFlags say what the lexer found in a token.
type tokenFlags uint8

const (
	flagBad     tokenFlags = 1 << iota // a lexical error was reported: the value is meaningless
	flagEscaped                        // strings and escaped identifiers: holds backslashes
)

func (t token) bad() bool     { return t.flags&flagBad != 0 }
func (t token) escaped() bool { return t.flags&flagEscaped != 0 }
func (t token) span() Span    { return Span{t.from, t.to} }

func span(from, to int) Span { return Span{Pos(from), Pos(to)} }
