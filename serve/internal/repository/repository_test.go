package repository_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/concord-nn/concord/internal/limits"
	"github.com/concord-nn/concord/internal/testdata"
	"github.com/concord-nn/concord/serve/internal/repository"
)

// text is a version that is loaded: what stood in its file. It is broken if that begins with "broken", and takes as many bytes of memory as it is long.
type text struct {
	says   string
	open   *atomic.Int64
	closed atomic.Bool
	more   atomic.Int64 // bytes that requests have made it keep
}

func (t *text) Bytes() int64 { return int64(len(t.says)) + t.more.Load() }
func (t *text) Trim() int64  { return t.more.Swap(0) }

func (t *text) Close() {
	if t.closed.Swap(true) {
		panic("closed twice")
	}
	t.open.Add(-1)
}

// shop is a repository for tests, and the folder.
type shop struct {
	*repository.Repository
	t      *testing.T
	dir    string
	open   atomic.Int64 // versions
	during func()       // called while a file is read

	mu     sync.Mutex
	events []string
}

func newShop(t *testing.T, opts repository.Options, files ...string) *shop {
	s := &shop{t: t, dir: t.TempDir()}
	for i := 0; i < len(files); i += 2 {
		s.write(files[i], files[i+1])
	}
	opts.Open = func(_ context.Context, of repository.Source) (repository.Loaded, error) {
		info, err := os.Stat(of.Path)
		path := of.Path
		if err == nil && info.IsDir() {
			path = filepath.Join(path, "graph.nnef")
		}
		data, err := os.ReadFile(path)
		if s.during != nil {
			s.during()
		}
		if err != nil || strings.HasPrefix(string(data), "broken") {
			return nil, errors.Join(err, errors.New(string(data)))
		}
		s.open.Add(1)
		return &text{says: string(data), open: &s.open}, nil
	}
	opts.Event = func(e repository.Event) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.events = append(s.events, fmt.Sprint([]string{"+", "!", "-", "?", "~"}[e.What], e.Model, "/", e.Version))
	}
	if opts.Interval == 0 {
		opts.Interval = time.Hour // tests look
	}
	s.Repository = repository.New(s.dir, opts)
	t.Cleanup(func() {
		if err := s.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return s
}

// Acquire is that of the repository, whose versions are texts.
func (s *shop) Acquire(ctx context.Context, name, version string) (*text, repository.Source, func(), error) {
	loaded, of, release, err := s.Repository.Acquire(ctx, name, version)
	x, _ := loaded.(*text)
	return x, of, release, err
}

func (s *shop) write(name, data string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) remove(name string) {
	s.t.Helper()
	if err := os.RemoveAll(filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) start() *shop {
	s.t.Helper()
	if err := s.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return s
}

// settle looks twice, so that what is there counts.
func (s *shop) settle() {
	s.Look(s.t.Context())
	s.Look(s.t.Context())
}

// asks asks a model, "name" or "name/version", what it says.
func (s *shop) asks(of string) string {
	name, version, _ := strings.Cut(of, "/")
	x, source, release, err := s.Acquire(s.t.Context(), name, version)
	if err != nil {
		return err.Error()
	}
	defer release()
	return source.Version + ":" + x.says
}

func (s *shop) want(of, says string) {
	s.t.Helper()
	if got := s.asks(of); !strings.Contains(got, says) {
		s.t.Errorf("%s says %q; want %q", of, got, says)
	}
}

func (s *shop) wantIndex(want ...string) {
	s.t.Helper()
	var got []string
	for _, e := range s.Index(false) {
		got = append(got, strings.TrimSpace(e.Name+"/"+e.Version+" "+e.State+" "+e.Reason))
	}
	match := func(got, want string) bool { return strings.HasPrefix(got, want) }
	if !slices.EqualFunc(got, want, match) {
		s.t.Errorf("the index is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFolder(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once},
		"plain.onnx", "a file",
		"folder.nnef/graph.nnef", "a folder",
		"bare/graph.nnef", "a folder without an ending",
		"named/net.onnx", "in a folder", "named/notes.txt", "",
		"versions/2/model.onnx", "two", "versions/10/model.onnx", "ten", "versions/010/model.onnx", "no number",
		"whole/1/graph.nnef", "a version that is a folder",
		"other/1/net.onnx", "another name", "other/1/notes.txt", "",
		"several/1/model.onnx", "the one", "several/1/other.onnx", "another",
		"unclear/1/a.onnx", "", "unclear/1/b.onnx", "",
		"empty/1/notes.txt", "",
		"nothing/notes.txt", "",
		"v1.5.nnef.tgz", "dots", "twice.onnx", "", "twice.nnef", "",
		".hidden.onnx", "", "notes.txt", "", "plain.concord.json", "",
	).start()
	s.want("plain", "1:a file")
	s.want("folder", "1:a folder")
	s.want("bare", "1:a folder without")
	s.want("named", "1:in a folder")
	s.want("versions", "10:ten")
	s.want("versions/2", "it is not among the versions that are served")
	s.want("versions/3", `the model "versions" has no version "3"; there are 2, 10`)
	s.want("whole", "1:a version")
	s.want("other", "1:another name")
	s.want("several", "1:the one")
	s.want("unclear", "several models: a.onnx, b.onnx; the one to serve must be called model")
	s.want("empty", "holds neither a model")
	s.want("nothing", "holds neither a model")
	s.want("v1.5", "1:dots")
	s.want("twice", "twice.nnef and twice.onnx both are the model twice")
	s.want("../plain", "there is no model")
	s.wantIndex("bare/1 READY", "empty/1 UNAVAILABLE the folder holds neither", "folder/1 READY", "named/1 READY", "nothing/ UNAVAILABLE", "other/1 READY", "plain/1 READY",
		"several/1 READY", "twice/ UNAVAILABLE twice.nnef", "unclear/1 UNAVAILABLE", "v1.5/1 READY", "versions/2 UNAVAILABLE it is not among", "versions/10 READY", "whole/1 READY")
	if s.Ready() {
		t.Error("it is ready, although models in the folder cannot be asked")
	}
	if err := s.Load(t.Context(), "plain"); err == nil || !strings.Contains(err.Error(), "the folder decides") {
		t.Errorf("a call loads a model: %v", err)
	}
	none := repository.New(filepath.Join(t.TempDir(), "none"), repository.Options{})
	if err := none.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that does not exist: %v", err)
	}
}

// TestUnusable has entries that are no models and no versions: the index and, once, the log say why.
func TestUnusable(t *testing.T) {
	s := newShop(t, repository.Options{}, "v/1/model.onnx", "one", "v/2/model.onnx", "two", "v/01/model.onnx", "", "zero/0/model.onnx", "",
		"own/model.onnx", "own", "own/0/weights", "", "own/2", "", "three.nnef", "", "three.onnx", "", "three.tgz", "", "good/model.onnx", "good", "far.onnx", "")
	for name, to := range map[string]string{"gone": "nowhere", "good.nnef": "nowhere.nnef", "round.onnx": "round.onnx", "far.onnx.data": "nowhere", "v/3": "nowhere", "pipe.onnx": os.DevNull} {
		if err := os.Symlink(to, filepath.Join(s.dir, name)); err != nil {
			t.Skip(err)
		}
	}
	s.start()
	s.settle()
	s.want("v", "2:two")
	s.want("own", "1:own")
	s.want("good", "1:good")
	s.wantIndex("far/1 UNAVAILABLE "+s.dir+"/far.onnx.data: there is no such file", "gone/ UNAVAILABLE "+s.dir+"/gone: the link leads to nothing", "good/1 READY "+s.dir+"/good.nnef: the link leads to nothing", "own/1 READY",
		"pipe/ UNAVAILABLE "+s.dir+"/pipe.onnx: it is neither a file nor a folder", "round/ UNAVAILABLE "+s.dir+"/round.onnx: it cannot be read: too many levels",
		"three/ UNAVAILABLE three.nnef and three.onnx both are", "v/1 UNAVAILABLE it is not among",
		"v/2 READY version 3 cannot be loaded: "+s.dir+"/v/3: the link leads to nothing; "+s.dir+"/v/01: versions are whole numbers from 1 on",
		"v/3 UNAVAILABLE "+s.dir+"/v/3: the link", "zero/ UNAVAILABLE "+s.dir+"/zero/0: versions are whole numbers")
	told := []string{"!far/1", "!v/3", "+good/1", "+own/1", "+v/2", "~gone/", "~good/", "~pipe/", "~round/", "~three/", "~v/", "~zero/"}
	if got := slices.Sorted(slices.Values(s.told(len(told)))); !slices.Equal(got, told) {
		t.Errorf("the events are %q; want %q", got, told)
	}
}

// TestForeignNames has names that are no texts of the protocol, which would break the index for clients of gRPC.
func TestForeignNames(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once},
		"bad\xffname/1/model.onnx", "a folder", "\xfe.onnx", "a file", "\xfd.txt", "", "odd\n\x1b%2F é.onnx", "odd",
		"several/1/\xff.onnx", "", "several/1/b.onnx", "",
	).start()
	s.want("odd\n\x1b%2F é", "1:odd")
	s.want("bad\xffname", "there is no model")
	s.wantIndex("bad\ufffdname/ UNAVAILABLE its name on disk is not UTF-8", "odd\n\x1b%2F é/1 READY", "several/1 UNAVAILABLE the folder holds several models: b.onnx, \ufffd.onnx",
		"\ufffd/ UNAVAILABLE its name on disk")
}

