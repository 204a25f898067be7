package session_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/webnn/session"
)

// folder makes a folder with files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// document returns one that uses bytes of the weights.
func document(weights, at string) string {
	return `{"webnnSession":1,` + weights + `"calls":[{"call":"f","args":[{"$buffer":{"at":` + at + `}}]}]}`
}

func TestLoadRejects(t *testing.T) {
	const named = `"weights":"w.bin",`
	for name, tt := range map[string]struct{ text, want string }{
		"absent weights":  {document(`"weights":"no.bin",`, "[0,1]"), `d.json: weights "no.bin": there is no such file`},
		"short weights":   {document(named, "[2,8]"), `call 0: at is [2, 8], which takes 10 bytes; the file of weights "w.bin" has 4`},
		"no weights":      {document("", "[2,8]"), "names no file of weights"},
		"too far":         {document(`"weights":"big.bin",`, "[20000000000,8]"), "at most 64 of the weights are read"},
		"weights afar":    {document(`"weights":"../w.bin",`, "[0,1]"), "no plain file name"},
		"a folder":        {document(`"weights":".hidden",`, "[0,1]"), "it is a folder"},
		"a link out":      {document(`"weights":"link.bin",`, "[0,1]"), "it leads out of the folder"},
		"broken":          {`{"webnnSession":1,`, "d.json: webnn session: byte 18: the document ends too early"},
		"beyond the text": {strings.Repeat(" ", 300), "at most 256 are read"},
	} {
		dir := folder(t, map[string]string{"d.json": tt.text, "w.bin": "1234"})
		if err := errors.Join(os.Mkdir(filepath.Join(dir, ".hidden"), 0o700), os.Symlink(os.Args[0], filepath.Join(dir, "link.bin")),
			os.WriteFile(filepath.Join(dir, "big.bin"), nil, 0o600), os.Truncate(filepath.Join(dir, "big.bin"), 100<<30)); err != nil {
			t.Skipf("links and sparse files cannot be made here: %v", err)
		}
		_, err := session.Load(filepath.Join(dir, "d.json"), &session.Limits{Text: 256, Weights: 64})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: the error is %v; want %q", name, err, tt.want)
		}
	}
	dir := t.TempDir()
	if _, err := session.Load(filepath.Join(dir, "none.json"), nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none.json") {
		t.Errorf("a document that is not there: %v", err)
	}
	if session.Recognizes(dir, true) || session.Recognizes(filepath.Join(dir, "none.json"), false) {
		t.Error("a folder or a file that is not there is recognised")
	}
}

// TestLoadReadsWhatIsUsed reads no more of a huge file than the buffers ask for.
func TestLoadReadsWhatIsUsed(t *testing.T) {
	dir := folder(t, map[string]string{"d.json": document(`"weights":"w.bin",`, "[2,3]"), "w.bin": "1234567"})
	if err := os.Truncate(filepath.Join(dir, "w.bin"), 100<<30); err != nil {
		t.Skipf("links and sparse files cannot be made here: %v", err)
	}
	s, err := session.Load(filepath.Join(dir, "d.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if b := s.Calls[0].Args[0].(*session.Buffer); string(b.Data) != "345" || cap(b.Data) != 3 {
		t.Errorf("the buffer is %q", b.Data)
	}
}
