package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestErrorsAsJSON holds kinds and places of errors, and that every command takes --json.
func TestErrorsAsJSON(t *testing.T) {
	t.Chdir("testdata")
	for _, c := range []struct {
		args string
		want errorReport
	}{
		{"run nope.nnef --json", errorReport{Kind: "input", ExitCode: exitInput, File: "nope.nnef"}},
		{"run net.nnef --format=ndjson --score x", errorReport{Kind: "usage", ExitCode: exitUsage}},
		{"check --json --nope", errorReport{Kind: "usage", ExitCode: exitUsage}},
		{"flatten check/several.nnef --json", errorReport{Kind: "input", ExitCode: exitInput, File: "check/several.nnef", Line: 5, Column: 28}},
		{"inspect cvm/wrong --json", errorReport{Kind: "input", ExitCode: exitInput, File: "cvm/wrong/graph.json", Line: 1, Column: 242, Node: "sums"}},
		{"run cvm/strokes none.bin --json", errorReport{Kind: "input", ExitCode: exitInput, File: "none.bin"}},
		{"run cvm/strokes cvm/overlap/four.bin --json", errorReport{Kind: "input", ExitCode: exitInput, File: "cvm/overlap/four.bin"}},
		{"convert net.nnef x.tgz --json", errorReport{Kind: "input", ExitCode: exitInput, File: "net.nnef", Line: 22, Column: 54}},
		{"nothing --json", errorReport{Kind: "usage", ExitCode: exitUsage}},
		{"fmt --json nope.nnef", errorReport{Kind: "input", ExitCode: exitInput, File: "nope.nnef"}},
		{"version --json=true extra", errorReport{Kind: "usage", ExitCode: exitUsage}},
	} {
		args := strings.Fields(c.args)
		var out, text bytes.Buffer
		root := newRoot()
		root.SetArgs(args)
		root.SetOut(&text)
		root.SetErr(&text)
		err := root.ExecuteContext(t.Context())
		if err == nil || !wantsJSON(args) {
			t.Errorf("%s: %v", c.args, err)
			continue
		}
		if err := printJSONError(&out, err, args); err != nil {
			t.Fatal(err)
		}
		var got struct{ Error errorReport }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		printError(&text, err)
		e := got.Error
		if e.Message == "" || len(e.Diagnostics) == 0 && !strings.Contains(text.String(), strings.Split(e.Message, "\n")[0]) {
			t.Errorf("%s: the message is %q", c.args, e.Message)
		}
		if e.Kind != c.want.Kind || e.ExitCode != c.want.ExitCode || e.File != c.want.File || e.Line != c.want.Line || e.Column != c.want.Column || e.Node != c.want.Node {
			t.Errorf("%s: %s", c.args, &out)
		}
	}
	every := []*cobra.Command{newRoot()}
	for i := 0; i < len(every); i++ {
		every = append(every, every[i].Commands()...)
		if every[i].Flag("json") == nil {
			t.Errorf("%s has no --json", every[i].CommandPath())
		}
	}
	for args, want := range map[string]bool{"run m": false, "run m --json": true, "run m --format json": true, "run m --format csv": false, "run m -- --json": false, "run --format": false} {
		if wantsJSON(strings.Fields(args)) != want {
			t.Errorf("%s: %v", args, !want)
		}
	}
	var out bytes.Buffer
	if err := printJSONError(&out, errNegative, nil); err != nil || out.Len() > 0 {
		t.Errorf("%v: %s", err, &out)
	}
}
