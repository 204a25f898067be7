package repository

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/concord-nn/concord/internal/naming"
	"github.com/concord-nn/concord/serve/internal/oip"
)

// Acquire returns a version that can be asked, the newest that serves if none is named, and what must be called when it is not used any more.
// One that was unloaded for want of memory is loaded again, as long as the context lets it wait.
func (r *Repository) Acquire(ctx context.Context, name, version string) (loaded Loaded, of Source, release func(), err error) {
	for {
		i, waking, err := r.lease(name, version)
		switch {
		case err != nil:
			return loaded, of, nil, err
		case i != nil:
			return i.loaded, Source{Model: name, Version: i.version}, func() { r.release(i) }, nil
		}
		select {
		case <-waking:
		case <-ctx.Done():
			return loaded, of, nil, ctx.Err()
		}
	}
}

// lease returns an instance, or what to wait for.
func (r *Repository) lease(name, version string) (*instance, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, v, err := r.find(name, version)
	if err != nil {
		return nil, nil, err
	}
	if i := m.serving[v]; i != nil {
		r.clock++
		i.used = r.clock
		i.leases++
		return i, nil, nil
	}
	if f, ok := m.failed[v]; ok && m.waking[v] == nil && f.print == m.disk[v].print && time.Now().Before(f.again) {
		return nil, nil, oip.Errorf(oip.NotReady, "model %q, version %s, cannot be loaded again: %s", name, v, f.reason)
	}
	if m.waking[v] == nil {
		r.wake(m, v)
	}
	return nil, m.waking[v], nil
}

// wake loads a version again. The repository is locked.
func (r *Repository) wake(m *model, v string) {
	done := make(chan struct{})
	m.waking[v] = done
	r.all.Go(func() {
		defer func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			delete(m.waking, v)
			close(done)
		}()
		if m.lock(r.stop) != nil {
			return
		}
		defer m.unlock()
		r.mu.Lock()
		_, asleep := m.evicted[v]
		c, ok := m.disk[v]
		r.mu.Unlock()
		if asleep && ok {
			_ = r.load(r.stop, m, v, c) // which notes why it fails
			return
		}
		r.mu.Lock()
		delete(m.evicted, v) // if it is not loaded already, its files are gone
		r.mu.Unlock()
	})
}

func (r *Repository) release(i *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i.leases--; i.leases == 0 && i.retired != "" {
		r.closeLater(i)
	}
}

// find returns a model and which of its versions is asked. The repository is locked.
func (r *Repository) find(name, version string) (*model, string, error) {
	if r.closed {
		return nil, "", errClosed
	}
	m := r.models[name]
	if m == nil {
		return nil, "", noModel(name)
	}
	able := m.able()
	switch {
	case version == "" && len(able) > 0:
		return m, able[len(able)-1], nil
	case slices.Contains(able, version):
		return m, version, nil
	}
	if why := r.whyNot(m, version); why != "" {
		if version != "" {
			name += " version " + version
		}
		return m, "", oip.Errorf(oip.NotReady, "the model %s cannot be asked: %s", name, why)
	}
	if version == "" { // it is gone, and closed just now
		return nil, "", noModel(name)
	}
	return nil, "", oip.Errorf(oip.NotFound, "the model %q has no version %q; there are %s", name, version, strings.Join(m.versions(), ", "))
}

// able returns the versions that can be asked, the newest last.
func (m *model) able() []string {
	list := slices.AppendSeq(slices.Collect(maps.Keys(m.serving)), maps.Keys(m.evicted))
	slices.SortFunc(list, compareVersions)
	return slices.Compact(list)
}

// versions returns all versions that anything is known of.
func (m *model) versions() []string {
	list := slices.AppendSeq(m.able(), maps.Keys(m.disk))
	list = slices.AppendSeq(list, maps.Keys(m.loading))
	slices.SortFunc(list, compareVersions)
	return slices.Compact(list)
}

