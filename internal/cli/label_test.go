package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/label"
	"github.com/mercer-ml/mercer/internal/label/page"
	"github.com/mercer-ml/mercer/model"
)

// spoken is what a run says, while it says it.
type spoken struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *spoken) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *spoken) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

var pageAt = regexp.MustCompile(`at (http://[0-9.:]+)/`)

// running is mercer label at work.
type running struct {
	t           *testing.T
	url         string
	session     string // of the page, once its state was asked for
	interrupt   context.CancelFunc
	done        chan int
	out, stderr *spoken
}

// startLabel runs mercer label until its page is there.
func startLabel(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{t: t, interrupt: cancel, done: make(chan int, 1), out: &spoken{}, stderr: &spoken{}}
	go func() {
		r.done <- Main(ctx, append([]string{"label"}, args...), strings.NewReader(""), r.out, r.stderr)
	}()
	for limit := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if m := pageAt.FindStringSubmatch(r.stderr.String()); m != nil {
			r.url = m[1]
			return r
		}
		select {
		case code := <-r.done:
			t.Fatalf("mercer label %v: exit %d: %s", args, code, r.stderr)
		default:
		}
		if time.Now().After(limit) {
			t.Fatalf("mercer label %v: no page: %s", args, r.stderr)
		}
	}
}

// state is that of the session.
func (r *running) state() label.State {
	r.t.Helper()
	answer, err := http.Get(r.url + "/state")
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	var s struct {
		label.State
		Session string
	}
	if err := json.NewDecoder(answer.Body).Decode(&s); err != nil {
		r.t.Fatal(err)
	}
	r.session = s.Session
	return s.State
}

// post sends a request and returns the state after it.
func (r *running) post(path string, q page.Request) label.State {
	r.t.Helper()
	s, err := r.sent(path, q)
	if err != nil {
		r.t.Fatalf("%s %+v: %v", path, q, err)
	}
	return s
}

// sent is post of a server that may be gone.
func (r *running) sent(path string, q page.Request) (s label.State, err error) {
	if r.session == "" {
		r.state()
	}
	q.Session = r.session
	body, err := json.Marshal(q)
	if err != nil {
		return s, err
	}
	answer, err := http.Post(r.url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return s, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return s, fmt.Errorf("%s %s %w", answer.Status, text, err)
	}
	return s, json.Unmarshal(text, &s)
}

// answer answers the question by what is true of its row.
func (r *running) answer(n int, truth func(row int) string) (s label.State) {
	r.t.Helper()
	s = r.state()
	for range n {
		s = r.post("/answer", page.Request{Number: s.Question.Number, Row: s.Question.Row, Label: truth(s.Question.Row), New: true})
	}
	return s
}

// end ends it by the button or an interrupt.
func (r *running) end(button bool) int {
	r.t.Helper()
	if button {
		r.post("/finish", page.Request{})
	} else {
		r.interrupt()
	}
	select {
	case code := <-r.done:
		return code
	case <-time.After(5 * time.Minute):
		r.t.Fatal("mercer label does not end")
		return -1
	}
}

// moons is CSV of two moons, whose label column is empty, and their labels.
func moons(t *testing.T) (text string, truth func(row int) string) {
	t.Helper()
	set, err := data.Builtin("two-moons:n=80")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("x;\"y, up\";label;note\n")
	for i := range 80 {
		x := set.Rows.Dense.RawRowView(i)
		fmt.Fprintf(&b, "%.4f;%.4f;;\"row \"\"%d\"\"; odd\"\n\n", x[0], x[1], i) // blank lines are no rows
	}
	return b.String(), func(row int) string { return map[string]string{"-1": "lower", "1": "upper"}[set.Answers[row]] }
}

