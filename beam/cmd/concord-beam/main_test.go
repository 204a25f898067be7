package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/beam/shards"
	"github.com/concord-nn/concord/bulk"
)

const digits = "../../../examples/digits"

// asProgram is the variable that makes the test's binary the program.
const asProgram = "CONCORD_BEAM_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// execute runs the program.
func execute(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of which it needs one second
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], args...)
	c.WaitDelay = time.Second
	c.Env = append(os.Environ(), asProgram+"=1")
	var out, log bytes.Buffer
	c.Stdout, c.Stderr = &out, &log
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), log.String(), c.ProcessState.ExitCode()
}

// boot starts a worker as the container of Beam's does, from what the embedded runner says.
const boot = `#!/bin/sh
for a; do case $a in --id=*) id=${a#--id=};; --provision_endpoint=*) at=${a#--provision_endpoint=};; esac; done
id=${id#\'} id=${id%%\'}
exec %q --worker --id="$id" --logging_endpoint="$at" --control_endpoint="$at" >%q 2>&1
`

// TestRunner runs the program on Beam's embedded runner, with workers in the same process and in another, and compares what it writes with what package
// bulk does.
func TestRunner(t *testing.T) {
	inputs := filepath.Join(t.TempDir(), "photos")
	if err := os.CopyFS(inputs, os.DirFS(digits+"/drawings")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inputs, "bad.png"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := bulk.Options{Inputs: []string{inputs}, Shards: 4, SkipErrors: true}
	j, err := bulk.Open(digits+"/model.nnef", opts)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	alone := t.TempDir()
	for i := range opts.Shards {
		if _, err := j.Run(t.Context(), alone, i, false, nil); err != nil {
			t.Fatal(err)
		}
	}
	script, log := filepath.Join(t.TempDir(), "boot"), filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(script, fmt.Appendf(nil, boot, os.Args[0], log), 0o700); err != nil { // it is a program
		t.Fatal(err)
	}
	for name, flags := range map[string][]string{
		"same process":  {"--runner=prism"},
		"other process": {"--runner=prism", "--environment_type=process", fmt.Sprintf("--environment_config={\"command\":%q}", script), "--worker_binary=" + script},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "other process" {
				if _, err := exec.LookPath("/bin/sh"); err != nil {
					t.Skip(err)
				}
			}
			out := t.TempDir()
			stdout, stderr, code := execute(t, append(flags, "--model", digits+"/model.nnef", "--inputs", inputs, "--output", out,
				"--shards", "4", "--on_error", "skip", "--json")...)
			var got shards.Total
			if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != exitInput {
				t.Fatal(err, code, stderr)
			}
			if got.Shards != 4 || got.Inputs != 21 || got.Failed != 1 {
				t.Errorf("%+v", got)
			}
			files, err := filepath.Glob(filepath.Join(alone, "*-of-00004.jsonl"))
			if err != nil || len(files) != 5 { // parts and errors
				t.Fatal(files, err)
			}
			for _, name := range files {
				want, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if data, err := os.ReadFile(filepath.Join(out, filepath.Base(name))); err != nil || !bytes.Equal(data, want) {
					t.Errorf("%s differs (%v)", filepath.Base(name), err)
				}
			}
		})
	}
	if _, err := os.Stat(log); err != nil {
		t.Error("no other process was a worker")
	}
}

// TestFlags gives the program flags that it refuses.
func TestFlags(t *testing.T) {
	model := digits + "/model.nnef"
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "must be given"},
		{[]string{"--model", model, "--output", "out", "photos"}, exitUsage, `"photos" is no flag`},
		{[]string{"--model", model, "--output", "out", "--inputs", "x", "--on_error", "go"}, exitUsage, "stop or skip"},
		{[]string{"--model", model, "--output", "out", "--inputs", "x", "--shards", "0"}, exitUsage, "1 or more"},
		{[]string{"--model", model, "--output", "out", "--inputs", "none*.png"}, exitError, "no file matches"},
		{[]string{"--model", model, "--output", "out", "--inputs", digits + "/drawings", "--runner", "none"}, exitError, "none"},
	} {
		if _, stderr, code := execute(t, c.args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: %d, %s, want %q", c.args, code, stderr, c.want)
		}
	}
}
