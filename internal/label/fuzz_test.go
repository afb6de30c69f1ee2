package label

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLog: any text is opened or refused without a panic, and a log that was opened takes an answer and is opened again with it.
func FuzzLog(f *testing.F) {
	const head = `{"mercer_labels":1,"data":"moons","rows":60,"checksum":"sha256:1"}` + "\n"
	for _, text := range []string{"", head, head + `{"time":"2026-05-04T03:02:01Z","row":3,"label":"a","why":"risk"}` + "\n",
		head + `{"row":3,"skip":true}` + "\n" + `{"row":3,"undo":true}` + "\n" + `{"row":`, "x\n", head + "null\n", head + "\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := OpenLog(path, subject)
		if err != nil {
			if now, _ := os.ReadFile(path); len(now) > len(text) {
				t.Errorf("a log that was refused has grown: %q", now)
			}
			return
		}
		had := len(log.Entries)
		if err := log.Append(Entry{Row: 59, Label: "b"}); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if log, err = OpenLog(path, subject); err != nil || len(log.Entries) != had+1 || log.Torn {
			t.Fatalf("%q: opened again: %v", text, err)
		}
		log.Close()
	})
}
