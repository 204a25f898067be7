package interp

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

// Encoded is an instruction that was assembled.
type Encoded struct {
	Place, Text string
	Wide        bool // encoded as only instructions of AVX-512 are, or of masks
}

// The lines of the assembler's listing with an instruction, and with bytes; what is none.
var (
	instructionLine = regexp.MustCompile(`(?m)^\t0x[0-9a-f]+ ([0-9]+) \(([^)]+)\)\t(.*)$`)
	codeLine        = regexp.MustCompile(`(?m)^\t0x[0-9a-f]+ ((?:[0-9a-f]{2} )+) `)
	directive       = regexp.MustCompile(`^(TEXT|FUNCDATA|PCDATA)`)
)

// Encodings assembles a file for AMD64.
func Encodings(t testing.TB, file string) (all []Encoded) {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	include := filepath.Join(strings.TrimSpace(string(root)), "pkg", "include")
	asm := exec.Command("go", "tool", "asm", "-S", "-p", "main", "-I", include, "-o", filepath.Join(t.TempDir(), "o"), file)
	asm.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
	listing, err := asm.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, listing)
	}
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
			if text := strings.ReplaceAll(in[3], "\t", " "); err == nil && at < len(code) && !directive.MatchString(text) {
				all = append(all, Encoded{in[2], text, code[at] == 0x62 || text[0] == 'K'})
			}
		}
	}
	return all
}
