package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestAwait leaves a command that goes on after an interrupt, and waits for one that ends by itself.
func TestAwait(t *testing.T) {
	none, hour := func() time.Duration { return 0 }, func() time.Duration { return time.Hour }
	failed := errors.New("failed")
	ended := make(chan error, 1)
	ended <- failed
	if err := await(t.Context(), ended, none); err != failed { //nolint:errorlint // the error itself is wanted
		t.Errorf("without an interrupt: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := await(ctx, make(chan error), none); exitCode(err) != exitCancel {
		t.Errorf("a command that goes on: %v", err)
	}
	ended <- failed
	if err := await(ctx, ended, hour); err != failed { //nolint:errorlint // the error itself is wanted
		t.Errorf("a command that ends: %v", err)
	}
}

// TestInterruptedCases counts no case as a failure because of an interrupt.
func TestInterruptedCases(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"conform", filepath.Join(testdata.Root(t), "internal", "conform", "testdata")})
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.ExecuteContext(ctx)
	printError(&out, err)
	if code := exitCode(err); code != exitCancel || strings.Contains(out.String(), "FAIL") ||
		!strings.HasSuffix(out.String(), "0 passed, 0 failed, 15 skipped\nconcord: interrupted\n") {
		t.Errorf("code %d:\n%s", code, &out)
	}
}
