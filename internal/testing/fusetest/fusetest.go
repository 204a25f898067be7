// Package fusetest checks that compiled packages contain no fused multiply-add.
package fusetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// fused matches the arm64 instructions that round a product and a sum once.
var fused = regexp.MustCompile(`\t(FN?M(ADD|SUB)[SD]|VFML[AS])\t`)

// Check compiles packages, paths that go build takes such as "." or an import path, for arm64, where the compiler fuses
// x*y + z whenever the language allows it, and reports every fused instruction with its source line, unless that line asks
// for it by math.FMA. The test is skipped where there is no go command.
func Check(t testing.TB, pkgs ...string) {
	t.Helper()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("fusetest: no go command in PATH")
	}
	// The last -gcflags applies to the named packages only, and go build replays a cached compilation's listing. The flags are those of .ci/platforms.
	flags := []string{"build", "-trimpath", "-buildmode=default", "-gcflags=all=-dwarf=false -l", "-gcflags=-dwarf=false -S", "-o", os.DevNull}
	cmd := exec.Command(tool, append(flags, pkgs...)...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("fusetest: go build %q for arm64: %v\n%s", pkgs, err, out)
		return
	}
	if listed := strings.Count("\n"+string(out), "\n# "); listed != len(pkgs) {
		t.Errorf("fusetest: go build -gcflags=-S %q printed the assembly of %d packages", pkgs, listed)
	}
	root := testdata.Root(t)
	for line := range strings.Lines(string(out)) {
		if fused.MatchString(line) && !asked(root, line) {
			t.Errorf("fusetest: fused instruction, write the conversion around the product: %s", strings.TrimSpace(line))
		}
	}
}

// place is where a line of assembly says from which line of the source it comes.
var place = regexp.MustCompile(`\(([^()]+):(\d+)\)`)

// asked reports whether the source line of an instruction, which the listing names by its module, calls math.FMA.
func asked(root, instruction string) bool {
	m := place.FindStringSubmatch(instruction)
	if m == nil {
		return false
	}
	source, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(m[1], "github.com/concord-nn/concord/")))
	if err != nil {
		return false
	}
	lines := strings.Split(string(source), "\n")
	n, err := strconv.Atoi(m[2])
	return err == nil && 0 < n && n <= len(lines) && strings.Contains(lines[n-1], "math.FMA(")
}
