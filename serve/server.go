package serve

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"

	"github.com/concord-nn/concord/serve/internal/budget"
	"github.com/concord-nn/concord/serve/internal/h1"
	"github.com/concord-nn/concord/serve/internal/h2"
	"github.com/concord-nn/concord/serve/internal/metrics"
	"github.com/concord-nn/concord/serve/internal/oip"
	"github.com/concord-nn/concord/serve/internal/page"
	"github.com/concord-nn/concord/serve/internal/repository"
	"github.com/concord-nn/concord/serve/internal/rest"
	"github.com/concord-nn/concord/serve/internal/rpc"
)

// Server serves the models of a folder. [New] makes one.
type Server struct {
	opts             Options
	models           *repository.Repository
	metrics          *metrics.Metrics
	handler          http.Handler
	tokens           [][sha256.Size]byte // their sums
	stop             context.Context     // ends with the server
	end              context.CancelFunc
	down             context.Context // done when the server goes down
	goDown           context.CancelFunc
	bodies, decoding chan struct{} // places of [Server.answer]
	origin           *http.CrossOriginProtection
	spare            []byte
}

// spareBytes is how much memory a server keeps that nobody touches, so that the system gives none for it. But Go collects garbage when as much has been
// made as is kept: with small models this would be every few hundred requests, and those that come meanwhile take several times as long.
const spareBytes = 16 << 20

// New returns a server. It reads nothing yet: [Server.Serve] does, or [Server.Start].
func New(opts Options) (*Server, error) {
	opts, err := opts.resolved()
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &Server{opts: opts, bodies: make(chan struct{}, 16), decoding: make(chan struct{}, runtime.GOMAXPROCS(0)), origin: http.NewCrossOriginProtection(), spare: make([]byte, spareBytes)}
	for _, t := range opts.Tokens {
		s.tokens = append(s.tokens, sha256.Sum256([]byte(t)))
	}
	all, some, _ := opts.versions() // which was checked
	s.models = repository.New(opts.Dir, repository.Options{
		Model: opts.Model, Open: s.open, Event: s.happened, Control: controls[opts.Control], Names: opts.Load, Interval: opts.Poll, All: all, Versions: some, Memory: opts.Memory,
	})
	s.stop, s.end = context.WithCancel(context.Background())
	s.down, s.goDown = context.WithCancel(s.stop)
	s.metrics = metrics.New((*service)(s), metricNames[opts.Metrics])
	s.handler = budget.New(s.opts.MaxBodies).Handler(s.front(s.routes()))
	return s, nil
}

// routes are what there is to ask.
func (s *Server) routes() http.Handler {
	protocol := rest.New(s.metrics.Service(metrics.REST), rest.Options{Body: s.opts.MaxBody})
	calls := rpc.New(s.down, s.metrics.Service(metrics.GRPC), rpc.Options{Message: s.opts.MaxBody})
	own := http.NewServeMux()
	for _, path := range page.Paths {
		own.Handle(path, page.Handler())
	}
	own.Handle("/", protocol) // which knows that there is nothing
	own.HandleFunc("/models/{model}/answer", rest.Only(http.MethodPost, s.answer))
	own.HandleFunc("/models/{model}/versions/{version}/answer", rest.Only(http.MethodPost, s.answer))
	if s.opts.Metrics != "off" {
		own.HandleFunc("/metrics", rest.Only(http.MethodGet, s.metrics.ServeHTTP))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isGRPC(r) {
			calls.ServeHTTP(w, r)
		} else if r.URL.Path == "/v2" || strings.HasPrefix(r.URL.Path, "/v2/") {
			protocol.ServeHTTP(w, r)
		} else {
			own.ServeHTTP(w, r)
		}
	})
}

// Handler answers everything that the server is asked, by REST and by gRPC.
func (s *Server) Handler() http.Handler { return cmp.Or(s, new(Server)).handler }

// made is the error of a Server that nobody has made.
func (s *Server) made() error {
	if s == nil || s.models == nil {
		return errors.New("serve: there is no server: it is nil or the zero Server; New makes one")
	}
	return nil
}

