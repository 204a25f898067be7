package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/webnn/session"
)

// TestLimits reads documents that are as large as is allowed, and larger.
func TestLimits(t *testing.T) {
	calls := func(n int) string {
		return `{"webnnSession":1,"calls":[` + strings.Repeat(`{"call":"f"},`, n-1) + `{"call":"f"}]}`
	}
	with := func(value string) string { return `{"webnnSession":1,"calls":[{"call":"f","args":[` + value + `]}]}` }
	for name, c := range map[string]struct {
		most   int
		limits *session.Limits
		text   func(n int) string
	}{
		"calls":  {100, &session.Limits{Calls: 100}, calls},
		"depth":  {limits.SessionDepth, nil, func(n int) string { return with(strings.Repeat("[", n) + strings.Repeat("]", n)) }},
		"text":   {500, &session.Limits{Text: 500}, func(n int) string { return calls(1) + strings.Repeat(" ", n-len(calls(1))) }},
		"data":   {1000, &session.Limits{Data: 1000}, func(n int) string { return with(fmt.Sprintf(`{"$buffer":{"fill":1,"byteLength":%d}}`, n)) }},
		"bigint": {limits.SessionBigInt, nil, func(n int) string { return with(`{"$bigint":"` + strings.Repeat("1", n) + `"}`) }},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			_, err := session.Decode([]byte(c.text(n)), nil, c.limits)
			var refused *session.SyntaxError
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
		if _, err := session.Load(filepath.Join(dir, "d.json"), &session.Limits{Weights: n}); (err == nil) != ok {
			t.Errorf("64 bytes of weights, of which %d are allowed: %v", n, err)
		}
	}
}

// TestDefaultLimits reads what is larger than is allowed where no bounds are given.
func TestDefaultLimits(t *testing.T) {
	with := func(value string) string { return `{"webnnSession":1,"calls":[{"call":"f","args":[` + value + `]}]}` }
	if _, err := session.Decode([]byte(with(fmt.Sprintf(`{"$buffer":{"fill":1,"byteLength":%d}}`, limits.SessionData+1))), nil, nil); err == nil {
		t.Error("a document makes more data")
	}
	deep := with(strings.Repeat("[", limits.SessionDepth+1) + strings.Repeat("]", limits.SessionDepth+1))
	if _, err := session.Decode([]byte(deep), nil, &session.Limits{Depth: -1}); err == nil {
		t.Error("a negative bound of the depth is none")
	}
	path := filepath.Join(t.TempDir(), "d.json")
	if err := os.WriteFile(path, []byte(with("1")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Load(path, &session.Limits{Text: -10}); err != nil {
		t.Errorf("a negative bound of the text is not its default: %v", err)
	}
	testdata.Exhaustive(t, "it reads long documents")
	many := `{"webnnSession":1,"calls":[` + strings.Repeat(`{"call":"f"},`, limits.SessionCalls) + `{"call":"f"}]}`
	if _, err := session.Decode([]byte(many), nil, nil); err == nil {
		t.Error("a document makes more calls")
	}
	if _, err := session.Decode([]byte(with("1")+strings.Repeat(" ", limits.SessionText)), nil, nil); err == nil {
		t.Error("a document is longer")
	}
}

// TestHostLimitsAreReached asks for as much as a host gives where no bounds are given, and for more.
func TestHostLimitsAreReached(t *testing.T) {
	testdata.Exhaustive(t, "it names a million objects; TestHostBounds and TestHostRejects have other bounds")
	h := builder(t)
	for n, want := range map[int]string{ // beside "ml", "c", "b" and "x"
		limits.HostObjects - 4: "ids are given for 3 results",
		limits.HostObjects - 3: "UnknownError: host: there are 4 objects",
	} {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprintf(`"i%d"`, i)
		}
		check(t, h, call{`{"on":"b","call":"split","args":[{"$ref":"x"},3,{"axis":1}],"ids":[` + strings.Join(ids, ",") + `]}`, want})
	}
	var failed atomic.Int32
	for range limits.HostPending + 1 {
		h.Do([]byte(`{"on":"c","call":"lost"}`), nil, func(r session.Reply) {
			if r.Error != nil && r.Error.Rule == "pending" {
				failed.Add(1)
			}
		})
	}
	if failed.Load() != 1 {
		t.Errorf("%d of %d calls are refused", failed.Load(), limits.HostPending+1)
	}
}