// TestOneModel has a folder that is a model, in the three ways in which it can be.
func TestOneModel(t *testing.T) {
	for _, files := range [][]string{{"2/model.onnx", "it"}, {"graph.nnef", "it"}, {"net.onnx", "it", "notes.txt", ""}} {
		s := newShop(t, repository.Options{Model: "m", Control: repository.Once}, files...).start()
		s.want("m", ":it")
		if !s.Ready() {
			t.Error("it is not ready")
		}
	}
	s := newShop(t, repository.Options{Model: "m", Control: repository.Once}, "notes.txt", "").start()
	s.want("m", "the folder holds neither")
	if s.Ready() {
		t.Error("it is ready without its model")
	}
}

// TestVersions follows a model from version to version.
func TestVersions(t *testing.T) {
	s := newShop(t, repository.Options{}, "m/1/model.onnx", "one").start()
	s.want("m", "its files are not complete yet")
	if s.Ready() {
		t.Error("it is ready before the model was loaded")
	}
	s.Look(t.Context())
	s.want("m", "1:one")
	if !s.Ready() {
		t.Error("it is not ready")
	}

	s.write("m/2/model.onnx", "two")
	s.Look(t.Context())
	s.want("m", "1:one") // it may be written still
	s.write("m/2/model.onnx", "two, more")
	s.Look(t.Context())
	s.want("m", "1:one")
	s.Look(t.Context())
	s.want("m", "2:two, more")
	s.want("m/1", "it is not among the versions that are served")

	s.write("m/3/model.onnx", "broken three")
	s.settle()
	s.want("m", "2:two, more")
	s.wantIndex("m/1 UNAVAILABLE", "m/2 READY version 3 cannot be loaded: broken three", "m/3 UNAVAILABLE broken three")
	if !s.Ready() {
		t.Error("a broken version takes the model out of service")
	}
	s.write("m/2/model.onnx", "broken now")
	s.settle()
	s.want("m", "2:two, more")
	s.wantIndex("m/1 UNAVAILABLE", "m/2 READY its files on disk cannot be loaded: broken now; version 3", "m/3 UNAVAILABLE broken three")

	s.write("m/3/model.onnx", "three")
	s.settle()
	s.want("m", "3:three")
	s.remove("m/3")
	s.remove("m/2")
	s.Look(t.Context())
	s.want("m", "3:three") // as something may be put in its place
	s.Look(t.Context())
	s.want("m", "1:one")

	s.remove("m")
	s.settle()
	s.want("m", "there is no model")
	if want := []string{"+m/1", "+m/2", "-m/1", "!m/3", "!m/2", "+m/3", "-m/2", "+m/1", "-m/3", "-m/1"}; !slices.Equal(slices.Sorted(slices.Values(s.told(len(want)))), slices.Sorted(slices.Values(want))) {
		t.Errorf("events: %q; want %q in about this order", s.told(0), want)
	}
}

