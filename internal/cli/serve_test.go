package cli

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// heard is a buffer that is written and read at the same time.
type heard struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *heard) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *heard) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// served runs mercer serve and returns its address, what it logs, and what ends it and returns its exit code.
func served(t *testing.T, args ...string) (address string, log *heard, end func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	out, w := io.Pipe()
	log = new(heard)
	code := make(chan int, 1)
	go func() {
		code <- Main(ctx, append([]string{"serve"}, args...), strings.NewReader(""), w, log)
		w.Close()
	}()
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	return strings.TrimSpace(string(line[:n])), log, func() int { cancel(); return <-code }
}

// certified writes a certificate of this machine and its key.
func certified(t *testing.T) (files string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "EC PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}))
	return "cert.pem,key.pem", pool
}

// TestServe: what is served is what mercer predict writes, and each flag changes what is answered.
func TestServe(t *testing.T) {
	folderWithModel(t, nil)
	want := done(t, "predict", "good.mercer", "good.csv").stdout
	files, pool := certified(t)
	way := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}
	web := &http.Client{Transport: way, Timeout: 2 * time.Minute}
	asked := func(address, token string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/predict", strings.NewReader(good))
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := web.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	for _, c := range []struct {
		flags string
		token string
		want  int
	}{
		{"", "", 200},
		{"--token secret", "", 401},
		{"--token secret", "secret", 200},
		{"--max-body 10", "", 413},
		{"--max-rows 4", "", 413},
		{"--memory 100", "", 413},
		{"--quiet", "", 200},
		{"--threads 2 --tls " + files, "", 200},
	} {
		address, log, end := served(t, append([]string{"good.mercer", "--listen", "127.0.0.1:0"}, strings.Fields(c.flags)...)...)
		status, text := asked(address, c.token)
		if status != c.want || status == 200 && text != want {
			t.Errorf("%s: %d %s", c.flags, status, text)
		}
		if strings.HasPrefix(address, "https") != strings.Contains(c.flags, "--tls") {
			t.Errorf("%s: address %s", c.flags, address)
		}
		if code := end(); code != exitDone {
			t.Errorf("%s: exit %d, %s", c.flags, code, log)
		}
		text = log.String()
		if logged := strings.Contains(text, "msg=request"); logged == (c.flags == "--quiet") || strings.Contains(text, "prediction") {
			t.Errorf("%s: logged %s", c.flags, log)
		}
	}
	t.Setenv("MERCER_TOKEN", "other")
	address, _, end := served(t, "good.mercer", "--listen", "127.0.0.1:0", "--request-time", "300ms", "--connections", "1")
	if status, _ := asked(address, "other"); status != 200 {
		t.Errorf("the token of the environment: %d", status)
	}
	r := run(t, "", "serve", "good.mercer", "--listen", strings.TrimPrefix(address, "http://"))
	if r.code != exitData || !strings.Contains(r.stderr, "in use") {
		t.Errorf("a port in use: %+v", r)
	}
	// The one connection is taken by a slow client, whose time ends; the next is answered then.
	slow, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(slow, "POST /predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer other\r\nContent-Length: 9\r\n\r\na,")
	if status, _ := asked(address, "other"); status != 200 {
		t.Errorf("after the slow client: %d", status)
	}
	if text, err := io.ReadAll(slow); err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 408")) {
		t.Errorf("the slow client: %v %s", err, text)
	}
	end()
}

// TestServeReads: a model of words is served from the file of its fit.
func TestServeReads(t *testing.T) {
	var b strings.Builder
	b.WriteString("colour,size,label\n")
	for i := range 24 {
		fmt.Fprintf(&b, "%s,%d,%s\n", []string{"red", "blue", "green"}[i%3], i%5, []string{"x", "y", "x"}[i%3])
	}
	folderWith(t, map[string]string{"words.csv": b.String()})
	done(t, "fit", "words.csv", "--method", "rls", "--quiet", "-o", "words.mercer")
	want := done(t, "predict", "words.mercer", "words.csv").stdout
	address, log, end := served(t, filepath.Join(".", "words.mercer"), "--listen", "127.0.0.1:0")
	defer end()
	answer, err := http.Post(address+"/predict/words", "text/csv", strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != want {
		t.Errorf("%v %s, want %s; %s", err, text, want, log)
	}
}
