package repository

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/concord-nn/concord/internal/mapfile"
	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Source is a version on disk.
type Source struct {
	Model, Version string
	Path           string // of the file or folder, which stands in a folder without links
	Bytes          int64  // of all its files
}

// Loaded is a version that can be asked. It must bear any number of goroutines.
type Loaded interface {
	Bytes() int64 // of memory that it takes now
	Trim() int64  // gives up what it only keeps to be faster, and returns how many bytes that were
	Close()       // when what runs has ended
}

// Control says who decides what is loaded.
type Control uint8

// The ways of control.
const (
	Poll     Control = iota // the folder, which is looked at again and again
	Explicit                // calls of [Repository.Load] and [Repository.Unload]
	Once                    // the folder as it is at the start
)

// Options say what a repository does.
type Options struct {
	// Open makes a version ready to be asked. What it says of a version that is broken, clients are told.
	Open func(ctx context.Context, s Source) (Loaded, error)
	// Event is told what happens, one event after another; nil for nobody.
	Event func(Event)

	Model    string // the folder is that of one model of this name; empty for a folder of models
	Control  Control
	Names    []string      // of the models that are loaded at the start, with Explicit
	Interval time.Duration // between two looks at the folder
	All      bool          // all versions are served, not the newest alone
	Versions []string      // these versions are served, where a model has them; nil for the newest alone
	Memory   int64         // what all that is loaded may take; 0 for no limit
}

// Event is something that happened to a version.
type Event struct {
	What           What
	Model, Version string
	Why            string        // of Unloaded: what for
	Err            error         // of Failed, Unread and Unusable
	Took           time.Duration // of Loaded and Failed
	Bytes          int64         // of memory, of Loaded
}

// What is the kind of an event.
type What uint8

// The kinds.
const (
	Arrived  What = iota // it can be asked
	Failed               // it could not be loaded
	Unloaded             // it is not there any more, and its requests are answered
	Unread               // the folder could not be read
	Unusable             // the folder has something under the model's name that is no model, or no version
)

// Repository keeps models loaded. Any number of goroutines may use it.
type Repository struct {
	dir  string
	opts Options
	stop context.Context // ends with the repository
	end  context.CancelFunc
	all  sync.WaitGroup // what goes on by itself, without the closing of versions
	look sync.Mutex     // held while the folder is looked at and what follows is done
	lost string         // why it could not be read the last time
	room chan struct{}  // has an element while room is made for a version and it is opened, with a limit of memory

	mu       sync.Mutex
	models   map[string]*model
	last     map[string]*seen // of the last look, nil before the first
	started  bool             // the first look has been taken, and what it found was tried
	clock    uint64           // counts uses
	closed   bool
	telling  sync.Mutex
	draining map[*instance]bool
}

// model is what a repository knows of a model. The repository's lock guards all but busy.
type model struct {
	name     string
	busy     chan struct{} // holds a value while its versions are loaded and swapped
	disk     map[string]candidate
	problem  string
	said     string // of the problems, the one that was told last
	serving  map[string]*instance
	evicted  map[string]parked        // versions that are loaded again when somebody asks
	waking   map[string]chan struct{} // closed when the version was loaded again, or could not be
	failed   map[string]failure
	loading  map[string]bool
	expected bool // the server is ready when the model is
	wanted   bool // with Explicit
}

// instance is a version that is loaded.
type instance struct {
	model   *model
	version string
	loaded  Loaded
	print   outside
	leases  int
	used    uint64
	retired string        // what for; empty while it serves
	gone    chan struct{} // closed when it was closed
}

// parked is a version that was unloaded for want of memory.
type parked struct {
	print outside
	bytes int64 // that it took
}

// failure is why a version could not be loaded.
type failure struct {
	print  outside
	reason string
	again  time.Time // before which it is not tried again as it is
	wait   time.Duration
}

// The time before a version that could not be loaded is tried again, though its files are the same: at first, and at most.
const (
	firstWait = 15 * time.Second
	mostWait  = 10 * time.Minute
)

// New returns the repository of a folder. Nothing is loaded before [Repository.Start].
func New(dir string, opts Options) *Repository {
	r := &Repository{dir: dir, opts: opts, room: make(chan struct{}, 1), models: make(map[string]*model), draining: make(map[*instance]bool)}
	r.stop, r.end = context.WithCancel(context.Background())
	return r
}