// told returns the events when there are so many.
func (s *shop) told(n int) []string {
	for {
		s.mu.Lock()
		events := slices.Clone(s.events)
		s.mu.Unlock()
		if len(events) >= n || s.t.Context().Err() != nil {
			return events
		}
		time.Sleep(time.Millisecond)
	}
}

// TestUnread takes the folder away and brings it back: what serves, serves on, and that is told once.
func TestUnread(t *testing.T) {
	s := newShop(t, repository.Options{}, "a.nnef", "first").start()
	s.settle()
	for range 2 {
		if err := os.Rename(s.dir, s.dir+"-away"); err != nil {
			t.Fatal(err)
		}
		s.Look(t.Context())
		s.Look(t.Context())
		s.want("a", "1:first")
		if err := os.Rename(s.dir+"-away", s.dir); err != nil {
			t.Fatal(err)
		}
		s.settle()
	}
	s.write("a.nnef", "second")
	s.settle()
	if got := s.told(5); !slices.Equal(got, []string{"+a/1", "?/", "?/", "+a/1", "-a/1"}) {
		t.Errorf("the events are %q", got)
	}
}

// TestStartsWithWhatWorks starts beside a broken version, which must not be worse than meeting it later.
func TestStartsWithWhatWorks(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once}, "m/1/model.onnx", "one", "m/2/model.onnx", "broken").start()
	s.want("m", "1:one")
	s.wantIndex("m/1 READY version 2 cannot be loaded: broken", "m/2 UNAVAILABLE broken")
	if !s.Ready() {
		t.Error("it is not ready")
	}
}

