package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/concord-nn/concord/engine"
	"github.com/concord-nn/concord/internal/limits"
)

// limitFlags bound what a run may take.
type limitFlags struct {
	memory byteSize
	time   patienceFlag
}

func (f *limitFlags) register(fs *pflag.FlagSet) {
	fs.Var(&f.memory, "memory", "what a model, or decoding a picture or sound, may take at most, such as 500MB or 6GiB, beside its own weights; three quarters of what is left if it is not given")
	fs.Var(&f.time, "time", "how long a run may take, such as 30s or 1h; ten minutes if it is not given")
}

// limits returns what was given.
func (f *limitFlags) limits() engine.Limits {
	return engine.Limits{Memory: int64(f.memory), Time: time.Duration(f.time)}
}

// byteSize is a number of bytes as a flag; 0 if it is not given.
type byteSize int64

// sizeUnits are what may stand behind a number of bytes.
var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}

// Set reads a number with a unit.
func (s *byteSize) Set(text string) error {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		total := limits.Times(u.bytes, max(n, 0))
		if err != nil || n <= 0 || total > 1<<60 {
			break
		}
		*s = byteSize(total)
		return nil
	}
	return errors.New(s.must())
}

func (*byteSize) must() string { return "a whole number of bytes above 0, such as 6GiB or 500MB" }

// String writes the number.
func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the argument in the help.
func (s *byteSize) Type() string { return "SIZE" }

// patienceFlag is a time above 0 as a flag; 0 if it is not given.
type patienceFlag time.Duration

// Set reads a time.
func (p *patienceFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return errors.New(p.must())
	}
	*p = patienceFlag(d)
	return nil
}

func (*patienceFlag) must() string { return "a time above 0 of at most 2562047h, such as 30s or 1h30m" }

// String writes the time.
func (p *patienceFlag) String() string {
	if *p == 0 {
		return ""
	}
	return time.Duration(*p).String()
}

// Type names the argument in the help.
func (p *patienceFlag) Type() string { return "DURATION" }
