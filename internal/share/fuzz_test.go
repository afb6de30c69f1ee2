package share_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/internal/journal"
	"github.com/mercer-ml/mercer/internal/share"
)

// FuzzJournal: whatever a file holds, it is opened or refused as a fault of the journal, and stays as it is until something is kept;
// then it begins with the whole lines that it had.
func FuzzJournal(f *testing.F) {
	head := `{"mercer_trace":2,"data":"d","recipe":{},"program":"1"}` + "\n"
	for _, text := range []string{
		"", "a,b\n", head, head + `{"stage":"start","piece":0,"crc32":"00000000","result":""}` + "\n",
		head + `{"stage":"start","piece":-1}` + "\n",
		head + `{"stage":"start","piece":0,"crc32":"c3a9","result":"AA=="}` + "\nhalf", head[:9],
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "trace")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := share.OpenJournal(path, journal.Header{Data: "d", Recipe: []byte("{}"), Program: "1"})
		after, failed := os.ReadFile(path)
		if failed != nil || !bytes.Equal(after, text) {
			t.Fatalf("the file was changed (%v)", failed)
		}
		if err != nil {
			if fault := new(journal.Error); !errors.As(err, &fault) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		_, err = sum(t.Context(), j) // a result in the file may be none of a piece, which is an error
		if closed := j.Close(); closed != nil {
			t.Fatal(closed)
		}
		after, failed = os.ReadFile(path)
		if whole := text[:bytes.LastIndexByte(text, '\n')+1]; failed != nil || !bytes.HasPrefix(after, whole) {
			t.Fatalf("%v: the file lost what it had (%v)", err, failed)
		}
	})
}
