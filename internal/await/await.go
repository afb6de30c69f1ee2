// Package await opens and reads what may keep a caller waiting, such as a named pipe or
// standard input, and ends the wait with a context. Outlast and Linger are for work that goes on after
// the end of a context.
//
// Every file that a user names and that is read within a context goes through here.
package await

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// Open opens a file for reading. A named pipe is opened only when somebody writes to it; if the
// context ends before, its error is returned, and the pipe is closed as soon as it opens.
func Open(ctx context.Context, name string) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return os.Open(name) //nolint:gosec // the user names the file
	}
	type opened struct {
		f   *os.File
		err error
	}
	ready := make(chan opened, 1)
	go func() {
		f, err := os.Open(name) //nolint:gosec // the user names the file
		ready <- opened{f, err}
	}()
	select {
	case o := <-ready:
		return o.f, o.err
	case <-ctx.Done():
		go func() {
			if o := <-ready; o.err == nil {
				_ = o.f.Close() // nothing was written
			}
		}()
		return nil, ctx.Err()
	}
}

// Reader returns a reader whose Read returns the error of the context once that has ended, at once
// even while it waits. What r is asked for at that moment it may go on to wait for, in a goroutine
// of its own, and what it then reads is lost. Regular files do not wait, and are read as they are.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	w := &reader{ctx: ctx, in: r, waits: ctx.Done() != nil}
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			w.waits = false
		}
	}
	return w
}

type reader struct {
	ctx   context.Context
	in    io.Reader
	waits bool // the context may have to end a wait
	buf   []byte
	ready chan got
}

// got is what one Read of the reader below returned.
type got struct {
	n   int
	err error
}

// most bytes are read at once where there is a copy of them: handing them over, a microsecond, does not count
// beside parsing them, and a copy of more does not stay in the cache of a core.
const most = 1 << 18

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if !r.waits {
		return r.in.Read(p)
	}
	p = p[:min(len(p), most)]
	if len(r.buf) < len(p) {
		r.buf, r.ready = make([]byte, len(p)), make(chan got, 1)
	}
	buf := r.buf[:len(p)]
	go func() {
		n, err := r.in.Read(buf)
		r.ready <- got{n, err}
	}()
	select {
	case g := <-r.ready:
		copy(p, buf[:g.n])
		return g.n, g.err
	case <-r.ctx.Done(): // buf is the goroutine's now, and this reader reads no more
		return 0, r.ctx.Err()
	}
}
