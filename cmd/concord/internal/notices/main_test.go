package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// TestNotices finds every module of the program and of the C library in the notices that go with them.
func TestNotices(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there is no go command here")
	}
	t.Chdir(testdata.Root(t))
	for pkg, file := range map[string]string{"./cmd/concord": "cmd/concord/notices.txt", "./cmd/libopenvx": "cmd/libopenvx/NOTICES"} {
		list, err := modules(pkg, "linux")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.FromSlash(file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range append(list, module{Path: "Go, its standard library and runtime"}) {
			if !strings.Contains("\n"+string(text), "\n"+m.name()+"\n") {
				t.Errorf("%s does not have %s: run go generate ./cmd/concord", file, m.name())
			}
		}
	}
}
