// Command bench measures Concord beside ONNX Runtime, on the same machine, models and inputs, in turns, and keeps what came out in
// results/PROCESSOR.json, of which docs/performance.md is made, with notes on a processor that results/PROCESSOR.md may have.
//
//	go run ./bench                        # everything; needs node, npm, and the generator of networks
//	go run ./bench -only resnet -threads 1
//	go run ./bench -sweep -starts=false -only '^sweep_'
//	go run ./bench -page                  # only the page
//
// ONNX Runtime is that of npm's package onnxruntime-node, installed into a cache folder. The networks are made by scripts that are not part of this
// repository (-generator), products by this program.
package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/concord-nn/concord/internal/kernel"
	"github.com/concord-nn/concord/internal/measure"
)

//go:generate go run . -page

//go:embed ort.js
var ortScript []byte

// suite is what is measured, and with what.
type suite struct {
	generator, models, ort, cache string
	only                          *regexp.Regexp
	threads                       []int
	tier                          string // the highest; "" for all
	turns                         int
	turn                          float64 // milliseconds
	quick                         bool    // without comparing tiers
	starts                        bool
	sweep                         bool   // of operators, besides
	openvx                        string // the library of another implementation, or ""

	say     io.Writer
	version string
	script  string   // ort.js in the cache
	tiers   []string // of this machine
	peaks   map[int]measure.Peaks
	same    map[string]*row // networks whose results were compared in all tiers
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	home, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	s := &suite{say: out}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	cache := filepath.Join(home, "concord-bench")
	fs.StringVar(&s.generator, "generator", filepath.Join(root, "..", "shared", "bench"), "the `folder` with the scripts that make networks")
	fs.StringVar(&s.models, "models", "", "a `folder` with networks and their manifest.json, instead of making them")
	fs.StringVar(&s.ort, "ort", filepath.Join(cache, "ort"), "the `folder` with ONNX Runtime, which is installed there if it is not")
	only := fs.String("only", "", "the networks whose names this `expression` matches")
	threads := fs.String("threads", "1,2", "the `numbers` of threads")
	fs.StringVar(&s.tier, "tier", "", "Concord's highest `tier` of kernels")
	fs.IntVar(&s.turns, "rounds", 15, "how often both engines have their turn")
	fs.Float64Var(&s.turn, "turn", 100, "how many `milliseconds` a turn takes, with two runs at least")
	fs.BoolVar(&s.quick, "quick", false, "do not compare the results of all tiers and threads")
	fs.BoolVar(&s.starts, "starts", true, "measure whole processes, too")
	fs.BoolVar(&s.sweep, "sweep", false, "measure each of many operators, too, on one thread")
	fs.StringVar(&s.openvx, "openvx", "", "the sample implementation's `libopenvx.so`, to measure layers of OpenVX beside it")
	folder := fs.String("results", filepath.Join(root, "bench", "results"), "the `folder` of results; empty to keep none")
	page := fs.Bool("page", false, "measure nothing, make docs/performance.md of the results")
	play := fs.Bool("play", false, "be Concord's player, which the suite starts")
	if err := fs.Parse(args); err != nil {
		return err
	}
	switch {
	case *play:
		return serve(os.Stdin, out, (&concordPlayer{}).perform)
	case *page:
		return makePage(root)
	case s.turns < 1:
		return errors.New("-rounds: it must be 1 or more")
	}
	if s.only, err = regexp.Compile(*only); err != nil {
		return err
	}
	for _, text := range strings.Split(*threads, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads: %q is no number of threads", text)
		}
		s.threads = append(s.threads, n)
	}
	s.cache, s.version = cache, commit(root)
	if err := s.measure(root, *folder); err != nil {
		return err
	}
	if *folder != filepath.Join(root, "bench", "results") {
		return nil
	}
	return makePage(root)
}

