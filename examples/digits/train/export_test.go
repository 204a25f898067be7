package main

import (
	"bytes"
	"encoding/hex"
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
		if _, err := readModel(dir); err == nil || !strings.Contains(err.Error(), "conv2_filter.dat: not a float32 tensor of shape [32 16 3 3]") {
			t.Errorf("%s file: error %v", name, err)
		}
	}
}

// The bytes of a small tensor file, field by field as the standard lists them.
func TestTensorFile(t *testing.T) {
	data := []float32{1, -2}
	got := tensorFile(parameter{"b", []int{1, 2}, &data})
	want := "4eef" + "0100" + "08000000" + "02000000" + "01000000" + "02000000" + strings.Repeat("00", 24) +
		"20000000" + "0000" + "0000" + strings.Repeat("00", 32+44) + "0000803f" + "000000c0"
	if hex.EncodeToString(got) != want {
		t.Errorf("tensor file\n%x, want\n%s", got, want)
	}
}

func TestCommittedGraphIsWhatIsWritten(t *testing.T) {
	got, err := os.ReadFile("../model.nnef/graph.nnef")
	if err != nil {
		t.Fatal(err)
	}
	if want := graphText(newNetwork()); string(got) != want {
		t.Errorf("graph.nnef is\n%s\nwant\n%s", got, want)
	}
}