// Start looks at the folder and loads what is there, and then keeps looking. That the folder cannot be read is an error; that models in it are
// broken is none. It returns when all was tried.
func (r *Repository) Start(ctx context.Context) error {
	if err := r.first(ctx); err != nil {
		return err
	}
	if r.opts.Control != Poll && r.opts.Memory == 0 {
		return nil
	}
	r.all.Go(func() {
		tick := time.NewTicker(r.opts.Interval)
		defer tick.Stop()
		for {
			select {
			case <-r.stop.Done():
				return
			case <-tick.C:
				if r.opts.Control == Poll {
					r.Look(r.stop)
				} else {
					_ = r.trim(r.stop, nil, "", 0) // which fails if the repository ends
				}
			}
		}
	})
	return nil
}

// first takes the first look. What was changed just now may be changing still: it waits for a second look, if there will be one.
func (r *Repository) first(ctx context.Context) error {
	r.look.Lock()
	defer r.look.Unlock()
	found, err := look(r.dir, r.opts.Model)
	if err != nil {
		return errors.New(plain(err))
	}
	for _, name := range r.opts.Names {
		if found[name] == nil {
			return fmt.Errorf("%s holds no model %q", r.dir, name)
		}
	}
	r.note(found, func(c candidate) bool {
		return r.opts.Control != Poll || c.print.settled(time.Now(), r.opts.Interval)
	})
	r.mu.Lock()
	for name, m := range r.models {
		m.wanted = r.opts.Control != Explicit || slices.Contains(r.opts.Names, name)
		m.expected = m.wanted && (len(found[name].versions) > 0 || r.opts.Model != "")
	}
	r.mu.Unlock()
	r.settle(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.started = true
	return ctx.Err()
}

// Look looks at the folder once. A version that is as it was at the look before is loaded, if it is to be served and is not yet.
func (r *Repository) Look(ctx context.Context) {
	r.look.Lock()
	defer r.look.Unlock()
	found, err := look(r.dir, r.opts.Model)
	if err != nil { // which may pass: what serves, serves on
		if why := plain(err); why != r.lost {
			r.lost = why
			r.tell(Event{What: Unread, Err: errors.New(why)})
		}
		return
	}
	r.lost = ""
	r.note(found, func(candidate) bool { return false })
	r.settle(ctx)
	_ = r.trim(ctx, nil, "", 0) // which fails if the repository ends
}

// note takes over what two looks agree about, or what is certain by itself; a candidate that is none stands for one that is gone.
func (r *Repository) note(found map[string]*seen, certain func(c candidate) bool) {
	for _, e := range r.compare(found, certain) {
		r.tell(e)
	}
}

// compare is note without telling what is unusable.
func (r *Repository) compare(found map[string]*seen, certain func(c candidate) bool) (events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range naming.Sorted(found) {
		s, m := found[name], r.models[name]
		if m == nil {
			m = r.add(name)
		}
		before := r.last[name]
		if before == nil {
			before = &seen{}
		}
		m.problem = s.problem
		if m.said != s.problem && (s.problem == before.problem || certain(candidate{})) {
			if m.said = s.problem; m.said != "" {
				events = append(events, Event{What: Unusable, Model: name, Err: errors.New(m.said)})
			}
		}
		if s.problem != "" && s.versions == nil {
			continue // such as two of the name, one of which is being removed
		}
		for v, c := range s.versions {
			if b, ok := before.versions[v]; ok && b == c || certain(c) {
				m.disk[v] = c
			}
		}
		for v := range m.disk {
			_, now := s.versions[v]
			if _, then := before.versions[v]; !now && (!then || certain(candidate{})) {
				delete(m.disk, v)
			}
		}
	}
	for name, m := range r.models {
		if before := r.last[name]; found[name] == nil && (before == nil || certain(candidate{})) {
			clear(m.disk)
			m.problem, m.said, m.expected = "", "", false
		}
	}
	r.last = found
	return events
}

// add adds a model of which nothing is known.
func (r *Repository) add(name string) *model {
	m := &model{name: name, busy: make(chan struct{}, 1), disk: make(map[string]candidate), serving: make(map[string]*instance),
		evicted: make(map[string]parked), waking: make(map[string]chan struct{}), failed: make(map[string]failure), loading: make(map[string]bool),
		wanted: r.opts.Control != Explicit}
	r.models[name] = m
	return m
}

// settle makes what serves what the folder says.
func (r *Repository) settle(ctx context.Context) {
	r.mu.Lock()
	names := naming.Sorted(r.models)
	r.mu.Unlock()
	for _, name := range names {
		r.mu.Lock()
		m := r.models[name]
		r.mu.Unlock()
		if m.lock(ctx) != nil {
			return
		}
		r.mu.Lock()
		wanted := m.wanted
		r.mu.Unlock()
		if wanted {
			r.serve(ctx, m, false)
		}
		r.forget(m)
		m.unlock()
	}
}

func (m *model) lock(ctx context.Context) error {
	select {
	case m.busy <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *model) unlock() { <-m.busy }

// forget removes a model that is neither on disk nor loaded.
func (r *Repository) forget(m *model) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(m.disk) > 0 || len(m.serving) > 0 || m.problem != "" || r.last[m.name] != nil || r.models[m.name] != m {
		return
	}
	for i := range r.draining {
		if i.model == m {
			return
		}
	}
	delete(r.models, m.name)
}

// serve loads what is to be served of a model, and unloads the rest. The caller has locked the model. With anew, it is loaded even if it serves.
func (r *Repository) serve(ctx context.Context, m *model, anew bool) {
	r.mu.Lock()
	disk := maps.Clone(m.disk)
	maps.DeleteFunc(m.failed, func(v string, _ failure) bool { _, ok := disk[v]; return !ok })
	maps.DeleteFunc(m.evicted, func(v string, _ parked) bool { _, ok := disk[v]; return !ok })
	r.mu.Unlock()
	versions := slices.SortedFunc(maps.Keys(disk), func(a, b string) int { return compareVersions(b, a) })
	if len(versions) == 0 {
		r.retire(m, "the model is gone from the folder", func(string) bool { return true })
		return
	}
	if r.several() {
		for _, v := range versions {
			if r.chosen(v) {
				r.keep(ctx, m, v, disk[v], anew)
			}
		}
		r.retire(m, "the version is gone from the folder", func(v string) bool { _, ok := disk[v]; return !ok })
		return
	}
	for _, v := range versions {
		if now := r.newest(m); now != "" && compareVersions(v, now) < 0 && disk[now] != (candidate{}) {
			return // what served before is better than what is older still
		}
		if r.keep(ctx, m, v, disk[v], anew) {
			r.retire(m, "version "+v+" serves", func(other string) bool { return other != v })
			return
		}
	}
}

// several reports whether a model may have several versions that serve.
func (r *Repository) several() bool { return r.opts.All || r.opts.Versions != nil }

// chosen reports whether a version is served where several may be.
func (r *Repository) chosen(v string) bool {
	return r.opts.All || slices.Contains(r.opts.Versions, v)
}

// newest returns the newest version that can be asked, empty if there is none.
func (r *Repository) newest(m *model) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	able := m.able()
	return append([]string{""}, able...)[len(able)]
}

