package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// TestWords decodes the words of the routines for arm64, by another's tables: each is the instruction that stands beside it, on the same registers and lanes.
func TestWords(t *testing.T) {
	names, err := filepath.Glob("../*_arm64.s")
	if err != nil || len(names) == 0 {
		t.Fatalf("there are no routines: %v", err)
	}
	line := regexp.MustCompile(`WORD \$0x(..)(..)(..)(..) // (.*)`)
	seen := make(map[string]bool)
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range line.FindAllStringSubmatch(string(text), -1) {
			if seen[m[0]] {
				continue
			}
			seen[m[0]] = true
			word, _ := hex.DecodeString(m[4] + m[3] + m[2] + m[1])
			inst, err := arm64asm.Decode(word)
			if err != nil || inst.String() != m[5] {
				t.Errorf("%s: %s is %v, %v", filepath.Base(name), m[0], inst, err)
			}
		}
	}
	t.Logf("%d instructions", len(seen))
}
