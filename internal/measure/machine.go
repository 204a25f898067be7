package measure

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/concord-nn/concord/internal/pattern"
)

// Machine says on what times were taken.
type Machine struct {
	Processor  string   `json:"processor"` // the name that the processor gives itself, with family and model where that says little
	Features   []string `json:"features"`  // of those that kernels use
	Processors int      `json:"processors"`
	Platform   string   `json:"platform"`
}

// features lists what kernels may use of a processor.
var features = []struct {
	name string
	has  bool
}{
	{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F}, {"avx512bw", cpu.X86.HasAVX512BW}, {"avx512dq", cpu.X86.HasAVX512DQ},
	{"avx512vl", cpu.X86.HasAVX512VL}, {"avx512vnni", cpu.X86.HasAVX512VNNI}, {"amx", cpu.X86.HasAMXTile},
	{"asimd", cpu.ARM64.HasASIMD}, {"asimddp", cpu.ARM64.HasASIMDDP}, {"sve", cpu.ARM64.HasSVE},
}

// ThisMachine describes the machine that the program runs on.
func ThisMachine() Machine {
	m := Machine{Processor: runtime.GOARCH, Processors: runtime.GOMAXPROCS(0), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.Processor = processorName(text, m.Processor)
	}
	for _, f := range features {
		if f.has {
			m.Features = append(m.Features, f.name)
		}
	}
	return m
}

var cpuInfo = pattern.Of(`(?m)^(model name|cpu family|model)\s*:\s*(.*)$`)

// processorName reads a name in the form of Linux, or returns the other one. Hosts of virtual machines cut names short, so that the numbers count.
func processorName(info []byte, other string) string {
	said := make(map[string]string)
	for _, m := range cpuInfo.Get().FindAllSubmatch(info, -1) {
		if k := string(m[1]); said[k] == "" {
			said[k] = string(bytes.TrimSpace(m[2]))
		}
	}
	name := strings.Join(strings.Fields(said["model name"]), " ")
	if name == "" {
		return other
	}
	if said["cpu family"] != "" && said["model"] != "" {
		name += fmt.Sprintf(" (family %s, model %s)", said["cpu family"], said["model"])
	}
	return name
}

// SystemLoad returns how many programs wanted a processor in the last minute, in the mean; 0 where the system does not say.
func SystemLoad() (load float64) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	_, _ = fmt.Sscan(string(text), &load) // or 0
	return load
}

var residentSet = pattern.Of(`(?m)^VmHWM:\s*(\d+) kB$`)

// PeakMemory returns the greatest number of bytes that the process had in memory at any time, or 0 where the system does not say.
func PeakMemory() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return residentPeak(text)
}

func residentPeak(status []byte) (bytes int64) {
	if m := residentSet.Get().FindSubmatch(status); m != nil {
		_, _ = fmt.Sscan(string(m[1]), &bytes) // digits, as many as a kernel writes
	}
	return bytes * 1024
}
