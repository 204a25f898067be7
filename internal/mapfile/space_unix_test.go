//go:build unix

package mapfile

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSpace keeps bytes beyond what may stay in memory in a file, from where they come back after they were forgotten; or in memory, where there
// can be no file.
func TestSpace(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		tmp    string
		mapped []bool
	}{{dir, []bool{false, false, true, true, false}}, {filepath.Join(dir, "absent"), []bool{false, false, false, false, false}}} {
		t.Setenv("TMPDIR", tt.tmp)
		s := &Space{InMemory: 1000}
		for i, n := range []int{0, 1000, 20_001, 1_000_001, 0} {
			data := bytes.Repeat([]byte{byte(i + 1)}, n)
			parts := len(s.parts)
			kept, err := s.Read(bytes.NewReader(data), int64(n))
			if err != nil {
				t.Fatal(err)
			}
			Forget(kept)
			if !slices.Equal(kept, data) {
				t.Errorf("bytes %d are not what was kept", i)
			}
			if inFile := len(s.parts) > parts; inFile != tt.mapped[i] {
				t.Errorf("bytes %d in %s: in a file is %v", i, tt.tmp, inFile)
			}
		}
		if _, err := s.Read(bytes.NewReader(make([]byte, 5000)), 1<<40); err == nil {
			t.Error("missing bytes are not noticed")
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
			t.Errorf("there are %v, %v", left, err)
		}
		if s.file != nil { // to which nothing can be written, as to a full disk
			if err := s.file.Close(); err != nil {
				t.Fatal(err)
			}
			null, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			s.file = null
			data := bytes.Repeat([]byte{7}, 50_000)
			if kept, err := s.Read(bytes.NewReader(data), 50_000); err != nil || !slices.Equal(kept, data) || !s.full {
				t.Errorf("what does not go into the file is not kept: %v", err)
			}
		}
		if err := errors.Join(s.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	}
}
