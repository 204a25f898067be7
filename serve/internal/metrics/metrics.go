package metrics

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/concord-nn/concord/serve/internal/oip"
)

// Names are what the metrics are called.
type Names string

// The names that there are.
const (
	Own    Names = "concord" // in base units
	Triton Names = "triton"  // as Triton calls its metrics, for boards that read those
)

// Protocol is how a call came.
type Protocol uint8

// The protocols.
const (
	REST Protocol = iota
	GRPC
	Page // asked on the server's page
	protocols
)

var protocolNames = [protocols]string{"rest", "grpc", "page"}

type method uint8

const (
	none method = iota // the request ended before it was known what it asks
	infer
	metadata
	config
	ready
	statistics
	index
	load
	unload
	methods
)

var methodNames = [methods]string{"", "infer", "metadata", "config", "ready", "statistics", "index", "load", "unload"}

// answered stands behind the codes of errors.
const (
	answered = oip.Code(oip.NumCodes)
	codes    = oip.NumCodes + 1
)

func codeName(c oip.Code) string {
	if c == answered {
		return "ok"
	}
	return c.String()
}

// version names a version of a model. Both are empty for calls that are of no model, the version for those that did not reach one.
type version struct{ model, version string }

// calls counts those of a version.
type calls [protocols][methods][codes]atomic.Uint64

// loads counts those of a model.
type loads struct {
	done, failed uint64
	last         time.Time // zero if there was none
}

// Metrics counts calls and loads, and is a handler of HTTP that tells them with everything else. It may be used by any number of goroutines.
type Metrics struct {
	names   Names
	service oip.Service

	calls    atomic.Pointer[map[version]*calls] // replaced, never changed
	statuses [statuses]atomic.Uint64

	mu    sync.Mutex // held while calls is replaced
	loads map[string]*loads

	most atomic.Int64 // how many versions there may be before it is asked which of them are gone
}

// fewVersions are too few to ask.
const fewVersions = 64

// New returns metrics of a service.
func New(s oip.Service, names Names) *Metrics {
	m := &Metrics{names: names, service: s, loads: make(map[string]*loads)}
	m.most.Store(fewVersions)
	m.calls.Store(&map[version]*calls{{}: new(calls)})
	return m
}

// Refuse counts a request that did not become a call of the service.
func (m *Metrics) Refuse(p Protocol, c oip.Code) { m.of(version{})[p][none][c].Add(1) }

// Infer counts an inference that is no call of a service that [Metrics.Service] returned. If err is nil, the version is the one that answered.
func (m *Metrics) Infer(p Protocol, model, number string, err error) {
	m.count(p, infer, version{model, number}, err)
}

func (m *Metrics) count(p Protocol, what method, v version, err error) {
	c := answered
	if err != nil {
		c = oip.Internal
		if e, ok := errors.AsType[*oip.Error](err); ok && int(e.Code) < oip.NumCodes {
			c = e.Code
		}
	}
	if c != answered || what != infer { // the answer to an inference has the version that it is of
		v = m.known(v, c)
	}
	m.of(v)[p][what][c].Add(1)
}

// statuses are more than any of HTTP is.
const statuses = 600

// Status counts an answer by HTTP.
func (m *Metrics) Status(status int) {
	if status >= 0 && status < statuses {
		m.statuses[status].Add(1)
	}
}

// Load counts a load of a model that the service has, which failed if err is not nil.
func (m *Metrics) Load(model string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.loads[model]
	if l == nil {
		l = new(loads)
		m.loads[strings.Clone(model)] = l
	}
	if err != nil {
		l.failed++
		return
	}
	l.done, l.last = l.done+1, time.Now()
}

// of returns the calls of a version that the service has.
func (m *Metrics) of(v version) *calls {
	if c := (*m.calls.Load())[v]; c != nil {
		return c
	}
	if len(*m.calls.Load()) >= int(m.most.Load()) { // versions come and go, and nobody asks for the metrics
		m.read()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(*m.calls.Load())
	c := all[v]
	if c == nil { // still, as another one may have come first
		c = new(calls)
		all[version{strings.Clone(v.model), strings.Clone(v.version)}] = c // the request that they are parts of may be large
		m.calls.Store(&all)
	}
	return c
}

// known returns the version that a failed call is counted for: what of the client's words the service knows.
func (m *Metrics) known(v version, c oip.Code) version {
	if _, ok := (*m.calls.Load())[v]; ok {
		return v
	}
	if c == oip.NotFound {
		return version{}
	}
	known := version{}
	index, _ := m.service.Index(false) // which, other than the rest, never loads a model
	for _, x := range index {
		if x.Name == v.model && x.Version == v.version {
			return v
		} else if x.Name == v.model {
			known.model = v.model
		}
	}
	return known
}

// read returns the statistics and the index of the service, and forgets models and versions that there are no more.
func (m *Metrics) read() ([]oip.ModelStatistics, []oip.IndexEntry) {
	statistics, err := m.service.Statistics("", "")
	index, err2 := m.service.Index(false)
	if err != nil || err2 != nil {
		return statistics, index
	}
	keep := map[version]bool{{}: true}
	for _, x := range statistics {
		keep[version{x.Name, x.Version}] = true
	}
	for _, x := range index {
		keep[version{x.Name, ""}], keep[version{x.Name, x.Version}] = true, true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	all := maps.Clone(*m.calls.Load())
	maps.DeleteFunc(all, func(v version, _ *calls) bool { return !keep[v] })
	m.calls.Store(&all)
	m.most.Store(int64(max(fewVersions, 2*len(all))))
	maps.DeleteFunc(m.loads, func(model string, _ *loads) bool { return !keep[version{model, ""}] })
	return statistics, index
}

// Service returns the service with its calls counted as of a protocol.
func (m *Metrics) Service(p Protocol) oip.Service { return &counted{m.service, m, p} }

// counted is a service that counts.
type counted struct {
	oip.Service
	m        *Metrics
	protocol Protocol
}

func (s *counted) count(m method, v version, err error) { s.m.count(s.protocol, m, v, err) }

func (s *counted) Infer(ctx context.Context, r *oip.Request) (*oip.Response, error) {
	a, err := s.Service.Infer(ctx, r)
	v := version{r.Model, r.Version}
	if err == nil {
		v = version{a.Model, a.Version}
	}
	s.count(infer, v, err)
	return a, err
}

func (s *counted) ModelReady(name, v string) (bool, error) {
	a, err := s.Service.ModelReady(name, v)
	s.count(ready, version{name, v}, err)
	return a, err
}

func (s *counted) Model(name, v string) (*oip.ModelMetadata, error) {
	a, err := s.Service.Model(name, v)
	s.count(metadata, version{name, v}, err)
	return a, err
}

func (s *counted) Config(name, v string) (*oip.ModelConfig, error) {
	a, err := s.Service.Config(name, v)
	s.count(config, version{name, v}, err)
	return a, err
}

func (s *counted) Statistics(name, v string) ([]oip.ModelStatistics, error) {
	a, err := s.Service.Statistics(name, v)
	s.count(statistics, version{name, v}, err)
	return a, err
}

func (s *counted) Index(onlyReady bool) ([]oip.IndexEntry, error) {
	a, err := s.Service.Index(onlyReady)
	s.count(index, version{}, err)
	return a, err
}

func (s *counted) Load(ctx context.Context, name string) error {
	err := s.Service.Load(ctx, name)
	s.count(load, version{name, ""}, err)
	return err
}

func (s *counted) Unload(ctx context.Context, name string) error {
	err := s.Service.Unload(ctx, name)
	s.count(unload, version{name, ""}, err)
	return err
}
