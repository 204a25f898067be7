package main

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
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
	const text = `{"queue": 7, "batch": 3, "memory": "2GiB", "map": true, "load": ["a", "b"], "batch-delay": "2ms", "http": ":1"}`
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

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"http": ":8080", "batch": 4, "map": true, "load": ["a"]}`))
	f.Add([]byte(`{"memory": [[1]], "batch": {"a": null}}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		_, flags := serveFlagSet()
		_ = readConfig(flags, text) // it ends, with an error or without
	})
}
