package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/serve"
)

func serveFlagSet() (*serveFlags, *pflag.FlagSet) {
	f, flags := &serveFlags{}, pflag.NewFlagSet("serve", pflag.ContinueOnError)
	f.register(flags)
	return f, flags
}

// TestConfig sets flags by a file, beside some that the command line has set.
func TestConfig(t *testing.T) {
	f, flags := serveFlagSet()
	if err := flags.Parse([]string{"--queue", "5"}); err != nil {
		t.Fatal(err)
	}
	const text = "\ufeff" + `{"queue": 7, "batch": 3, "memory": "2GiB", "map": true, "load": ["a", "b"], "batch-delay": "2ms", "http": ":1"}`
	if err := readConfig(flags, []byte(text)); err != nil {
		t.Fatal(err)
	}
	o := f.options
	if o.Queue != 5 || o.Batch != 3 || f.memory != 2<<30 || !o.Mapped || !slices.Equal(o.Load, []string{"a", "b"}) || o.BatchDelay != 2e6 || f.http != ":1" {
		t.Errorf("the flags are %+v", f)
	}
	if !flags.Changed("batch") || flags.Changed("workers") {
		t.Error("what is given is not known")
	}
}

// TestConfigOfPage has a server that takes the file of the page.
func TestConfigOfPage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(testdata.Root(t), "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "a JSON object:")
	_, text, _ = strings.Cut(text, "`")
	text, _, _ = strings.Cut(text, "`")
	f, flags := serveFlagSet()
	if err := readConfig(flags, []byte(text)); err != nil {
		t.Fatal(err)
	}
	f.options.Dir = "."
	if _, err := serve.New(f.options); err != nil {
		t.Error(err)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"http": ":8080", "batch": 4, "map": true, "load": ["a"]}`))
	f.Add([]byte(`{"memory": [[1]], "batch": {"a": null}}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, flags := serveFlagSet()
		_ = readConfig(flags, text) // it ends, with an error or without
	})
}
