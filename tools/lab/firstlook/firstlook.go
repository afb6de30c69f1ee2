// Package firstlook measures how many files are read right at the first look, without a flag, how many are refused and how many are
// misread in silence.
//
// A table of right answers has the columns file, verb, flags, exit, rows, columns, delimiter, header and task; an empty cell asks for
// nothing. Columns are those that have a part: those that are left out, as every cell is alike, do not count.
// The flags may be "model of FILE", for verbs that take a model, and "the same", those of the row before. A second table, says.csv
// beside this file, has what the program must say for some of the files, and what it must not, as regular expressions.
package firstlook

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

//go:embed says.csv
var sayings []byte

// Declare declares the flags.
func Declare(f *measure.Flags) func() measure.Page {
	folder := f.String("cases", "tools/lab/firstlook/testdata", "folder of the files")
	right := f.String("expected", "", "table of the right answers; default: expected.csv in that folder")
	program := f.Mercer()
	return func() measure.Page {
		write := func(ctx context.Context, w io.Writer) error {
			return process.Within(ctx, *program, func(program, temporary string) error {
				l := look{program: program, folder: *folder, temporary: temporary, models: map[string]string{}}
				table := *right
				if table == "" {
					table = filepath.Join(*folder, "expected.csv")
				}
				return l.page(ctx, table, w)
			})
		}
		return measure.Page{Title: "The first look at a file", Write: write}
	}
}

// expected is a row of the table of right answers.
type expected map[string]string

// look runs the program.
type look struct {
	program, folder, temporary string

	models map[string]string // by the file that each was learned from
}

// Outcomes of a file.
const (
	right   = "right"
	refused = "refused"
	silent  = "misread"
)

func (l *look) page(ctx context.Context, table string, w io.Writer) error {
	rows, err := rowsOf(os.ReadFile(table)) //nolint:gosec // the caller's file
	if err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	says, err := rowsOf(sayings, nil)
	if err != nil {
		return err
	}
	count := map[string]int{}
	var list bytes.Buffer
	flags := ""
	for _, row := range rows {
		if row["flags"] != "the same" {
			flags = row["flags"]
		}
		row["flags"] = flags
		for _, s := range says {
			if s["file"] == row["file"] && s["verb"] == row["verb"] {
				row["says"], row["silent"] = s["says"], s["silent"]
			}
		}
		outcome, why, err := l.judge(ctx, row)
		if err != nil {
			return err
		}
		count[outcome]++
		fmt.Fprintf(&list, "| %s | %s | %s | %s |\n", row["file"], row["verb"], outcome, strings.ReplaceAll(why, "|", "\\|"))
	}
	fmt.Fprintf(w, "Of %d files %d are read right, %d refused and %d misread. A file is right if the verb ends as it should, with the "+
		"rows, "+
		"columns, delimiter, lines of names and task that it should have, and says what it should say. The files and the right "+
		"answers are in the folder that -cases names.\n\n",
		len(rows), count[right], count[refused], count[silent])
	fmt.Fprint(w, "| file | verb | outcome | why |\n|---|---|---|---|\n")
	_, err = list.WriteTo(w)
	return err
}

// rowsOf reads a table with a header line.
func rowsOf(text []byte, err error) ([]expected, error) {
	if err != nil {
		return nil, err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, err
	}
	var list []expected
	for _, r := range records[1:] {
		row := expected{}
		for c, name := range records[0] {
			row[name] = r[c]
		}
		list = append(list, row)
	}
	return list, nil
}