func TestPolicies(t *testing.T) {
	files := []string{"m/1/model.onnx", "one", "m/2/model.onnx", "broken", "m/3/model.onnx", "three", "n/2/model.onnx", "n"}
	all := newShop(t, repository.Options{All: true}, files...).start()
	all.settle()
	all.want("m", "3:three")
	all.want("m/1", "1:one")
	all.want("m/2", "broken")
	if got := all.Versions("m"); !slices.Equal(got, []string{"1", "3"}) {
		t.Errorf("versions %q", got)
	}
	all.remove("m/3")
	all.settle()
	all.want("m", "1:one")
	some := newShop(t, repository.Options{Control: repository.Once, Versions: []string{"1"}}, files...).start()
	some.want("m", "1:one")
	some.want("m/3", "not among the versions that are served")
	some.want("n", "not among the versions that are served")
}

// TestKubernetes swaps a folder as a volume of Kubernetes does: files are links into a hidden folder, to which a link leads that is exchanged.
func TestKubernetes(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Poll}, "..1/model.onnx", "one", "..2/model.onnx", "two")
	link := func(to, name string) {
		t.Helper()
		path := filepath.Join(s.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(to, path)); err != nil {
			t.Skip(err)
		}
	}
	link("..1", "..data")
	link("..data/model.onnx", "model.onnx")
	s.start().settle()
	s.want("model", "1:one")
	link("..2", "..next")
	if err := os.Rename(filepath.Join(s.dir, "..next"), filepath.Join(s.dir, "..data")); err != nil {
		t.Fatal(err)
	}
	s.remove("..1")
	s.Look(t.Context())
	s.want("model", "1:one")
	s.Look(t.Context())
	s.want("model", "1:two")
	s.write(".blobs/1234", "a blob")
	link("../../.blobs/1234", ".store/1/model.onnx")
	link(".store", "linked")
	s.settle()
	s.want("linked", "1:a blob")
	s.wantIndex("linked/1 READY", "model/1 READY")
}

// TestTornReads changes files while they are read.
func TestTornReads(t *testing.T) {
	s := newShop(t, repository.Options{}, "m.onnx", "one").start()
	n := 0
	s.during = func() {
		if n++; n == 1 {
			s.write("m.onnx", "one and a half")
		}
	}
	s.Look(t.Context())
	s.want("m", "its files changed while they were read")
	s.settle()
	s.want("m", "1:one and a half")
}

