package container

import (
	"bytes"
	"strings"
	"testing"
)

// TestReadFiles finds files of the model in archives of every kind, and nothing beside it.
func TestReadFiles(t *testing.T) {
	for name, data := range map[string][]byte{
		"packed": archive(t, true, GraphFile, "g", "note", "n", "a/w.dat", "w"),
		"plain":  archive(t, false, GraphFile, "g", "note", "n", "a/w.dat", "w"),
		"folder": foreign(t, "m/"+GraphFile, "g", "m/note", "n", "note", "another", "m/a/w.dat", "w"),
	} {
		files, err := ReadFiles(bytes.NewReader(data), DefaultLimits, 10, "note", "a/w.dat", "missing")
		if err != nil || len(files) != 2 || string(files["note"]) != "n" || string(files["a/w.dat"]) != "w" {
			t.Errorf("%s: %q, %v", name, files, err)
		}
	}
	data := archive(t, true, GraphFile, "graph", "note", strings.Repeat("n", 11))
	if files, err := ReadFiles(bytes.NewReader(data), DefaultLimits, 10, "missing"); err != nil || len(files) > 0 {
		t.Errorf("beside a large file that nobody wants: %v, %v", files, err)
	}
	if _, err := ReadFiles(bytes.NewReader(data), DefaultLimits, 10, "note"); err == nil || !strings.Contains(err.Error(), "larger than 10") {
		t.Errorf("a file that is too large gives %v", err)
	}
	if _, err := ReadFiles(bytes.NewReader(data[:len(data)/2]), DefaultLimits, 10, "note"); err == nil {
		t.Error("an archive that is cut off was read")
	}
}