// judge runs the verb of a row, and says how it ended and what was wrong.
func (l *look) judge(ctx context.Context, row expected) (outcome, why string, err error) {
	file := filepath.Join(l.folder, row["file"])
	args := []string{row["verb"]}
	flags, model := words(row["flags"]), ""
	if of, ok := strings.CutPrefix(row["flags"], "model of "); ok {
		if flags, model = nil, l.models[of]; model == "" {
			model = filepath.Join(l.temporary, of+".mercer")
			if code, said, err := l.run(ctx, nil, "fit", filepath.Join(l.folder, of), "-o", model); err != nil || code != 0 {
				return refused, lastLine(said), err
			}
			l.models[of] = model
		}
		args = append(args, model)
	}
	var answer struct {
		Rows json.RawMessage `json:"rows"`
		Task string          `json:"task"`
	}
	args = append(append(args, file), flags...)
	var out bytes.Buffer
	asked := args
	if row["verb"] != "predict" {
		asked = append(asked[:len(asked):len(asked)], "--json")
	}
	code, said, err := l.run(ctx, &out, asked...)
	if err != nil {
		return "", "", err
	}
	if want := row["exit"]; want != strconv.Itoa(code) {
		if code == 0 {
			return silent, "ends with 0, not " + want, nil
		}
		return refused, lastLine(said), nil
	}
	if pattern := row["says"]; pattern != "" {
		told := said
		if asked[len(asked)-1] == "--json" { // the table for people says more
			_, more, err := l.run(ctx, nil, args...)
			if err != nil {
				return "", "", err
			}
			told += more + out.String()
		}
		if !regexp.MustCompile("(?s)" + pattern).MatchString(told) {
			return silent, "does not say " + pattern, nil
		}
		if not := row["silent"]; not != "" && regexp.MustCompile("(?s)"+not).MatchString(told) {
			return silent, "says " + not, nil
		}
	}
	if code != 0 {
		return right, "", nil
	}
	_ = json.Unmarshal(out.Bytes(), &answer) // of CSV there is none
	found := expected{"task": answer.Task, "rows": counted(row["verb"], answer.Rows, out.Bytes())}
	if row["columns"]+row["delimiter"]+row["header"] != "" && model == "" {
		if err := l.describe(ctx, append([]string{"data", file, "--json"}, flags...), found); err != nil {
			return "", "", err
		}
	}
	for _, what := range []string{"rows", "columns", "delimiter", "header", "task"} {
		if got, asked := found[what]; row[what] != "" && (asked || model == "") && got != row[what] {
			return silent, fmt.Sprintf("%s %q, not %q", what, got, row[what]), nil
		}
	}
	return right, "", nil
}

// counted is the number of rows that a verb answers for.
func counted(verb string, rows json.RawMessage, out []byte) string {
	if verb == "predict" {
		return strconv.Itoa(bytes.Count(out, []byte("\n")) - 1)
	}
	var parts struct{ Labelled, Unlabelled int }
	if json.Unmarshal(rows, &parts) == nil {
		return strconv.Itoa(parts.Labelled + parts.Unlabelled)
	}
	return string(rows)
}

// describe adds what mercer data says of a file.
func (l *look) describe(ctx context.Context, args []string, found expected) error {
	var out bytes.Buffer
	if _, _, err := l.run(ctx, &out, args...); err != nil {
		return err
	}
	var told struct {
		Columns []struct{ Kind string }
		Dialect struct {
			Delimiter string
			Header    *int
		}
	}
	_ = json.Unmarshal(out.Bytes(), &told) // what is missing is found to be wrong
	used := 0
	for _, c := range told.Columns {
		if c.Kind != "left out" {
			used++
		}
	}
	found["columns"], found["delimiter"], found["header"] = strconv.Itoa(used), told.Dialect.Delimiter, ""
	if told.Dialect.Header != nil {
		found["header"] = strconv.Itoa(*told.Dialect.Header)
	}
	return nil
}

// run runs the program, and returns its exit code and what it says to people.
func (l *look) run(ctx context.Context, out io.Writer, args ...string) (code int, said string, err error) {
	cmd := exec.CommandContext(ctx, l.program, args...) //nolint:gosec // the program that is measured
	var both bytes.Buffer
	cmd.Stderr, cmd.Stdout = &both, out
	if out == nil {
		cmd.Stdout = &both
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), both.String(), nil
	}
	return 0, both.String(), err
}

// lastLine is what a program said last, without the folders of files.
func lastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return regexp.MustCompile(`[^ :]*/`).ReplaceAllString(lines[len(lines)-1], "")
}

// words are those of flags, of which some stand in single quotes.
func words(flags string) []string {
	var list []string
	for i, part := range strings.Split(flags, "'") {
		if i%2 == 1 {
			list = append(list, part)
			continue
		}
		list = append(list, strings.Fields(part)...)
	}
	return list
}
