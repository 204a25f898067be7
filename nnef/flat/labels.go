package flat

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/concord-nn/concord/nnef/check"
	"github.com/concord-nn/concord/nnef/eval"
)

// Codes of diagnostics of this package; see [syntax.Code].
const (
	CodeUpdate = check.CodeUpdate // update of something that is no variable, or a second one
	CodeLabel  = check.CodeLabel  // broken label, or variables of one label that differ
)

// FileName returns the name of the file that holds the variable of a label.
func FileName(label string) string {
	return path.Clean(strings.TrimLeft(strings.ReplaceAll(label, `\`, "/"), "/")) + ".dat"
}

// LabelError says why a label is not allowed, and returns nil if it is. A label consists of letters, digits and
// _ - . / \, and names a file in the folder of the model.
func LabelError(label string) error {
	if msg := check.LabelError(label); msg != "" {
		return errors.New(msg)
	}
	if strings.Contains(label, "..") && !fs.ValidPath(FileName(label)) {
		return fmt.Errorf("the label %q is not allowed; it leads out of the folder of the model", label)
	}
	return nil
}

func checkLabel(label string) error {
	if err := LabelError(label); err != nil {
		return &eval.Error{Code: CodeLabel, Arg: "label", Msg: err.Error()}
	}
	return nil
}