// keep sees that a version is served as it is on disk, and reports whether it is.
func (r *Repository) keep(ctx context.Context, m *model, v string, c candidate, anew bool) bool {
	r.mu.Lock()
	i, e, f := m.serving[v], m.evicted[v], m.failed[v]
	same := i != nil && i.print == c.print && !anew
	if same || i == nil && e.print == c.print && e.print != (outside{}) && !anew {
		delete(m.failed, v) // the old files are there again
		r.mu.Unlock()
		return true
	}
	tried := f.reason != "" && f.print == c.print && !anew && time.Now().Before(f.again)
	r.mu.Unlock()
	return !tried && r.load(ctx, m, v, c) == nil
}

// load loads a version and swaps it for the one of its number.
func (r *Repository) load(ctx context.Context, m *model, v string, c candidate) error {
	r.mu.Lock()
	m.loading[v] = true
	need := max(c.print.bytes, m.evicted[v].bytes)
	r.mu.Unlock()
	began := time.Now()
	i, err := r.open(ctx, m, v, c, need)
	r.mu.Lock()
	delete(m.loading, v)
	switch {
	case ctx.Err() != nil && err != nil: // it says nothing of the version
		r.mu.Unlock()
		return err
	case err == nil && r.closed:
		r.mu.Unlock()
		i.loaded.Close()
		return errClosed
	case err != nil:
		if m.evicted[v].print != c.print { // it never comes back
			delete(m.evicted, v)
		}
		wait := min(max(2*m.failed[v].wait, firstWait), mostWait)
		m.failed[v] = failure{c.print, err.Error(), time.Now().Add(wait), wait}
		r.mu.Unlock()
		r.tell(Event{What: Failed, Model: m.name, Version: v, Err: err, Took: time.Since(began)})
		return err
	}
	delete(m.failed, v)
	delete(m.evicted, v)
	old := m.serving[v]
	m.serving[v] = i
	r.clock++
	i.used = r.clock
	r.drop(old, "it was loaded anew")
	r.mu.Unlock()
	r.tell(Event{What: Arrived, Model: m.name, Version: v, Took: time.Since(began), Bytes: i.loaded.Bytes()})
	_ = r.trim(ctx, m, v, 0) // which fails if nobody waits for it
	return nil
}

