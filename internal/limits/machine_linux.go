package limits

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Free returns the bytes of memory that are left: what the system says is available, or less if the process, by ulimit, or one of the control groups
// (version 1 or 2) that it belongs to may have no more. What groups keep of files that were read counts as left.
func Free() (bytes int64, known bool) { return free(os.DirFS("/"), idle()) }

// idle returns the bytes of addresses that Go has, and nothing uses.
func idle() (n int64) {
	kept := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(kept)
	for _, k := range kept {
		n += int64(k.Value.Uint64())
	}
	return n
}

func free(root fs.FS, idle int64) (int64, bool) {
	left, known := field(root, "proc/meminfo", "MemAvailable:")
	left = Times(left, 1024)
	if !known {
		left = math.MaxInt64
	}
	for resource, used := range map[string]string{"Max address space": "VmSize:", "Max data size": "VmData:"} { // ulimit -v and -d
		if n, ok := unused(root, resource, used, idle); ok {
			left, known = min(left, n), true
		}
	}
	list, _ := fs.ReadFile(root, "proc/self/cgroup") // where there is none, there are no groups
	for line := range strings.Lines(string(list)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		g := version2
		if parts[1] != "" {
			g = version1
		}
		if parts[0] != "0" && !strings.Contains(","+parts[1]+",", ",memory,") {
			continue
		}
		// In a container the path may be one of the host, of which only the top is to be seen.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			if n, ok := g.left(root, path.Join(g.mount, dir)); ok {
				left, known = min(left, n), true
			}
			if dir == "/" {
				break
			}
		}
	}
	return left, known
}

// unused returns what the process may still take of a resource, if it has a limit.
func unused(root fs.FS, resource, used string, idle int64) (int64, bool) {
	text, _ := fs.ReadFile(root, "proc/self/limits")
	_, rest, _ := strings.Cut(string(text), "\n"+resource)
	words := strings.Fields(rest)
	kilobytes, known := field(root, "proc/self/status", used)
	if !known || len(words) == 0 {
		return 0, false
	}
	limit, err := strconv.ParseInt(words[0], 10, 64) // of none it says unlimited
	return max(limit-Times(kilobytes, 1024), idle, arena) - arena, err == nil
}

// arena is the unit in which Go takes addresses from the system.
const arena = 64 << 20

// groups are the files of a version of control groups.
type groups struct{ mount, limit, used, cached string }

var (
	version1 = groups{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"}
	version2 = groups{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}
)

// left returns what a group may still take, if it has a limit.
func (g *groups) left(root fs.FS, dir string) (int64, bool) {
	limit, ok := number(root, path.Join(dir, g.limit))
	used, known := number(root, path.Join(dir, g.used))
	if !ok || !known || limit >= math.MaxInt64/2 { // version 1 writes such a number for no limit
		return 0, false
	}
	cached, _ := field(root, path.Join(dir, "memory.stat"), g.cached)
	return max(limit-max(used-cached, 0), 0), true
}

// number reads a file that is a number.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n >= 0
}

// field reads the number behind a name in a file of names and numbers.
func field(root fs.FS, name, key string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if words := strings.Fields(s.Text()); len(words) >= 2 && words[0] == key {
			n, err := strconv.ParseInt(words[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}