// TestDrain swaps a version that is in use.
func TestDrain(t *testing.T) {
	s := newShop(t, repository.Options{}, "m.onnx", "one").start()
	s.settle()
	old, _, release, err := s.Acquire(t.Context(), "m", "")
	if err != nil {
		t.Fatal(err)
	}
	s.write("m.onnx", "two")
	s.settle()
	s.want("m", "1:two")
	if old.closed.Load() {
		t.Fatal("a version that is in use was closed")
	}
	s.remove("m.onnx")
	s.settle()
	s.wantIndex("m/1 UNLOADING")
	release()
	for !old.closed.Load() {
		time.Sleep(time.Millisecond)
	}
}

func TestExplicit(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Explicit, Names: []string{"a"}}, "a.onnx", "a", "b.onnx", "b", "c.onnx", "broken").start()
	s.want("a", "1:a")
	s.want("b", "the model b cannot be asked: it is not loaded")
	if !s.Ready() {
		t.Error("it is not ready")
	}
	load := func(name, want string) {
		t.Helper()
		if err := s.Load(t.Context(), name); fmt.Sprint(err) != want {
			t.Errorf("loading %s: %v; want %s", name, err, want)
		}
	}
	load("b", "<nil>")
	s.want("b", "1:b")
	load("c", `the model "c", version 1, cannot be loaded: broken`)
	load("d", `there is no model "d" in the repository`)
	s.write("b.onnx", "broken b")
	load("b", `the model "b", version 1, cannot be loaded: broken b`)
	s.want("b", "1:b")
	s.write("d.onnx", "d")
	load("d", "<nil>")
	s.want("d", "1:d")
	if err := s.Unload(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	s.want("b", "cannot be asked")
	if err := s.Unload(t.Context(), "x"); err == nil {
		t.Error("a model that is not there is unloaded")
	}
	s.remove("c.onnx")
	s.remove("d.onnx")
	load("c", `there is no model "c" in the repository`)
	s.want("d", "1:d")
	s.wantIndex("a/1 READY", "b/1 UNAVAILABLE", "d/1 READY")
	missing := newShop(t, repository.Options{Control: repository.Explicit, Names: []string{"a"}})
	if err := missing.Start(t.Context()); err == nil {
		t.Error("it starts without a model that was named")
	}
}

// TestMemory has room for two of three models.
func TestMemory(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once, Memory: 10}, "a.onnx", "aaaa", "b.onnx", "bbbb", "c.onnx", "cccc", "d.onnx", "much too much").start()
	s.wantIndex("a/1 READY it is unloaded", "b/1 READY it is unloaded", "c/1 READY", "d/1 UNAVAILABLE it takes 13 bytes of memory, and all models may take 10")
	s.want("a", "1:aaaa") // it waits until the model is there
	s.want("c", "1:cccc")
	s.want("b", "1:bbbb") // in the place of a
	s.wantIndex("a/1 READY it is unloaded", "b/1 READY", "c/1 READY", "d/1 UNAVAILABLE")
	if able, err := s.Able("a", ""); !able || err != nil {
		t.Errorf("a model that is loaded on demand: %v, %v", able, err)
	}
	if n := s.open.Load(); n > 2 {
		t.Errorf("%d versions are open", n)
	}
	_, _, release, err := s.Acquire(t.Context(), "b", "")
	if err != nil {
		t.Fatal(err)
	}
	s.want("a", "1:aaaa") // in the place of c, which nobody uses
	release()
	s.wantIndex("a/1 READY", "b/1 READY", "c/1 READY it is unloaded", "d/1 UNAVAILABLE")

	var all sync.WaitGroup
	for range 4 {
		for _, name := range []string{"a", "b", "c"} {
			all.Go(func() {
				for range 20 {
					s.want(name, "1:"+name)
				}
			})
		}
	}
	all.Wait()
	if n := s.open.Load(); n > 2 {
		t.Errorf("%d versions are open", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"a", "b", "c"} {
		if _, _, release, err := s.Acquire(ctx, name, ""); err == nil {
			release()
		} else if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

// TestGrown: what requests have made one version keep unloads no other, whatever decides what is loaded.
func TestGrown(t *testing.T) {
	for _, control := range []repository.Control{repository.Poll, repository.Once} {
		s := newShop(t, repository.Options{Control: control, Memory: 10, Interval: time.Millisecond}, "a.onnx", "aaaa", "b.onnx", "bbbb").start()
		s.settle()
		loaded, _, release, err := s.Acquire(t.Context(), "a", "")
		if err != nil {
			t.Fatal(err)
		}
		release()
		for loaded.more.Store(100); loaded.more.Load() > 0; {
			time.Sleep(time.Millisecond)
		}
		s.wantIndex("a/1 READY", "b/1 READY")
		if n := s.open.Load(); n != 2 {
			t.Errorf("%d versions are open; want both", n)
		}
	}
}

// TestMemoryGone removes the files of a model that is to be loaded again.
func TestMemoryGone(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once, Memory: 6}, "a.onnx", "aaaa", "b.onnx", "bbbb", "c.onnx", "cccc").start()
	s.remove("a.onnx")
	s.want("a", "no such file")
	s.write("b.onnx", "broken")
	s.want("b", "broken")
}

