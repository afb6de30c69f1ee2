// Package cli is the program mercer-beam: verbs of mercer over shards. Flags, messages and exit codes are those of mercer as
// far as they have a meaning; what a verb computes is in packages squares and work.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/mercer-ml/mercer"
	"github.com/mercer-ml/mercer/beam/pipeline"
	"github.com/mercer-ml/mercer/beam/shard"
	"github.com/mercer-ml/mercer/beam/work"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/oserror"
)

// Exit codes of the program, which are those of mercer.
const (
	exitDone        = 0
	exitData        = 1
	exitUsage       = 2
	exitInterrupted = 130
)

const about = `Mercer over files of many shards, on this machine or by any runner of Apache Beam. Quote patterns, so that the shell
leaves them alone.

    mercer-beam fit 'shards/*.csv' -o rows.mercer
    mercer-beam predict rows.mercer 'new/*.csv.gz' -o answers
    mercer-beam evaluate rows.mercer 'test/*.csv'
    mercer-beam sweep 'shards/*.csv' --candidates recipes.json -o best.mercer
    mercer-beam neighbours 'shards/*.csv' -k 10 -o lists`

// texts are the help texts that are too long for the tag of a field.
func texts() map[string]string {
	return map[string]string{
		"format": "csv, libsvm or parquet (default: by the names' endings, else by the beginnings).",
		"skip": "Leave out up to N lines of text that cannot be read, and say which; each costs another reading of its shard. Refused by " +
			"predict and sweep.",
		"environment": `What that kind of worker needs; for PROCESS as {"command":"/usr/local/bin/mercer-beam"}.`,
		"lost":        "Take a worker for lost that has not shown itself in the shared folder for so long",
		"workers": "Share the work out to N processes of this program on this machine, 8 at most, each with its part of the processors " +
			"(default: none, threads of this process).",
		"set":    "lambda, or C; choose=random; outer=mse, error or logloss, by which rows left out are judged; parameters of the kernel.",
		"method": "rls (default, and as linear-rls), linear-logistic, linear-svm, logistic, l2-svm or linear-tsvm.",
		"tune": "auto, loo:press, loo:logloss, loo:error or none; of least squares also gcv, and kfold:K or holdout:SHARE, " +
			"whose rows are " +
			"left out together.",
		"answers": "Folder for the predictions: one CSV file for each shard, of the same name, its rows in the same order.",
	}
}

// program is the grammar: one verb a field, each in a file of its own.
type program struct {
	Fit      fitCmd      `cmd:"" help:"Learn a machine from the rows of all shards, linear or with a kernel on few centres."`
	Sweep    sweepCmd    `cmd:"" help:"Fit every recipe of a list, each on one worker, and keep the best model."`
	Predict  predictCmd  `cmd:"" help:"Predict the rows of every shard with a model."`
	Evaluate evaluateCmd `cmd:"" help:"Measure a model on the labelled rows of all shards."`

	Neighbours neighboursCmd `cmd:"" help:"Find the nearest neighbours of every row of all shards."`
}

// source are the flags that say how shards are read.
type source struct {
	Format         string `help:"${format}" enum:",csv,libsvm,parquet" default:"" placeholder:"csv|libsvm|parquet"`
	Label          string `help:"Column of the labels (default: label or target, else the last)." placeholder:"COLUMN"`
	UnlabelledMark string `help:"Label that means unlabelled, beside empty, ?, NA, N/A, NaN, null and None." placeholder:"VALUE"`
	SkipBad        int    `help:"${skip}" placeholder:"N"`
	arguments.Dialect
}

// columns are the flags that choose columns.
type columns struct {
	Drop     []string `help:"Columns that are no features: NAME, FIRST..LAST, PREFIX*; separated by commas." placeholder:"COLS"`
	Features []string `help:"The only columns that are features." placeholder:"COLS"`
}

// options are those of package shard.
func (s source) options(c columns) shard.Options {
	return shard.Options{
		Format: read.Format(s.Format), Label: s.Label, UnlabelledMark: s.UnlabelledMark, SkipBad: s.SkipBad, Drop: c.Drop,
		Features: c.Features, Marks: s.Missing, Strict: s.Strict,
		Dialect: read.Dialect{Delimiter: s.Delimiter, Header: s.Header, Skip: s.Skip, Quote: s.Quote, Comment: s.Comment,
			Decimal: s.Decimal},
	}
}

