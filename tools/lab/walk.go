package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// errand is one step of the walk: what somebody types, what is sought in what it prints, and what
// that was taken to mean on the first walk.
type errand struct {
	task, command string
	sought        string // expression of the line that answers; "" if a file or a page does
	note          string
}

// errands are the five tasks in the words of docs/tutorial.md, whose files they use.
func errands() []errand {
	return []errand{
		{"learn", "mercer data cells.csv", `^ +label `,
			"Is the file understood? The last column is the label."},
		{"", "mercer fit cells.csv -o cells.mercer", `^ +expected error `,
			"How good is it? The first line says what to expect of new rows, and what the trivial answer costs."},
		{"predict", "mercer predict cells.mercer later.csv --probability -o answers.csv", `answers for 114 rows`,
			"Did it work? One line says how many rows; the file has the classes and probabilities."},
		{"find the rare class", "mercer evaluate cells.mercer later.csv", `^ +malignant .* 4 `,
			"How many are missed? Four of 42, in the last table; `prbep` is not understood."},
		{"", "mercer fit cells.csv --decide cost=malignant=10 -o careful.mercer", `^ +decided `,
			"What has changed? One line says above which probability; the larger error frightens at first."},
		{"", "mercer evaluate careful.mercer later.csv", `^ +malignant .* 0 `,
			"None is missed now, and the false alarms stand beside."},
	}
}

// visit is a step in which a program goes on until a page was seen.
type visit struct {
	task string
	args []string
	path string // of the page that is asked, by POST where it has a body
	body string // file
	note string
}

func visits() []visit {
	return []visit{
		{"label", []string{"label", "cells.csv", "--port", "0", "-o", "better.mercer"}, "/question", "",
			"The address opens the first question. That the file of labels is written beside is read after the end only."},
		{"serve", []string{"serve", "cells.mercer", "--listen", "127.0.0.1:0"}, "/predict", "later.csv",
			"The address is all that is printed; the page has a field for each column, and takes rows as CSV, too."},
	}
}

// prepare makes the files of the tutorial.
const prepare = `mercer data breast-cancer -o all.csv
awk -F, -v OFS=, 'NR > 1 { $NF = $NF ? "benign" : "malignant" } NR == 1 || NR % 5 == 0' all.csv > later.csv
awk -F, -v OFS=, 'NR > 1 { $NF = NR % 16 != 1 ? "" : $NF ? "benign" : "malignant" } NR % 5' all.csv > cells.csv`

// newcomer walks through five tasks in an empty folder: what is typed, how long it takes, where among the lines printed the answer
// stands, and what it was taken to mean.
func newcomer(f *measure.Flags) func() measure.Page {
	mercer := f.Mercer()
	return func() measure.Page {
		return measure.Page{Title: "A walk through five tasks", Write: func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *mercer, func(program, folder string) error { return walk(ctx, w, program, folder) })
		}}
	}
}

func walk(ctx context.Context, w io.Writer, program, folder string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	folder = filepath.Join(folder, "walk")
	if err := os.Mkdir(folder, 0o750); err != nil {
		return err
	}
	if _, _, err := typed(ctx, program, folder, prepare); err != nil {
		return err
	}
	fmt.Fprint(w, "Five tasks in an empty folder, with the files of docs/tutorial.md. Seconds are those until the command ends, or until "+
		"its page answers. *Lines* are all that it prints; *answer in line* is the first of them that answers the question below the "+
		"table. What was read is as it was written down on walks of November 2026.\n\n"+
		"| task | typed | s | lines | answer in line |\n|---|---|---|---|---|\n")
	notes, err := errandRows(ctx, w, program, folder, errands())
	if err != nil {
		return err
	}
	for _, v := range visits() {
		note, err := v.row(ctx, w, program, folder)
		if err != nil {
			return err
		}
		notes = append(notes, note)
	}
	if _, err = fmt.Fprint(w, "\n", strings.Join(notes, "")); err != nil {
		return err
	}
	return walkOwn(ctx, w, program, folder+"-own")
}

