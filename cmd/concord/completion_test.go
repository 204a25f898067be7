package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/onnx/proto"
)

// TestCompletion asks, as a shell does, how a command line may go on.
func TestCompletion(t *testing.T) {
	model := digits(t, "model.nnef")
	odd := &proto.Graph{Name: "g", Node: []*proto.Node{{OpType: "Relu", Input: []string{"/in.put:0"}, Output: []string{"y"}}}, Output: []*proto.ValueInfo{onnxValue("y", proto.Float)}}
	for _, name := range []string{"/in.put:0", "a\x1b[31m", "$(reboot)", "two words", "-q", "tab\tbed", "`id`", "a;b", "\u202e"} {
		odd.Input = append(odd.Input, onnxValue(name, proto.Float))
	}
	for _, c := range []struct {
		args []string
		want string // lines, the last of which is what else the shell does
	}{
		{[]string{"run", model, "--colour", ""}, "rgb\nbgr\ngray\n:4"},
		{[]string{"run", model, "--layout", "N"}, "NCHW\nNHWC\nNHW\n:4"},
		{[]string{"run", model, "--format", "n"}, "ndjson\n:4"},
		{[]string{"bench", model, "--resize", "fi"}, "fit\nfill\n:4"},
		{[]string{"check", "--color", "al"}, "always\n:4"},
		{[]string{"run", model, "--save", "pool"}, "pool1\npool2\npool3\n:4"},
		{[]string{"run", model, ""}, "x=\n:2"},
		{[]string{"run", model, "x="}, ":0"},
		{[]string{"run", ""}, ":0"},
		{[]string{"run", "absent.nnef", "--save", ""}, ":4"},
		{[]string{"run", "testdata/open.nnef", "--shape", ""}, "x=\nx.0=\n:6"},
		{[]string{"run", "testdata/open.nnef", "--save", "b"}, "b\n:4"},
		{[]string{"run", model, "--output", ""}, ":16"},
		{[]string{"run", model, "--manifest", ""}, "json\n:8"},
		{[]string{"diff", model, model, ""}, "x=\n:2"},
		{[]string{"diff", model, "--engines", "comp"}, "compiled,"},
		{[]string{"conform", "--filter", ""}, ":0"},
		{[]string{"serve", "--metrics", ""}, "own\ntriton\noff\n:4"},
		{[]string{"serve", "--model-control", ""}, "poll\nexplicit\nnone\n:4"},
		{[]string{"serve", "--log-level", "w"}, "warn\n:4"},
		{[]string{"bulk", "--on-error", "s"}, "stop\nskip\n:4"},
		{[]string{"bulk", "--format", ""}, "jsonl\nnpz\nparquet\n:4"},
		{[]string{"convert", "--to", ""}, "nnef\ncvm\n:4"},
		{[]string{"conform", "--engine", "s"}, "single\nsaved\n:4"},
		{[]string{"serve", "--versions", ""}, "latest\nall\n:4"},
		{[]string{"ops", "--markdown", ""}, ":16"},
		{[]string{"manifest", "check", "testdata/open.nnef", "--shape", "x."}, "x.0=\n:6"},
		{[]string{"run", writeONNX(t, odd), ""}, "/in.put:0=\n:2"},
	} {
		var out, errs bytes.Buffer
		root := newRoot()
		addCompletion(root)
		root.SetArgs(append([]string{"__complete"}, c.args...))
		root.SetOut(&out)
		root.SetErr(&errs)
		err := root.ExecuteContext(t.Context())
		got := strings.TrimSpace(out.String())
		if !strings.Contains(c.want, ":") {
			if strings.HasPrefix(got, c.want) {
				continue
			}
		} else if got == c.want {
			continue
		}
		t.Errorf("%q: %v\n%s\nwant\n%s", c.args, err, got, c.want)
	}
}

// TestCompletionOfAll: a flag with words of its own completes them; the help names what others take.
func TestCompletionOfAll(t *testing.T) {
	root := newRoot()
	addCompletion(root)
	for _, c := range below(root) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			_, completes := c.GetFlagCompletionFunc(f.Name)
			if f.DefValue == "[]" {
				t.Errorf("%s --%s has [] as its default, which says nothing", c.CommandPath(), f.Name)
			}
			if f.Value.Type() == "string" && !completes && !strings.Contains(f.Usage, "`") {
				t.Errorf("%s --%s completes nothing, and its help names no argument", c.CommandPath(), f.Name)
			}
		})
	}
}
