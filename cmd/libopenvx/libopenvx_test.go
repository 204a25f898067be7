package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/concord-nn/concord/internal/testdata"
)

var sanitize = flag.Bool("sanitize", false, "also run the programs under the address sanitizer and the race detector (some minutes)")

// sanitized skips a test that takes a build of the library, and of Go's, of its own.
func sanitized(t *testing.T) {
	t.Helper()
	if !*sanitize {
		t.Skip("it takes minutes; -sanitize runs it")
	}
}

// compiler returns the C compiler. It skips the test where there is none, or the library is not to be built.
func compiler(t testing.TB) string {
	t.Helper()
	testdata.Exhaustive(t, "it builds the library")
	if runtime.GOOS != "linux" {
		t.Skip("the library is built for Linux")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	return cc
}

// library builds the library as the Makefile does with TRIM=, so that either finds what the other has compiled, with additional flags, and returns the
// folder that it is in, and the C compiler.
func library(t testing.TB, flags ...string) (dir, cc string) {
	t.Helper()
	dir, cc = t.TempDir(), compiler(t)
	exports, err := filepath.Abs("openvx.map")
	if err != nil {
		t.Fatal(err)
	}
	linker := "-s -w -extldflags '-Wl,-soname,libopenvx.so.1 -Wl,--version-script=" + exports + "'"
	args := append([]string{"build", "-buildmode=c-shared", "-ldflags", linker, "-o", filepath.Join(dir, "libopenvx.so.1")}, flags...)
	run(t, exec.Command("go", append(args, ".")...))
	return dir, cc
}

// run fails the test if the command does, and returns what it has written.
func run(t testing.TB, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return string(out)
}

// TestPrograms compiles and runs the programs in testdata, each of which checks a part of the library as C sees it.
func TestPrograms(t *testing.T) {
	dir, cc := library(t)
	programs(t, dir, cc)
}

// TestAddresses runs the same programs where the compiler's address sanitizer watches them and the library, for accesses to memory that
// is not theirs, and for memory that is never freed.
func TestAddresses(t *testing.T) {
	sanitized(t)
	probe := exec.Command("cc", "-fsanitize=address", "-shared", "-x", "c", "-o", filepath.Join(t.TempDir(), "probe"), os.DevNull)
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("the C compiler has no address sanitizer: %v %s", err, out)
	}
	dir, cc := library(t, "-asan")
	programs(t, dir, cc, "-fsanitize=address")
}

// TestRaces runs the programs with threads where Go's race detector watches the library. It must be at the addresses of an ordinary program
// for that, so it is linked with the programs.
func TestRaces(t *testing.T) {
	sanitized(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("programs at fixed addresses are tried on amd64")
	}
	cc, archive := compiler(t), filepath.Join(t.TempDir(), "libopenvx.a")
	run(t, exec.Command("go", "build", "-race", "-buildmode=c-archive", "-o", archive, "."))
	for _, name := range []string{"callbacks", "stress", "threads", "vanish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), name)
			run(t, exec.Command(cc, "-std=gnu99", "-no-pie", "-O1", "-g", "-Iinclude", "-o", program, "testdata/"+name+".c", archive,
				"-lpthread", "-ldl", "-lm"))
			run(t, exec.Command(program))
		})
	}
}

func programs(t *testing.T, dir, cc string, flags ...string) {
	module(t, dir, cc)
	sources, err := filepath.Glob("testdata/*.c*")
	if err != nil || len(sources) == 0 {
		t.Fatal("there are no programs in testdata")
	}
	for _, source := range sources {
		name, ext, _ := strings.Cut(filepath.Base(source), ".")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cc, standard := cc, "-std=gnu99"
			if ext == "cpp" {
				cc, standard = "c++", "-std=c++17"
				if _, err := exec.LookPath(cc); err != nil {
					t.Skip("there is no compiler of C++")
				}
			}
			program := filepath.Join(dir, name)
			args := append([]string{standard, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o", program, source,
				filepath.Join(dir, "libopenvx.so.1"), "-Wl,-rpath," + dir, "-lpthread"}, flags...)
			run(t, exec.Command(cc, args...))
			c := exec.Command(program)
			c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir)
			run(t, c)
		})
	}
}

// module builds the library of kernels that a program loads.
func module(t *testing.T, dir, cc string) {
	t.Helper()
	run(t, exec.Command(cc, "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-fPIC", "-shared",
		"-o", filepath.Join(dir, "libconcord-test.so"), "testdata/module/kernels.c"))
}

// BenchmarkOverhead measures what a call from C costs apart from its work, in a program of C.
func BenchmarkOverhead(b *testing.B) {
	dir, cc := library(b)
	program := filepath.Join(dir, "overhead")
	run(b, exec.Command(cc, "-std=gnu99", "-O2", "-Iinclude", "-o", program, "testdata/bench/overhead.c",
		filepath.Join(dir, "libopenvx.so.1"), "-Wl,-rpath,"+dir))
	var query, process float64
	if _, err := fmt.Sscan(run(b, exec.Command(program, "200000")), &query, &process); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(query, "ns/vxQueryTensor")
	b.ReportMetric(process, "ns/vxProcessGraph")
}
