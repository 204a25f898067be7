package serve

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"net/http"
	"strings"
)

// traceContext is which trace a request belongs to, as https://www.w3.org/TR/trace-context/ says it.
type traceContext struct {
	trace  string // 32 hexadecimal digits
	parent string // the span of who asks, 16 digits; empty if the trace begins here
	span   string // ours
}

// traceOf returns the trace of a request: that of its header, or a new one if there is none or it is malformed.
func traceOf(h http.Header) traceContext {
	t := traceContext{span: random(8)}
	if values := h.Values("Traceparent"); len(values) == 1 {
		if trace, parent, ok := parseTraceparent(values[0]); ok {
			t.trace, t.parent = trace, parent
			return t
		}
	}
	t.trace = random(16)
	return t
}

// parseTraceparent reads the header: version, trace, parent and flags. Later versions may have more behind these.
func parseTraceparent(s string) (trace, parent string, ok bool) {
	const known = len("00-00000000000000000000000000000000-0000000000000000-00")
	if len(s) < known || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return "", "", false
	}
	version, trace, parent, flags := s[:2], s[3:35], s[36:52], s[53:55]
	switch {
	case !isHex(version) || !isHex(trace) || !isHex(parent) || !isHex(flags):
	case version == "ff" || strings.Trim(trace, "0") == "" || strings.Trim(parent, "0") == "":
	case version == "00" && len(s) > known, len(s) > known && s[known] != '-':
	default:
		return trace, parent, true
	}
	return "", "", false
}

// isHex reports whether a text has only the digits that the header may have.
func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdef") == ""
}

// random returns so many random bytes, not all of them 0, in hexadecimal digits. They are names, and no secrets.
func random(n int) string {
	b := make([]byte, 0, 16)
	for len(b) < n {
		b = binary.BigEndian.AppendUint64(b, rand.Uint64())
	}
	b[0] |= 1
	return hex.EncodeToString(b)
}

// requestID returns the client's name for a request, or that of our span.
func requestID(h http.Header, t traceContext) string {
	id := h.Get("X-Request-Id")
	if id == "" || len(id) > 128 || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' }) {
		return t.span
	}
	return id
}