// running are the flags of all verbs that say who does the work and how it is told.
type running struct {
	JSON            bool     `name:"json" help:"Print one JSON object, numbers in full."`
	Quiet           bool     `help:"Say nothing but errors beside the result."`
	Runner          string   `help:"prism (default, in this process), flink, spark or universal." placeholder:"NAME"`
	Workers         *int     `help:"${workers}" placeholder:"N"`
	Endpoint        string   `help:"Address of the runner's job server, as localhost:8099." placeholder:"HOST:PORT"`
	EnvironmentType string   `help:"How workers are started: LOOPBACK (in this process), PROCESS, DOCKER or EXTERNAL." placeholder:"WORD"`
	EnvironmentConf string   `name:"environment-config" help:"${environment}" placeholder:"TEXT"`
	Beam            []string `help:"Any other flag of Beam, as --beam parallelism=8." placeholder:"NAME=VALUE" sep:"none"`
	Work            string   `help:"Folder that all workers share with this program (default: one for temporary files)." placeholder:"DIR"`
	Tries           int      `help:"Begin again so often after a worker or runner was lost (default: ${default})." default:"2" placeholder:"N"`

	LostAfter time.Duration `help:"${lost} (default: ${default})." default:"1m" placeholder:"DUR"`
}

// env holds what a verb may use of the world outside.
type env struct {
	ctx            context.Context
	stdout, stderr io.Writer
}

// usageError is wrong usage of flags: exit 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usage(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Main runs the program with the arguments after its name and returns its exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	e := &env{ctx, stdout, stderr}
	run, err := parse(args, stdout, stderr)
	if err == nil && run != nil {
		if wrong := arguments.CheckEngine(); wrong != nil {
			return e.finish(usage("%s", wrong))
		}
		err = run.Run(e)
	}
	return e.finish(err)
}

// parse reads the arguments; run is nil after -h.
func parse(args []string, stdout, stderr io.Writer) (run *kong.Context, err error) {
	if len(args) == 0 {
		return nil, usage("no verb; try mercer-beam fit 'shards/*.csv' -o rows.mercer, or see mercer-beam -h")
	}
	run, err = arguments.Parse(new(program), args, stdout, stderr,
		kong.Name("mercer-beam"), kong.Description(about), arguments.Words(texts()))
	if err != nil {
		return nil, usage("%s; see mercer-beam -h", strings.TrimSuffix(err.Error(), "."))
	}
	return run, nil
}

// finish turns the error of a verb into its one line and the exit code.
func (e *env) finish(err error) int {
	var wrong *usageError
	var request *mercer.UsageError
	var found *pipeline.Fault
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, context.Canceled):
		e.say("interrupted; nothing was written")
		return exitInterrupted
	case errors.As(err, &wrong), errors.As(err, &request), errors.As(err, &found) && found.Usage:
		e.say("%v", err)
		return exitUsage
	}
	e.say("%v", err)
	return exitData
}

