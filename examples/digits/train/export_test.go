package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestModelReadsBackAsWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model.nnef")
	net := newTraining(2).net
	if err := writeModel(dir, net); err != nil {
		t.Fatal(err)
	}
	back, err := readModel(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(back.all, net.all) {
		t.Error("the parameters differ after writing and reading")
	}
	file := filepath.Join(dir, "conv2_filter.dat")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty":       nil,
		"short":       data[:len(data)-1],
		"other shape": bytes.Replace(data, []byte{32, 0, 0, 0, 16, 0, 0, 0}, []byte{16, 0, 0, 0, 32, 0, 0, 0}, 1),
	} {
		if err := os.WriteFile(file, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readModel(dir); err == nil || !strings.Contains(err.Error(), "conv2_filter.dat: ") {
			t.Errorf("%s file: error %v", name, err)
		}
	}
}

func TestCommittedModelIsWhatIsWritten(t *testing.T) {
	committed := filepath.Join("..", "model.nnef")
	net, err := readModel(committed)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeModel(dir, net); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(committed, f.Name())); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the program writes (%v)", f.Name(), err)
		}
	}
}
