package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBits asserts that the results have the same bits on every machine.
func TestBits(t *testing.T) {
	picture, _ := paint(1)
	found, err := segment(t.Context(), picture)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, data := range []any{found.classes, found.probabilities} {
		if err := binary.Write(sum, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	const want = "8fad2528aa7af22d8ba7173d6355745dabfc39cca380020fc279e0d3849b7aad"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("the sum of the results is %s; want %s", got, want)
	}
}

// TestFindsWhatIsPainted asserts what the network is for, with other grain too.
func TestFindsWhatIsPainted(t *testing.T) {
	for seed := range uint64(5) {
		picture, truth := paint(seed)
		found, err := segment(t.Context(), picture)
		if err != nil {
			t.Fatal(err)
		}
		for class, name := range classNames {
			if part := overlap(found.classes, truth, class); part < 0.95 {
				t.Errorf("seed %d: the overlap of the %s is %.3f", seed, name, part)
			}
		}
	}
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	mask := filepath.Join(t.TempDir(), "mask.png")
	if err := run(t.Context(), &b, 1, "", mask); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(b.String(), "\n"); lines != side/4+classes {
		t.Errorf("the report has %d lines:\n%s", lines, b.String())
	}
	data, err := os.ReadFile(mask)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := color.NRGBAModel.Convert(m.At(20, 20)); got != colours[sun] {
		t.Errorf("in the middle of the sun the mask is %v", got)
	}
}
