package main

import (
	"errors"
	"os"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/webnn/session"
)

// isSession tells whether a name is that of a WebNN session.
func isSession(name string) bool {
	info, err := os.Stat(name)
	return err == nil && session.Recognizes(name, info.IsDir())
}

// checkSession makes the calls of a session. Its mistake, if it has one, has no code and no place in a source.
func checkSession(name string, opts nnef.Options) (*fileReport, error) {
	r := &fileReport{File: name, Diagnostics: []diagnosticReport{}}
	m, err := concord.Load(name)
	if err == nil {
		defer m.Close()
		_, err = m.Graph(opts.Shapes)
	}
	var form *session.SyntaxError
	var call *session.CallError
	switch {
	case err == nil:
		r.Valid = true
		return r, nil
	case errors.As(err, &form), errors.As(err, &call):
		r.Errors, r.Mistake = 1, err.Error()
		return r, nil
	}
	r.Unreadable = err.Error()
	return r, err
}
