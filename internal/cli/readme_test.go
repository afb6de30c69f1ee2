package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadme: each command of README's table works as it stands, in its order, with files of one's own: a table with numbers, words,
// dates and missing cells, and mails.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it fits some ten times, and -short does without")
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"semi-supervised", "active learning", "AutoML", "accuracy", "cross-validation", "imbalance",
		"feature importance"} {
		if !strings.Contains(string(readme), word) {
			t.Errorf("README.md does not say %q, for which people search", word)
		}
	}
	rows := regexp.MustCompile("(?m)^\\| [^|]+ \\| `mercer ([^`|]+)` \\|$").FindAllStringSubmatch(string(readme), -1)
	if len(rows) < 10 {
		t.Fatalf("README.md has %d rows with a command", len(rows))
	}
	folderWith(t, map[string]string{"rows.csv": ownRows(1, 120, 40), "more.csv": ownRows(1, 140, 60), "labelled.csv": ownRows(2, 60, 60),
		"new.csv": ownRows(3, 40, -1), "mails.csv": ownMails(80, 24)})
	for _, row := range rows {
		args := strings.Fields(row[1])
		switch args[0] {
		case "serve":
			_, log, end := served(t, append(args[1:], "--listen", "127.0.0.1:0")...)
			if code := end(); code != exitDone {
				t.Errorf("mercer %s: exit %d: %s", row[1], code, log)
			}
		case "label":
			session := startLabel(t, append(args[1:], "--port", "0")...)
			session.interrupt()
			if code := <-session.done; code != exitDone {
				t.Errorf("mercer %s: exit %d: %s", row[1], code, session.stderr)
			}
		default:
			if r := run(t, "", args...); r.code != exitDone {
				t.Errorf("mercer %s: exit %d: %s", row[1], r.code, r.stderr)
			}
		}
	}
}

// ownRows is a table of so many rows, the first of which have a label: fraud is rare, and has larger amounts. With -1 labels it has no
// column of labels.
func ownRows(seed uint64, rows, labels int) string {
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // no secret
	text := "amount,channel,age,visit,member"
	if labels >= 0 {
		text += ",kind"
	}
	for i := range rows {
		kind, mean := "fine", 120.0
		if rng.IntN(4) == 0 {
			kind, mean = "fraud", 300
		}
		age := fmt.Sprint(18 + rng.IntN(60))
		if rng.IntN(10) == 0 {
			age = ""
		}
		text += fmt.Sprintf("\n%.2f,%s,%s,2024-%02d-%02d,%s", mean+60*rng.NormFloat64(), []string{"shop", "web", "phone"}[rng.IntN(3)], age,
			1+rng.IntN(12), 1+rng.IntN(28), []string{"yes", "no"}[rng.IntN(2)])
		switch {
		case labels < 0:
		case i < labels:
			text += "," + kind
		default:
			text += ","
		}
	}
	return text + "\n"
}

// ownMails is a table of short texts, the first of which have a label.
func ownMails(rows, labels int) string {
	rng := rand.New(rand.NewPCG(4, 1)) //nolint:gosec // no secret
	words := [2][]string{strings.Fields("meeting report project lunch schedule review team notes agenda"),
		strings.Fields("win prize money click offer cash cheap urgent bonus")}
	text := "body,folder"
	for i := range rows {
		text += "\n"
		for range 8 {
			text += words[i%2][rng.IntN(9)] + " "
		}
		text += "today," + map[bool]string{true: []string{"ham", "spam"}[i%2]}[i < labels]
	}
	return text + "\n"
}
