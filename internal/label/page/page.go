// Package page shows a labelling session in a browser: a page with its style sheet and script, which are in the program,
// and the few requests that it makes. It needs no other host and no build step.
//
//	GET  /                 the page
//	GET  /state            label.State, and its curve
//	GET  /question         the number of the question, by which a page sees that another one has answered
//	GET  /map              where the rows are in the plane
//	GET  /row/ROW          what a person sees of a row
//	GET  /image/ROW        its picture
//	POST /answer /skip /undo /ask /finish      a Request; the answer is label.State again
//
// Every Server is a session with an id of its own, which the page, the states and the question have. A page that stays open while
// another session takes its address shows rows of other data: its requests get status 409, and it loads itself again. The
// addresses of pictures have the id, so that those that a browser keeps are none of other data.
//
// A request that comes too late, because somebody else has answered the question, gets status 409 and the state, which has
// the next question. An answer that is no class gets 422, one that could not be written to the disk 507 or 500; both
// change nothing. Requests by another name than this machine's (421), from pages of other sites (403) and without the token, where there
// is one (401), are refused: a page on the web must not label.
package page

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"syscall"

	"github.com/mercer-ml/mercer/internal/access"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/oserror"
	style "github.com/mercer-ml/mercer/internal/page"
)

//go:embed page.html page.css page.js
var files embed.FS

// Cell is a value of a row under its column's name.
type Cell struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Row is what a person sees of a row.
type Row struct {
	Name  string `json:"name"` // line of its file, or its number
	Image bool   `json:"image"`
	Text  string `json:"text,omitempty"`
	Cells []Cell `json:"cells,omitempty"`
}

// Show tells what rows look like.
type Show struct {
	Title string // of the page: the name of the data
	Ends  string // what ending does, for the button's explanation
	Row   func(i int) (Row, error)
	// Token is asked for where it is not empty: of a browser in the address of the page, ?token=TOKEN, of others in the header
	// Authorization.
	Token string
	Image func(ctx context.Context, i int) (content []byte, err error) // PNG, JPEG, GIF or WebP; nil: rows have no pictures
}

// Request is what a page asks for.
type Request struct {
	Session string `json:"session"` // that the page is of
	Number  int    `json:"number"`  // of the question it shows, and its row
	Row     int    `json:"row"`
	Label   string `json:"label"` // of /answer
	New     bool   `json:"new"`   // the label is a class that is not known yet
	Note    string `json:"note"`  // beside an answer or a skip
	Again   int    `json:"again"` // row of /ask
}

// Server answers the requests of pages.
type Server struct {
	session  *label.Session
	id       string // of the session
	features *label.Features
	show     Show
	guard    *access.Guard
	mux      *http.ServeMux
	once     sync.Once
	done     chan struct{}
}

// New serves a session.
func New(s *label.Session, f *label.Features, show Show) *Server {
	p := &Server{session: s, id: rand.Text(), features: f, show: show, mux: http.NewServeMux(), done: make(chan struct{}),
		guard: &access.Guard{Token: show.Token, Remedy: "open the address that mercer label printed",
			Start: "open the address that mercer label printed"}}
	p.mux.HandleFunc("GET /{$}", p.page)
	for name, kind := range map[string]string{"page.css": "text/css", "page.js": "text/javascript"} {
		p.mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, _ *http.Request) { p.file(w, name, kind) })
	}
	p.mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { p.reply(w, http.StatusOK, "") })
	p.mux.HandleFunc("GET /question", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, struct {
			label.Question
			Session string `json:"session"`
		}{p.session.Question(), p.id})
	})
	p.mux.HandleFunc("GET /map", p.plane)
	p.mux.HandleFunc("GET /row/{row}", p.row)
	p.mux.HandleFunc("GET /image/{row}", p.image)
	for path, act := range map[string]func(label.Question, Request) error{
		"/answer": func(q label.Question, r Request) error {
			return s.Answer(q, label.Reply{Label: r.Label, New: r.New, Note: r.Note})
		},
		"/skip": func(q label.Question, r Request) error { return s.Skip(q, r.Note) },
		"/undo": func(q label.Question, _ Request) error { return s.Undo(q) },
		"/ask":  func(q label.Question, r Request) error { return s.Ask(q, r.Again) },
	} {
		p.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) { p.act(w, r, act) })
	}
	p.mux.HandleFunc("POST /finish", p.finish)
	return p
}

// Done is closed when a person has ended the session.
func (p *Server) Done() <-chan struct{} { return p.done }

// ServeHTTP implements http.Handler.
func (p *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	err := cmp.Or(p.guard.Own(r), p.guard.SameSite(r))
	if err == nil && r.URL.Path == "/" && p.guard.Enter(w, r) {
		return
	}
	var refusal *access.Refusal
	if errors.As(cmp.Or(err, p.guard.Known(r)), &refusal) {
		http.Error(w, refusal.What, refusal.Status)
		return
	}
	p.mux.ServeHTTP(w, r)
}

