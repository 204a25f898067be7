package cvm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testing/cvm/random"
)

var update = flag.Bool("update", false, "write the golden files anew")

const hashesFile = "testdata/hashes.txt"

// TestHashes runs a fixed set of random models and compares what they return with hashes in a file, which every processor must give alike.
// It needs no formal evaluation and no other file, and so is quick enough for an emulator.
func TestHashes(t *testing.T) {
	var b strings.Builder
	for _, mode := range modes {
		for seed := range uint64(25) {
			m := random.New(1000+seed, mode.options)
			model, err := Load(Files{Symbol: m.Symbol, Params: m.Params}, Options{Compat: !mode.options.Strict})
			if err != nil {
				fmt.Fprintf(&b, "%s %d refused\n", strings.ReplaceAll(mode.name, " ", "-"), seed)
				continue
			}
			h := sha256.New()
			for _, input := range m.Inputs {
				output, err := model.Run(context.Background(), input)
				fmt.Fprintf(h, "%v %x\n", err != nil, output)
			}
			fmt.Fprintf(&b, "%s %d %s\n", strings.ReplaceAll(mode.name, " ", "-"), seed, hex.EncodeToString(h.Sum(nil)))
			model.Close()
		}
	}
	if *update {
		if err := os.WriteFile(hashesFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(hashesFile)
	if err != nil {
		t.Fatal(err)
	}
	got, lines := strings.Split(b.String(), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(got), len(lines)) {
		if got[i] != lines[i] {
			t.Errorf("%s, want %s", got[i], lines[i])
		}
	}
	if len(got) != len(lines) {
		t.Errorf("%d lines, want %d: run with -update", len(got), len(lines))
	}
}
