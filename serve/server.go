// Package serve answers other programs and people by models: the REST form of the Open Inference Protocol, version 2, rows as
// CSV, a page for the browser, and metrics. A Server is a http.Handler over model files. Serve gives it a listener with limits, and reads
// files again when they are replaced; a handler in a server of another kind reads them again where a request asks for it, and has of
// Options neither Poll nor Connections and TLS, nor the look at names of hosts that are not this machine's.
//
// One subject a file: repository.go the models, queue.go requests that are joined, scan.go and tensor.go what is read,
// infer.go and rows.go what is answered, card.go what a model is, guard.go who is answered and how much.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/internal/access"
)

// Options of a server. The zero value is that of mercer serve without flags.
type Options struct {
	Token       string        // that requests must carry, as Authorization: Bearer TOKEN; "": none
	TLS         *tls.Config   // of the listener; nil: no TLS
	Body        int64         // bytes of a request's body at most; default 32 MiB
	Rows        int           // of a request at most; default 100 000
	Time        time.Duration // for reading a request and answering it; default 30 s
	Connections int           // at the same time; more wait to be accepted; default 1024
	Memory      int64         // bytes that the bodies of all requests at work may take, and what is made of them; default 1 GiB
	Poll        time.Duration // between two looks at the model files; 1 s unless positive
	Log         *slog.Logger  // nil: nothing is logged. No log has rows, cells, predictions or names of columns

	joined func(requests, rows int)
}

func (o Options) withDefaults() Options {
	set(&o.Body, 32<<20)
	set(&o.Rows, 100_000)
	set(&o.Time, 30*time.Second)
	set(&o.Connections, 1024)
	set(&o.Memory, 1<<30)
	if o.Poll <= 0 {
		o.Poll = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func set[T comparable](to *T, otherwise T) {
	var zero T
	if *to == zero {
		*to = otherwise
	}
}

// Server answers requests by models. Its methods may be called at the same time.
type Server struct {
	o        Options
	models   *repository
	metrics  *metrics
	mux      *http.ServeMux
	page     page
	guard    *access.Guard
	used     atomic.Int64 // bytes of Options.Memory
	buffers  sync.Pool    // *[]byte
	stopping atomic.Bool
	local    atomic.Bool // answers loopback alone
}

// New reads the models, each named as its file without extension; files of one name are versions of one model, of which
// the last is the one that requests without a version mean. A file that is no model is an error.
func New(ctx context.Context, paths []string, o Options) (*Server, error) {
	if len(paths) == 0 {
		return nil, errors.New("no model; name a file that mercer fit -o wrote")
	}
	if strings.TrimSpace(o.Token) != o.Token {
		return nil, errors.New("white space around the token, which no header can carry; leave it out")
	}
	s := &Server{o: o.withDefaults(), metrics: newMetrics()}
	s.guard = &access.Guard{
		Token:  s.o.Token,
		Remedy: "send the header Authorization: Bearer TOKEN",
		Start:  "behind a proxy start it with --token",
	}
	s.o.joined = s.metrics.joined
	var err error
	if s.models, err = open(ctx, paths, s.o); err != nil {
		return nil, err
	}
	s.metrics.watch(s.models)
	s.page = newPage()
	s.routes()
	return s, nil
}

// Serve answers what comes from the listener until the context ends; it then accepts nothing more, answers the requests
// that it has begun with, and returns nil. Meanwhile it looks at the model files and reads those that have changed: a good one
// takes the place of the old, of a faulty one the old stays.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.local.Store(isLoopback(l.Addr()))
	inner := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: min(10*time.Second, s.o.Time),
		ReadTimeout:       s.o.Time,
		WriteTimeout:      3 * s.o.Time, // reading, answering, writing
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 16,
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug), // of handshakes and of clients that went away
		TLSConfig:         s.o.TLS,
	}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.follow(watching)
	ended := make(chan error, 1)
	go func() {
		l := limited(l, s.o.Connections)
		if s.o.TLS != nil {
			ended <- inner.ServeTLS(l, "", "")
			return
		}
		ended <- inner.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.stopping.Store(true)
	s.o.Log.Info("stopping", "until", "requests in flight are answered")
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*s.o.Time)
	defer cancel()
	if err := inner.Shutdown(last); err != nil {
		return fmt.Errorf("requests were still in flight %v after the end: %w", 3*s.o.Time, err)
	}
	return nil
}

// follow reads model files that have changed.
func (s *Server) follow(ctx context.Context) {
	tick := time.NewTicker(s.o.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, f := range s.models.all() {
			if next, err := f.follow(ctx, s.o); ctx.Err() == nil && (next != nil || err != nil) {
				s.reloaded(f, next, err)
			}
		}
	}
}

// reloaded tells the log and the metrics of a file that was read again, next, or why it could not be.
func (s *Server) reloaded(f *file, next *loaded, err error) {
	s.metrics.reloaded(f.name, err == nil)
	if err != nil {
		s.o.Log.Error("model not replaced", "model", f.name, "file", f.path, "error", err)
		return
	}
	s.o.Log.Info("model loaded", "model", f.name, "version", next.version, "file", f.path)
}

// isLoopback says whether an address is one that only this machine reaches.
func isLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.IP.IsLoopback()
}

// limited is a listener that has so many connections open at most; more wait in the system's queue.
func limited(l net.Listener, most int) net.Listener {
	return &limitedListener{Listener: l, free: make(chan struct{}, most), closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   atomic.Bool
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: c, free: l.free}, nil
}

func (l *limitedListener) Close() error {
	if l.once.CompareAndSwap(false, true) {
		close(l.closed)
	}
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free chan struct{}
	once atomic.Bool
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	if c.once.CompareAndSwap(false, true) {
		<-c.free
	}
	return err
}
