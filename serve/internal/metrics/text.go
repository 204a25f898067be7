package metrics

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/concord-nn/concord/serve/internal/oip"
)

// snapshot is what the metrics are made of.
type snapshot struct {
	server     oip.ServerMetadata
	ready      bool
	statistics []oip.ModelStatistics
	index      []oip.IndexEntry
	calls      map[version]*calls
	versions   []version // of the calls
	statuses   *[statuses]atomic.Uint64
	loads      map[string]loads
	process    *process
}

func (m *Metrics) snapshot() *snapshot {
	s := &snapshot{server: m.service.Server(), ready: m.service.Ready(), process: readProcess(), statuses: &m.statuses, loads: make(map[string]loads)}
	statistics, index := m.read()
	// A series may be there once: a version that goes may stand beside the same one that comes.
	s.statistics = once(statistics, func(x oip.ModelStatistics) version { return version{x.Name, x.Version} })
	s.index = once(index, func(x oip.IndexEntry) version { return version{x.Name, x.Version} })
	for _, x := range s.statistics {
		m.of(version{x.Name, x.Version})
	}
	s.calls = *m.calls.Load()
	s.versions = slices.SortedFunc(maps.Keys(s.calls), version.compare)
	m.mu.Lock()
	defer m.mu.Unlock()
	for model, l := range m.loads {
		s.loads[model] = *l
	}
	return s
}

func (v version) compare(u version) int {
	return cmp.Or(cmp.Compare(v.model, u.model), cmp.Compare(v.version, u.version))
}

// once returns a list by versions, with the last of equal ones.
func once[T any](list []T, of func(T) version) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b T) int { return of(a).compare(of(b)) })
	return slices.CompactFunc(list, func(a, b T) bool { return of(a) == of(b) })
}

// writer writes in Prometheus's text format 0.0.4, or in OpenMetrics 1.0.
type writer struct {
	text   []byte
	open   bool // OpenMetrics
	family *family
}

// ServeHTTP answers with the metrics, in OpenMetrics if the client reads that.
func (m *Metrics) ServeHTTP(h http.ResponseWriter, r *http.Request) {
	w := writer{open: strings.Contains(r.Header.Get("Accept"), "application/openmetrics-text")}
	w.all(m.names, m.snapshot())
	contentType := "text/plain; version=0.0.4; charset=utf-8"
	if w.open {
		contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	h.Header().Set("Content-Type", contentType)
	h.Header().Set("Cache-Control", "no-store")
	h.Write(w.text) //nolint:errcheck // the client is gone
}

func (w *writer) all(n Names, s *snapshot) {
	for _, list := range [][]family{families[n], processFamilies} {
		for i := range list {
			w.family = &list[i]
			w.head()
			w.family.series(s, w)
		}
	}
	if w.open {
		w.text = append(w.text, "# EOF\n"...)
	}
}

func (w *writer) head() {
	name, kind := w.family.name, string(w.family.kind)
	if w.open && w.family.kind == counter { // whose family has no ending
		ok := false
		if name, ok = strings.CutSuffix(name, "_total"); !ok {
			kind = "unknown"
		}
	}
	w.text = append(w.text, "# HELP "+name+" "+w.family.help+"\n# TYPE "+name+" "+kind+"\n"...)
}

// value writes a series by its labels.
func (w *writer) value(v float64, labels ...string) { w.series("", v, "", labels) }

// bucket writes how many were at most a bound.
func (w *writer) bucket(n uint64, bound float64, labels ...string) {
	le := strconv.FormatFloat(bound, 'g', -1, 64)
	if w.open && !strings.ContainsAny(le, ".e") {
		le += ".0"
	}
	w.series("_bucket", float64(n), le, labels)
}

// whole writes the rest of a histogram: how many there are, and their sum.
func (w *writer) whole(n uint64, sum float64, labels ...string) {
	w.series("_bucket", float64(n), "+Inf", labels)
	w.series("_sum", sum, "", labels)
	w.series("_count", float64(n), "", labels)
}

var escaped = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

func (w *writer) series(ending string, v float64, le string, labels []string) {
	w.text = append(append(w.text, w.family.name...), ending...)
	before := byte('{')
	label := func(name, value string) {
		w.text = append(append(append(w.text, before), name...), `="`...)
		w.text = append(append(w.text, escaped.Replace(strings.ToValidUTF8(value, "\uFFFD"))...), '"')
		before = ','
	}
	for i, name := range w.family.labels {
		label(name, labels[i])
	}
	if le != "" {
		label("le", le)
	}
	if before == ',' {
		w.text = append(w.text, '}')
	}
	w.text = append(strconv.AppendFloat(append(w.text, ' '), v, 'g', -1, 64), '\n')
}
