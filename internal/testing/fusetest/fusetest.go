// Package fusetest checks that compiled packages contain no fused multiply-add.
package fusetest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// fused matches the arm64 instructions that round a product and a sum once.
var fused = regexp.MustCompile(`\t(FN?M(ADD|SUB)[SD]|VFML[AS])\t`)

// Check compiles each package (a path that go build takes, such as "." or an import path) for
// arm64, where the compiler fuses x*y + z whenever the language allows it, and reports every fused
// instruction with its source line, unless that line asks for it by math.FMA. The test is skipped where there is no go command.
func Check(t testing.TB, pkgs ...string) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("fusetest: no go command in PATH")
	}
	for _, pkg := range pkgs {
		// The flag applies to the named package only, and go build replays a cached
		// compilation's listing.
		cmd := exec.Command(tool, "build", "-trimpath=false", "-gcflags=-S", "-o", os.DevNull, pkg) // asked opens the files that the listing names
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("fusetest: go build %s for arm64: %v\n%s", pkg, err, out)
			continue
		}
		if !strings.Contains(string(out), "STEXT") {
			t.Errorf("fusetest: go build -gcflags=-S %s printed no assembly", pkg)
		}
		for line := range strings.Lines(string(out)) {
			if fused.MatchString(line) && !asked(line) {
				t.Errorf("fusetest: %s: fused instruction, write the conversion around the product: %s", pkg, strings.TrimSpace(line))
			}
		}
	}
}

// place is where a line of assembly says from which line of the source it comes.
var place = regexp.MustCompile(`\(([^()]+):(\d+)\)`)

// asked reports whether the source line of an instruction calls math.FMA.
func asked(instruction string) bool {
	m := place.FindStringSubmatch(instruction)
	if m == nil {
		return false
	}
	source, err := os.ReadFile(m[1])
	if err != nil {
		return false
	}
	lines := strings.Split(string(source), "\n")
	n, err := strconv.Atoi(m[2])
	return err == nil && 0 < n && n <= len(lines) && strings.Contains(lines[n-1], "math.FMA(")
}
