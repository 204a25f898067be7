package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/stage"
)

// Encode writes the document. The result is canonical: equal sessions give equal bytes. If Weights names a file, the bytes of
// all buffers are in the second result, as [Align] says, which is what that file must hold; else they stand in the
// JSON as base64 and the second result is empty. It fails if the session holds what is no [Value], or a string that is no
// UTF-8.
func (s *Session) Encode() (text, weights []byte, err error) {
	e := &encoder{beside: s.Weights != ""}
	if err := checkWeights(s.Weights); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(&e.text, "{%q:%d,", versionMember, Version)
	if e.beside {
		e.text.WriteString(`"weights":`)
		if err := e.string(s.Weights); err != nil {
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

func (e *encoder) call(c *Call) error {
	e.text.WriteString(`{"on":`)
	var on Value
	if c.On != "" {
		on = c.On
	}
	parts := []struct {
		before string
		value  Value
		there  bool
	}{
		{"", on, true},
		{`,"call":`, c.Method, true},
		{`,"args":`, c.Args, true},
		{`,"id":`, c.ID, c.ID != ""},
		{`,"ids":`, c.IDs, c.IDs != nil},
	}
	for _, p := range parts {
		if !p.there {
			continue
		}
		e.text.WriteString(p.before)
		if err := e.value(p.value); err != nil {
			return err
		}
	}
	e.text.WriteByte('}')
	return nil
}

func (e *encoder) value(v Value) error {
	switch v := v.(type) {
	case nil:
		e.text.WriteString("null")
	case bool:
		e.text.WriteString(strconv.FormatBool(v))
	case string:
		return e.string(v)
	case int:
		e.text.WriteString(strconv.Itoa(v))
	case float64:
		e.float(v)
	case *big.Int:
		fmt.Fprintf(&e.text, `{"$bigint":"%d"}`, v)
	case Ref:
		e.text.WriteString(`{"$ref":`)
		if err := e.string(string(v)); err != nil {
			return err
		}
		e.text.WriteByte('}')
	case *Buffer:
		return e.buffer(v)
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
	default:
		return fmt.Errorf("a %T is no value of a session", v)
	}
	return nil
}

func list[T any](e *encoder, items []T) error {
	e.text.WriteByte('[')
	for i, x := range items {
		if i > 0 {
			e.text.WriteByte(',')
		}
		if err := e.value(x); err != nil {
			return err
		}
	}
	e.text.WriteByte(']')
	return nil
}

func (e *encoder) string(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("the string %q is no UTF-8", s)
	}
	w := json.NewEncoder(&e.text)
	w.SetEscapeHTML(false)
	if err := w.Encode(s); err != nil {
		return err
	}
	e.text.Truncate(e.text.Len() - 1) // Encode ends the line
	return nil
}

// float writes a number; the numbers that JSON does not have are written as strings, which a page converts back.
func (e *encoder) float(f float64) {
	if text, ok := NonFinite(f); ok {
		e.text.WriteString(strconv.Quote(text))
		return
	}
	number, _ := json.Marshal(f) // finite numbers cannot fail
	e.text.Write(number)
}

func (e *encoder) dict(d Dict) error {
	e.text.WriteByte('{')
	for i, key := range slices.Sorted(maps.Keys(d)) {
		if i > 0 {
			e.text.WriteByte(',')
		}
		name := key
		if len(key) > 0 && key[0] == '$' {
			name = "$" + key
		}
		if err := e.string(name); err != nil {
			return err
		}
		e.text.WriteByte(':')
		if err := e.value(d[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	e.text.WriteByte('}')
	return nil
}

// Align returns where, in the file of weights that [Session.Encode] makes, a buffer lies that follows n bytes: at a multiple of
// 8, so that a page can look at it as any typed array. Buffers lie there in the order of the calls.
func Align(n int) int { return (n + 7) &^ 7 }

func (e *encoder) buffer(b *Buffer) error {
	e.text.WriteString(`{"$buffer":{`)
	if b.Type != "" && b.Type != arrayBuffer {
		if viewOf(b.Type) == nil {
			return fmt.Errorf("%q is no type of a buffer", b.Type)
		}
		fmt.Fprintf(&e.text, `"type":%q,`, b.Type)
	}
	if b.ByteOffset != 0 {
		fmt.Fprintf(&e.text, `"byteOffset":%d,`, b.ByteOffset)
	}
	if b.BufferByteLength != 0 {
		fmt.Fprintf(&e.text, `"bufferByteLength":%d,`, b.BufferByteLength)
	}
	if b.Shared {
		e.text.WriteString(`"shared":true,`)
	}
	if e.beside {
		e.weights = append(e.weights, make([]byte, Align(len(e.weights))-len(e.weights))...)
		fmt.Fprintf(&e.text, `"at":[%d,%d]}}`, len(e.weights), len(b.Data))
		e.weights = append(e.weights, b.Data...)
		return nil
	}
	fmt.Fprintf(&e.text, `"base64":%q}}`, base64.StdEncoding.EncodeToString(b.Data))
	return nil
}
