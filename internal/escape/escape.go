package escape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text replaces control characters, characters that change the direction of text, and bytes that are no UTF-8, by their Go
// escapes.
func Text(s string) string { return text(s, "") }

// Lines is [Text] for a text of several lines: line feeds and tabs stay.
func Lines(s string) string { return text(s, "\n\t") }

func text(s, keep string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r) || strings.ContainsRune(keep, r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		i += size
	}
	return b.String()
}

// Quoted writes texts in quotes, with commas between them.
func Quoted[S ~string](list []S) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(string(s)))
	}
	return b.String()
}

// Writer returns a writer that writes what [Lines] makes of each text that is written to it, of which none ends within a character.
func Writer(w io.Writer) io.Writer { return lines{w} }

type lines struct{ w io.Writer }

// Unwrap returns what the lines are written to.
func (l lines) Unwrap() io.Writer { return l.w }

func (l lines) Write(p []byte) (int, error) {
	if _, err := io.WriteString(l.w, Lines(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// JSON returns an equal JSON text in which \u escapes stand for the characters that [Text] replaces. The text is valid.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r < 0x7f || unicode.IsPrint(r): // below, a control character is none of a string
			out = append(out, text[i:i+size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += size
	}
	return out
}

// WriteJSON writes a value as JSON, indented, with < and > as they are, and nothing in it that a terminal obeys.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(JSON(b.Bytes()))
	return err
}
