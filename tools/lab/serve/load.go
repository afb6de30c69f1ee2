package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// server is a program that answers at an address.
type server struct {
	address string // host:port
	cmd     *exec.Cmd
}

// start runs a program whose first line is its address.
func start(ctx context.Context, log io.Writer, name string, args ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("%s printed no address: %w", name, errors.Join(err, cmd.Wait()))
	}
	return &server{strings.TrimPrefix(strings.TrimSpace(line), "http://"), cmd}, nil
}

// end sends a signal and waits.
func (s *server) end(signal syscall.Signal) error {
	if err := s.cmd.Process.Signal(signal); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// question is a request, ready to be sent, and what its answer must have.
type question struct {
	request []byte
	want    []byte
	rows    int
}

// ask makes a question of a path and a body.
func ask(path string, body, want []byte, rows int) question {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, len(body))
	return question{append([]byte(head), body...), want, rows}
}

// load is what a server did under load.
type load struct {
	requests, rows, wrong int
	seconds               float64
	cpu                   float64 // seconds of the server's processor
	times                 []float64
}

// quantile of the times of requests, in milliseconds.
func (l *load) quantile(q float64) float64 {
	if len(l.times) == 0 {
		return 0
	}
	return 1e3 * l.times[min(len(l.times)-1, int(q*float64(len(l.times))))]
}

// press asks a server over so many connections for a time, each of which sends the next question when it has its answer.
// What it sends is made beforehand and what it reads is hardly looked at, so that the server gets most of the machine.
func press(ctx context.Context, s *server, connections int, lasts time.Duration, questions []question) (*load, error) {
	before := processor(s.cmd.Process.Pid)
	begun := time.Now()
	end := begun.Add(lasts)
	parts := make([]load, connections)
	faults := make([]error, connections)
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() { faults[i] = parts[i].connection(ctx, s.address, end, questions[i%len(questions):]) })
	}
	all.Wait()
	total := &load{seconds: time.Since(begun).Seconds(), cpu: processor(s.cmd.Process.Pid) - before}
	for _, p := range parts {
		total.requests += p.requests
		total.rows += p.rows
		total.wrong += p.wrong
		total.times = append(total.times, p.times...)
	}
	slices.Sort(total.times)
	return total, errors.Join(faults...)
}

// connection asks the questions in turn over one connection, or over a new one where the server closes it.
func (l *load) connection(ctx context.Context, address string, end time.Time, questions []question) error {
	var c net.Conn
	defer func() {
		if c != nil {
			_ = c.Close() // everything was read
		}
	}()
	in := bufio.NewReader(nil)
	for i := 0; time.Now().Before(end) && ctx.Err() == nil; i++ {
		q := questions[i%len(questions)]
		begun := time.Now()
		if c == nil {
			var err error
			if c, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
				return err
			}
			if err := c.SetDeadline(end.Add(time.Minute)); err != nil {
				return err
			}
			in.Reset(c)
		}
		if _, err := c.Write(q.request); err != nil {
			return err
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return err
		}
		l.times = append(l.times, time.Since(begun).Seconds())
		l.requests++
		l.rows += q.rows
		if answer.StatusCode != http.StatusOK || !bytes.Contains(text, q.want) {
			l.wrong++
		}
		if answer.Close {
			_ = c.Close() // as the server has
			c = nil
		}
	}
	return nil
}

// ticks of the system's clock for processes, a second.
const ticks = 100

// processor is the processor's seconds that a process has taken, 0 where the system does not tell.
func processor(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(text, []byte(") "))
	fields := bytes.Fields(after)
	var user, system float64
	if len(fields) > 12 {
		_, _ = fmt.Sscan(string(fields[11])+" "+string(fields[12]), &user, &system) // numbers by proc(5)
	}
	return (user + system) / ticks
}
