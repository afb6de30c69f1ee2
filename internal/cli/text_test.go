package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// posts are documents of two topics, of which the first half are labelled.
func posts(n int) (documents, kinds []string) {
	topics := [2][]string{{"goal", "match", "team", "league"}, {"court", "judge", "law", "trial"}}
	common := []string{"the", "and", "of", "was", "Said, \"yes\"\nand"}
	for i := range n {
		var b strings.Builder
		for k := range 9 {
			list := common
			if (i*7+k*5)%3 == 0 {
				list = topics[i%2]
			}
			b.WriteString(list[(i*3+k*k)%len(list)] + " ")
		}
		kind := [2]string{"sport", "law"}[i%2]
		if i >= n/2 {
			kind = ""
		}
		documents, kinds = append(documents, b.String()), append(kinds, kind)
	}
	return documents, kinds
}

// postsTable is CSV of documents.
func postsTable(documents, kinds []string) string {
	var b strings.Builder
	b.WriteString("number,body,class\n")
	for i, d := range documents {
		fmt.Fprintf(&b, "%d,\"%s\",%s\n", i, strings.ReplaceAll(d, `"`, `""`), kinds[i])
	}
	return b.String()
}

// withPosts works in a folder that has the same documents as a table and as a folder.
func withPosts(t *testing.T) {
	t.Helper()
	documents, kinds := posts(40)
	later, truth := posts(12)
	for i := range truth {
		truth[i] = [2]string{"sport", "law"}[i%2]
	}
	later[3] = "unheard words"
	folderWith(t, map[string]string{
		"posts.csv": postsTable(documents, kinds), "later.csv": postsTable(later, truth), "plain.csv": "a,class\n1,x\n2,y\n3,x\n4,y\n",
	})
	for i, d := range documents {
		sub := kinds[i]
		if sub == "" {
			sub = "unlabelled"
		}
		write(t, filepath.Join("posts", sub, fmt.Sprintf("%03d.txt", i)), d)
	}
	for i, d := range later {
		write(t, filepath.Join("later", fmt.Sprintf("%03d", i)), d)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestText: words of a table are those that convert writes as LIBSVM text, and those of a folder; what is
// not known of later documents is said; a model keeps its words.
func TestText(t *testing.T) {
	withPosts(t)
	fit := []string{"--method", "l2-svm", "--kernel", "linear", "--tune", "none"}
	with := func(base string, more ...string) outcome {
		t.Helper()
		return done(t, append(append(strings.Fields(base), fit...), more...)...)
	}
	r := with("fit posts.csv --text body -v -o table.mercer")
	if !strings.HasPrefix(r.stderr, "mercer: warning: posts.csv:1: only the words of \"body\" are used; left out: number\n"+
		"mercer: posts.csv: 40 documents of text, 14 different words, 0 empty\n") ||
		!strings.Contains(r.stdout, "scaling         words of text weighted by TF-IDF, rows scaled to length 1") {
		t.Errorf("%+v", r)
	}
	with("fit posts -o folder.mercer")
	done(t, "convert", "posts.csv", "--text", "body", "--label", "class", "--unlabelled-mark", "9", "-o", "posts.svm")
	with("fit posts.svm --unlabelled-mark 9 --scale tfidf -o numbers.mercer")

	want := done(t, "predict", "table.mercer", "later.csv")
	if want.stderr != "mercer: warning: later.csv:1: only the words of \"body\" are used; left out: number\n"+
		"mercer: warning: later.csv: 1.53 % of the words, 2 of 131, are not in the list that was learned and count for nothing\n"+
		"mercer: warning: later.csv: 1 of 12 documents have no word of the list: their rows are zero, and their outputs those of "+
		"the machine "+
		"for such a row\n" {
		t.Errorf("%s", want.stderr)
	}
	for _, args := range []string{"table.mercer later", "folder.mercer later.csv --text body", "folder.mercer later"} {
		if got := done(t, append([]string{"predict"}, strings.Fields(args)...)...); !sameScores(got.stdout, want.stdout) {
			t.Errorf("predict %s:\n%s\n%s", args, got.stdout, want.stdout)
		}
	}
	words, numbers := done(t, "predict", "table.mercer", "posts.csv").stdout, done(t, "predict", "numbers.mercer", "posts.svm").stdout
	if !sameScores(words, numbers) {
		t.Errorf("LIBSVM text of the words has other scores:\n%s\n%s", words, numbers)
	}
	write(t, filepath.Join("posts", "law", "999"), "- - -")
	if r := with("fit posts"); !strings.Contains(r.stderr, "mercer: warning: 1 of 41 documents are empty, without a word that is counted; "+
		"they are learned from as rows of zeros\n") {
		t.Errorf("%+v", r)
	}
	r = done(t, "evaluate", "folder.mercer", "later.csv", "--text", "body", "--label", "class")
	if !strings.Contains(r.stdout, "12 labelled rows") {
		t.Errorf("%+v", r)
	}
}

// sameScores compares the sizes of scores, to ten digits: classes may be numbered otherwise.
func sameScores(a, b string) bool {
	list := func(text string) (scores []string) {
		for _, line := range strings.Split(strings.TrimSpace(text), "\n")[1:] {
			var v float64
			_, score, _ := strings.Cut(line, ",")
			_, _ = fmt.Sscan(score, &v)
			scores = append(scores, strings.TrimPrefix(fmt.Sprintf("%.9f", v), "-"))
		}
		return scores
	}
	return fmt.Sprint(list(a)) == fmt.Sprint(list(b))
}

// TestTextFlags: the flags of text change what every verb leaves.
func TestTextFlags(t *testing.T) {
	withPosts(t)
	for _, base := range []string{
		"fit posts.csv --text body --method l2-svm --tune none",
		"pareto posts.csv --text body --method mobj-svm --set C=1,4 --set sigma=1,2",
		"cluster posts.csv --text body --clusters 2 --json", "embed posts.csv --text body",
		"convert posts.csv --text body --unlabelled-mark 0 -o p.svm",
	} {
		plain := left(t, strings.Fields(base))
		for _, more := range []string{"--ngrams 2", "--min-documents 12", "--text number"} {
			args := combined(base, more)
			if more == "--text number" && strings.HasPrefix(base, "pareto") {
				continue // words of one document each tell a front nothing
			}
			if left(t, args) == plain {
				t.Errorf("%s %s: same as without", base, more)
			}
		}
	}
}

func TestTextComplaints(t *testing.T) {
	withPosts(t)
	done(t, "fit", "posts.csv", "--text", "body", "--method", "l2-svm", "--kernel", "linear", "--tune", "none", "-o", "t.mercer")
	done(t, "fit", "posts", "--scale", "none", "--method", "svm", "--kernel", "linear", "--tune", "none", "-o", "f.mercer")
	done(t, "fit", "plain.csv", "--method", "svm", "--tune", "none", "-o", "p.mercer")
	const many = "--ngrams and --min-documents are of text; name its column with --text, or give a folder of documents"
	const folder = "posts is a folder of documents, whose labels are its sub-folders; leave out --text, --label, --format and --view"
	for args, want := range map[string]string{
		"fit posts.csv --text boy":                    `posts.csv:1: no column "boy" of text; columns are number, body, class; name one`,
		"fit posts.csv":                               "text, of which no cell counts as a whole; learn from its words with --text body",
		"fit posts.csv --text body --ngrams 0":        "--ngrams 0: must be at least 1",
		"fit posts.csv --text body --min-documents 0": "--min-documents 0: must be at least 1",
		"fit posts.csv --ngrams 2":                    many,
		"fit posts --text body":                       folder,
		"fit posts --label class":                     folder,
		"fit later":                                   "later: a folder of files, none of which has a label; put those of each class",
		"fit posts.csv --text body --view a=1..2":     "--view: words of text are one view; leave it out",
		"fit plain.csv --view a=posts":                "posts: is a directory; name a file in it",
		"fit iris --text x": "iris: a built-in set has numbers, not text; leave out --text, or give CSV " +
			"or a folder",
		"fit two-moons --scale tfidf":            "TF-IDF is of counts",
		"predict t.mercer posts.csv --ngrams 2":  "--ngrams and --min-documents: a model has its own list of words; leave them out",
		"predict p.mercer posts.csv --text body": "--text body: the model knows columns of numbers, not text; leave it out",
		"predict p.mercer posts":                 "posts: is a folder of documents, the model knows columns; name a file",
		"predict f.mercer posts.csv":             "a table, of which no column is named as that of the text; columns are number,",
		"evaluate t.mercer plain.csv":            `plain.csv:1: no column "body" of text; columns are a, class; name one`,
		"export t.mercer --format " +
			"libsvm -o x": "svm-scale cannot weigh words by TF-IDF, as this model does; fit with another --scale",
		"export f.mercer --format libsvm -o x": "the model counts words of text, of which that format has no list;",
	} {
		if r := run(t, "", strings.Fields(args)...); r.code == exitDone || !strings.Contains(r.stderr, want) {
			t.Errorf("mercer %s: %d, %s, want %s", args, r.code, r.stderr, want)
		}
	}
	// A model whose list of words is damaged is refused by the name of the part.
	raw, err := os.ReadFile("t.mercer")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "bad.mercer", strings.Replace(string(raw), `"text":{"column":"body"}`, `"text":{"column":9.99}`, 1))
	if r := run(t, "", "predict", "bad.mercer", "posts.csv"); r.code != exitData || !strings.Contains(r.stderr, "bad.mercer: header: ") {
		t.Errorf("%+v", r)
	}
}