// whyNot says why a version, or the model, cannot be asked; empty if there is no such version.
func (r *Repository) whyNot(m *model, version string) string {
	if version == "" {
		if all := m.versions(); len(all) > 0 {
			version = all[len(all)-1]
		} else if m.problem != "" || r.last[m.name] == nil {
			return m.problem
		} else {
			return "its files are not complete yet"
		}
	}
	_, onDisk := m.disk[version]
	switch f, failed := m.failed[version]; {
	case m.loading[version]:
		return "it is being loaded"
	case failed:
		return f.reason
	case onDisk && !m.wanted:
		return "it is not loaded"
	case onDisk && (r.opts.All || r.opts.Versions == nil || r.chosen(version)) && len(m.able()) == 0:
		return "it is not loaded yet"
	case onDisk:
		return "it is not among the versions that are served"
	}
	return ""
}

// Versions returns the versions of a model that can be asked, the newest last.
func (r *Repository) Versions(name string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.models[name]; m != nil {
		return m.able()
	}
	return nil
}

// Able reports whether a version, or the newest that serves, can be asked. It fails if there is none such.
func (r *Repository) Able(name, version string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, _, err := r.find(name, version)
	if m != nil && err != nil {
		return false, nil // which is what was asked
	}
	return err == nil, err
}

// Ready reports whether the folder was looked at, and each model can be asked that was in it then, or was to be loaded at the start.
func (r *Repository) Ready() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.started || r.closed {
		return false
	}
	for _, m := range r.models {
		if m.expected && len(m.able()) == 0 {
			return false
		}
	}
	return true
}

// Each calls f with every version that is loaded, by name and version.
func (r *Repository) Each(f func(name, version string, loaded Loaded)) {
	r.mu.Lock()
	var list []*instance
	for _, m := range r.models {
		list = slices.AppendSeq(list, maps.Values(m.serving))
	}
	r.mu.Unlock()
	slices.SortFunc(list, func(a, b *instance) int {
		if c := strings.Compare(a.model.name, b.model.name); c != 0 {
			return c
		}
		return compareVersions(a.version, b.version)
	})
	for _, i := range list {
		f(i.model.name, i.version, i.loaded)
	}
}

// Index lists all versions of all models, or only those that can be asked.
func (r *Repository) Index(ready bool) []oip.IndexEntry {
	if r.opts.Control == Explicit && !ready {
		r.glance()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []oip.IndexEntry{}
	for _, name := range naming.Sorted(r.models) {
		m := r.models[name]
		able := m.able()
		for _, v := range m.versions() {
			e := oip.IndexEntry{Name: name, Version: v, State: oip.Unavailable}
			switch {
			case m.loading[v] && !slices.Contains(able, v):
				e.State = oip.Loading
			case slices.Contains(able, v):
				e.State, e.Reason = oip.ReadyState, r.remark(m, v, v == able[len(able)-1])
			default:
				e.Reason = r.whyNot(m, v)
			}
			list = append(list, e)
		}
		for i := range r.draining {
			if i.model == m && !slices.ContainsFunc(list, func(e oip.IndexEntry) bool { return e.Name == name && e.Version == i.version }) {
				list = append(list, oip.IndexEntry{Name: name, Version: i.version, State: oip.Unloading, Reason: i.retired})
			}
		}
		if len(m.versions()) == 0 && m.problem != "" {
			list = append(list, oip.IndexEntry{Name: name, State: oip.Unavailable, Reason: m.problem})
		}
	}
	for i := range list {
		list[i].Reason = text(list[i].Reason)
	}
	if ready {
		list = slices.DeleteFunc(list, func(e oip.IndexEntry) bool { return e.State != oip.ReadyState })
	}
	return list
}

// remark says what is to be known of a version that can be asked.
func (r *Repository) remark(m *model, v string, newest bool) string {
	var parts []string
	if f, ok := m.failed[v]; ok {
		parts = append(parts, "its files on disk cannot be loaded: "+f.reason)
	}
	for _, other := range m.versions() {
		if f, ok := m.failed[other]; ok && newest && compareVersions(other, v) > 0 {
			parts = append(parts, fmt.Sprintf("version %s cannot be loaded: %s", other, f.reason))
		}
	}
	if _, ok := m.disk[v]; m.problem != "" && (newest || !ok) {
		parts = append(parts, m.problem)
	}
	if _, ok := m.evicted[v]; ok {
		parts = append(parts, "it is unloaded, as memory is short, and is loaded when it is asked")
	}
	return strings.Join(parts, "; ")
}

// glance notes what the folder has, without loading anything.
func (r *Repository) glance() {
	r.look.Lock()
	defer r.look.Unlock()
	if found, err := look(r.dir, r.opts.Model); err == nil {
		r.note(found, func(candidate) bool { return true })
	}
}

// Load loads a model as it is on disk, also if it is loaded already. What served before serves on if that fails.
func (r *Repository) Load(ctx context.Context, name string) error {
	m, err := r.explicit(ctx, name)
	if err != nil {
		return err
	}
	defer m.unlock()
	r.mu.Lock()
	m.wanted = true
	clear(m.failed)
	r.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.stop, cancel)()
	r.serve(ctx, m, true)
	if err := ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range slices.Backward(m.versions()) {
		if f, ok := m.failed[v]; ok && (len(m.able()) == 0 || compareVersions(v, m.able()[len(m.able())-1]) >= 0) {
			return oip.Errorf(oip.InvalidArgument, "the model %q, version %s, cannot be loaded: %s", name, v, f.reason)
		}
	}
	switch why := r.whyNot(m, ""); {
	case len(m.able()) > 0:
		return nil
	case why == "":
		return noModel(name)
	default:
		return oip.Errorf(oip.InvalidArgument, "the model %q cannot be loaded: %s", name, why)
	}
}

