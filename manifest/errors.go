package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is one mistake in a manifest.
type Error struct {
	Source string // the file
	Place         // where in it
	Path   string // the key at fault, such as inputs.x.size; may be empty
	Msg    string // what is wrong and what would be right
}

// Error writes file:line:column, the key and the message.
func (e *Error) Error() string {
	e = cmp.Or(e, new(Error))
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: ", e.Source, e.Line, e.Column)
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	return b.String() + e.Msg
}

// Errors are all the mistakes of a manifest, in the order of the document, at least one.
type Errors []*Error

// Error writes one mistake a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single mistakes.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, err := range e {
		list[i] = err
	}
	return list
}

// inOrder returns mistakes in the order of the document, nil if there is none.
func (e Errors) inOrder() error {
	if len(e) == 0 {
		return nil
	}
	slices.SortStableFunc(e, func(a, b *Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return e
}

// quote writes a name from the document, shortened if it is long.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most])) + "…"
	}
	return strconv.Quote(s)
}

func itoa(n int) string { return strconv.Itoa(n) }
