package flat_test

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
)

func ExampleLabelFile() {
	fmt.Println(flat.LabelFile(`block1\conv/filter`))
	why, _ := flat.CheckLabel("../filter")
	fmt.Println(why)
	// Output:
	// block1/conv/filter.dat
	// the label '../filter' is not allowed; it leads out of the folder of the model
}

func TestCheckLabel(t *testing.T) {
	for label, ok := range map[string]bool{
		"a": true, "conv1/W.0-b_c": true, `a\b`: true, "/a": true, ".": true, "/": true, "a..b": true, "": false, "a b": false,
		"../a": false, "a/../../b": false, `..\a`: false, "ä": false, "a\x00": false,
	} {
		why, hint := flat.CheckLabel(label)
		if (why == "") != ok || (hint == "") != ok {
			t.Errorf("%q: got %q, %q", label, why, hint)
		}
		if name := flat.LabelFile(label); why == "" && !fs.ValidPath(name) {
			t.Errorf("%q: the file would be %q", label, name)
		}
	}
	if why, _ := flat.CheckLabel(""); why != "the label is empty" {
		t.Errorf("an empty label: %s", why)
	}
	if got := flat.LabelFile(`/a\b`); got != "a/b.dat" {
		t.Errorf("got %s", got)
	}
}