// measure prepares what is needed, measures, and keeps the results in a folder as they come.
func (s *suite) measure(root, folder string) error {
	machine := measure.ThisMachine()
	kept := new(results)
	file := ""
	if folder != "" {
		var err error
		file = fileOf(folder, &machine)
		if kept, err = readResults(file); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	keep := func() error {
		if file == "" {
			return nil
		}
		return kept.write(file)
	}
	kept.Machine, kept.Tier = machine, kernel.TiersInUse()[0]
	fmt.Fprintf(s.say, "%s, %d processors\n", machine.Processor, machine.Processors)
	manifest, err := s.prepare()
	if err != nil {
		return err
	}
	if s.starts { // while this process is small
		list, err := s.startProcesses(root, manifest)
		if err != nil {
			return err
		}
		for _, st := range list {
			kept.putStart(st)
		}
	}
	if s.openvx != "" {
		list, err := s.measureLayers(root, s.openvx)
		if err != nil {
			return err
		}
		kept.putLayers(list)
	}
	s.tiers, s.peaks, s.same = kernel.TiersInUse(), make(map[int]measure.Peaks), make(map[string]*row)
	for _, n := range s.threads {
		p := measure.Arithmetic(n)
		p.Memory()
		for range 4 { // at moments in which others may take less of the machine
			more := measure.Arithmetic(n)
			more.Memory()
			p.Max(more)
		}
		s.peaks[n] = p
		kept.putPeaks(p)
		fmt.Fprintf(s.say, "on %d: %.1f G multiply-adds/s of float32, %.1f of int16, %.1f of int8\n", n, p.Float32/1e9, p.Int16/1e9, p.Int8/1e9)
	}
	fmt.Fprintf(s.say, "\n%-24s %7s  %10s  %10s  %-22s  %6s  %7s  %8s  %s\n", "NETWORK", "THREADS", "CONCORD", "ORT", "RATIO", "CPU", "TARGET", "OF PEAK", "DIFFERENCE")
	var failed []error
	for i := range networks {
		n := &networks[i]
		if !s.only.MatchString(n.name) || n.kind == swept && !s.sweep {
			continue
		}
		e := manifest[n.name]
		if n.node != nil {
			if e, err = n.node.write(s.cache, n.name); err != nil {
				return err
			}
		}
		if e == nil {
			fmt.Fprintf(s.say, "%-24s is not there\n", n.name)
			continue
		}
		for _, threads := range s.threads {
			if n.kind == swept && threads > 1 {
				continue
			}
			r, err := (&match{suite: s, network: n, entry: e, threads: threads}).play()
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", n.name, err))
				fmt.Fprintf(s.say, "%-24s %7d  %v\n", n.name, threads, err)
				continue
			}
			s.print(r, kept)
			kept.put(r)
			if err := keep(); err != nil {
				return err
			}
		}
	}
	return errors.Join(append(failed, keep())...)
}

// print writes the line of a row.
func (s *suite) print(r *row, of *results) {
	target := "-"
	if t := of.target(r); t > 0 {
		target = fmt.Sprintf("%.2f", t)
	}
	fmt.Fprintf(s.say, "%-24s %7d  %7.4g ms  %7.4g ms  %5.3f (%5.3f … %5.3f)  %6s  %7s  %6.1f %%  %.2g\n", r.Name, r.Threads, r.Concord.Median, r.Other.Median,
		r.Ratio.Value, r.Ratio.Low, r.Ratio.High, some(r.CPU.Value), target, 100*r.Share, r.Difference)
}

// some writes a ratio, if there is one.
func some(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// prepare makes what is measured, and returns what there is.
func (s *suite) prepare() (map[string]*entry, error) {
	if err := os.MkdirAll(s.cache, 0o755); err != nil {
		return nil, err
	}
	s.script = filepath.Join(s.cache, "ort.js")
	if err := os.WriteFile(s.script, ortScript, 0o600); err != nil {
		return nil, err
	}
	if err := installORT(s.ort, s.say); err != nil {
		return nil, err
	}
	if s.models == "" {
		s.models = filepath.Join(s.cache, "models")
		if !exists(filepath.Join(s.models, "manifest.json")) {
			if err := generate(s.generator, s.models, s.ort, s.say); err != nil {
				return nil, err
			}
		}
	}
	return readManifest(s.models)
}

// moduleRoot returns the folder of the module that the working directory is in.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	file := strings.TrimSpace(string(out))
	if filepath.Base(file) != "go.mod" {
		return "", errors.New("it must be run inside of Concord's repository")
	}
	return filepath.Dir(file), nil
}

// commit returns which source is measured.
func commit(root string) string {
	out, err := exec.Command("git", "-C", root, "describe", "--always", "--dirty").Output()
	if err != nil {
		return "of an unknown commit"
	}
	return strings.TrimSpace(string(out))
}
