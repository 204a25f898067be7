package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var names = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}

// TestRead holds what is read against the names of the drawings, and the sums against those that every machine must give.
func TestRead(t *testing.T) {
	var out strings.Builder
	if err := read(&out, ".."); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "read.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")[2:]
	if len(lines) != 20 {
		t.Errorf("%d drawings were read; there are 20", len(lines))
	}
	for _, line := range lines {
		fields := strings.Fields(line)
		name, _, _ := strings.Cut(strings.TrimSuffix(fields[0], ".png"), "-")
		if digit := int(fields[1][0] - '0'); names[digit] != name {
			t.Errorf("%s was read as %d", fields[0], digit)
		}
	}
}

// TestConvert holds the model beside the program against what the program makes.
func TestConvert(t *testing.T) {
	files, err := build("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"graph.json": files.Symbol, "params.bin": files.Params} {
		stored, err := os.ReadFile(filepath.Join("digits.cvm", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(stored) != string(data) {
			t.Errorf("%s is stale: run go run ./examples/ledger -convert", name)
		}
	}
}
