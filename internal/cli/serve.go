package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/internal/blas"
	"github.com/mercer-ml/mercer/internal/oserror"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/serve"
)

// serveCmd is mercer serve.
type serveCmd struct {
	Models []string `arg:"" name:"model" help:"Files that mercer fit -o wrote; each is served under its name without extension."`
	Listen string   `help:"${serve_listen}" default:"127.0.0.1:8080" placeholder:"HOST:PORT"`
	guarded
	TLS         string    `name:"tls" help:"Files of a certificate and its key, in PEM." placeholder:"CERT,KEY"`
	MaxBody     byteCount `help:"Bytes of a request at most (default: 32Mi)." default:"32Mi" placeholder:"BYTES"`
	MaxRows     int       `help:"Rows of a request at most (default: 100000)." default:"100000" placeholder:"N"`
	RequestTime limit     `help:"Time to read a request and to answer it, together (default: 30s)." default:"30s" placeholder:"DUR"`
	Connections int       `help:"Connections at the same time at most; more wait (default: 1024)." default:"1024" placeholder:"N"`
	Memory      byteCount `help:"Bytes that all requests at work may take (default: 1Gi)." default:"1Gi" placeholder:"BYTES"`
	Quiet       bool      `help:"Log faults of the server and of model files alone, not every request."`

	threads `group:"Running:"`
}

// Help shows examples.
func (serveCmd) Help() string {
	return `Answers the Open Inference Protocol, version 2 (REST), CSV on /predict, Prometheus on /metrics, and people by a page on /. The
address is printed on standard output when requests are answered; logs go to standard error, and have no data in them. A model
file that is replaced is read again within a second; while it is faulty the old model stays. SIGTERM or an interrupt ends
the program when the requests in flight are answered.

Examples:

    mercer serve rows.mercer
    curl --data-binary @new.csv localhost:8080/predict
    MERCER_TOKEN=secret mercer serve a.mercer b.mercer --listen 0.0.0.0:8443 --tls cert.pem,key.pem`
}

// Run serves.
func (c *serveCmd) Run(e *env) error {
	if err := c.threads.use(); err != nil {
		return err
	}
	blas.SetThreads(1) // as many predictions at a time as processors, each of one thread
	token, err := c.token()
	if err != nil {
		return err
	}
	if c.MaxRows < 1 || c.Connections < 1 {
		return usage("--max-rows %d --connections %d: must be at least 1", c.MaxRows, c.Connections)
	}
	level := slog.LevelInfo
	if c.Quiet {
		level = slog.LevelWarn
	}
	o := serve.Options{
		Token: token, Body: int64(c.MaxBody), Rows: c.MaxRows, Time: time.Duration(c.RequestTime), Connections: c.Connections,
		Memory: int64(c.Memory), Log: slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level})),
	}
	if o.TLS, err = c.certificate(e.ctx); err != nil {
		return err
	}
	l, err := c.listen(e, token)
	if err != nil {
		return err
	}
	s, err := serve.New(e.ctx, c.Models, o)
	if err != nil {
		_ = l.Close() // nothing came of it
		var damaged *model.FileError
		if errors.As(err, &damaged) {
			return &fault{file: damaged.File, what: damaged.What + "; " + damaged.Remedy}
		}
		return err
	}
	scheme := "http"
	if o.TLS != nil {
		scheme = "https"
	}
	if _, err := fmt.Fprintf(e.stdout, "%s://%s\n", scheme, l.Addr()); err != nil {
		return named(err, "standard output", nil)
	}
	return s.Serve(e.ctx, l)
}

// listen takes the port before models are read, so that one in use is told at once.
func (c *serveCmd) listen(e *env, token string) (net.Listener, error) {
	l, err := listenAt(e.ctx, c.Listen, "--listen 127.0.0.1:8081")
	var f *fault
	switch {
	case errors.As(err, &f):
		return nil, err
	case err != nil:
		return nil, usage("--listen %s: %v; write HOST:PORT, as 127.0.0.1:8080", c.Listen, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		switch {
		case token == "":
			e.say("warning: other computers can ask without a token; give one in MERCER_TOKEN")
		case c.TLS == "":
			e.say("warning: the token goes over the network as it is; give --tls, or put a proxy with TLS before")
		}
	}
	return l, nil
}

// listenAt takes a port. One that is in use or not allowed is a fault, whose remedy is a flag that gives another.
func listenAt(ctx context.Context, at, another string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", at)
	switch {
	case oserror.Is(err, syscall.EADDRINUSE):
		return nil, &fault{file: at, what: "the port is in use by another program; end that, or give another by " + another}
	case oserror.Is(err, syscall.EACCES):
		return nil, &fault{file: at, what: "this port is not allowed; give one from 1024 on, as by " + another}
	}
	return l, err
}

// certificate reads the files of --tls, nil without.
func (c *serveCmd) certificate(ctx context.Context) (*tls.Config, error) {
	if c.TLS == "" {
		return nil, nil
	}
	cert, key, ok := strings.Cut(c.TLS, ",")
	if !ok {
		return nil, usage("--tls %s: give two files, CERT,KEY", c.TLS)
	}
	var texts [2][]byte
	for i, path := range []string{cert, key} {
		var err error
		if texts[i], err = readSmall(ctx, path); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &fault{file: cert, what: fmt.Sprintf("no certificate with the key of %s (%v); give both in PEM", key, err)}
		}
	}
	pair, err := tls.X509KeyPair(texts[0], texts[1])
	if err != nil {
		return nil, &fault{file: cert, what: fmt.Sprintf("no certificate with the key of %s (%v); give both in PEM", key, err)}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}
