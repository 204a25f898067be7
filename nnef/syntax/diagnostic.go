package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/escape"
)

// Class groups diagnostics by the stage of processing that finds them, in the order of the stages.
type Class uint8

// The classes. The hundreds of a [Code] are its class.
const (
	ClassLexical     Class = iota + 1 // characters that form no token, broken literals
	ClassSyntax                       // token sequence outside of the grammar
	ClassExtension                    // unsupported version, unknown extension, construct that is not enabled
	ClassDeclaration                  // ill-formed fragment or graph declaration
	ClassName                         // undefined, undeclared, redefined or unassigned identifier
	ClassArgument                     // structure of an invocation
	ClassType                         // type agreement, casts, generic deduction, operand types
	ClassStructure                    // left side does not match the structure of the result
	ClassGraph                        // rules for external, variable and update, and for graph bodies
	ClassEval                         // compile time evaluation
	ClassValue                        // attribute value outside of the range an operation allows
	ClassShape                        // tensor shapes do not agree
)

var classNames = [...]string{"unknown", "lexical", "syntax", "extension", "declaration", "name", "argument", "type",
	"structure", "graph", "eval", "value", "shape"}

func (c Class) String() string {
	if int(c) >= len(classNames) {
		c = 0
	}
	return classNames[c]
}

// Code is the stable number of a diagnostic. It is written NNEF followed by four digits, of which the first two are the
// class. Each layer defines the codes of its classes.
type Code uint16

// Codes of this package.
const (
	CodeCharacter     Code = 101 // a character that begins no token
	CodeNumber        Code = 102 // malformed number
	CodeUnterminated  Code = 103 // string without an end
	CodeStringContent Code = 104 // character that may not stand in a string
	CodeEscape        Code = 105 // unknown escape in a string
	CodeLiteralLength Code = 106 // identifier or literal longer than the limit
	CodeRange         Code = 107 // number that no integer or scalar can hold

	CodeVersion      Code = 201 // missing or malformed version statement
	CodeUnexpected   Code = 202 // a token where another one is needed
	CodeSemicolon    Code = 203 // missing semicolon
	CodeKeyword      Code = 204 // keyword in place of an identifier
	CodeOtherDialect Code = 205 // construct of the other dialect
	CodeEmpty        Code = 206 // empty list or body where one item is needed
	CodeOrder        Code = 207 // graph missing, repeated or before a fragment
	CodeTuple        Code = 208 // tuple of less than two items
	CodeGraphNotFlat Code = 209 // expression in the graph of a provisional document
	CodeDepth        Code = 210 // nesting deeper than the limit
	CodeSize         Code = 211 // text longer than the limit
	CodeTooMany      Code = 212 // more errors than the limit
	CodeNNEF2        Code = 213 // a document of NNEF 2.0

	CodeUnsupportedVersion Code = 301 // version other than 1.0
	CodeNeedsFragments     Code = 302 // fragment without KHR_enable_fragment_definitions
	CodeNeedsOperators     Code = 303 // expression without KHR_enable_operator_expressions
)

// Class returns the class of the code.
func (c Code) Class() Class { return Class(c / 100) }

func (c Code) String() string { return fmt.Sprintf("NNEF%04d", uint16(c)) }

// Severity tells errors from warnings.
type Severity uint8

const (
	// Error marks what makes a document invalid.
	Error Severity = iota
	// Warning marks what was accepted although the strict text does not allow or recommend it.
	Warning
	// Note tells what was done; nothing is wrong.
	Note
)

func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Related is a further place that helps to understand a diagnostic.
type Related struct {
	Source *Source // nil means the source of the diagnostic
	Span
	Message string
}

// Diagnostic is one finding about a text.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Source   *Source
	Span            // the offending part
	Message  string // what is wrong
	Hint     string // what would be right, may be empty
	Related  []Related
}

// Class returns the class, which follows from the code.
func (d *Diagnostic) Class() Class { return d.Code.Class() }

// Position returns where the offending part starts.
func (d *Diagnostic) Position() Position { return d.Source.Position(d.From) }

// Error returns the message in one line: file:line:column: class error [code]: message.
func (d *Diagnostic) Error() string {
	d = cmp.Or(d, new(Diagnostic))
	place := ""
	if d.Source != nil {
		place = d.Position().String() + ": "
	}
	return fmt.Sprintf("%s%s %s [%s]: %s", place, d.Class(), d.Severity, d.Code, d.Message)
}

