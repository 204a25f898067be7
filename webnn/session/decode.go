package session

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/concord-nn/concord/internal/limits"
)

// Limits bound what a document may hold. A member that is not positive is its default.
type Limits struct {
	Calls int   // calls of a document; 1<<20
	Depth int   // nesting of values; 16
	Text  int64 // bytes of the JSON; 256 MiB
	Data  int64 // bytes of all buffers that do not lie in the weights; 1 GiB

	// Weights bounds how much of the file of weights [Load] reads: up to the last byte that a buffer uses; 4 GiB.
	Weights int64
}

func (l *Limits) orDefault() Limits {
	l = orZero(l)
	return Limits{
		Calls:   cmp.Or(max(l.Calls, 0), limits.SessionCalls),
		Depth:   cmp.Or(max(l.Depth, 0), limits.SessionDepth),
		Text:    cmp.Or(max(l.Text, 0), limits.SessionText),
		Data:    cmp.Or(max(l.Data, 0), limits.SessionData),
		Weights: cmp.Or(max(l.Weights, 0), limits.SessionWeights),
	}
}

// SyntaxError is a document that is not of the form.
type SyntaxError struct {
	Offset int64  // the byte of the JSON where reading ended
	Call   int    // the index of the call; -1 outside of the calls
	Reason string // what is wrong and what would be right
}

// Error writes the position and the reason.
func (e *SyntaxError) Error() string {
	e = cmp.Or(e, new(SyntaxError))
	if e.Call < 0 {
		return fmt.Sprintf("webnn session: byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("webnn session: byte %d, call %d: %s", e.Offset, e.Call, e.Reason)
}

// Decode reads a document. weights are the bytes beside it, which buffers refer to and whose memory they then share. Nil
// limits are the defaults. Every error is a [*SyntaxError].
func Decode(text, weights []byte, limits *Limits) (*Session, error) {
	p := newParser(text, limits)
	s := p.session()
	if err := p.fill(weights); err != nil {
		return nil, err
	}
	return s, nil
}

// DecodeCall reads one call, in the form that it has in a document, under the same conditions as [Decode].
func DecodeCall(text, weights []byte, limits *Limits) (*Call, error) {
	p := newParser(text, limits)
	c := p.call()
	p.end()
	if err := p.fill(weights); err != nil {
		return nil, err
	}
	return &c, nil
}

// checkWeights refuses names that lead out of the folder of the document.
func checkWeights(name string) error {
	if name != "" && (name != filepath.Base(name) || strings.ContainsAny(name, `/\:`) || name == "." || name == "..") {
		return fmt.Errorf("weights: %q is no plain file name; the file must lie beside the document", name)
	}
	return nil
}

// isDocument says whether text begins as a document does.
func isDocument(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	rest, ok := bytes.CutPrefix(text, []byte("{"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`+versionMember+`"`))
}