// TestLabel: from a file without labels to labels, a model and predictions, interrupted and gone on with on the way; the
// file of data is as it was.
func TestLabel(t *testing.T) {
	text, truth := moons(t)
	folderWith(t, map[string]string{"moons.csv": text})
	args := []string{"moons.csv", "--label", "label", "--drop", "note", "-o", "moons.mercer"}
	r := startLabel(t, args...)
	s := r.answer(6, truth)
	if code := r.end(false); code != exitDone {
		t.Fatalf("interrupted: exit %d: %s", code, r.stderr)
	}
	if _, err := os.Stat("moons.mercer"); err != nil {
		t.Error(err)
	}
	r = startLabel(t, args...)
	if again := r.state(); again.Answered != 6 || again.Question != s.Question {
		t.Errorf("begun again: %d answers, question %+v, want %+v", again.Answered, again.Question, s.Question)
	}
	s = r.answer(8, truth)
	answer, err := http.Get(fmt.Sprintf("%s/row/%d", r.url, s.Question.Row))
	if err != nil {
		t.Fatal(err)
	}
	row, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if want := fmt.Sprintf(`row \"%d\"; odd`, s.Question.Row); !strings.Contains(string(row), want) {
		t.Errorf("row %d is shown as %s", s.Question.Row, row)
	}
	if code := r.end(true); code != exitDone || !strings.Contains(r.stderr.String(), "14 of 80 rows have a label") {
		t.Fatalf("exit %d: %s", code, r.stderr)
	}
	if now, err := os.ReadFile("moons.csv"); err != nil || string(now) != text {
		t.Error("the data have changed")
	}
	labelled, err := os.ReadFile("moons.labelled.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, "\n\n", "\n"), "\n") {
		got := strings.Split(string(labelled), "\n")[i]
		if plain := strings.NewReplacer(";lower;", ";;", ";upper;", ";;").Replace(got); plain != line {
			t.Errorf("line %d: %s, was %s", i+1, got, line)
		}
	}
	done(t, "evaluate", "moons.mercer", "moons.labelled.csv")
}