// errandRows runs commands and writes a row of the table for each; it returns what was taken of them.
func errandRows(ctx context.Context, w io.Writer, program, folder string, list []errand) (notes []string, err error) {
	for _, e := range list {
		seconds, lines, err := typed(ctx, program, folder, e.command)
		if err != nil {
			return nil, err
		}
		place := "-"
		if e.sought != "" {
			at := first(lines, regexp.MustCompile(e.sought))
			if at < 0 {
				return nil, fmt.Errorf("%s: no line is %s:\n%s", e.command, e.sought, strings.Join(lines, "\n"))
			}
			place = fmt.Sprint(at + 1)
		}
		fmt.Fprintf(w, "| %s | `%s` | %.1f | %d | %s |\n", e.task, e.command, seconds, len(lines), place)
		notes = append(notes, fmt.Sprintf("* `%s`: %s\n", e.command, e.note))
	}
	return notes, nil
}

// row visits a page and writes the row of the table.
func (v visit) row(ctx context.Context, w io.Writer, program, folder string) (note string, err error) {
	seconds, lines, err := v.seen(ctx, program, folder)
	if err != nil {
		return "", err
	}
	command := "mercer " + strings.Join(v.args, " ")
	fmt.Fprintf(w, "| %s | `%s` | %.1f | %d | %[4]d |\n", v.task, command, seconds, lines)
	return fmt.Sprintf("* `%s`, then `%s`: %s\n", command, v.path, v.note), nil
}

// typed runs a command of the shell and returns its seconds and all lines that it prints.
func typed(ctx context.Context, program, folder, command string) (float64, []string, error) {
	c := exec.CommandContext(ctx, "bash", "-euc", command)
	c.Dir, c.Env = folder, append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	start := time.Now()
	out, err := c.CombinedOutput()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w: %s", command, err, out)
	}
	out = bytes.TrimRight(out, "\n")
	if len(out) == 0 {
		return seconds, nil, nil
	}
	return seconds, strings.Split(string(out), "\n"), nil
}

// first is the number of the first line that an expression finds, from 0, or -1.
func first(lines []string, sought *regexp.Regexp) int {
	for i, l := range lines {
		if sought.MatchString(l) {
			return i
		}
	}
	return -1
}

// seen starts the program, waits for the address that it prints, asks its page once, and ends it. It returns the seconds until the page
// has answered, and the lines printed until then.
func (v visit) seen(ctx context.Context, program, folder string) (seconds float64, lines int, err error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	start := time.Now()
	address, lines, end, err := startServer(ctx, program, folder, v.args...)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	if err := v.asked(ctx, address+v.path, folder); err != nil {
		return 0, 0, err
	}
	return time.Since(start).Seconds(), lines, nil
}

// startServer starts a program that serves a page, and waits for the address that it prints. It returns that, the number of lines printed
// until then, and what ends the program.
func startServer(ctx context.Context, program, folder string, args ...string) (address string, lines int, end func(), err error) {
	ctx, stop := context.WithCancel(ctx)
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = folder
	out, in := io.Pipe()
	c.Stdout, c.Stderr = in, in
	if err := c.Start(); err != nil {
		stop()
		return "", 0, nil, err
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // it is killed in the end
		_ = in.Close()
		close(ended)
	}()
	end = func() {
		stop()
		_ = out.Close() // nobody listens any more
		<-ended
	}
	local := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for s := bufio.NewScanner(out); s.Scan(); {
		lines++
		if address = local.FindString(s.Text()); address != "" {
			go io.Copy(io.Discard, out) //nolint:errcheck // what it still says is not read
			return address, lines, end, nil
		}
	}
	end()
	return "", 0, nil, fmt.Errorf("mercer %s printed no address", strings.Join(args, " "))
}

// asked asks a page, with a file as the body of the request if there is one.
func (v visit) asked(ctx context.Context, url, folder string) error {
	var body []byte
	if v.body != "" {
		var err error
		if body, err = os.ReadFile(filepath.Join(folder, v.body)); err != nil { //nolint:gosec // a file of the walk
			return err
		}
	}
	_, err := request(ctx, url, "text/csv", body)
	return err
}

// request asks an address, by POST where there is a body, of a kind, and returns the answer.
func request(ctx context.Context, url, kind string, body []byte) ([]byte, error) {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", kind)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s %s", url, answer.Status, text)
	}
	return text, err
}
