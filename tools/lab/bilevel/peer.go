//go:build unix

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// peer is a long-lived process that is fed requests, a line each, and answers each with a line of
// the seconds of its search and the test error in percent.
type peer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// startPeer starts the process and waits for its word that it is warm.
func startPeer(c *exec.Cmd) (*peer, error) {
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &peer{c, in, bufio.NewReader(out)}
	if line, err := p.out.ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
		return nil, errors.Join(fmt.Errorf("%s did not get ready: %q", strings.Join(c.Args, " "), line), p.close())
	}
	return p, nil
}

// ask has the peer draw, write and search one split of a file.
func (p *peer) ask(file, base string, seed int) (seconds, percent float64, err error) {
	if _, err := fmt.Fprintf(p.in, "%s\t%s\t%d\n", file, base, seed); err != nil {
		return 0, 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, 0, fmt.Errorf("the peer ended at %s, seed %d: %w", file, seed, err)
	}
	if _, err := fmt.Sscan(line, &seconds, &percent); err != nil {
		return 0, 0, fmt.Errorf("the peer answered %q: %w", line, err)
	}
	return seconds, percent, nil
}

// close ends the process, which ends with its input.
func (p *peer) close() error { return errors.Join(p.in.Close(), p.command.Wait()) }
