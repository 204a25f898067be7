package session_test

import (
	"bytes"
	"testing"

	"github.com/concord-nn/concord/webnn/session"
)

func TestRename(t *testing.T) {
	s := &session.Session{Calls: []session.Call{
		{Method: "MLGraphBuilder", Args: []session.Value{session.Ref("context")}, ID: "builder"},
		{On: "builder", Method: "input", Args: []session.Value{"x", session.Dict{}}, ID: "x"},
		{On: "builder", Method: "split", Args: []session.Value{session.Ref("x"), 2.0}, IDs: []string{"left", "right"}},
		{On: "builder", Method: "concat", Args: []session.Value{[]session.Value{session.Ref("right"), session.Ref("left")}, 0.0}, ID: "y"},
		{On: "builder", Method: "build", Args: []session.Value{session.Dict{"left": session.Ref("y")}}},
	}}
	s.Rename(map[string]string{"left": "right", "right": "left", "y": "z", "builder": "b", "nothing": "else"})
	want := &session.Session{Calls: []session.Call{
		{Method: "MLGraphBuilder", Args: []session.Value{session.Ref("context")}, ID: "b"},
		{On: "b", Method: "input", Args: []session.Value{"x", session.Dict{}}, ID: "x"},
		{On: "b", Method: "split", Args: []session.Value{session.Ref("x"), 2.0}, IDs: []string{"right", "left"}},
		{On: "b", Method: "concat", Args: []session.Value{[]session.Value{session.Ref("left"), session.Ref("right")}, 0.0}, ID: "z"},
		{On: "b", Method: "build", Args: []session.Value{session.Dict{"left": session.Ref("z")}}},
	}}
	got, _, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if text, _, _ := want.Encode(); !bytes.Equal(got, text) {
		t.Errorf("got %s; want %s", got, text)
	}
}

func TestReferences(t *testing.T) {
	s := everything()
	used := s.References()
	for _, c := range s.Calls {
		for _, a := range c.Args {
			if r, ok := a.(session.Ref); ok && !used[string(r)] {
				t.Errorf("%s refers to %q", c.Method, r)
			}
		}
	}
	nested := session.Dict{"a": []session.Value{session.Ref("p")}}
	s = &session.Session{Calls: []session.Call{{Args: []session.Value{nested, "q"}, ID: "r"}}}
	if used = s.References(); !used["p"] || len(used) != 1 {
		t.Errorf("the references are %v; want p", used)
	}
}

// TestReserved: the ids are those that a new host has.
func TestReserved(t *testing.T) {
	h := session.NewHost(session.HostOptions{})
	defer h.Close()
	for _, id := range append(h.Objects(), "host") {
		if !session.Reserved(id) {
			t.Errorf("%q is not reserved", id)
		}
	}
	if session.Reserved("context") {
		t.Error("context is reserved")
	}
}
