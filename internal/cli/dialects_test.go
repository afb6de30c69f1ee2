package cli

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
)

// spelledRows is a table in several dialects, by the names of files: the same rows each time.
func spelledRows(name string, n, seed int) map[string]string {
	var b strings.Builder
	b.WriteString("size,weight,height,kind\n")
	for i := range n {
		v := float64((i*37+seed)%101) / 10
		fmt.Fprintf(&b, "%.2f,%.2f,%.2f,%s\n", v+0.01, 0.37+math.Mod(v*v, 7), 3.03-v/3+float64(i%3), []string{"oak", "elm"}[(i+i/7)%2])
	}
	plain := b.String()
	swap := strings.NewReplacer(",", ";", ".", ",")
	return map[string]string{
		name + ".csv":        plain,
		name + ".comma.csv":  "Report of the year\n\n" + swap.Replace(plain),
		name + ".tabs.csv":   "# exported\n" + strings.ReplaceAll(plain, ",", "\t"),
		name + ".quoted.csv": "\ufeff" + strings.ReplaceAll(regexp.MustCompile(`[^,\n]+`).ReplaceAllString(plain, `"$0"`), "\n", "\r\n"),
		name + ".jsonl": regexp.MustCompile(`(?m)^(.*),(.*),(.*),(.*)\n`).ReplaceAllString(plain[strings.Index(plain, "\n")+1:],
			`{"size":$1,"weight":$2,"height":$3,"kind":"$4"}`+"\n"),
	}
}

// TestEveryVerbReadsAlike: every verb and flag that reads rows gives the same answer for the same rows in whatever dialect.
func TestEveryVerbReadsAlike(t *testing.T) {
	files := spelledRows("rows", 60, 1)
	for name, text := range spelledRows("more", 30, 5) {
		files[name] = text
	}
	files["view.csv"] = "other,one\n" + strings.Repeat("1.5,2\n2.5,7\n4.25,3\n", 20)
	files["view.comma.csv"] = "A title of words\n\nother;one\n" + strings.Repeat("1,5;2\n2,5;7\n4,25;3\n", 20)
	folderWith(t, files)
	done(t, "fit", "rows.csv", "--method", "svm", "--tune", "none", "-o", "m.mercer", "--quiet")
	for _, verb := range []string{
		"fit ROWS --method rls --json -o out.mercer",
		"fit rows.csv --method rls --test ROWS --json",
		"fit rows.csv --method lap-rls --unlabelled MORE --json",
		"fit ROWS --method rls --cv 3 --json",
		"pareto ROWS --method rofs --json",
		"pareto rows.csv --method rofs --test ROWS --json",
		"cluster ROWS --json",
		"embed ROWS --dim 2 -o out.csv",
		"embed rows.csv --dim 2 --test MORE -o out.csv",
		"predict m.mercer ROWS",
		"evaluate m.mercer ROWS --json",
		"explain m.mercer ROWS --row 3",
		"explain m.mercer rows.csv --row 3 --training ROWS",
		"convert ROWS -o out.svm",
		"shrink m.mercer --basis 5 --data ROWS -o out.mercer",
		"data ROWS",
	} {
		want := ""
		for _, kind := range []string{".csv", ".comma.csv", ".tabs.csv", ".quoted.csv", ".jsonl"} {
			args := strings.Fields(strings.NewReplacer("ROWS", "rows"+kind, "MORE", "more"+kind).Replace(verb))
			_ = os.Remove("out.csv")
			_ = os.Remove("out.svm")
			got := done(t, args...)
			text := answerOf(got.stdout)
			for _, out := range []string{"out.csv", "out.svm"} {
				if more, err := os.ReadFile(out); err == nil {
					text += string(more)
				}
			}
			if want == "" {
				want = text
			} else if text != want {
				t.Errorf("%s:\n%.600s\nwant\n%.600s", strings.Join(args, " "), text, want)
			}
		}
	}
	want := answerOf(done(t, "fit", "rows.csv", "--view", "v=view.csv", "--method", "co-rls", "--json").stdout)
	if got := answerOf(done(t, "fit", "rows.comma.csv", "--view", "v=view.comma.csv", "--method", "co-rls", "--json").stdout); got != want {
		t.Errorf("--view: %s, want %s", got, want)
	}
}

// answerOf is what a verb prints, without what depends on time, on the names of files and on how their text is spelled.
func answerOf(text string) string {
	text = regexp.MustCompile(`(?s)"seconds":\s*\{.*?\}`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`predicts about \d+ rows a second`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(rows|more)\.[a-z.]+`).ReplaceAllString(text, "FILE")
	text = regexp.MustCompile(`(?m)^ *(cost|cells divided|guessed|forecast).*\n`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`line \d+|:\d+:`).ReplaceAllString(text, "")
	return strings.ReplaceAll(text, ", with a decimal comma", "")
}

// TestReadersFlags: every verb that reads rows says so with --label, and takes all flags that say how they are read.
func TestReadersFlags(t *testing.T) {
	verbs := 0
	for _, verb := range []string{"fit", "predict", "evaluate", "pareto", "cluster", "embed", "label", "shrink", "explain", "convert", "data",
		"serve", "export", "methods", "reproduce"} {
		help := run(t, "", verb, "-h").stdout
		if !strings.Contains(help, "--label=") {
			continue
		}
		verbs++
		for _, flag := range []string{"format", "delimiter", "header", "skip", "quote", "comment", "decimal", "missing", "strict"} {
			if !regexp.MustCompile(`--` + flag + `\b`).MatchString(help) {
				t.Errorf("mercer %s has no --%s", verb, flag)
			}
		}
	}
	if verbs != 11 {
		t.Errorf("%d verbs read rows, not 11", verbs)
	}
}

// TestDialectFlags: each flag of the dialect changes what is read of a file that can be read in two ways.
func TestDialectFlags(t *testing.T) {
	folderWith(t, map[string]string{
		"title.csv": "Report of the year\n\nx,y,kind\n1,2,oak\n2,3,elm\n4,5,oak\n3,4,elm\n",
		"plain.csv": "x,y,kind\n1,-9,oak\n2,3,elm\n4,5,oak\n3,4,elm\n",
		"tilde.csv": "x~y~kind\n1~2~oak\n2~3~elm\n4~5~oak\n3~4~elm\n",
		"tick.csv":  "x,y,kind\n1,'a,b',oak\n2,'c,d',elm\n4,'a,b',oak\n3,'c,d',elm\n",
		"mark.csv":  "x,y,kind\n1,2,oak\n!2,3,elm\n4,5,oak\n3,4,elm\n",
		"comma.csv": "x;y;kind\n1,500;2;oak\n2,500;3;elm\n4,500;5;oak\n3,500;4;elm\n",
	})
	for _, c := range []string{
		"tilde.csv --delimiter ~", "plain.csv --header none", "plain.csv --skip 1", "tick.csv --quote '", "mark.csv --comment !",
		"comma.csv --decimal point", "plain.csv --missing=-9", "title.csv --strict",
	} {
		words := append([]string{"data", "--json"}, strings.Fields(c)...)
		if run(t, "", words...) == run(t, "", words[:3]...) {
			t.Errorf("mercer data %s: same as without", c)
		}
	}
}
