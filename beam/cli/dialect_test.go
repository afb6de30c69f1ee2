package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDialect: shards in another dialect give the model of the usual one, with flags or without; marks are missing cells and a guess
// is a fault where that is asked for, in all verbs.
func TestDialect(t *testing.T) {
	folder := t.TempDir()
	plain := "u,town,answer\n"
	for i := range 60 {
		cell := fmt.Sprintf("%d.25", i*i%17)
		if i%10 == 3 {
			cell = "gone"
		}
		plain += fmt.Sprintf("%s,%s,%d\n", cell, []string{"here", "there"}[i%2], i%2)
	}
	at := func(name string) string { return filepath.Join(folder, name) }
	tilde := "A title of words\n" + strings.NewReplacer(",", "~", ".", ",").Replace(plain)
	semi := strings.NewReplacer(",", ";", ".", ",").Replace(plain)
	titled := "A title\n\n" + plain
	if err := errors.Join(os.WriteFile(at("plain.csv"), []byte(plain), 0o666), os.WriteFile(at("tilde.csv"), []byte(tilde), 0o666),
		os.WriteFile(at("semi.csv"), []byte(semi), 0o666), os.WriteFile(at("titled.csv"), []byte(titled), 0o666)); err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, args := range []string{"plain.csv", "semi.csv", "semi.csv --decimal comma --delimiter ; --header 1",
		"tilde.csv --delimiter ~ --skip 1 --decimal comma --quote none --comment none", "titled.csv"} {
		words := strings.Fields(args)
		fit := append([]string{"fit", at(words[0]), "--missing", "gone", "--quiet", "-o", at("m.mercer")}, words[1:]...)
		if code, _, said := beside(fit...); code != 0 {
			t.Fatalf("%s: exit %d, %s", args, code, said)
		}
		answers := at("answers." + fmt.Sprint(len(words)) + words[0])
		predict := []string{"predict", at("m.mercer"), at("plain.csv"), "--quiet", "-o", answers}
		if code, _, said := beside(predict...); code != 0 {
			t.Fatalf("%s: exit %d, %s", args, code, said)
		}
		text, err := os.ReadFile(filepath.Join(answers, "plain.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(text)
		} else if string(text) != want {
			t.Errorf("%s: another model", args)
		}
	}
	for _, verb := range []string{"fit", "predict " + at("m.mercer"), "evaluate " + at("m.mercer")} {
		args := append(strings.Fields(verb), at("titled.csv"), "--strict")
		if verb[0] != 'e' {
			args = append(args, "-o", at("out"))
		}
		if code, _, said := beside(args...); code != 1 || !strings.Contains(said, "--skip 2") {
			t.Errorf("%s: exit %d, %s", verb, code, said)
		}
	}
}
