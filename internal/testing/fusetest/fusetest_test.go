package fusetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

// recorder collects what Check reports.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestCheckFindsFusedInstructions(t *testing.T) {
	r := &recorder{TB: t}
	Check(r, "./testdata/fuses")
	if len(r.errors) != 2 {
		t.Fatalf("%d reports, want one for MulAdd and one for MulSub: %q", len(r.errors), r.errors)
	}
	for _, e := range r.errors {
		if !strings.Contains(e, "fuses.go:") {
			t.Errorf("report without a source line: %s", e)
		}
	}
}

func TestCheckFailsForMissingPackage(t *testing.T) {
	r := &recorder{TB: t}
	Check(r, "./testdata/missing")
	if len(r.errors) != 1 {
		t.Errorf("%d reports, want 1: %q", len(r.errors), r.errors)
	}
}

// TestConcord holds what computes to rounding where the source says so, on a processor that could fuse.
func TestConcord(t *testing.T) {
	testdata.Exhaustive(t, "it compiles for arm64")
	const module = "github.com/concord-nn/concord/"
	Check(t, module+"tensor", module+"op", module+"internal/kernel", module+"internal/geometry", module+"internal/fmath")
}
