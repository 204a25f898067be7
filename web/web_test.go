package web_test

import (
	"bytes"
	"os/exec"
	"testing"

	"github.com/concord-nn/concord/web"
)

// TestFiles: the package is whole, and the classic script has nothing that only modules may have.
func TestFiles(t *testing.T) {
	files, err := web.Files([]byte("globalThis.Go = class {};"), "1")
	if err != nil {
		t.Fatal(err)
	}
	contents := make(map[string][]byte)
	for _, f := range files {
		contents[f.Name] = f.Content
	}
	for _, name := range []string{"package.json", "concord-webnn.js", "concord-webnn.d.ts", "concord-webnn.classic.js", "worker.js", "go.js", "idl.js"} {
		if len(contents[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	for _, word := range []string{"\nimport ", "\nexport ", "import.meta"} {
		if bytes.Contains(contents["concord-webnn.classic.js"], []byte(word)) {
			t.Errorf("the classic script has %q", word)
		}
	}
}

// TestSyntax: node takes the scripts.
func TestSyntax(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || testing.Short() {
		t.Skip("node is not installed, or the tests are to be short")
	}
	files, err := web.Files([]byte("globalThis.Go = class {};"), "1")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		kind := "--input-type=module"
		switch {
		case f.Name == "concord-webnn.classic.js": // which has most of the others
			kind = "--input-type=commonjs"
		case f.Name != "serve.js" && f.Name != "cache.js" && f.Name != "go.js":
			continue
		}
		check := exec.Command(node, "--check", kind, "-")
		check.Stdin = bytes.NewReader(f.Content)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, out)
		}
	}
}
