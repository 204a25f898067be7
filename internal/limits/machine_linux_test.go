package limits

import (
	"testing"
	"testing/fstest"
)

func TestFree(t *testing.T) {
	files := func(pairs ...string) fstest.MapFS {
		m := make(fstest.MapFS)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return m
	}
	const memory = "MemTotal: 9000 kB\nMemAvailable:    4000 kB\n"
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  int64
		known bool
	}{
		"nothing":   {files(), 0, false},
		"broken":    {files("proc/meminfo", "MemAvailable: many kB\n"), 0, false},
		"system":    {files("proc/meminfo", memory), 4000 << 10, true},
		"unlimited": {files("proc/meminfo", memory, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "max\n", "sys/fs/cgroup/a/memory.current", "5\n"), 4000 << 10, true},
		"process": {files("proc/meminfo", "MemAvailable: 900000 kB\n", "proc/self/status", "Name: x\nVmSize:\t  900 kB\nVmData:\t 50 kB\n", "proc/self/limits",
			"Limit   Soft Limit   Hard Limit   Units\nMax data size   100000000   unlimited   bytes\nMax address space   2000000000   2000000000   bytes\n"), 100_000_000 - 50<<10 - arena, true},
		"version 2": {files("proc/meminfo", memory, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/memory.max", "1000\n", "sys/fs/cgroup/a/memory.current", "700\n",
			"sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 200\n", "sys/fs/cgroup/a/b/memory.max", "2000\n", "sys/fs/cgroup/a/b/memory.current", "700\n"), 500, true},
		"container": {files("proc/self/cgroup", "0::/../host/path\n", "sys/fs/cgroup/memory.max", "1000\n", "sys/fs/cgroup/memory.current", "1100\n"), 0, true},
		"version 1": {files("proc/meminfo", memory, "proc/self/cgroup", "7:cpu,memory:/a\n6:pids:/b\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes", "100\n", "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes", "100\n"), 900, true},
	} {
		if got, known := free(c.files, 3<<20); known != c.known || known && got != c.want {
			t.Errorf("%s: %d, %v; want %d, %v", name, got, known, c.want, c.known)
		}
	}
	if n, known := Free(); known && n < 1<<20 {
		t.Errorf("this machine has %d bytes left", n)
	}
}
