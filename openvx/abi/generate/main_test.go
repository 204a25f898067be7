package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The generated files are as the tables are.
func TestUpToDate(t *testing.T) {
	list, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range list {
		if have, err := os.ReadFile(filepath.Join("../../..", name)); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not up to date; run go generate ./openvx/abi", name)
		}
	}
}