// Unload takes a model out of service and returns when its requests are answered.
func (r *Repository) Unload(ctx context.Context, name string) error {
	m, err := r.explicit(ctx, name)
	if err != nil {
		return err
	}
	defer m.unlock()
	r.mu.Lock()
	m.wanted, m.expected = false, false
	r.mu.Unlock()
	r.retire(m, "a call has asked for it", func(string) bool { return true })
	r.mu.Lock()
	var left []*instance
	for i := range r.draining {
		if i.model == m {
			left = append(left, i)
		}
	}
	r.mu.Unlock()
	return await(ctx, left)
}

func noModel(name string) error {
	return oip.Errorf(oip.NotFound, "there is no model %q in the repository", name)
}

// explicit looks at the folder and locks a model, for a call that says what is loaded.
func (r *Repository) explicit(ctx context.Context, name string) (*model, error) {
	if r.opts.Control != Explicit {
		return nil, oip.Errorf(oip.Unimplemented, "the folder decides what is loaded; models are loaded and unloaded by calls if the server was started so")
	}
	r.glance()
	r.mu.Lock()
	m, closed := r.models[name], r.closed
	r.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed
	case m == nil:
		return nil, noModel(name)
	}
	return m, m.lock(ctx)
}

// Close takes everything out of service. It returns when all requests are answered and all versions closed, or when the context ends, which
// leaves the rest to itself.
func (r *Repository) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.end()
	quiet := make(chan struct{})
	go func() {
		r.all.Wait()
		close(quiet)
	}()
	select {
	case <-quiet:
	case <-ctx.Done(): // something is being opened still
		return ctx.Err()
	}
	r.mu.Lock()
	models := slices.Collect(maps.Values(r.models))
	r.mu.Unlock()
	for _, m := range models {
		if err := m.lock(ctx); err != nil {
			return err
		}
		r.retire(m, "the server goes down", func(string) bool { return true })
		m.unlock()
	}
	r.mu.Lock()
	left := slices.Collect(maps.Keys(r.draining))
	r.mu.Unlock()
	return await(ctx, left)
}

// await waits until instances are closed.
func await(ctx context.Context, list []*instance) error {
	for _, i := range list {
		select {
		case <-i.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