// say writes one line for people.
func (e *env) say(format string, args ...any) {
	text := strings.Join(strings.FieldsFunc(fmt.Sprintf(format, args...), func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	_, _ = fmt.Fprintf(e.stderr, "mercer-beam: %s\n", brief.Shown(text)) // a lost message has nowhere else to go
}

// warn says what a person should know.
func (r running) warn(e *env, texts ...string) {
	if r.Quiet {
		return
	}
	for _, text := range texts {
		e.say("warning: %s", text)
	}
}

// begin makes the runner and the shared folder ready; end removes the folder if begin made it.
func (r running) begin(e *env) (o pipeline.Options, end func(), err error) {
	flags := map[string]string{}
	for name, value := range map[string]string{
		"endpoint": r.Endpoint, "environment_type": r.EnvironmentType, "environment_config": r.EnvironmentConf,
	} {
		if value != "" {
			flags[name] = value
		}
	}
	for _, pair := range r.Beam {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return o, nil, usage("--beam %s: write NAME=VALUE, as in --beam parallelism=8", pair)
		}
		flags[name] = value
	}
	if own, err := os.Executable(); err == nil && flags["worker_binary"] == "" {
		flags["worker_binary"] = own // workers run this program; else Beam would build one from source
	}
	switch {
	case r.Runner != "" && r.Runner != "prism" && r.Runner != "flink" && r.Runner != "spark" && r.Runner != "universal":
		return o, nil, usage("--runner %s: not known; choose prism, flink, spark or universal", r.Runner)
	case r.Runner != "" && r.Runner != "prism" && flags["endpoint"] == "":
		return o, nil, usage("--runner %s: give the address of its job server with --endpoint, as localhost:8099", r.Runner)
	case r.Workers != nil && (*r.Workers < 1 || *r.Workers > pipeline.MostWorkers):
		return o, nil, usage("--workers %d: give 1 to %d, which is how many Prism keeps busy", *r.Workers, pipeline.MostWorkers)
	case r.Workers != nil && (r.Runner != "" && r.Runner != "prism" || flags["endpoint"] != "" || flags["environment_type"] != ""):
		return o, nil, usage("--workers %d: starts its own Prism and processes; leave out --runner, --endpoint and --environment-type, "+
			"or tell that runner how many workers to have", *r.Workers)
	case r.LostAfter < 5*time.Second:
		return o, nil, usage("--lost-after %v: workers show themselves every second; give 5s at least", r.LostAfter)
	case r.Tries < 0:
		return o, nil, usage("--tries %d: must not be negative", r.Tries)
	}
	if err := checkEnvironment(e.ctx, flags); err != nil {
		return o, nil, err
	}
	if err := pipeline.Start(flags); err != nil {
		return o, nil, usage("%v", err)
	}
	if flags["endpoint"] != "" {
		if err := reachable(e.ctx, "--endpoint", flags["endpoint"], "no runner",
			"start its job server, as docs/scale.md shows"); err != nil {
			return o, nil, err
		}
	}
	o = pipeline.Options{Runner: r.Runner, Folder: r.Work, Tries: r.Tries, Lost: r.LostAfter, Retried: func(err error) {
		r.warn(e, fmt.Sprintf("begun again, because the runner did not end the work: %v", err))
	}}
	if r.Workers != nil {
		if o.Workers, err = pipeline.NewWorkers(e.ctx, *r.Workers); err != nil {
			return o, nil, err
		}
	}
	folder, remove, err := ownFolder(r.Work)
	if err != nil {
		return o, nil, err
	}
	back := leaveNothing(folder)
	o.Folder, o.Keep = folder, room(flags, folder)
	return o, func() { back(); remove() }, nil
}

// ownFolder makes a folder for one run in another, "" = the one for temporary files: runs that share a folder must not read each
// other's answers. end removes it.
func ownFolder(in string) (folder string, end func(), err error) {
	if in == "" {
		in = os.TempDir()
	} else if err := os.MkdirAll(in, 0o777); err != nil {
		return "", nil, fmt.Errorf("--work %s: %w", in, err)
	}
	if folder, err = filepath.Abs(in); err != nil {
		return "", nil, err
	}
	host, _ := os.Hostname() // "" will do
	folder = filepath.Join(folder, fmt.Sprintf("mercer-beam-%s-%d-%d", host, os.Getpid(), time.Now().UnixNano()))
	if err := os.Mkdir(folder, 0o777); err != nil { // workers may be other users, as in containers
		return "", nil, fmt.Errorf("--work %s: %w", in, err)
	}
	return folder, func() { _ = os.RemoveAll(folder) }, nil // a leftover harms nobody
}

// started is what a verb that learns has in hand before its work begins.
type started struct {
	table *shard.Table
	spec  work.Spec // of the shards and how they are read
	to    pipeline.Options
	end   func()
}

// start finds what is wrong with the place of the model and with the shards, and makes the runner ready; end is to be called after the
// work.
func (r running) start(e *env, output string, patterns []string, o shard.Options) (s started, err error) {
	if err := writable(output); err != nil {
		return s, err
	}
	if s.table, err = survey(e, patterns, o); err != nil {
		return s, err
	}
	s.spec = work.Spec{Shards: s.table.Shards, Read: o}
	s.to, s.end, err = r.begin(e)
	return s, err
}

// survey lists the shards of patterns, by names that do not depend on the folder that a worker runs in, and looks at them.
func survey(e *env, patterns []string, o shard.Options) (*shard.Table, error) {
	files, err := absolute(patterns)
	if err != nil {
		return nil, err
	}
	return shard.Survey(e.ctx, files, o)
}

// absolute expands patterns.
func absolute(patterns []string) ([]string, error) {
	files, err := shard.Expand(patterns)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if files[i], err = filepath.Abs(f); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// given reads a file that a flag names.
func given(flag, path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	var fault *fs.PathError
	if errors.As(err, &fault) {
		return nil, fmt.Errorf("%s: %s; check the name after %s", path, oserror.Text(fault), flag)
	}
	return text, err
}

// printJSON writes v as one object in one line.
func (e *env) printJSON(v any) error {
	j := json.NewEncoder(e.stdout)
	j.SetEscapeHTML(false)
	return j.Encode(v)
}

// run works on all elements.
func run(e *env, s work.Spec, o pipeline.Options, result any) error {
	n := s.Elements()
	s.Folder, s.AtOnce = o.Folder, o.Lanes(n)
	return pipeline.Run(e.ctx, s, n, o, result)
}
