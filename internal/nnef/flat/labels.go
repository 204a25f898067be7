package flat

import (
	"io/fs"
	"path"
	"strings"

	"github.com/concord-nn/concord/internal/pattern"
	"github.com/concord-nn/concord/nnef/syntax"
)

var allowedLabel = pattern.Of(`^[A-Za-z0-9_\-./\\]+$`)

// CheckLabel says why a label is not allowed, and what would be right; nothing of one that is. A label consists of letters, digits and
// _ - . / \, and names a file in the folder of the model.
func CheckLabel(label string) (why, hint string) {
	const characters = `a label consists of letters, digits and _ - . / \`
	switch {
	case label == "":
		return "the label is empty", characters
	case !allowedLabel.Get().MatchString(label):
		return "the label " + syntax.FormatString(label) + " is not allowed", characters
	case strings.Contains(label, "..") && !fs.ValidPath(LabelFile(label)):
		return "the label " + syntax.FormatString(label) + " is not allowed; it leads out of the folder of the model", "a label names a file in that folder"
	}
	return "", ""
}

// LabelFile returns the name of the file that holds the variable of a label, relative to the folder of the model and with
// slashes. It is a valid path if the label is allowed.
func LabelFile(label string) string {
	return path.Clean(strings.TrimLeft(strings.ReplaceAll(label, `\`, "/"), "/")) + ".dat"
}
