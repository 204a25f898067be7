package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// parallel is how many processes run at once.
const parallel = 2

// judge is the test binary of a package.
type judge struct {
	name, binary string
	dir          string // the package's, where it runs
	exec         []string
	tests        []*test
}

// test is a function of a judge.
type test struct {
	name string
	took time.Duration // of processors
	held []byte        // by guard, 1 where it holds
}

// compile makes the test binaries of the packages that match patterns.
func compile(in *instrumented, overlay string, patterns, prefix []string) ([]*judge, error) {
	out, err := exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var judges []*judge
	for line := range strings.Lines(string(out)) {
		name, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		j := &judge{name: name, dir: dir, exec: prefix, binary: filepath.Join(in.folder, fmt.Sprintf("%s.%d.test", filepath.Base(dir), len(judges)))}
		build := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", j.binary, name)
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(build.Args, " "), err, out)
		}
		judges = append(judges, j)
	}
	return judges, nil
}

// run runs tests with something in the environment, and returns for how long the processor did.
func (j *judge) run(env []string, short bool, names ...string) (time.Duration, []byte, error) {
	args := append(slices.Clone(j.exec), j.binary, "-test.failfast", fmt.Sprint("-test.short=", short), "-test.timeout=0", "-test.run=^("+strings.Join(names, "|")+")$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = j.dir, append(append(os.Environ(), "PWD="+j.dir), env...)
	cmd.WaitDelay = time.Second // for what a test leaves behind
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if cmd.ProcessState == nil {
		return 0, out, err
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), out, err
}

// record runs each test by itself, to learn which guards hold in it. Those that fail do not judge.
func (j *judge) record(in *instrumented) error {
	list := exec.Command(j.binary, "-test.list=.")
	list.Dir = j.dir
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("the tests of %s: %w", j.name, err)
	}
	for name := range strings.Lines(string(out)) {
		if !strings.HasPrefix(name, "Benchmark") {
			j.tests = append(j.tests, &test{name: strings.TrimSpace(name)})
		}
	}
	each(j.tests, func(t *test) {
		held := filepath.Join(in.folder, j.name[strings.LastIndex(j.name, "/")+1:]+t.name)
		t.held = make([]byte, len(in.guards))
		err := os.WriteFile(held, t.held, 0o666)
		var out []byte
		if err == nil {
			t.took, out, err = j.run([]string{"MUTATE_HELD=" + held}, false, t.name)
		}
		if err == nil {
			t.held, err = os.ReadFile(held)
		}
		if err != nil {
			t.held = make([]byte, len(in.guards))
			fmt.Fprintf(os.Stderr, "%s: %s fails with all guards, and does not judge: %v\n%s", j.name, t.name, err, out)
		}
	})
	slices.SortStableFunc(j.tests, func(a, b *test) int { return int(a.took - b.took) })
	return nil
}

// try runs the tests in which a guard holds without it: with few random cases, and then as they are.
func (j *judge) try(n int, g *guard) {
	var tests []*test
	for _, t := range j.tests {
		if t.held[n] == 1 {
			tests = append(tests, t)
		}
	}
	g.held += len(tests)
	if g.missed = j.misses(n, tests, true); g.missed == "" && !g.reasoned {
		g.missed = j.misses(n, tests, false)
	}
}

// misses returns what misses a guard: the quick tests run first.
func (j *judge) misses(n int, tests []*test, short bool) string {
	for budget := time.Second / 2; len(tests) > 0; budget *= 4 {
		var names []string
		took := time.Duration(0)
		for len(tests) > 0 && took < budget {
			names, took, tests = append(names, tests[0].name), took+tests[0].took, tests[1:]
		}
		limit := 10*time.Second + 5*took
		_, _, err := j.run([]string{fmt.Sprintf("MUTATE_AWAY=%d", n), fmt.Sprintf("MUTATE_LIMIT=%d", limit.Milliseconds())}, short, names...)
		if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() == 3 {
			return "the time that it takes"
		} else if err != nil {
			return j.name
		}
	}
	return ""
}

// each calls a function for all items, as many at once as run in parallel.
func each[T any](items []T, f func(T)) {
	var all sync.WaitGroup
	next := make(chan T)
	for range parallel {
		all.Go(func() {
			for item := range next {
				f(item)
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	all.Wait()
}
