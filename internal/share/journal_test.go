package share_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/journal"
	"github.com/mercer-ml/mercer/internal/share"
	"github.com/mercer-ml/mercer/result"
)

func opened(t *testing.T, path string) *share.Journal {
	t.Helper()
	j, err := share.OpenJournal(path, journal.Header{Data: "d", Recipe: []byte("{}"), Program: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// A fit that an error ends at any piece goes on there with the next run, and does no piece twice, even where stages have one name.
func TestJournalDoesNoPieceTwice(t *testing.T) {
	broken := errors.New("broken")
	fit := func(crew result.Crew, broke int, done *int) (total int, err error) {
		for range 3 {
			list, err := share.Do(t.Context(), crew, "stage", 4, func(_ context.Context, piece int) (int, error) {
				if *done == broke {
					return 0, broken
				}
				*done++
				return total + piece, nil
			})
			if err != nil {
				return 0, err
			}
			for _, v := range list {
				total += v
			}
		}
		return total, nil
	}
	count := 0
	want, err := fit(nil, -1, &count)
	if err != nil {
		t.Fatal(err)
	}
	for at := range count {
		path, done := filepath.Join(t.TempDir(), "trace"), 0
		j := opened(t, path)
		if _, err := fit(j, at, &done); !errors.Is(err, broken) || j.Known() != at || j.Close() != nil {
			t.Fatalf("broken at %d: %v, %d pieces are known", at, err, j.Known())
		}
		j = opened(t, path)
		if got, err := fit(j, -1, &done); err != nil || got != want || done != count || j.Known() != count || j.Close() != nil {
			t.Errorf("broken at %d: %d (%v), want %d; %d pieces were done, want %d", at, got, err, want, done, count)
		}
	}
}

// What is not a line of a piece is refused with its number.
func TestJournalRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace")
	j := opened(t, path)
	if _, err := sum(t.Context(), j); err != nil || j.Close() != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"piece":0`, `"piece":-1`, "trace line 2: is not a piece of a fit"},
		{`"stage":"start"`, `"stage":""`, "trace line 2: is not a piece of a fit"},
		{`"stage":"times 10"`, `"stage":7`, "trace line 3: "},
		{`"crc32":"`, `"crc32":"0`, "trace line 2: was changed"},
		{`"program":"1"`, `"program":"2"`, `trace line 1: was written by version "2" of the program, and this is "1"`},
	} {
		if err := os.WriteFile(path, []byte(strings.Replace(string(whole), c[0], c[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		var fault *journal.Error
		_, err := share.OpenJournal(path, journal.Header{Data: "d", Recipe: []byte("{}"), Program: "1"})
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %s", c[1], err, c[2])
		}
	}
}

// A piece that cannot be kept ends the fit, because it could not be resumed.
func TestJournalThatCannotBeWritten(t *testing.T) {
	j := opened(t, filepath.Join(t.TempDir(), "none", "trace"))
	if _, err := sum(t.Context(), j); !errors.Is(err, os.ErrNotExist) || j.Err() == nil {
		t.Errorf("%v, %v", err, j.Err())
	}
}
