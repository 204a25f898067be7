package main

import (
	"errors"

	"github.com/concord-nn/concord"
	"github.com/concord-nn/concord/nnef"
	"github.com/concord-nn/concord/webnn/session"
)

// checkSession makes the calls of a session. Its mistake, if it has one, has no code and no place in a source.
func checkSession(name string, opts nnef.Options) (*fileReport, error) {
	r := &fileReport{File: name, Diagnostics: []diagnosticReport{}}
	m, err := concord.Open(name)
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