// TestLabelKinds: rows of every format are shown and written.
func TestLabelKinds(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	folderWith(t, map[string]string{"a.png": picture.String(), "pictures.csv": "size,file\n1,a.png\n2,b.png\n3,a.png\n8,a.png\n",
		"rows.svm":  "1 1:1 3:2\n-1 2:1\n1 1:2\n-1 2:3\n",
		"wide.csv":  "0,0,0,0,0,9,x\n1,1,1,1,1,8,y\n0,0,0,0,0,7,x\n1,1,1,1,1,6,\n",
		"mails.csv": "id,body,label\n1,cheap pills,spam\n2,dear friend,ham\n3,pills,\n4,friend,\n",
		"ids.csv":   "key,size,label\nr1,1,x\nr2,2,y\nr3,3,\nr4,4,\n",
		"plain.csv": "1.5,2\n2,1\n3,4\n", "classes.csv": "a,b,label\n1,2,x\n3,4,x\n5,6,\n"})
	for _, name := range []string{"one/a.txt", "one/b.txt", "unlabelled/c.txt"} {
		path := filepath.Join("mails", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("some words of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, path, kind, shown, file, written string }{
		{"pictures.csv --image file", "/image/0", "image/png", "PNG", "pictures.labelled.csv", "size,file,label\n1,a.png,"},
		{"digits --image 8x8 --labels-per-class 1", "/image/3", "image/png", "PNG", "digits.labelled.csv", "x0,x1"},
		{"wide.csv --image 3x2", "/image/1", "image/png", "IHDR\x00\x00\x00\x03\x00\x00\x00\x02", "wide.labelled.csv", "1,1,1,1,1,8,y"},
		{"rows.svm", "/row/0", "application/json", `{"name":"3","text":"2"}`, "rows.labelled.csv", "row,label\n0,1\n"},
		{"mails.csv --text body --id id", "/row/2", "application/json", `"text":"pills"`, "mails.labelled.csv", "3,pills,"},
		{"ids.csv --drop key --id key", "/row/2", "application/json", `{"name":"r3","image":false,"cells":[{"name":"size","text":"3"}]}`,
			"ids.labelled.csv",
			"r3,3,"},
		{"mails", "/row/0", "application/json", "some words of one/a.txt", "mails.labelled.csv", "file,class\nmails/one/a.txt,one"},
		{"plain.csv --quiet", "/row/1", "application/json", `{"name":"x0","text":"2"}`, "plain.labelled.csv", "1.5,2,"},
		{"classes.csv --classes x,y --json", "/state", "application/json", `"name":"y"`, "classes.labelled.csv", "a,b,label\n1,2,x\n"},
		{"iris --labels 6 --seed 3 --port 0 --log l.jsonl --labelled out.csv --threads 1 --scale standard", "/row/0", "application/json",
			"sepal_length", "out.csv", "sepal_length,"},
	} {
		r := startLabel(t, strings.Fields(c.args)...)
		answer, err := http.Get(r.url + c.path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != c.kind || !strings.Contains(string(text), c.shown) {
			t.Errorf("%s: %s is %s %s %.200s", c.args, c.path, answer.Status, answer.Header.Get("Content-Type"), text)
		}
		if code := r.end(true); code != exitDone {
			t.Errorf("%s: exit %d: %s", c.args, code, r.stderr)
		}
		if text, err := os.ReadFile(c.file); err != nil || !strings.Contains(string(text), c.written) {
			t.Errorf("%s: %v %.200s", c.args, err, text)
		}
		if strings.Contains(c.args, "--json") && !strings.Contains(r.out.String(), `"answered":2`) {
			t.Errorf("%s: %s", c.args, r.out)
		}
	}
}

// TestLabelHidden: labels that were hidden are not in the labelled rows, of a file as of a built-in set.
func TestLabelHidden(t *testing.T) {
	var b strings.Builder
	b.WriteString("a,label\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d,%s\n", i, []string{"x", "y"}[i/6])
	}
	folderWith(t, map[string]string{"rows.csv": b.String()})
	for _, set := range []string{"rows.csv", "iris"} {
		r := startLabel(t, set, "--labels-per-class", "1", "--labelled", "out.csv")
		want := r.state().Answered + 2
		q := r.state().Question
		r.post("/answer", page.Request{Number: q.Number, Row: q.Row, Label: r.state().Classes[1].Name})
		q = r.state().Question
		r.post("/answer", page.Request{Number: q.Number, Row: q.Row, Label: r.state().Classes[0].Name})
		if code := r.end(true); code != exitDone {
			t.Fatalf("%s: exit %d: %s", set, code, r.stderr)
		}
		text, err := os.ReadFile("out.csv")
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
		empty := 0
		for _, row := range rows {
			if strings.HasSuffix(row, ",") {
				empty++
			}
		}
		if len(rows)-empty != want {
			t.Errorf("%s: %d of %d rows have a label, want %d", set, len(rows)-empty, len(rows), want)
		}
	}
}

// TestLabelSeed: the labels that are left are those that are drawn with the seed, 1 where none is given.
func TestLabelSeed(t *testing.T) {
	set, err := data.Builtin("iris")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := data.Interpret(set.Answers, set.LabelName, data.LabelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	total, each := 9, 3
	for given, drawn := range map[uint64]uint64{0: 1, 1: 1, 5: 5} {
		byTotal, err := data.DrawTotal(labels, total, drawn)
		if err != nil {
			t.Fatal(err)
		}
		perClass, err := data.DrawPerClass(labels, each, drawn)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			drawing
			want []int
		}{{drawing{Labels: &total}, byTotal}, {drawing{LabelsPerClass: &each}, perClass}} {
			cmd := labelCmd{drawing: c.drawing}
			if given > 0 {
				cmd.Seed = &given
			}
			in := &mercer.Input{Set: set}
			if err := cmd.hide(in); err != nil {
				t.Fatal(err)
			}
			slices.Sort(c.want)
			if got := in.Set.Answers.Answered(); !slices.Equal(got, c.want) {
				t.Errorf("seed %d: rows %v are left, want %v", given, got, c.want)
			}
		}
	}
}

// TestLabelDropsBesidePictures: the column of pictures is no feature, and neither is one that is dropped.
func TestLabelDropsBesidePictures(t *testing.T) {
	const rows = "size,junk,file,label\n1,5,a.png,x\n2,4,b.png,x\n3,3,a.png,x\n7,2,a.png,y\n8,1,b.png,y\n9,0,c.png,y\n"
	folderWith(t, map[string]string{"rows.csv": rows})
	r := startLabel(t, "rows.csv", "--image", "file", "--drop", "junk", "-o", "m.mercer")
	if code := r.end(true); code != exitDone {
		t.Fatalf("exit %d: %s", code, r.stderr)
	}
	m, err := model.Load(t.Context(), "m.mercer")
	if err != nil || len(m.Features) != 1 || m.Features[0] != "size" {
		t.Errorf("the features are %q, %v", m.Features, err)
	}
}

// TestLabelRefusals: what cannot be labelled is refused in one line, before the page is there.
func TestLabelRefusals(t *testing.T) {
	folderWith(t, map[string]string{"rows.csv": "a,b,label\n1,2,x\n3,4,y\n5,6,\n7,8,\n", "two.csv": "a,label\n1,x\n2,\n",
		"numbers.csv": "a,label\n1,1.5\n2,2.25\n3,4.125\n4,\n", "other.csv": "a,b,label\n1,2,x\n3,5,y\n5,6,\n7,8,\n",
		"marked.csv": "a,label\n1,0\n2,1\n3,1\n4,0\n"})
	zeros := startLabel(t, "marked.csv", "--log", "zeros.jsonl", "--quiet") // without the mark
	s := zeros.state().Question
	zeros.post("/ask", page.Request{Number: s.Number, Row: s.Row, Again: 0})
	zeros.answer(1, func(int) string { return "0" })
	if code := zeros.end(false); code != exitDone {
		t.Fatalf("exit %d: %s", code, zeros.stderr)
	}
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	r := startLabel(t, "rows.csv")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"rows.csv", 1, `rows\.csv\.labels\.jsonl: another mercer label has it open; .*`},
		{"other.csv --log rows.csv.labels.jsonl", 1, `rows\.csv\.labels\.jsonl: another .*`},
		{"rows.csv --log l --port " + port, 1, `127\.0\.0\.1:` + port + `: the port is in use by another program; .*--port 0.*`},
		{"rows.csv --port -1", 2, `--port -1: .*`},
		{"rows.csv --classes x,z --log l", 1, `rows\.csv:3: label "y" is none of --classes; .*`},
		{"rows.csv --classes x,? --log l", 2, `--classes .*; .*`},
		{"marked.csv --unlabelled-mark 0 --classes 0.0,1 --log l", 2, `--classes 0\.0,1: "0\.0" means .*; .*`},
		{"marked.csv --unlabelled-mark 0 --log zeros.jsonl", 1, `zeros\.jsonl: line 2: "0" means .*; .*`},
		{"iris --labels 20 --labels-per-class 1 --log l", 2, `--labels and --labels-per-class .*; give one of them`},
		{"iris --labels 0 --log l", 2, `--labels 0: must be at least 1`},
		{"iris --labels-per-class -1 --log l", 2, `--labels-per-class -1: must be at least 1`},
		{"rows.csv --image 2x2 --log l", 2, `--image 2x2: that is 4 pixels, and rows have 2 features; .*`},
		{"rows.csv --image zz --log l", 1, `rows\.csv:1: --image zz: no such column; .*`},
		{"digits --image file --log l", 1, `.*`},
		{"two.csv", 1, `two\.csv: .*2 rows; at least 3 are needed`},
		{"numbers.csv", 1, `numbers\.csv: column "label": numbers to predict.*; .*`},
		{"-", 2, `label -: .*; .*`},
		{"rows.csv --view a=1..1", 2, `--view: .*`},
		{"rows.csv --log rows.csv", 2, `--log rows\.csv: would replace the input; .*`},
		{"rows.csv --log l --labelled l", 2, `--log, --labelled and -o: .*`},
		{"rows.csv --log l -o none/x", 1, `none/x: its folder does not exist; .*`},
		{"rows.csv --log l --memory 1000", 1, `rows\.csv:2: .* memory.*; .*`},
		{"none.csv", 1, `none\.csv: .*`},
	} {
		o := run(t, "", append([]string{"label", "--quiet"}, strings.Fields(c.args)...)...)
		if o.code != c.code || !regexp.MustCompile(`^mercer: `+c.want+`\n$`).MatchString(o.stderr) {
			t.Errorf("mercer label %s: exit %d, %q", c.args, o.code, o.stderr)
		}
	}
	r.answer(1, func(int) string { return "x" })
	if code := r.end(false); code != exitDone {
		t.Errorf("exit %d: %s", code, r.stderr)
	}
	o := run(t, "", "label", "other.csv", "--log", "rows.csv.labels.jsonl")
	if want := "rows.csv.labels.jsonl:1: the answers are of other rows"; o.code != 1 || !strings.Contains(o.stderr, want) {
		t.Errorf("a log of other rows: exit %d, %q", o.code, o.stderr)
	}
}

