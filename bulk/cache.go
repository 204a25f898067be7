package bulk

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/mapfile"
)

// cache keeps answers in a folder, each in a file whose name follows from the digests of job and input. An answer has no other cause than these, so
// that what is there is right; a file that is damaged is as good as none. Several processes may use a folder at the same time.
type cache struct {
	dir  string
	most int64

	mu      sync.Mutex
	written int64 // bytes since the folder was last looked through
}

// What a cache may hold if nothing else is said, how often the time of an answer's last use is noted, and when what a process has left half written
// is removed.
const (
	cacheBytes = 10_000_000_000
	usedEvery  = time.Hour
	leftAfter  = time.Hour
)

// cacheMagic begins the files of a cache.
const cacheMagic = "concord answer 1\n"

func openCache(dir string, most int64) (*cache, error) {
	if most < 0 {
		return nil, usage("Options.CacheBytes is %d; it must be 1 or more, or 0 for the default", most)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &cache{dir: dir, most: cmp.Or(most, cacheBytes)}, nil
}

// path is where an answer stands.
func (c *cache) path(job string, input [sha256.Size]byte) string {
	sum := sha256.Sum256(append([]byte(job), input[:]...))
	name := hex.EncodeToString(sum[:])
	return filepath.Join(c.dir, name[:2], name[2:])
}

// get returns an answer, nil if there is none that is whole.
func (c *cache) get(job string, input [sha256.Size]byte) *answer {
	name := c.path(job, input)
	data, err := mapfile.ReadFile(name, limits.FileRead)
	if err != nil {
		return nil
	}
	head := len(cacheMagic) + sha256.Size
	if len(data) < head || string(data[:len(cacheMagic)]) != cacheMagic || sha256.Sum256(data[head:]) != [sha256.Size]byte(data[len(cacheMagic):head]) {
		return nil
	}
	s := &scanner{data: data[head:]}
	a := s.answer()
	if s.err != nil {
		return nil
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > usedEvery {
		_ = os.Chtimes(name, time.Time{}, time.Now()) // if it is not noted, it is computed again some day
	}
	return a
}

// put keeps an answer, unless the error says why not.
func (c *cache) put(job string, input [sha256.Size]byte, a *answer) error {
	body := a.bytes()
	sum := sha256.Sum256(body)
	data := bytes.Join([][]byte{[]byte(cacheMagic), sum[:], body}, nil)
	if int64(len(data)) > c.most {
		return fmt.Errorf("an answer takes %d bytes, of which the cache may hold %d", len(data), c.most)
	}
	name := c.path(job, input)
	if err := replace(name, data); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written += int64(len(data)); c.written > c.most/10 {
		c.sweep()
	}
	return nil
}

// leftover begins the names of files that are being written.
const leftover = ".writing-"

// replace writes a file beside its place and moves it there.
func replace(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, leftover)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // else it is removed later
	}
	return err
}

// close keeps the folder within its bound.
func (c *cache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written > 0 {
		c.sweep()
	}
}

// sweep removes the answers that were not used for longest, as many as are too many. It does not hold what is there, only how much was last used in
// each second.
func (c *cache) sweep() {
	c.written = 0
	used, total := make(map[int64]int64), int64(0)
	c.files(func(name string, info os.FileInfo) {
		if strings.HasPrefix(info.Name(), leftover) {
			if time.Since(info.ModTime()) > leftAfter {
				_ = os.Remove(name) // another process may have
			}
			return
		}
		used[info.ModTime().Unix()] += info.Size()
		total += info.Size()
	})
	excess := total - c.most
	if excess <= 0 {
		return
	}
	last := int64(0) // seconds up to which all goes, but in the last as much as is too much
	for _, second := range slices.Sorted(maps.Keys(used)) {
		if last = second; used[second] >= excess {
			break
		}
		excess -= used[second]
	}
	c.files(func(name string, info os.FileInfo) {
		second := info.ModTime().Unix()
		if strings.HasPrefix(info.Name(), leftover) || second > last || second == last && excess <= 0 {
			return
		}
		if os.Remove(name) == nil && second == last {
			excess -= info.Size()
		}
	})
}

// files calls a function for the files of the cache.
func (c *cache) files(visit func(name string, info os.FileInfo)) {
	for i := range 256 {
		folder := filepath.Join(c.dir, hex.EncodeToString([]byte{byte(i)}))
		f, err := os.Open(folder)
		if err != nil {
			continue
		}
		for err == nil {
			var entries []os.DirEntry
			if entries, err = f.ReadDir(1024); errors.Is(err, io.EOF) {
				break
			}
			for _, e := range entries {
				if info, gone := e.Info(); gone == nil && info.Mode().IsRegular() {
					visit(filepath.Join(folder, e.Name()), info)
				}
			}
		}
		_ = f.Close() // it has only been read
	}
}
