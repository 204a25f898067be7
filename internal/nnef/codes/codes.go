// Package codes documents the diagnostics of NNEF: what each code means, which rule stands behind it, and an example that
// breaks the rule with one that keeps it.
//
// The same table gives the answers of "concord check --explain" and the page docs/diagnostics.md. A test runs every
// example: the wrong one yields its code, the right one yields none.
package codes

//go:generate go run ../../../cmd/concord check --markdown ../../../docs/diagnostics.md --force

import (
	_ "embed" // codes.txt
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Entry documents one code.
type Entry struct {
	Code   syntax.Code
	Title  string // what is wrong, a few words in lower case
	Rule   string // what is right, whole sentences
	Clause string // the subject of the standard's text that the rule is from; empty for limits and advice of Concord
	Level  string // "warning" or "note" if it is never an error; else empty

	// Wrong breaks the rule and Right keeps it. Both are given to [Document]. They are empty where the shortest example
	// would fill pages, or needs more than text.
	Wrong, Right string
}

//go:embed codes.txt
var text string

// table reads codes.txt: the entries in the order of their codes. A test holds it to the constants.
var table = sync.OnceValue(func() (list []Entry) {
	for _, part := range strings.Split(text, "\n\nNNEF")[1:] {
		head, body, _ := strings.Cut(part, "\n")
		number, title, _ := strings.Cut(head, " ")
		e := Entry{Title: title}
		e.Code, _ = Parse(number)
		fields := map[string]*string{"clause": &e.Clause, "level": &e.Level, "wrong": &e.Wrong, "right": &e.Right}
		place := &e.Rule
		for line := range strings.SplitSeq(strings.TrimRight(body, "\n"), "\n") {
			name, value, _ := strings.Cut(line, ":")
			switch field := fields[name]; {
			case field != nil:
				place, *field = field, strings.TrimSpace(value)
			case *place == "":
				*place = strings.TrimPrefix(line, "    ")
			default:
				*place += "\n" + strings.TrimPrefix(line, "    ")
			}
		}
		list = append(list, e)
	}
	return list
})

// All returns the entries in the order of their codes.
func All() []Entry { return slices.Clone(table()) }

// Lookup returns the entry of a code.
func Lookup(code syntax.Code) (Entry, bool) {
	if i := slices.IndexFunc(table(), func(e Entry) bool { return e.Code == code }); i >= 0 {
		return table()[i], true
	}
	return Entry{}, false
}

// Parse reads a code as people write it: NNEF0701, nnef0701, 0701 or 701.
func Parse(text string) (syntax.Code, error) {
	digits := text
	if len(text) > 4 && strings.EqualFold(text[:4], "NNEF") {
		digits = text[4:]
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("%q is no code of a diagnostic; codes look like %v", text, syntax.CodeCharacter)
	}
	return syntax.Code(n), nil
}

// File is one file of an example.
type File struct{ Name, Text string }

// Document completes an example to files. One that consists of statements becomes the body of a graph with the input x,
// a tensor of shape (1, 3, 8, 8), and the output y. One that begins with fragments and goes on with statements after an
// empty line becomes fragments and such a graph. A text with a graph is left as it is. Lines of the form "-- NAME --" begin
// further files; the first one is graph.nnef.
func Document(example string) []File {
	text, rest, more := strings.Cut("\n"+example, "\n-- ")
	files := []File{{"graph.nnef", whole(strings.TrimPrefix(text, "\n"))}}
	for more {
		var name string
		name, rest, _ = strings.Cut(rest, " --\n")
		text, rest, more = strings.Cut(rest, "\n-- ")
		files = append(files, File{name, text + "\n"})
	}
	return files
}

// whole completes the first file of an example.
func whole(text string) string {
	text = strings.TrimSuffix(text, "\n") + "\n"
	if strings.HasPrefix(text, "version") || strings.HasPrefix(text, "graph") || strings.Contains(text, "\ngraph") {
		return text
	}
	fragments, statements := "", text
	if strings.HasPrefix(text, "fragment") {
		var ok bool
		if fragments, statements, ok = strings.Cut(text, "\n\n"); !ok {
			statements = "y = copy(x);"
		}
	}
	extensions := ""
	if fragments != "" {
		extensions = "extension " + syntax.ExtFragments + ";\n"
		fragments = strings.TrimSpace(fragments) + "\n\n"
	}
	frame := func() string {
		return "version 1.0;\n" + extensions + "\n" + fragments + "graph net( x ) -> ( y )\n{\n    x = external(shape = [1, 3, 8, 8]);\n    " +
			strings.ReplaceAll(strings.TrimSpace(statements), "\n", "\n    ") + "\n}\n"
	}
	var found syntax.Diagnostics
	_, err := syntax.Parse("", []byte(frame()), syntax.Options{Strict: true})
	errors.As(err, &found)
	if slices.ContainsFunc(found, func(d syntax.Diagnostic) bool { return d.Code == syntax.CodeNeedsOperators }) {
		extensions += "extension " + syntax.ExtOperators + ";\n"
	}
	return frame()
}
