package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/model"
)

// listening is a server at a port of its own, and what ends it.
func listening(t *testing.T, s *Server) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(cancel)
	return l.Addr().String(), func() error { cancel(); return <-ended }
}

// TestReload: a replaced file is served soon, with no request lost meanwhile; garbage in its place is told, and the old stays.
func TestReload(t *testing.T) {
	path := saved(t, map[string]*model.Model{"m": three(1)})[0]
	s, err := New(t.Context(), []string{path}, Options{Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	address, stop := listening(t, s)
	body := input(normal(2, 3, 3))
	want := map[string]string{} // answers by version
	for seed := range uint64(2) {
		one, err := New(t.Context(), saved(t, map[string]*model.Model{"m": three(1 + 4*seed)}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, text := sent(one, "POST", "/v2/models/m/infer", body)
		want[inferred(t, one, "m", body).Version] = text
	}
	seen := map[string]int{}
	ask := func() {
		t.Helper()
		answered, err := http.Post("http://"+address+"/v2/models/m/infer", "", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answered.Body.Close()
		text, err := io.ReadAll(answered.Body)
		var a inference
		if err != nil || json.Unmarshal(text, &a) != nil || want[a.Version] == "" || want[a.Version] != string(text) {
			t.Fatalf("%v %s", err, text)
		}
		seen[a.Version]++
	}
	until := func(done func() bool) {
		t.Helper()
		for range 2000 {
			ask()
			if done() {
				return
			}
		}
		t.Fatalf("nothing happened; versions %v", seen)
	}
	ask()
	first := s.models.files["m"][0].now.Load()
	if err := three(5).Save(path); err != nil {
		t.Fatal(err)
	}
	until(func() bool { return s.models.files["m"][0].now.Load() != first })
	ask()
	if len(seen) != 2 {
		t.Errorf("versions %v", seen)
	}
	if err := os.WriteFile(path, []byte("mercer model 3\ngarbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(func() bool { return s.models.files["m"][0].fault.Load() != nil })
	if _, text := sent(s, "POST", "/v2/repository/index", ""); !strings.Contains(text, "READY") || !strings.Contains(text,
		"cannot be read") {
		t.Error(text)
	}
	if _, text := sent(s, "GET", "/metrics", ""); !strings.Contains(text, `mercer_model_faulty{file=`+strconv.Quote(path)+`,model="m"} 1`) {
		t.Error("the metrics do not tell")
	}
	// Windows removes no file that is open, as this one is while the server looks at it.
	until(func() bool { return os.Remove(path) == nil })
	ask()
	if code, text := sent(s, "POST", "/v2/repository/models/m/load", ""); code != 400 || !strings.Contains(text, "no such file") {
		t.Error(code, text)
	}
	if err := three(1).Save(path); err != nil {
		t.Fatal(err)
	}
	until(func() bool { return s.models.files["m"][0].fault.Load() == nil })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestStop: a request in flight is answered after the end was asked for, and then nothing listens.
func TestStop(t *testing.T) {
	s := started(t, map[string]*model.Model{"m": three(1)}, Options{})
	address, stop := listening(t, s)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := input(normal(1, 3, 1))
	fmt.Fprintf(c, "POST /v2/models/m/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:10])
	inFlight := func() bool {
		_, text := sent(s, "GET", "/metrics", "")
		return strings.Contains(text, "mercer_requests_in_flight 2")
	}
	for i := 0; !inFlight(); i++ {
		if i > 2000 {
			t.Fatal("the request does not arrive")
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- stop() }()
	for i := 0; !s.stopping.Load() && i < 2000; i++ {
		time.Sleep(time.Millisecond)
	}
	if code, _ := sent(s, "GET", "/v2/health/ready", ""); code != 503 {
		t.Errorf("ready while it stops: %d", code)
	}
	if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, body[10:])
	text, err := io.ReadAll(c)
	if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 200")) || !bytes.Contains(text, []byte("prediction")) {
		t.Errorf("%v %s", err, text)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", address); err == nil {
		t.Error("something still listens")
	}
}

// TestLimits: a body that comes too slowly, one that is endless, more connections than are allowed, memory that is used up.
func TestLimits(t *testing.T) {
	limits := Options{Time: time.Second, Body: 10_000, Connections: 2, Memory: 1 << 20}
	s := started(t, map[string]*model.Model{"m": three(1)}, limits)
	address, _ := listening(t, s)
	dial := func(text string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.SetDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		return c
	}
	const head = "POST /predict HTTP/1.1\r\nHost: localhost\r\n"
	slow := dial(head + "Content-Length: 50\r\n\r\nu,v")
	endless := dial(head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("2000\r\n"+strings.Repeat("1", 0x2000)+"\r\n", 2))
	third := dial("GET /v2 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") // is accepted when one of the others has ended
	for c, want := range map[net.Conn]string{slow: "408", endless: "413", third: "200"} {
		text, _ := io.ReadAll(c) // a reset may follow the answer
		if !bytes.HasPrefix(text, []byte("HTTP/1.1 "+want)) {
			t.Errorf("%s, want %s", text, want)
		}
		c.Close()
	}
	if used := s.used.Load(); used != 0 {
		t.Errorf("%d bytes are not given back", used)
	}
	s.giveBack(make([]byte, 0, pooledBytes)) // of a large request; a small one that gets it takes no more memory than before
	if code, text := sent(s, "POST", "/predict", "u,v,w\n1,2,3\n"); code != 200 {
		t.Errorf("a small request in a large buffer: %d %s", code, text)
	}
	late := started(t, map[string]*model.Model{"m": three(1)}, Options{Time: time.Nanosecond})
	for path, body := range map[string]string{"/v2/models/m/infer": input(normal(1, 3, 1)), "/predict": "u,v,w\n1,2,3\n"} {
		if runtime.GOOS == "windows" {
			continue // whose clock may stand still until the answer is there
		}
		if code, text := sent(late, "POST", path, body); code != 503 || !strings.Contains(text, "no answer within 1ns") {
			t.Errorf("%s without time: %d %s", path, code, text)
		}
	}
	s.used.Store(1 << 20)
	if code, text := sent(s, "POST", "/predict", "u,v,w\n1,2,3\n"); code != 503 {
		t.Errorf("memory used up: %d %s", code, text)
	}
}
