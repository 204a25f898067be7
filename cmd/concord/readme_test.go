package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// readmeSamples are the commands that the README's samples of output are of, in its order. Files that the repository does not hold are linked
// from where they are, if they are, under the README's names.
var readmeSamples = []struct {
	command string
	links   map[string]string
}{
	{"run examples/digits/model.nnef examples/digits/drawings/seven.png", nil},
	{"run slim-320_simplified.nnef.tgz photo.jpg", map[string]string{"slim-320_simplified.nnef.tgz": "ultraface/slim-320_simplified.nnef.tgz", "photo.jpg": "ultraface/photos/1.jpg"}},
	{"run silero_vad.onnx speech.wav", map[string]string{"silero_vad.onnx": "silero-vad/silero_vad.onnx", "speech.wav": "silero-vad/speech-20s.wav"}},
	{"inspect examples/digits/model.nnef", nil},
	{"check net.nnef", nil},
	{"diff old.nnef new.nnef", nil},
	{"run examples/ledger/digits.cvm examples/digits/drawings/seven.png", nil},
}

// TestReadme holds the README's samples to what the commands print. A line … stands for any others.
func TestReadme(t *testing.T) {
	root := testdata.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := outputs(string(text))
	if len(blocks) != len(readmeSamples) {
		t.Fatalf("the README has %d samples of output; %d commands are known", len(blocks), len(readmeSamples))
	}
	for i, s := range readmeSamples {
		t.Run(s.command, func(t *testing.T) {
			dir := t.TempDir()
			link := func(target, name string) {
				if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
					t.Skip("there are no links here:", err)
				}
			}
			for name, shared := range s.links {
				link(testdata.Shared(t, append([]string{"models"}, strings.Split(shared, "/")...)...), name)
			}
			link(filepath.Join(root, "examples"), "examples")
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "readme"))); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			command, rest := s.command, blocks[i]
			for part := range strings.SplitSeq("\n"+rest, "\n$ concord ") { // a block may have commands of its own
				if given, want, ok := strings.Cut(part, "\n"); ok && given != "" {
					command, part = given, want
				} else if ok {
					part = want
				}
				if strings.TrimSpace(part) != "" {
					compareSample(t, command, part)
				}
			}
		})
	}
}

// outputs returns the contents of the code blocks of a page that are of no language.
func outputs(page string) []string {
	var list []string
	for i, block := range strings.Split(page, "```") {
		if i%2 == 1 && strings.HasPrefix(block, "\n") {
			list = append(list, block[1:])
		}
	}
	return list
}

func compareSample(t *testing.T, command, want string) {
	t.Helper()
	out, _ := execute(t, strings.Fields(command)...)
	rest := "\n" + out + "\n"
	for part := range strings.SplitSeq("\n"+want, "\n…\n") {
		part = "\n" + strings.Trim(part, "\n") + "\n"
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("concord %s prints\n%s\nthe README has\n%s", command, out, want)
			return
		}
		rest = "\n" + after
	}
}
