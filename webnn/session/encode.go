package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/internal/stage"
)

// Encode writes the document. The result is canonical: equal sessions give equal bytes. If Weights names a file, weights writes the
// bytes of all buffers, as [Align] says, which is what that file must hold; else they stand in the JSON as base64 and weights writes
// nothing. The buffers must not change before. It fails if the session holds what is no [Value], or a string that is no UTF-8.
func (s *Session) Encode() (text []byte, weights func(w io.Writer) error, err error) {
	s = orZero(s)
	if err := checkWeights(s.Weights); err != nil {
		return nil, nil, err
	}
	e := &encoder{beside: s.Weights != "", weights: stage.Pieces{Align: Align(1)}}
	e.plain = json.NewEncoder(&e.text)
	e.plain.SetEscapeHTML(false)
	if err := e.object(s.form()); err != nil {
		return nil, nil, err
	}
	e.text.WriteByte('\n')
	return e.text.Bytes(), e.weights.Write, nil
}

// Save writes the document to path, and the weights, if Weights names a file, beside it. Each file is complete or, after an error, as it was before.
func (s *Session) Save(path string) error {
	s = orZero(s)
	text, weights, err := s.Encode()
	if err != nil {
		return err
	}
	if s.Weights != "" {
		if err := stage.Write(filepath.Join(filepath.Dir(path), s.Weights), weights); err != nil {
			return err
		}
	}
	return stage.WriteData(path, text)
}

// encoder writes a document.
type encoder struct {
	text    bytes.Buffer
	plain   *json.Encoder // writes to text
	beside  bool          // buffers go to the weights
	weights stage.Pieces
}

// value writes a value, or a part of the form. Numbers that JSON does not have are strings, which a page converts back.
func (e *encoder) value(v Value) error {
	switch x := v.(type) {
	case nil, bool, int, int64:
	case string:
		if !utf8.ValidString(x) {
			return fmt.Errorf("the string %q is no UTF-8", x)
		}
	case float64:
		if text, ok := NonFinite(x); ok {
			v = text
		}
	case *big.Int:
		return e.special("$bigint", fmt.Sprint(x))
	case Ref:
		return e.special("$ref", string(x))
	case *Buffer:
		return e.buffer(x)
	case Dict:
		return e.object(values(naming.Sorted(x), func(key string) member { // in which buffers come to the weights
			name := key
			if strings.HasPrefix(key, "$") {
				name = "$" + key
			}
			return member{name: name, value: x[key]}
		}))
	case []member:
		return e.object(x)
	case []Call:
		return list(e, "\n", x)
	case Call:
		if err := e.object(x.form()); err != nil {
			return fmt.Errorf("%s: %w", x.Method, err)
		}
		return nil
	case []Value:
		return list(e, "", x)
	case []int:
		return list(e, "", x)
	case []int64:
		return list(e, "", x)
	case []float64:
		return list(e, "", x)
	case []string:
		return list(e, "", x)
	default:
		return fmt.Errorf("a %T is no value of a session", v)
	}
	err := e.plain.Encode(v)
	if err == nil {
		e.text.Truncate(e.text.Len() - 1) // Encode ends the line
	}
	return err
}

// list writes an array, with an item a line if a line is what stands in front of each.
func list[T any](e *encoder, line string, items []T) error {
	e.text.WriteByte('[')
	for i, x := range items {
		if i > 0 {
			e.text.WriteByte(',')
		}
		e.text.WriteString(line)
		if err := e.value(x); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	e.text.WriteString(line + "]")
	return nil
}

func (e *encoder) object(form []member) error {
	form = slices.DeleteFunc(form, func(m member) bool { return m.value == absent{} })
	e.text.WriteByte('{')
	for i, m := range form {
		if i > 0 {
			e.text.WriteByte(',')
		}
		if err := e.value(m.name); err != nil {
			return err
		}
		e.text.WriteByte(':')
		if err := e.value(m.value); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	e.text.WriteByte('}')
	return nil
}

// special writes a value that JSON has no notation for.
func (e *encoder) special(name string, v Value) error {
	return e.object([]member{{name: name, value: v}})
}

// Align returns where, in the file of weights that [Session.Encode] makes, a buffer lies that follows n bytes: at a multiple of
// 8, so that a page can look at it as any typed array. Buffers lie there in the order of the calls.
func Align(n int) int { return (n + 7) &^ 7 }

func (e *encoder) buffer(b *Buffer) error {
	if b == nil || viewOf(b.Type) == nil {
		return fmt.Errorf("%q is no type of a buffer", orZero(b).Type)
	}
	f := &bufferForm{Buffer: *b}
	if e.beside {
		f.at = []int64{int64(e.weights.Add(b.Data)), int64(len(b.Data))}
	}
	return e.special("$buffer", f.form())
}
