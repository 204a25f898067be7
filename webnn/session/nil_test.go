package session_test

import (
	"context"
	"testing"

	"github.com/concord-nn/concord/tensor"
	"github.com/concord-nn/concord/webnn/session"
)

// TestNil: what is nil is empty, or an error.
func TestNil(t *testing.T) {
	var s *session.Session
	var h *session.Host
	var r *session.Recorder
	var none context.Context
	calls := func(args ...session.Value) *session.Session {
		return &session.Session{Calls: []session.Call{
			{On: "ml", Method: "createContext", ID: "c"}, {Method: "MLGraphBuilder", Args: []session.Value{session.Ref("c")}, ID: "b"},
			{On: "b", Method: "constant", Args: args}}}
	}
	if text, _, err := s.Encode(); err != nil || string(text) != "{\"webnnSession\":1,\"calls\":[\n]}\n" {
		t.Errorf("nothing is written as %q, %v", text, err)
	}
	if recorded, err := r.Session(); err != nil || len(recorded.Calls) != 2 {
		t.Errorf("nothing is recorded as %v, %v", recorded, err)
	}
	if _, ok := (*session.Buffer)(nil).Elements(); ok {
		t.Error("no buffer has elements")
	}
	session.Record(nil)
	r.Name("x")
	h.Do(nil, nil, nil)
	h.Close()
	new(session.Host).Do([]byte(first), nil, nil)
	for name, f := range map[string]func() error{
		"Save":    func() error { return s.Save("") },
		"Graph":   func() error { _, err := s.Graph(nil); return err },
		"Network": func() error { _, err := s.Network().Graph(nil); return err },
		"Encode of a buffer": func() error {
			_, _, err := calls((*session.Buffer)(nil)).Encode()
			return err
		},
		"Graph with a buffer": func() error {
			_, err := calls(session.Descriptor(tensor.Float32, nil), (*session.Buffer)(nil)).Graph(nil)
			return err
		},
		"Graph with a list": func() error {
			_, err := calls(session.Dict{"dataType": "int8", "shape": (*session.Buffer)(nil)}, "").Graph(nil)
			return err
		},
		"Load":          func() error { _, err := session.Load("", nil); return err },
		"LoadFS":        func() error { _, err := session.LoadFS(nil, "a/b.json", nil); return err },
		"Decode":        func() error { _, err := session.Decode(nil, nil, nil); return err },
		"DecodeCall":    func() error { _, err := session.DecodeCall(nil, nil, nil); return err },
		"Run on a Host": func() error { _, err := new(session.Host).Run(none, []byte(first), nil); return err },
	} {
		if err := f(); err == nil {
			t.Errorf("%s: there is no error", name)
		}
	}
}
