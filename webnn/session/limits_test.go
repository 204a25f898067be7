package session

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/webnn/internal/idl"
)

// TestLimits reads documents that are as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	want := Limits{limits.SessionCalls, limits.SessionDepth, limits.SessionText, limits.SessionData, limits.SessionWeights}
	if got := (*Limits)(nil).orDefault(); got != want {
		t.Errorf("the defaults are %+v; want %+v", got, want)
	}
	calls := func(n int) string {
		return `{"webnnSession":1,"calls":[` + strings.Repeat(`{"call":"f"},`, n-1) + `{"call":"f"}]}`
	}
	with := func(value string) string { return `{"webnnSession":1,"calls":[{"call":"f","args":[` + value + `]}]}` }
	for name, c := range map[string]struct {
		most   int
		limits *Limits
		text   func(n int) string
	}{
		"calls":  {100, &Limits{Calls: 100}, calls},
		"depth":  {limits.SessionDepth, nil, func(n int) string { return with(strings.Repeat("[", n) + strings.Repeat("]", n)) }},
		"text":   {500, &Limits{Text: 500}, func(n int) string { return calls(1) + strings.Repeat(" ", n-len(calls(1))) }},
		"data":   {1000, &Limits{Data: 1000}, func(n int) string { return with(fmt.Sprintf(`{"$buffer":{"fill":1,"byteLength":%d}}`, n)) }},
		"bigint": {limits.SessionBigInt, nil, func(n int) string { return with(`{"$bigint":"` + strings.Repeat("1", n) + `"}`) }},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			_, err := Decode([]byte(c.text(n)), nil, c.limits)
			var refused *SyntaxError
			if (err == nil) != (n == c.most) || err != nil && !errors.As(err, &refused) {
				t.Errorf("%s: %d give %v", name, n, err)
			}
		}
	}
	dir := t.TempDir()
	text := `{"webnnSession":1,"weights":"w","calls":[{"call":"f","args":[{"$buffer":{"at":[0,64]}}]}]}`
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "d.json"), []byte(text), 0o600), os.WriteFile(filepath.Join(dir, "w"), make([]byte, 99), 0o600)); err != nil {
		t.Fatal(err)
	}
	for n, ok := range map[int64]bool{63: false, 64: true} {
		if _, err := Load(filepath.Join(dir, "d.json"), &Limits{Weights: n}); (err == nil) != ok {
			t.Errorf("64 bytes of weights, of which %d are allowed: %v", n, err)
		}
	}
	for _, base := range []int{2, 16} {
		if _, ok := readBigInt(strings.Repeat("1", limits.SessionBigInt+1), base); ok {
			t.Errorf("too many digits of base %d are read", base)
		}
	}
	if n, ok := readBigInt("ff", 16); !ok || n.Cmp(big.NewInt(255)) != 0 {
		t.Errorf("got %v", n)
	}
}

// TestSequenceLimit converts typed arrays to sequences.
func TestSequenceLimit(t *testing.T) {
	for _, n := range []int{limits.SessionSequence, limits.SessionSequence + 1} {
		if _, err := lookup(nil).toSequence(idl.Type{Name: "boolean"}, &Buffer{Type: "Uint8Array", Data: make([]byte, n)}); (err == nil) != (n == limits.SessionSequence) {
			t.Errorf("%d items: %v", n, err)
		}
	}
}

// TestHostLimitsAreReached asks for as much as a host gives, and for more.
func TestHostLimitsAreReached(t *testing.T) {
	h := NewHost(HostOptions{})
	defer h.Close()
	if err := h.free(make([]string, limits.HostObjects-1), true); err != nil { // and the one that it has from the start
		t.Error(err)
	}
	if err := h.free(make([]string, limits.HostObjects), true); err == nil {
		t.Error("there may be one object more")
	}
	for range limits.HostPending {
		if err := h.admit(); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.admit(); err == nil {
		t.Error("one call more may wait")
	}
	for range limits.HostPending {
		h.dismiss()
	}
}
