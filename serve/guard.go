package serve

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"github.com/mercer-ml/mercer/internal/access"
	"github.com/mercer-ml/mercer/internal/brief"
)

// fault is an answer that is an error: its status and what is wrong, with a remedy.
type fault struct {
	status int
	what   string
}

func (f *fault) Error() string { return f.what }

func bad(format string, args ...any) error {
	return &fault{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// statusClientGone is what logs and metrics have for a client that did not wait, as other servers have it.
const statusClientGone = 499

// recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	route  string // pattern of the route, "" for none
	model  string
	rows   int
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// handler answers a request or says why not.
type handler func(w *recorder, r *http.Request) error

// handle registers a handler under a pattern of http.ServeMux. Open ones need no token.
func (s *Server) handle(pattern string, isOpen bool, h handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		rec := w.(*recorder)
		rec.route = pattern
		err := error(nil)
		if !isOpen {
			err = s.guard.Known(r)
		}
		if err == nil {
			err = h(rec, r)
		}
		switch {
		case err != nil:
			s.refuse(rec, r, err)
		case rec.status == 0: // an answer without a byte
			rec.status = http.StatusOK
		}
	})
}

// ServeHTTP answers one request, within the time of Options.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	rec := &recorder{ResponseWriter: w}
	ctx, cancel := context.WithTimeout(r.Context(), s.o.Time)
	defer cancel()
	s.metrics.flying.Inc()
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler { //nolint:errorlint // a value of panic, compared as net/http does
				panic(p)
			}
			s.o.Log.Error("internal error", "route", rec.route, "panic", p, "stack", string(debug.Stack()))
			s.refuse(rec, r, internal())
		}
		s.metrics.flying.Dec()
		took := time.Since(start)
		s.metrics.answered(rec, took)
		level := slog.LevelInfo
		if rec.status >= http.StatusInternalServerError {
			level = slog.LevelWarn
		}
		s.o.Log.Log(ctx, level, "request", "method", r.Method, "route", rec.route, "status", rec.status, "model", rec.model,
			"rows", rec.rows, "bytes", rec.bytes, "seconds", took.Seconds())
	}()
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	err := s.guard.SameSite(r)
	if s.local.Load() {
		err = cmp.Or(s.guard.Own(r), err)
	}
	if err != nil {
		s.refuse(rec, r, err)
		return
	}
	s.mux.ServeHTTP(rec, r.WithContext(ctx))
}

// refuse answers with an error, as {"error": "..."}, where nothing was answered yet.
func (s *Server) refuse(w *recorder, r *http.Request, err error) {
	if w.status != 0 {
		return // the answer has begun; the connection's end tells
	}
	f := s.faultOf(w, r, err)
	h := w.Header()
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="mercer"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case http.StatusRequestEntityTooLarge, http.StatusRequestTimeout:
		h.Set("Connection", "close") // what is left of the body is not read
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": brief.Message(f.what)}) // a client that went away is told nothing
}

// faultOf is the status and text of an error.
func (s *Server) faultOf(w *recorder, r *http.Request, err error) *fault {
	var f *fault
	var refusal *access.Refusal
	var large *http.MaxBytesError
	var system *fs.PathError // of a file of the server's own
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &refusal):
		return &fault{refusal.Status, refusal.What}
	case errors.As(err, &large):
		return s.tooLarge()
	case errors.As(err, &system), errors.Is(err, errPanicked):
		s.o.Log.Error("internal error", "route", w.route, "error", err)
		return internal()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &fault{http.StatusRequestTimeout, fmt.Sprintf("the request did not arrive within %v; send it faster, or less", s.o.Time)}
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{http.StatusServiceUnavailable, fmt.Sprintf("no answer within %v; send fewer rows at a time", s.o.Time)}
	case r.Context().Err() != nil: // the client went away, and reads no answer
		return &fault{statusClientGone, "the client closed the connection"}
	}
	return &fault{http.StatusBadRequest, err.Error()}
}

// internal is what a client is told of a fault that is the server's; the log has the rest.
func internal() *fault {
	return &fault{http.StatusInternalServerError, "internal error; the server's log has more"}
}

func (s *Server) tooLarge() *fault {
	return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than %d bytes; send fewer rows at a time", s.o.Body)}
}

// weight is what a byte of a body may take: itself, and as JSON of two bytes a value the eight of a number.
const weight = 5

// pooledBytes is the most that a buffer keeps between requests; no result depends on it.
const pooledBytes = 1 << 20

// buffer is an empty one, for giveBack to take again.
func (s *Server) buffer() []byte {
	if held, ok := s.buffers.Get().(*[]byte); ok {
		return (*held)[:0]
	}
	return nil
}

// giveBack keeps the memory of a buffer for other requests.
func (s *Server) giveBack(buf []byte) {
	if cap(buf) <= pooledBytes {
		s.buffers.Put(&buf)
	}
}

// body is that of a request, with the memory that is counted for it and for what is made of it.
type body struct {
	s    *Server
	text []byte
	used int64 // bytes of Options.Memory
}

// take counts so many bytes more, or refuses the request.
func (b *body) take(n int64) error {
	b.used += n
	if b.s.used.Add(n) > b.s.o.Memory {
		return &fault{http.StatusServiceUnavailable, "too many large requests at the same time; try again"}
	}
	return nil
}

// hold takes the memory of a body or of what is made of it. A request that would need more than there is at all need not try again.
func (b *body) hold(n int64) error {
	if b.used+n > b.s.o.Memory {
		return &fault{http.StatusRequestEntityTooLarge, fmt.Sprintf(
			"what is made of the body needs more memory than the %d bytes of --memory; send fewer rows or columns at a time", b.s.o.Memory)}
	}
	return b.take(n)
}

// done gives the memory back.
func (b *body) done() {
	b.s.used.Add(-b.used)
	b.s.giveBack(b.text)
}

// body reads the body of a request. Who gets it calls done, also after an error.
func (s *Server) body(w *recorder, r *http.Request) (*body, error) {
	b := &body{s: s, text: s.buffer()}
	if r.ContentLength > s.o.Body {
		return b, s.tooLarge()
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return b, &fault{http.StatusUnsupportedMediaType, "a body with Content-Encoding; send it as it is"}
	}
	in := http.MaxBytesReader(w.ResponseWriter, r.Body, s.o.Body)
	var room int64 // bytes of the body that memory is counted for
	for {
		if int64(len(b.text)) == room {
			more := max(4096, min(r.ContentLength+1, pooledBytes))
			if room > 0 {
				more = min(2*room, max(s.o.Body+1, room+1))
			}
			err := b.hold(weight * (more - room))
			if room = more; err != nil {
				return b, err
			}
			if room > int64(cap(b.text)) {
				b.text = append(make([]byte, 0, room), b.text...)
			}
		}
		n, err := in.Read(b.text[len(b.text):room])
		b.text = b.text[:len(b.text)+n]
		if errors.Is(err, io.EOF) {
			return b, packed(b.text)
		}
		if err != nil {
			return b, err
		}
	}
}

// packed refuses text that is packed: its size says nothing of the memory that it needs.
func packed(text []byte) error {
	for _, p := range []struct{ begins, as string }{{"\x1f\x8b", "gzip"}, {"PK\x03\x04", "zip"}} {
		if bytes.HasPrefix(text, []byte(p.begins)) {
			return &fault{http.StatusUnsupportedMediaType, "a body packed as " + p.as + "; unpack it, and send it as it is"}
		}
	}
	return nil
}
