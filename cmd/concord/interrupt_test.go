package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/op"
	"github.com/concord-nn/concord/tensor"
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

// TestInterruptedRandom draws large inputs as small ones, and no further than somebody wants them.
func TestInterruptedRandom(t *testing.T) {
	shape := tensor.Shape{drawn + 3}
	for _, d := range []tensor.DType{tensor.Uint8, tensor.Float16} {
		x, err := tensor.New(d, shape)
		if err == nil {
			err = drawInput(t.Context(), op.NewRand(1, 1), nil, x)
		}
		if want := op.NewRand(1, 1).Uniform(d, shape, -1, 1); err != nil || !bytes.Equal(x.Bytes(), want.Bytes()) {
			t.Errorf("%v: other elements, or %v", d, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, err := tensor.New(tensor.Uint8, shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := drawInput(ctx, op.NewRand(1, 1), nil, x); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestInterruptedPipe takes what other programs have written until the signal that has ended them, too, for less than all.
func TestInterruptedPipe(t *testing.T) {
	for _, want := range []error{nil, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		_, err = w.WriteString("version")
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if want != nil {
			cancel()
		}
		if text, err := io.ReadAll(awaited{r, ctx}); string(text) != "version" || !errors.Is(err, want) {
			t.Errorf("%q and %v; want %v", text, err, want)
		}
		cancel()
	}
}
