package fault_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/concord-nn/concord/cvm/fault"
)

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		err  fault.Error
		want string
	}{
		{fault.Error{Class: fault.Logic, Stage: fault.Shape, Line: 2, Column: 3, Node: 0, Name: "a", Operator: "conv2d_3", Part: "kernel",
			Msg: "rank 3", Want: "rank 4"},
			`{"class":"logic","errorCode":1,"stage":"shape","line":2,"column":3,"name":"a","operator":"conv2d_3",` +
				`"part":"kernel","message":"rank 3","want":"rank 4","node":0}`},
		{fault.Error{Class: fault.Runtime, Stage: fault.Params, File: "params", Node: -1, Part: "w", Msg: "wrong magic"},
			`{"class":"runtime","errorCode":2,"stage":"params","file":"params","part":"w","message":"wrong magic","offset":0}`},
		{fault.Error{Class: fault.Runtime, Stage: fault.Run, Node: -1, Err: context.Canceled},
			`{"class":"runtime","errorCode":2,"stage":"run","cause":"context canceled"}`},
	} {
		got, err := json.Marshal(&test.err)
		if err != nil || string(got) != test.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
		}
	}
	// Whoever writes < as it is gets it so.
	got, err := (&fault.Error{Class: fault.Logic, Stage: fault.Run, Node: -1, Msg: "<a> & b"}).MarshalJSON()
	if want := `{"class":"logic","errorCode":1,"stage":"run","message":"<a> & b"}`; err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}