// Render returns the message followed by the source line with carets below the offending part, the hint and the
// related places with their lines.
func (d *Diagnostic) Render() string {
	var b strings.Builder
	b.WriteString(escape.Text(d.Error()))
	b.WriteByte('\n')
	excerpt(&b, d.Source, d.Span)
	if d.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", escape.Text(d.Hint))
	}
	for _, r := range d.Related {
		src := cmp.Or(r.Source, d.Source)
		fmt.Fprintf(&b, "  %s\n", escape.Text(fmt.Sprintf("%s: %s", src.Position(r.From), r.Message)))
		excerpt(&b, src, r.Span)
	}
	return b.String()
}

// excerptWidth is how much of a long line is shown on each side of where the offending part starts: lines may have megabytes.
const excerptWidth = 60

// excerpt writes the line in which the span starts and carets below the span.
func excerpt(b *strings.Builder, src *Source, span Span) {
	if src == nil {
		return
	}
	at := src.Position(span.From)
	line, number := src.Line(at.Line), strconv.Itoa(at.Line)
	col := min(at.Column-1, len(line))
	from, to := max(0, col-excerptWidth), min(len(line), col+excerptWidth)
	end := min(to, col+max(0, int(span.To)-int(span.From)))
	lead, mark, rest := escape.Lines(line[from:col]), escape.Lines(line[col:end]), escape.Lines(line[end:to])
	if from > 0 {
		lead = "…" + lead
	}
	if to < len(line) {
		rest += "…"
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, lead)
	carets := strings.Repeat("^", max(1, utf8.RuneCountInString(mark)))
	fmt.Fprintf(b, "  %s | %s%s%s\n  %*s | %s%s\n", number, lead, mark, rest, len(number), "", pad, carets)
}

// Diagnostics is a list of findings, sorted by position where one text is concerned. As an error it holds at least one
// of severity [Error]; obtain it from an error with [errors.As].
type Diagnostics []Diagnostic

// isError tells whether a diagnostic is of severity [Error].
func isError(d Diagnostic) bool { return d.Severity == Error }

// Error returns the first error in one line and the number of further ones.
func (l Diagnostics) Error() string {
	first := slices.IndexFunc(l, isError)
	if first < 0 {
		return "no errors"
	}
	text, more := l[first].Error(), 0
	for _, d := range l[first+1:] {
		if isError(d) {
			more++
		}
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Err returns the list as an error if it holds one, else nil.
func (l Diagnostics) Err() error {
	if slices.ContainsFunc(l, isError) {
		return l
	}
	return nil
}

// Unwrap returns the single diagnostics, for [errors.As] and [errors.Is].
func (l Diagnostics) Unwrap() []error {
	errs := make([]error, len(l))
	for i := range l {
		errs[i] = &l[i]
	}
	return errs
}

// Render returns all diagnostics with their source lines, one below the other.
func (l Diagnostics) Render() string {
	var b strings.Builder
	for i := range l {
		b.WriteString(l[i].Render())
	}
	return b.String()
}

// Sort orders the list by file and position, keeping the order of findings at one place.
func (l Diagnostics) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Position().File, b.Position().File), cmp.Compare(a.From, b.From))
	})
}

// reporter collects the diagnostics of one run.
type reporter struct {
	src     *Source
	list    Diagnostics
	errors  int
	limit   int
	lastErr Pos  // where the last error was reported
	stopped bool // nothing is reported any more
}

func (r *reporter) errorAt(code Code, span Span, hint, format string, args ...any) {
	r.report(Diagnostic{Code: code, Span: span, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// report adds a diagnostic. A second error at one place is a consequence of the first one and dropped.
func (r *reporter) report(d Diagnostic) {
	if r.stopped {
		return
	}
	d.Source = r.src
	if d.Severity == Error {
		if r.errors > 0 && d.From == r.lastErr {
			return
		}
		if r.errors == r.limit {
			d.Code, d.Hint, d.Related = CodeTooMany, "", nil
			d.Message = fmt.Sprintf("too many errors; the first %d are shown", r.limit)
			r.stopped = true
		}
		r.errors++
		r.lastErr = d.From
	} else if len(r.list)-r.errors >= r.limit {
		return
	}
	r.list = append(r.list, d)
}
