//go:build linux || darwin

package session_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/concord-nn/concord/webnn/session"
)

// TestPipes refuses pipes, which would wait for a writer.
func TestPipes(t *testing.T) {
	dir := folder(t, map[string]string{"d.json": document(`"weights":"pipe.json",`, "[0,1]")})
	pipe := filepath.Join(dir, "pipe.json")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("named pipes cannot be made here: %v", err)
	}
	if session.Recognizes(pipe, false) {
		t.Error("a pipe is recognised")
	}
	for _, path := range []string{pipe, filepath.Join(dir, "d.json")} {
		if _, err := session.Load(path, nil); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: the error is %v", path, err)
		}
	}
}