// Start looks at the folder, loads what is there, and goes on watching it. A model that is broken is no error; the index says what is wrong with it.
// It is for those who serve [Server.Handler] themselves.
func (s *Server) Start(ctx context.Context) error {
	if err := s.made(); err != nil {
		return err
	}
	if ctx == nil {
		return errors.New("serve: the context is nil")
	}
	if err := s.models.Start(ctx); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Serve loads the models and answers on listeners, which it closes, until the context ends. Then the server is not ready any more and takes no new
// connections; it returns when the requests that run have been answered, or after [Options.Grace]. A listener that is nil is an error before any is used.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	if err := s.made(); err != nil {
		return err
	}
	if i := slices.Index(listeners, nil); i >= 0 {
		return fmt.Errorf("serve: listener %d is nil", i)
	}
	server, lane := s.transport()
	failed := make(chan error, len(listeners)+1)
	for _, l := range listeners {
		s.opts.Log.Info("listening", "address", l.Addr().String(), "tls", s.opts.TLS != nil)
		go func() {
			if s.opts.TLS != nil {
				failed <- server.ServeTLS(l, "", "")
			} else {
				failed <- server.Serve(lane.Listener(l))
			}
		}()
	}
	go func() {
		if err := s.Start(ctx); err != nil {
			failed <- err
		} else {
			s.opts.Log.Info("the folder was read", "ready", s.models.Ready())
		}
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.goDown()
	s.opts.Log.Info("going down", "grace_seconds", s.opts.Grace.Seconds())
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Grace)
	defer cancel()
	if late := errors.Join(server.Shutdown(soon), lane.Shutdown(soon)); late != nil {
		_ = server.Close()
		s.opts.Log.Warn("requests were cut off", "after_seconds", s.opts.Grace.Seconds())
	}
	if late := s.Shutdown(soon); late != nil {
		s.opts.Log.Warn("models are still in use")
	}
	s.opts.Log.Info("down")
	if ctx.Err() != nil {
		return nil // which was asked for
	}
	return err
}

// Shutdown makes the server refuse requests, and closes all models when the requests that run are answered, or leaves them when the context ends.
// Only who serves [Server.Handler] himself needs it.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.made(); err != nil {
		return err
	}
	s.goDown()
	defer s.end()
	return s.models.Close(ctx)
}

// transport is what speaks HTTP: version 1, and version 2 with TLS or without; and the lane for what is small, without TLS.
func (s *Server) transport() (*http.Server, *h1.Lane) {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Handler: s.handler, TLSConfig: s.opts.TLS, Protocols: protocols, MaxHeaderBytes: s.opts.MaxHeader,
		ReadHeaderTimeout: s.opts.HeaderTimeout, ReadTimeout: s.opts.ReadTimeout, IdleTimeout: s.opts.IdleTimeout,
		HTTP2:    &http.HTTP2Config{WriteByteTimeout: s.opts.WriteTimeout},
		ErrorLog: slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug), // such as of handshakes with those who do not speak TLS
	}
	h2.Configure(server)
	return server, h1.Configure(server)
}

// statistics are those of all versions that are loaded.
func (s *Server) statistics() []oip.ModelStatistics {
	list := []oip.ModelStatistics{}
	s.models.Each(func(name, number string, loaded repository.Loaded) {
		v := loaded.(*version)
		st := v.scheduler.Statistics()
		st.Name, st.Version, st.Memory = name, number, uint64(v.Bytes())
		list = append(list, st)
	})
	return list
}

// happened notes what happened to a model.
func (s *Server) happened(e repository.Event) {
	log := s.opts.Log
	if e.Model != "" {
		log = log.With("model", e.Model)
	}
	if e.Version != "" {
		log = log.With("version", e.Version)
	}
	switch e.What {
	case repository.Arrived:
		s.metrics.Load(e.Model, nil)
		log.Info("loaded", "seconds", e.Took.Seconds(), "memory", e.Bytes)
	case repository.Failed:
		s.metrics.Load(e.Model, e.Err)
		log.Error("not loaded", "error", e.Err.Error(), "seconds", e.Took.Seconds())
	case repository.Unloaded:
		log.Info("unloaded", "why", e.Why)
	case repository.Unusable:
		log.Error("no model", "error", e.Err.Error())
	case repository.Unread:
		log.Error("the folder of models cannot be read; what is loaded serves on", "error", e.Err.Error())
	}
}
