package await_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/mercer-ml/mercer/internal/await"
)

// TestReader: within a context that does not end, all is read that is there.
func TestReader(t *testing.T) {
	text := bytes.Repeat([]byte("some text\n"), 1<<16)
	path := filepath.Join(t.TempDir(), "t")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	memory := func() io.Reader { return bytes.NewReader(text) }
	file := func() io.Reader {
		f, err := await.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	for name, open := range map[string]func() io.Reader{
		"file": file, "memory": memory, "halves": func() io.Reader { return iotest.HalfReader(memory()) },
		"end with the last": func() io.Reader { return iotest.DataErrReader(memory()) },
	} {
		for _, ctx := range []context.Context{t.Context(), context.Background()} {
			if got, err := io.ReadAll(await.Reader(ctx, open())); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(text), err)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(await.Reader(t.Context(), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("a broken reader gives %v", err)
	}
}

// TestSilence: a reader that gives nothing is left when the context ends, and not asked again.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		r := await.Reader(ctx, in)
		go func() { _, _ = out.Write([]byte("ab")) }()
		p := make([]byte, 8)
		if n, err := r.Read(p); err != nil || string(p[:n]) != "ab" {
			t.Errorf("%q, %v", p[:n], err)
		}
		ended := make(chan error)
		go func() {
			_, err := r.Read(p)
			ended <- err
		}()
		synctest.Wait() // it waits
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a wait that is ended gives %v", err)
		}
		_ = out.Close() // lets the goroutine go
		if _, err := r.Read(p); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// TestLinger: it ends so long after the context, not before, and leaves nothing behind when it is let go.
func TestLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		late, release := await.Linger(ctx, time.Second)
		cancel()
		time.Sleep(999 * time.Millisecond)
		if synctest.Wait(); late.Err() != nil {
			t.Error("ended too early")
		}
		time.Sleep(2 * time.Millisecond)
		if synctest.Wait(); late.Err() == nil {
			t.Error("not ended")
		}
		release()
		_, release = await.Linger(ctx, time.Hour)
		release()
	})
}

// TestPrompt: nothing lingers after the end of a context that is to be prompt, nor of one made of it, outlasted or not.
func TestPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, outlasts := range []bool{false, true} {
			prompt, cancel := context.WithCancel(await.Prompt(t.Context()))
			ctx := prompt
			if outlasts {
				ctx = await.Outlast(prompt)
			}
			late, release := await.Linger(ctx, time.Hour)
			if synctest.Wait(); late.Err() != nil {
				t.Error("ended before the context did")
			}
			cancel()
			if synctest.Wait(); late.Err() == nil {
				t.Error("lingers")
			}
			release()
			late, release = await.Linger(ctx, time.Hour)
			if late.Err() == nil {
				t.Error("begun after the end, and not ended at once")
			}
			release()
		}
	})
}

// TestOutlast: it does not end with the context, but Linger knows of that end, however often it is outlasted.
func TestOutlast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		long := await.Outlast(await.Outlast(ctx))
		late, release := await.Linger(long, time.Second)
		defer release()
		time.Sleep(time.Hour)
		if synctest.Wait(); late.Err() != nil {
			t.Error("ended before the context did")
		}
		cancel()
		time.Sleep(999 * time.Millisecond)
		if synctest.Wait(); late.Err() != nil {
			t.Error("ended too early")
		}
		time.Sleep(2 * time.Millisecond)
		if synctest.Wait(); late.Err() == nil || long.Err() != nil {
			t.Errorf("a second after the end it has ended with %v, and what outlasts with %v", late.Err(), long.Err())
		}
	})
}
