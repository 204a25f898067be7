package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/stage"
)

// Encode writes the document. The result is canonical: equal sessions give equal bytes. If Weights names a file, the bytes of
// all buffers are in the second result, as [Align] says, which is what that file must hold; else they stand in the
// JSON as base64 and the second result is empty. It fails if the session holds what is no [Value], or a string that is no
// UTF-8.
func (s *Session) Encode() (text, weights []byte, err error) {
	if err := checkWeights(s.Weights); err != nil {
		return nil, nil, err
	}
	e := &encoder{beside: s.Weights != ""}
	fmt.Fprintf(&e.text, "{%q:%d,", versionMember, Version)
	if e.beside {
		e.text.WriteString(`"weights":`)
		if err := e.write(s.Weights); err != nil {
			return nil, nil, err
		}
		e.text.WriteByte(',')
	}
	e.text.WriteString(`"calls":[`)
	for i := range s.Calls {
		if i > 0 {
			e.text.WriteByte(',')
		}
		e.text.WriteByte('\n')
		if err := e.call(&s.Calls[i]); err != nil {
			return nil, nil, fmt.Errorf("call %d: %s: %w", i, s.Calls[i].Method, err)
		}
	}
	e.text.WriteString("\n]}\n")
	return e.text.Bytes(), e.weights, nil
}

// Save writes the document to path, and the weights, if Weights names a file, beside it. Each file is complete or, after an error, as it was before.
func (s *Session) Save(path string) error {
	text, weights, err := s.Encode()
	if err != nil {
		return err
	}
	if s.Weights != "" {
		if err := stage.WriteData(filepath.Join(filepath.Dir(path), s.Weights), weights); err != nil {
			return err
		}
	}
	return stage.WriteData(path, text)
}

// encoder writes a document. The first error ends it.
type encoder struct {
	text    bytes.Buffer
	weights []byte
	beside  bool // buffers go to the weights
}

// write writes a value of JSON.
func (e *encoder) write(v any) error {
	if s, ok := v.(string); ok && !utf8.ValidString(s) {
		return fmt.Errorf("the string %q is no UTF-8", s)
	}
	w := json.NewEncoder(&e.text)
	w.SetEscapeHTML(false)
	err := w.Encode(v)
	if err == nil {
		e.text.Truncate(e.text.Len() - 1) // Encode ends the line
	}
	return err
}

// callForm is a call as it is written.
type callForm struct {
	On   any   `json:"on"`
	Call any   `json:"call"`
	Args any   `json:"args"`
	ID   any   `json:"id,omitempty"`
	IDs  []any `json:"ids,omitzero"`
}

func (e *encoder) call(c *Call) (err error) {
	tree := func(v Value) (out any) {
		if err == nil {
			out, err = e.tree(v)
		}
		return out
	}
	f := callForm{Call: tree(c.Method), Args: tree(c.Args)}
	if c.On != "" {
		f.On = tree(c.On)
	}
	if c.ID != "" {
		f.ID = tree(c.ID)
	}
	if c.IDs != nil {
		f.IDs, _ = tree(c.IDs).([]any)
	}
	if err != nil {
		return err
	}
	return e.write(f)
}

// tree returns a value as values that JSON has. Numbers that it does not have are strings, which a page converts back.
func (e *encoder) tree(v Value) (any, error) {
	switch v := v.(type) {
	case nil, bool, int:
		return v, nil
	case string:
		if !utf8.ValidString(v) {
			return nil, fmt.Errorf("the string %q is no UTF-8", v)
		}
		return v, nil
	case float64:
		if text, ok := NonFinite(v); ok {
			return text, nil
		}
		return v, nil
	case *big.Int:
		return map[string]any{"$bigint": fmt.Sprint(v)}, nil
	case Ref:
		id, err := e.tree(string(v))
		return map[string]any{"$ref": id}, err
	case *Buffer:
		b, err := e.buffer(v)
		return map[string]any{"$buffer": b}, err
	case Dict:
		return e.dict(v)
	case []Value:
		return list(e, v)
	case []int:
		return list(e, v)
	case []float64:
		return list(e, v)
	case []string:
		return list(e, v)
	}
	return nil, fmt.Errorf("a %T is no value of a session", v)
}

func list[T any](e *encoder, items []T) (any, error) {
	out := make([]any, len(items))
	for i, x := range items {
		var err error
		if out[i], err = e.tree(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (e *encoder) dict(d Dict) (any, error) {
	out := make(map[string]any, len(d))
	for _, key := range slices.Sorted(maps.Keys(d)) { // in which buffers come to the weights
		if _, err := e.tree(key); err != nil {
			return nil, err
		}
		v, err := e.tree(d[key])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if strings.HasPrefix(key, "$") {
			key = "$" + key
		}
		out[key] = v
	}
	return out, nil
}

// Align returns where, in the file of weights that [Session.Encode] makes, a buffer lies that follows n bytes: at a multiple of
// 8, so that a page can look at it as any typed array. Buffers lie there in the order of the calls.
func Align(n int) int { return (n + 7) &^ 7 }

// writtenBuffer is a buffer as it is written.
type writtenBuffer struct {
	Type             string `json:"type,omitempty"`
	ByteOffset       int    `json:"byteOffset,omitempty"`
	BufferByteLength int    `json:"bufferByteLength,omitempty"`
	Shared           bool   `json:"shared,omitempty"`
	At               []int  `json:"at,omitempty"`
	Base64           []byte `json:"base64,omitzero"`
}

func (e *encoder) buffer(b *Buffer) (any, error) {
	f := writtenBuffer{ByteOffset: b.ByteOffset, BufferByteLength: b.BufferByteLength, Shared: b.Shared}
	if b.Type != arrayBuffer {
		f.Type = b.Type
	}
	if viewOf(b.Type) == nil {
		return nil, fmt.Errorf("%q is no type of a buffer", b.Type)
	}
	if e.beside {
		e.weights = append(e.weights, make([]byte, Align(len(e.weights))-len(e.weights))...)
		f.At = []int{len(e.weights), len(b.Data)}
		e.weights = append(e.weights, b.Data...)
	} else if f.Base64 = b.Data; b.Data == nil {
		f.Base64 = []byte{}
	}
	return f, nil
}
