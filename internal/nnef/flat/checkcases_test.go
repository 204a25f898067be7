package flat_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/concord-nn/concord/internal/nnef/flat"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/nnef/syntax"
)

// sharedCase is what this layer needs of a case of the shared set.
type sharedCase struct {
	ID, File, Rule string
	Expect         struct {
		Verdict, Class string
		Line           int
		LineChecked    bool `json:"line_checked"`
	}
}

// later are the classes that depend on values.
var later = map[string]bool{"eval": true, "value": true, "shape": true}

// values are cases of other classes that depend on values: the length of an array that the shape of a tensor decides.
var values = map[string]bool{"inv-39": true}

// TestShared holds the verdicts of the shared documents that do not depend on values.
func TestShared(t *testing.T) {
	dir := testdata.Shared(t, "conformance", "nnef", "parse")
	raw, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []sharedCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	decided := 0
	for _, c := range cases {
		text, err := os.ReadFile(filepath.Join(dir, c.File))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := syntax.Parse(c.File, text, syntax.Options{Strict: true})
		if err != nil {
			continue // held in package syntax
		}
		list := flat.Check(doc, flat.Options{})
		if c.Expect.Verdict == "accept" || later[c.Expect.Class] || values[c.ID] {
			if len(list) > 0 {
				t.Errorf("%s: %s\n%s", c.ID, c.Rule, list.Render())
			}
			continue
		}
		decided++
		if len(list) == 0 {
			_, err := flat.Flatten(doc, flat.Options{})
			errors.As(err, &list)
		}
		switch {
		case len(list) != 1:
			t.Errorf("%s: %s: %d findings; want one\n%s", c.ID, c.Rule, len(list), list.Render())
		case list[0].Class().String() != c.Expect.Class:
			t.Errorf("%s: %s: class %s; want %s\n%s", c.ID, c.Rule, list[0].Class(), c.Expect.Class, list.Render())
		case c.Expect.LineChecked && list[0].Position().Line != c.Expect.Line:
			t.Errorf("%s: %s: line %d; want %d\n%s", c.ID, c.Rule, list[0].Position().Line, c.Expect.Line, list.Render())
		}
	}
	t.Logf("%d cases of %d are decided here", decided, len(cases))
}
