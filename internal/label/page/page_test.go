package page

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/test/axetest"
)

// keeper keeps entries until it is full.
type keeper struct {
	entries []label.Entry
	err     error
}

func (k *keeper) Append(e label.Entry) error {
	if k.err != nil {
		return k.err
	}
	k.entries = append(k.entries, e)
	return nil
}

// pixel is a picture.
var pixel = func() []byte {
	b, err := base64.StdEncoding.DecodeString("R0lGODlhAQABAAAAACwAAAAAAQABAAA=")
	if err != nil {
		panic(err)
	}
	return b
}()

// site is a page of sixty rows, whose classes are -1 and 1 where none are given.
func site(t *testing.T, classes ...string) (*httptest.Server, *Server, *keeper, data.Answers) {
	t.Helper()
	if classes == nil {
		classes = []string{"-1", "1"}
	}
	set, err := data.Builtin("two-moons:n=60")
	if err != nil {
		t.Fatal(err)
	}
	f, err := label.Recipe{Size: 20}.Fit(t.Context(), set.Rows)
	if err != nil {
		t.Fatal(err)
	}
	k := &keeper{}
	s, err := label.Begin(f, label.Start{Classes: classes, Keeper: k, Clock: time.Now}, label.Chooser{})
	if err != nil {
		t.Fatal(err)
	}
	p := New(s, f, Show{Title: "<moons>", Ends: "Rows go to a file.",
		Row: func(i int) (Row, error) { return Row{Name: fmt.Sprint("row ", i), Text: "<b>"}, nil },
		Image: func(_ context.Context, i int) ([]byte, error) {
			switch i {
			case 0:
				return nil, errors.New("no such file")
			case 1:
				return []byte("<svg onload=alert(1)>"), nil
			}
			return pixel, nil
		}})
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return server, p, k, set.Answers
}

// reply is a state, and what went wrong.
type reply struct {
	label.State
	Session string
	Curve   []label.Point
	Wrong   string
}

// send posts a request of the session that is there, unless it names another one, and reads the state that comes back.
func send(t *testing.T, server *httptest.Server, path string, r Request) (int, reply) {
	t.Helper()
	r.Session = cmp.Or(r.Session, server.Config.Handler.(*Server).id)
	body, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Post(server.URL+path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var out reply
	if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
		t.Fatalf("%s: %s: %v", path, answer.Status, err)
	}
	return answer.StatusCode, out
}

// get reads a path.
func get(t *testing.T, server *httptest.Server, path string) (int, string, http.Header) {
	t.Helper()
	answer, err := http.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text), answer.Header
}

// TestTwoBrowsers: of two who answer the same question the second is told so and gets the next one; nothing is answered twice.
func TestTwoBrowsers(t *testing.T) {
	server, _, k, answers := site(t)
	_, text, _ := get(t, server, "/state")
	var state reply
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		t.Fatal(err)
	}
	q := state.Question
	var all sync.WaitGroup
	codes := make([]int, 8)
	for n := range codes {
		all.Go(func() {
			codes[n], _ = send(t, server, "/answer", Request{Number: q.Number, Row: q.Row, Label: answers[q.Row]})
		})
	}
	all.Wait()
	taken := 0
	for _, code := range codes {
		switch code {
		case http.StatusOK:
			taken++
		case http.StatusConflict:
		default:
			t.Errorf("status %d", code)
		}
	}
	if taken != 1 || len(k.entries) != 1 {
		t.Errorf("%d answers were taken, %d kept", taken, len(k.entries))
	}
	code, out := send(t, server, "/skip", Request{Number: q.Number, Row: q.Row})
	if code != http.StatusConflict || out.Question.Number != 2 || out.Question.Row == q.Row || out.Wrong == "" {
		t.Errorf("too late: %d %+v %q", code, out.Question, out.Wrong)
	}
}

