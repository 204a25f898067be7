// Package labels knows the rules for labels of NNEF variables: which ones are allowed, and which file of a model holds the
// data of a variable.
package labels

import (
	"io/fs"
	"path"
	"strings"

	"github.com/concord-nn/concord/nnef/syntax"
)

// Error is why a label is not allowed.
type Error struct {
	Msg  string
	Hint string // what would be right
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

// Check says why a label is not allowed, and returns nil if it is. A label consists of letters, digits and _ - . / \, and
// names a file in the folder of the model. The error is an *[Error].
func Check(label string) error {
	if label == "" {
		return &Error{"the label is empty", hint}
	}
	for i := range len(label) {
		c := label[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune(`_-./\`, rune(c)) {
			return &Error{"the label " + syntax.FormatString(label) + " is not allowed", hint}
		}
	}
	if strings.Contains(label, "..") && !fs.ValidPath(File(label)) {
		return &Error{"the label " + syntax.FormatString(label) + " is not allowed; it leads out of the folder of the model",
			"a label names a file in that folder"}
	}
	return nil
}

const hint = `a label consists of letters, digits and _ - . / \`

// File returns the name of the file that holds the variable of a label, relative to the folder of the model and with
// slashes. It is a valid path if the label is allowed.
func File(label string) string {
	return path.Clean(strings.TrimLeft(strings.ReplaceAll(label, `\`, "/"), "/")) + ".dat"
}
