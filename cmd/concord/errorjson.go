package main

import (
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/concord-nn/concord/cvm"
	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/escape"
	"github.com/concord-nn/concord/internal/feed"
	"github.com/concord-nn/concord/manifest"
	"github.com/concord-nn/concord/nnef/syntax"
	"github.com/concord-nn/concord/onnx"
	"github.com/concord-nn/concord/webnn/session"
)

// wantsJSON reports whether a command line asks for JSON, even one that is wrong.
func wantsJSON(args []string) bool {
	for i, a := range args {
		switch {
		case a == "--":
			return false
		case a == "--json", a == "--json=true", a == "--format=json", a == "--format=ndjson":
			return true
		case a == "--format" && i+1 < len(args) && (args[i+1] == "json" || args[i+1] == "ndjson"):
			return true
		}
	}
	return false
}

// errorReport is an error as JSON. Fields are never renamed or removed.
type errorReport struct {
	Kind        string             `json:"kind"` // failure, usage, input, limit or cancelled
	ExitCode    int                `json:"exitCode"`
	Message     string             `json:"message"` // as it is printed without --json
	File        string             `json:"file,omitempty"`
	Line        int                `json:"line,omitempty"`   // from 1
	Column      int                `json:"column,omitempty"` // from 1, of an NNEF document in bytes
	Offset      *int64             `json:"offset,omitempty"` // in bytes, where there are no lines
	Node        string             `json:"node,omitempty"`
	Diagnostics []diagnosticReport `json:"diagnostics,omitempty"` // of NNEF documents
}

// reportError describes an error that ends a command line.
func reportError(err error, args []string) *errorReport {
	r := &errorReport{ExitCode: exitCode(err), Message: escape.Lines(errorText(err))}
	r.Kind = map[int]string{exitFailure: "failure", exitUsage: "usage", exitInput: "input", exitCancel: "cancelled"}[r.ExitCode]
	if limit := (*engine.LimitError)(nil); errors.As(err, &limit) {
		r.Kind = "limit"
	}
	r.place(err)
	for _, a := range args {
		if r.File == "" && a != "" && a[0] != '-' && strings.HasPrefix(r.Message, escape.Lines(a)+": ") {
			r.File = a
		}
	}
	return r
}

// place finds where the error is.
func (r *errorReport) place(err error) {
	var (
		found     syntax.Diagnostics
		described *manifest.Error
		admitted  *cvm.Error
		node      *onnx.Error
		call      *session.SyntaxError
		evaluated *engine.NodeError
		path      *fs.PathError
		input     *feed.FileError
	)
	switch {
	case errors.As(err, &found) && len(found) > 0:
		for i := range found {
			if found[i].Source != nil {
				r.Diagnostics = append(r.Diagnostics, reportDiagnostic(&found[i]))
			}
		}
		if len(r.Diagnostics) > 0 {
			r.File, r.Line, r.Column = r.Diagnostics[0].File, r.Diagnostics[0].Line, r.Diagnostics[0].Column
		}
	case errors.As(err, &described) && r.Kind != "usage": // of which the source is a flag
		r.File, r.Line, r.Column = described.Source, described.Line, described.Column
	case errors.As(err, &admitted):
		r.File, r.Line, r.Column, r.Node = admitted.File, admitted.Line, admitted.Column, admitted.Name
		if r.Line == 0 && admitted.Offset >= 0 {
			r.Offset = &admitted.Offset
		}
	case errors.As(err, &node):
		r.File, r.Node = node.File, strings.Trim(node.Node, `"`)
	case errors.As(err, &call):
		r.Offset = &call.Offset
	case errors.As(err, &evaluated) && evaluated.Node != nil && len(evaluated.Node.Out) > 0:
		r.Node = evaluated.Node.Out[0].Name
	case errors.As(err, &input):
		r.File = input.File
	case errors.As(err, &path):
		r.File = path.Path
	}
}

// printJSONError writes an error as an object, unless it has no message.
func printJSONError(w io.Writer, err error, args []string) error {
	r := reportError(err, args)
	if r.Message == "" {
		return nil
	}
	return writeJSON(w, map[string]*errorReport{"error": r})
}
