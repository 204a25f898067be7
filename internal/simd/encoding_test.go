package simd_test

import (
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEncodings looks at what Go's assembler makes of the routines for AVX2: no instruction begins with the byte of AVX-512's encoding, which the
// assembler takes without a word where a register, a mask or the instruction itself asks for it.
func TestEncodings(t *testing.T) {
	const evex = 0x62
	files, err := filepath.Glob("*_avx2_amd64.s")
	root, failed := exec.Command("go", "env", "GOROOT").Output()
	if err != nil || len(files) == 0 || failed != nil {
		t.Fatalf("%d files: %v, %v", len(files), err, failed)
	}
	include := filepath.Join(strings.TrimSpace(string(root)), "pkg", "include")
	for _, file := range files {
		asm := exec.Command("go", "tool", "asm", "-S", "-p", "simd", "-I", include, "-o", filepath.Join(t.TempDir(), "o"), file)
		asm.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		listing, err := asm.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, listing)
		}
		instructions := 0
		for _, function := range strings.Split(string(listing), " STEXT ")[1:] {
			var code []byte
			for _, line := range codeLine.FindAllStringSubmatch(function, -1) {
				b, err := hex.DecodeString(strings.ReplaceAll(line[1], " ", ""))
				if err != nil {
					t.Fatal(err)
				}
				code = append(code, b...)
			}
			for _, in := range instructionLine.FindAllStringSubmatch(function, -1) {
				at, err := strconv.Atoi(in[1])
				if err != nil || at >= len(code) {
					continue // of a directive at the end
				}
				if instructions++; code[at] == evex {
					t.Errorf("%s: %s: an encoding of AVX-512", in[2], in[3])
				}
			}
		}
		if instructions == 0 {
			t.Errorf("%s: the assembler listed nothing", file)
		}
	}
}

// The lines of the assembler's listing with an instruction, and with its bytes.
var (
	instructionLine = regexp.MustCompile(`(?m)^\t0x[0-9a-f]+ ([0-9]+) \(([^)]+)\)\t(.*)$`)
	codeLine        = regexp.MustCompile(`(?m)^\t0x[0-9a-f]+ ((?:[0-9a-f]{2} )+) `)
)