// page is the page itself.
func (p *Server) page(w http.ResponseWriter, _ *http.Request) {
	t, err := template.ParseFS(files, "page.html")
	if err != nil {
		http.Error(w, brief.Message(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = t.Execute(w, struct {
		Show
		Session string
	}{p.show, p.id}) // the reader has gone away if it fails
}

// file is a part of the page. Its look is that of reports.
func (p *Server) file(w http.ResponseWriter, name, kind string) {
	text, err := files.ReadFile(name)
	if err != nil {
		http.Error(w, brief.Message(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	if name == "page.css" {
		text = append([]byte(style.Style()), text...)
	}
	_, _ = w.Write(text) // as above
}

// plane says where the rows are: [x, y, x, y, ...] in [0, 1].
func (p *Server) plane(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, p.features.Place.RawMatrix().Data)
}

// which reads the row of a path.
func (p *Server) which(w http.ResponseWriter, r *http.Request) (int, bool) {
	i, err := strconv.Atoi(r.PathValue("row"))
	if n, _ := p.features.Z.Dims(); err != nil || i < 0 || i >= n {
		http.Error(w, brief.Message(fmt.Sprintf("no row %q; rows are numbered from 0 to %d", r.PathValue("row"), n-1)), http.StatusNotFound)
		return 0, false
	}
	return i, true
}

func (p *Server) row(w http.ResponseWriter, r *http.Request) {
	i, ok := p.which(w, r)
	if !ok {
		return
	}
	row, err := p.show.Row(i)
	if err != nil {
		http.Error(w, brief.Message(err.Error()), http.StatusInternalServerError)
		return
	}
	row.Image = p.show.Image != nil
	write(w, http.StatusOK, row)
}

// image is the picture of a row. What the data name is served only if it is a picture.
func (p *Server) image(w http.ResponseWriter, r *http.Request) {
	i, ok := p.which(w, r)
	switch {
	case !ok:
		return
	case p.show.Image == nil:
		http.Error(w, "rows have no pictures", http.StatusNotFound)
		return
	}
	content, err := p.show.Image(r.Context(), i)
	if err != nil {
		http.Error(w, brief.Message(err.Error()), http.StatusNotFound)
		return
	}
	kind := http.DetectContentType(content)
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
	default:
		http.Error(w, "the file is no picture: PNG, JPEG, GIF, WebP and BMP are shown", http.StatusUnsupportedMediaType)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	_, _ = w.Write(content) // the reader has gone away if it fails
}

// most bytes of a request.
const most = 1 << 16

// read reads a Request, and answers itself where it is none of this session.
func (p *Server) read(w http.ResponseWriter, r *http.Request) (Request, bool) {
	var q Request
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		http.Error(w, "send JSON with Content-Type application/json", http.StatusUnsupportedMediaType)
		return q, false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	d.DisallowUnknownFields()
	err := d.Decode(&q)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		http.Error(w, fmt.Sprintf("the request has more than %d bytes", most), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, brief.Message("no request of this page: "+err.Error()), http.StatusBadRequest)
	case q.Session != p.id:
		p.reply(w, http.StatusConflict, "this page is of another session, so nothing was taken; reload it")
	}
	return q, err == nil && q.Session == p.id
}

// act does what a request asks for and answers with the state after it.
func (p *Server) act(w http.ResponseWriter, r *http.Request, do func(label.Question, Request) error) {
	q, ok := p.read(w, r)
	if !ok {
		return
	}
	select {
	case <-p.done:
		http.Error(w, "the session has ended; start mercer label again to go on", http.StatusConflict)
		return
	default:
	}
	err := do(label.Question{Number: q.Number, Row: q.Row}, q)
	var wrong *label.AnswerError
	switch {
	case err == nil:
		p.reply(w, http.StatusOK, "")
	case errors.Is(err, label.ErrStale), errors.Is(err, label.ErrNothing):
		p.reply(w, http.StatusConflict, err.Error())
	case errors.As(err, &wrong):
		p.reply(w, http.StatusUnprocessableEntity, err.Error())
	case oserror.Is(err, syscall.ENOSPC):
		p.reply(w, http.StatusInsufficientStorage, "the disk is full, so the answer was not taken; free some space and answer again")
	default:
		p.reply(w, http.StatusInternalServerError, "the answer could not be kept, so it was not taken: "+err.Error())
	}
}

// reply is the state, and what went wrong.
func (p *Server) reply(w http.ResponseWriter, status int, wrong string) {
	write(w, status, struct {
		label.State
		Session string        `json:"session"`
		Curve   []label.Point `json:"curve"`
		Wrong   string        `json:"wrong,omitempty"`
	}{p.session.State(), p.id, p.session.Curve(), brief.Message(wrong)})
}

// finish ends the session.
func (p *Server) finish(w http.ResponseWriter, r *http.Request) {
	if _, ok := p.read(w, r); !ok {
		return
	}
	write(w, http.StatusOK, map[string]string{"ended": p.show.Ends})
	p.once.Do(func() { close(p.done) })
}

func write(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, brief.Message(err.Error()), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the reader has gone away if it fails
}
