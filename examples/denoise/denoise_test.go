package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"testing"
)

// TestBits asserts that the gains have the same bits on every machine.
func TestBits(t *testing.T) {
	gains, err := denoise(t.Context(), speak(1))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, g := range gains {
		if err := binary.Write(sum, binary.LittleEndian, g); err != nil {
			t.Fatal(err)
		}
	}
	const want = "471d914c159e82b2408d98b9660e27b1714daee639a62471884036bd6426c0cd"
	if got := hex.EncodeToString(sum.Sum(nil)); got != want {
		t.Errorf("the sum of the gains is %s; want %s", got, want)
	}
}

// TestKeepsVoice asserts what the network is for, with other noise too.
func TestKeepsVoice(t *testing.T) {
	for seed := range uint64(5) {
		sound := speak(seed)
		gains, err := denoise(t.Context(), sound)
		if err != nil {
			t.Fatal(err)
		}
		if voice, noise := kept(sound, gains); noise > 0.15 || voice < 0.7 {
			t.Errorf("seed %d: %.2f of the noise and %.2f of the voice are kept", seed, noise, voice)
		}
	}
}

func TestReport(t *testing.T) {
	var b bytes.Buffer
	if err := run(t.Context(), &b, 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != bands+1 || !strings.HasPrefix(lines[bands], "kept: ") {
		t.Errorf("the report is\n%s", b.String())
	}
}
