package oserror

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestText: the cause alone, in one form.
func TestText(t *testing.T) {
	_, absent := os.Open(filepath.Join(t.TempDir(), "none"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{absent, "no such file or directory"},
		{fmt.Errorf("reading: %w", absent), "no such file or directory"},
		{&fs.PathError{Op: "open", Path: "a", Err: errors.New("Access is denied.")}, "Access is denied"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: errors.New("busy")}, "busy"},
		{errors.New("something else"), "something else"},
	} {
		if got := Text(c.err); got != c.want {
			t.Errorf("%v is told as %q, want %q", c.err, got, c.want)
		}
	}
}

// full is an error without a code of the system that says itself for which one it stands.
type full struct{}

func (full) Error() string { return "the quota is used up" }

func (full) Is(target error) bool { return target == syscall.ENOSPC }

// TestIs: an error of this system has its code.
func TestIs(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = new(net.ListenConfig).Listen(t.Context(), "tcp", l.Addr().String())
	if !Is(err, syscall.EADDRINUSE) || Is(err, syscall.ENOSPC) {
		t.Errorf("a port in use: %v", err)
	}
	if !Is(fmt.Errorf("writing: %w", full{}), syscall.ENOSPC) || Is(full{}, syscall.EPIPE) {
		t.Error("an error that says which code it stands for has another, or none")
	}
	if Is(nil, syscall.EPIPE) || Is(errors.New("no code"), syscall.EPIPE) {
		t.Error("an error without a code has one")
	}
}

// TestPosix: codes of Windows are translated, and the same numbers of other systems are not.
func TestPosix(t *testing.T) {
	for code, want := range map[syscall.Errno]syscall.Errno{
		39: syscall.ENOSPC, 112: syscall.ENOSPC, 109: syscall.EPIPE, 232: syscall.EPIPE, 10013: syscall.EACCES, 10048: syscall.EADDRINUSE,
		5: 5,
	} {
		if got := posix("windows", code); got != want {
			t.Errorf("%d of Windows is %d, want %d", code, got, want)
		}
		if got := posix("linux", code); got != code {
			t.Errorf("%d of Linux became %d", code, got)
		}
	}
}

// TestBusy: two codes of Windows alone.
func TestBusy(t *testing.T) {
	inUse := &os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.Errno(32)}
	if !busy("windows", inUse) || busy("linux", inUse) || busy("windows", syscall.Errno(2)) || busy("windows", nil) {
		t.Error("a sharing violation of Windows is a file in use, and nothing else is")
	}
}
