package session_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/webnn"
	"github.com/concord-nn/concord/webnn/session"
)

// small bounds what hostile sessions may take.
var small = webnn.ContextOptions{
	Threads:             1,
	MaxTensorByteLength: 1 << 14,
	MaxMemory:           1 << 18,
	Limits:              engine.Limits{Memory: 1 << 20, Operations: 1 << 22, Nodes: 1 << 8},
}

var smallLimits = session.Limits{Calls: 64, Text: 1 << 16, Data: 1 << 14}

func seeds(f *testing.F) {
	f.Helper()
	text, weights, err := everything().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, testdata.Written(f, weights))
	f.Add([]byte(first), []byte{})
	f.Add([]byte(compute), point8)
	f.Add([]byte(first[:len(first)-4]+","+compute[len(`{"webnnSession":1,"calls":[`):]), point8)
	f.Add([]byte(`{"on":"builder","call":"split","args":[{"$ref":"A"},{"$buffer":{"type":"Uint8Array","values":[1,"1"]}}],"ids":["p","q"]}`), []byte{})
	f.Add([]byte(`{"webnnSession":1,"calls":[{"call":"f","args":[{"$buffer":{"type":"BigInt64Array","fill":"-1","length":2}}]}]}`), []byte{})
}

// FuzzDecode reads anything. What is read is written and read again without a difference, and makes a graph or fails.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text, data []byte) {
		s, err := session.Decode(text, data, &smallLimits)
		if err != nil {
			return
		}
		once, weights, err := s.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		again, err := session.Decode(once, testdata.Written(t, weights), nil)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, once)
		}
		twice, _, err := again.Encode()
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("written: %s\nread and written again: %s, %v", once, twice, err)
		}
		_, _ = s.Graph(&small) // must come back
	})
}

// FuzzHost gives messages to a host, of which the later may use what the earlier have made.
func FuzzHost(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, message, data []byte) {
		h := session.NewHost(session.HostOptions{Context: small, Limits: smallLimits, MaxObjects: 256})
		defer h.Close() // which waits for what is running
		for _, m := range [][]byte{[]byte(first), message, message} {
			h.Do(m, data, func(r session.Reply) {
				if _, err := json.Marshal(r); err != nil {
					t.Errorf("the reply to call %d cannot be written: %v", r.Call, err)
				}
			})
		}
	})
}
