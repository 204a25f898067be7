package metrics

import (
	"bytes"
	"os"
	"runtime/metrics"
	"strconv"
	"time"
)

var began = time.Now()

// process is what the system says of this process.
type process struct{ cpu, resident, virtual, open, most float64 }

// readProcess returns nil where there is no /proc.
func readProcess() *process {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return nil
	}
	// The program's name, in parentheses, may hold anything. See proc_pid_stat(5).
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	number := func(i int) float64 { // of the page's numbering, where the first field behind the name is 3
		if i -= 3; i >= len(fields) {
			return 0
		}
		v, _ := strconv.ParseFloat(string(fields[i]), 64)
		return v
	}
	const ticks = 100 // of a second, on every Linux
	p := &process{cpu: (number(14) + number(15)) / ticks, virtual: number(23), resident: number(24) * float64(os.Getpagesize())}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.open = float64(len(open) - 1) // the folder itself is open while it is read
	}
	if text, err := os.ReadFile("/proc/self/limits"); err == nil {
		if _, line, ok := bytes.Cut(text, []byte("Max open files")); ok {
			if words := bytes.Fields(line); len(words) > 0 {
				p.most, _ = strconv.ParseFloat(string(words[0]), 64)
			}
		}
	}
	return p
}

func ofProcess(number func(*process) float64) func(*snapshot, *writer) {
	return func(s *snapshot, w *writer) {
		if s.process != nil {
			w.value(number(s.process))
		}
	}
}

// ofGo writes a number of the Go runtime.
func ofGo(name string) func(*snapshot, *writer) {
	return func(_ *snapshot, w *writer) {
		sample := []metrics.Sample{{Name: name}}
		if metrics.Read(sample); sample[0].Value.Kind() == metrics.KindUint64 {
			w.value(float64(sample[0].Value.Uint64()))
		}
	}
}