func TestClosed(t *testing.T) {
	s := newShop(t, repository.Options{Control: repository.Once}, "a.onnx", "a").start()
	_, _, release, err := s.Acquire(t.Context(), "a", "")
	if err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if err := s.Close(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("closed while a request runs: %v", err)
	}
	s.want("a", "the server is going down")
	if s.Ready() {
		t.Error("it is ready")
	}
	release()
	if err := s.Close(t.Context()); err != nil || s.open.Load() != 0 {
		t.Errorf("%v, %d versions are open", err, s.open.Load())
	}
}

// TestSwaps asks from several goroutines while versions come and go. No request may be lost.
func TestSwaps(t *testing.T) {
	s := newShop(t, repository.Options{}, "m.onnx", "0").start()
	s.settle()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for ctx.Err() == nil {
				x, _, release, err := s.Acquire(t.Context(), "m", "")
				if err != nil {
					t.Error(err)
					return
				}
				if x.closed.Load() {
					t.Error("a version is closed while it is used")
				}
				release()
			}
		})
	}
	n := testdata.Cases(15, 500)
	for i := range n {
		s.write("m.onnx", strconv.Itoa(i))
		s.settle()
	}
	cancel()
	all.Wait()
	s.want("m", fmt.Sprint("1:", n-1))
}

func TestLimits(t *testing.T) {
	deep := strings.Repeat("x/", limits.RepositoryDepth)
	s := newShop(t, repository.Options{Control: repository.Once}, "deep/1/model.onnx", "", "deep/1/"+deep+"file", "", "deeper/1/model.onnx", "", "deeper/1/"+deep+"x/file", "",
		"circles/1/model.onnx", "")
	for i := range 3 {
		if err := os.Symlink(".", filepath.Join(s.dir, "circles/1", fmt.Sprint("link", i))); err != nil {
			t.Skip(err)
		}
	}
	s.start()
	s.want("deep", "1:")
	s.want("deeper", "more than 16 deep")
	s.want("circles", "more than 16")
	many := newShop(t, repository.Options{Control: repository.Explicit}, "m/1/model.onnx", "")
	for i := range limits.RepositoryFiles - 1 { // beside the folder and the model
		if err := os.Link(filepath.Join(many.dir, "m/1/model.onnx"), filepath.Join(many.dir, "m/1", strconv.Itoa(i))); err != nil {
			t.Skip(err)
		}
	}
	many.start()
	if err := many.Load(t.Context(), "m"); err == nil || !strings.Contains(err.Error(), "more than 4096 files") {
		t.Errorf("a version with too many files is loaded: %v", err)
	}
	many.remove("m/1/0")
	if err := many.Load(t.Context(), "m"); err != nil {
		t.Error(err)
	}
}