// open opens a version if there is room for it, and holds its files against what they were when it began.
func (r *Repository) open(ctx context.Context, m *model, v string, c candidate, need int64) (*instance, error) {
	if c.problem != "" {
		return nil, errors.New(c.problem)
	}
	if r.opts.Memory > 0 {
		select {
		case r.room <- struct{}{}:
			defer func() { <-r.room }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := r.trim(ctx, m, v, need); err != nil {
		return nil, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(c.path)) // the name itself may say the format
	if err != nil {
		return nil, errors.New(plain(err))
	}
	loaded, err := r.opts.Open(ctx, Source{m.name, v, filepath.Join(folder, filepath.Base(c.path)), c.print.bytes})
	if err == nil {
		if bytes := loaded.Bytes(); r.opts.Memory > 0 && bytes > r.opts.Memory {
			loaded.Close()
			err = fmt.Errorf("it takes %d bytes of memory, and all models may take %d", bytes, r.opts.Memory)
		} else if c.again() != c {
			loaded.Close()
			err = errors.New("its files changed while they were read")
		}
	}
	if err != nil {
		return nil, err
	}
	return &instance{model: m, version: v, loaded: loaded, print: c.print, gone: make(chan struct{})}, nil
}

// retire takes versions of a model out of service.
func (r *Repository) retire(m *model, why string, which func(v string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for v, i := range m.serving {
		if which(v) {
			delete(m.serving, v)
			r.drop(i, why)
		}
	}
	maps.DeleteFunc(m.evicted, func(v string, _ parked) bool { return which(v) })
}

// drop closes an instance that serves no longer when its requests are answered. The repository is locked.
func (r *Repository) drop(i *instance, why string) {
	if i == nil {
		return
	}
	i.retired = why
	r.draining[i] = true
	if i.leases == 0 {
		r.closeLater(i)
	}
}

// closeLater closes an instance that nobody uses. The repository is locked.
func (r *Repository) closeLater(i *instance) {
	go func() {
		i.loaded.Close()
		r.mu.Lock()
		delete(r.draining, i)
		r.mu.Unlock()
		r.tell(Event{What: Unloaded, Model: i.model.name, Version: i.version, Why: i.retired})
		close(i.gone)
	}()
}

// trim unloads what was not used for the longest time until there is room for so many bytes more, if there is anything but version v of m, for
// which the room is made.
func (r *Repository) trim(ctx context.Context, m *model, v string, more int64) error {
	for r.opts.Memory > 0 {
		gone := r.evict(m, v, more)
		if gone == nil {
			break
		}
		select {
		case <-gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// evict unloads one version if it must, and returns what is closed when that is done, nil if there is nothing to do. Where one version of a
// model serves at a time, the one before it stays until it is swapped.
func (r *Repository) evict(m *model, v string, more int64) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	total, serving := more, 0
	var first *instance
	for _, other := range r.models {
		for _, i := range other.serving {
			serving++
			total += i.loaded.Bytes()
			if (other != m || r.several() && i.version != v) && (first == nil || i.before(first)) {
				first = i
			}
		}
	}
	for i := range r.draining {
		if i.leases == 0 { // the others end when they end
			if total += i.loaded.Bytes(); total > r.opts.Memory {
				return i.gone
			}
		}
	}
	for _, other := range r.models { // what requests have made one version keep must not unload others
		for _, i := range other.serving {
			if total > r.opts.Memory {
				total -= i.loaded.Trim()
			}
		}
	}
	if total <= r.opts.Memory || first == nil || m == nil && serving == 1 {
		return nil
	}
	delete(first.model.serving, first.version)
	first.model.evicted[first.version] = parked{first.print, first.loaded.Bytes()}
	r.drop(first, "memory is short")
	return first.gone
}

// before reports whether an instance is unloaded before another one: those that nobody uses are, and of these the one that was not used for
// the longest time.
func (i *instance) before(other *instance) bool {
	if idle := i.leases == 0; idle != (other.leases == 0) {
		return idle
	}
	return i.used < other.used
}

// tell tells what happened.
func (r *Repository) tell(e Event) {
	if r.opts.Event == nil {
		return
	}
	r.telling.Lock()
	defer r.telling.Unlock()
	r.opts.Event(e)
}

// plain is an error of the system in plain words.
func plain(err error) string {
	at := (*fs.PathError)(nil)
	if errors.As(err, &at) {
		return at.Path + ": " + mapfile.Plain(err).Error()
	}
	return err.Error()
}

// errClosed is the error of whoever asks a repository that was closed.
var errClosed = oip.Errorf(oip.NotReady, "the server is going down")