// TestLabelToken: with a token the page opens by the address that is printed, and nothing answers without it; an empty token is refused.
func TestLabelToken(t *testing.T) {
	text, _ := moons(t)
	folderWith(t, map[string]string{"moons.csv": text})
	for _, verb := range [][]string{{"label", "moons.csv"}, {"serve", "moons.csv"}} {
		t.Setenv("MERCER_TOKEN", "")
		if r := run(t, "", verb...); r.code != exitUsage || !strings.Contains(r.stderr, "MERCER_TOKEN is empty") {
			t.Errorf("%v with an empty token: %+v", verb, r)
		}
	}
	t.Setenv("MERCER_TOKEN", "s3 cret")
	r := startLabel(t, "moons.csv")
	defer r.end(false)
	base := r.url + "/"
	_, query, _ := strings.Cut(r.stderr.String(), base+"?")
	query, _, _ = strings.Cut(query, " ")
	get := func(c *http.Client, url string) int {
		a, err := c.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		return a.StatusCode
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	for _, c := range []struct {
		client *http.Client
		url    string
		want   int
	}{
		{http.DefaultClient, base, 401}, {http.DefaultClient, base + "state", 401}, {browser, base + "?" + query, 200},
		{browser, base + "state", 200}, {browser, base, 200}, {http.DefaultClient, base + "?token=other", 401},
	} {
		if got := get(c.client, c.url); got != c.want {
			t.Errorf("%s: status %d, want %d", c.url, got, c.want)
		}
	}
}