// TestStatuses: what is refused has the status that says why, and changes nothing.
func TestStatuses(t *testing.T) {
	server, _, k, answers := site(t)
	_, first := send(t, server, "/undo", Request{Number: 1, Row: -2})
	q := first.Question
	good := Request{Number: q.Number, Row: q.Row, Label: answers[q.Row]}
	for _, c := range []struct {
		path string
		r    Request
		err  error
		code int
		want string
	}{
		{"/answer", Request{Number: q.Number, Row: q.Row, Label: "2"}, nil, 422, `"2" is no class`},
		{"/answer", Request{Number: q.Number, Row: q.Row, Label: "", New: true}, nil, 422, "no label"},
		{"/ask", Request{Number: q.Number, Row: q.Row, Again: 60}, nil, 422, "no row 60"},
		{"/undo", good, nil, 409, "no answer to take back"},
		{"/answer", good, fmt.Errorf("write: %w", syscall.ENOSPC), 507, "disk is full"},
		{"/answer", good, errors.New("burnt"), 500, "burnt"},
	} {
		k.err = c.err
		code, out := send(t, server, c.path, c.r)
		if code != c.code || !strings.Contains(out.Wrong, c.want) || out.Question != q || out.Answered != 0 {
			t.Errorf("%s %+v: %d %q %+v", c.path, c.r, code, out.Wrong, out.Question)
		}
	}
	k.err = nil
	good.Note = "unclear"
	if code, out := send(t, server, "/answer", good); code != 200 || out.Answered != 1 || !out.State.Undo || len(out.Curve) != 1 ||
		k.entries[0].Note != "unclear" {
		t.Errorf("a good answer: %d, %d answered", code, out.Answered)
	}
	post := func(kind, origin, host, body string) int {
		r, err := http.NewRequest(http.MethodPost, server.URL+"/answer", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if host != "" {
			r.Host = host
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	const kind = "application/json"
	for code, got := range map[int][]int{
		415: {post("text/plain", "", "", "{}")},
		400: {post(kind, "", "", "{"), post(kind, "", "", `{"nosuch":1}`)},
		413: {post(kind, "", "", `{"label":"`+strings.Repeat("x", most)+`"}`)},
		403: {post(kind, "http://example.org", "", "{}"), post(kind, "null", "", "{}")},
		421: {post(kind, "", "example.org", "{}")},
		409: {post(kind, server.URL, "", "{}"), post(kind, "", "localhost", "{}")},
	} {
		for n, v := range got {
			if v != code {
				t.Errorf("status %d, want %d (%d)", v, code, n)
			}
		}
	}
}

// TestOtherSession: what a page of another session asks for is refused and changes nothing; it is told which session is there now.
func TestOtherSession(t *testing.T) {
	_, old, _, _ := site(t)
	server, p, k, answers := site(t)
	q := p.session.Question()
	if old.id == p.id {
		t.Fatalf("two sessions have the id %q", p.id)
	}
	if code, out := send(t, server, "/answer", Request{Number: q.Number, Row: q.Row, Label: answers[q.Row]}); code != http.StatusOK {
		t.Fatalf("%d %s", code, out.Wrong)
	}
	q = p.session.Question()
	for _, path := range []string{"/answer", "/skip", "/undo", "/ask", "/finish"} {
		code, out := send(t, server, path, Request{Session: old.id, Number: q.Number, Row: q.Row, Label: answers[q.Row], Again: 5})
		if code != http.StatusConflict || out.Session != p.id || !strings.Contains(out.Wrong, "reload") || out.Question != q {
			t.Errorf("%s: %d, session %q, %q, %+v", path, code, out.Session, out.Wrong, out.Question)
		}
	}
	select {
	case <-p.Done():
		t.Error("it was ended")
	default:
	}
	if len(k.entries) != 1 {
		t.Errorf("kept: %+v", k.entries)
	}
	for path, before := range map[string]string{"/": `data-session="`, "/state": `"session":"`, "/question": `"session":"`} {
		if _, text, _ := get(t, server, path); !strings.Contains(text, before+p.id+`"`) {
			t.Errorf("%s does not say of which session it is: %.200s", path, text)
		}
	}
}

// TestPages: the page, its files, rows and pictures; nothing of the data becomes HTML, and no file that is no picture is served.
func TestPages(t *testing.T) {
	server, _, _, _ := site(t)
	for path, want := range map[string]struct {
		code int
		kind string
		text string
	}{
		"/":         {200, "text/html; charset=utf-8", "&lt;moons&gt;"},
		"/page.js":  {200, "text/javascript; charset=utf-8", "keydown"},
		"/page.css": {200, "text/css; charset=utf-8", "--class-7"},
		"/map":      {200, "application/json", "["},
		"/question": {200, "application/json", `"number":1`},
		"/row/3":    {200, "application/json", `"name":"row 3"`},
		"/row/60":   {404, "text/plain; charset=utf-8", "0 to 59"},
		"/row/x":    {404, "text/plain; charset=utf-8", "0 to 59"},
		"/image/2":  {200, "image/gif", "GIF89a"},
		"/image/0":  {404, "text/plain; charset=utf-8", "no such file"},
		"/image/1":  {415, "text/plain; charset=utf-8", "no picture"},
		"/image/-1": {404, "text/plain; charset=utf-8", "0 to 59"},
		"/nosuch":   {404, "text/plain; charset=utf-8", ""},
	} {
		code, text, head := get(t, server, path)
		if code != want.code || head.Get("Content-Type") != want.kind || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d %s %.80q", path, code, head.Get("Content-Type"), text)
		}
		if !strings.Contains(head.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: no policy", path)
		}
	}
}

// TestFinish: the end is told once, and no answer is taken after it.
func TestFinish(t *testing.T) {
	server, p, k, answers := site(t)
	q := p.session.Question()
	for range 2 {
		answer, err := http.Post(server.URL+"/finish", "application/json", strings.NewReader(`{"session":"`+p.id+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != 200 || !strings.Contains(string(text), "Rows go to a file.") {
			t.Errorf("%s %s", answer.Status, text)
		}
	}
	<-p.Done()
	body, _ := json.Marshal(Request{Session: p.id, Number: q.Number, Row: q.Row, Label: answers[q.Row]})
	answer, err := http.Post(server.URL+"/answer", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusConflict || len(k.entries) > 0 {
		t.Errorf("after the end: %s, %d kept", answer.Status, len(k.entries))
	}
}

// TestBarriers: the page has none that axe-core knows, with a curve and a skipped row.
func TestBarriers(t *testing.T) {
	server, p, _, answers := site(t)
	for _, path := range []string{"/answer", "/skip", "/answer", "/answer"} {
		q := p.session.Question()
		if code, out := send(t, server, path, Request{Number: q.Number, Row: q.Row, Label: answers[q.Row], Note: "unclear"}); code != 200 {
			t.Fatalf("%s: %d %s", path, code, out.Wrong)
		}
	}
	axetest.Check(t, p, "/")
}
