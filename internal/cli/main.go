// Package cli is the program mercer: verbs that turn flags into the recipes a
// library user writes, and results into tables for people or JSON for programs.
//
// Exit codes: 0 done, 1 the data, a file or the request is at fault, 2 wrong
// usage, 130 interrupted.
//
// A new verb is a file here with a struct of flags. What a verb does belongs to the library:
// nothing is computed here that a user of the library could not ask for.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/brief"
	"github.com/mercer-ml/mercer/internal/machine"
	"github.com/mercer-ml/mercer/internal/method"
	"github.com/mercer-ml/mercer/internal/task"
)

// Exit codes of the program.
const (
	exitDone        = 0
	exitData        = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// program is the grammar: one verb a field, each in a file of its own.
type program struct {
	Fit       fitCmd       `cmd:"" help:"Learn from labelled and unlabelled rows, tuning included."`
	Predict   predictCmd   `cmd:"" help:"Predict the rows of a file with a model."`
	Evaluate  evaluateCmd  `cmd:"" help:"Measure a model on the labelled rows of a file."`
	Label     labelCmd     `cmd:"" help:"Label rows on a page in the browser, which asks for those that help most."`
	Pareto    paretoCmd    `cmd:"" help:"Make the whole front of risk against complexity, and choose from it."`
	Cluster   clusterCmd   `cmd:"" help:"Find clusters of rows, without labels."`
	Embed     embedCmd     `cmd:"" help:"Place rows in few dimensions, without labels."`
	Export    exportCmd    `cmd:"" help:"Write a model in another program's format."`
	Convert   convertCmd   `cmd:"" help:"Read other programs' models and data."`
	Shrink    shrinkCmd    `cmd:"" help:"Make a smaller model that answers nearly alike."`
	Explain   explainCmd   `cmd:"" help:"Say why a model answers as it does for a row."`
	Serve     serveCmd     `cmd:"" help:"Answer other programs and the browser by models, over HTTP."`
	Methods   methodsCmd   `cmd:"" help:"Describe methods, kernels, scores and searches."`
	Data      dataCmd      `cmd:"" help:"List, print or write the built-in data sets."`
	Reproduce reproduceCmd `cmd:"" help:"Run published experiments again."`
	Version   versionCmd   `cmd:"" help:"Print the version."`

	Completion completionCmd `cmd:"" help:"Print what lets a shell complete verbs and flags."`
	Man        manCmd        `cmd:"" help:"Print the manual page."`
}

const about = `Regularised kernel learning from few labels and many unlabelled rows; every hyper-parameter is found for you.

    mercer fit digits --labels-per-class 2      20 labels among 1797 images
    mercer fit rows.csv -o rows.mercer          a model from a file
    mercer predict rows.mercer new.csv`

// env holds what a verb may use of the world outside.
type env struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
	Program
}

// Program is what the program knows beside what this module does. The zero value is mercer.
type Program struct {
	Formats []read.Further // of files with rows
	Writers []apply.Writer // of predictions
}

// Main runs the program with the arguments after its name and returns its exit
// code. Cancelling ctx stops a fit at its best answer so far.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return Program{}.Main(ctx, args, stdin, stdout, stderr)
}

// Run is the main function of the program: it runs on the arguments and files of this process and ends it. The first interrupt stops a
// fit at its best answer so far; the handler is then gone, so that the second one ends the program at once.
func (p Program) Run() {
	machine.Restart()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(p.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs the program with further formats.
func (p Program) Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	e := &env{ctx, stdin, stdout, stderr, p}
	defer func() {
		fault := recover()
		if fault == nil {
			return
		}
		e.say("internal error: %v; please report it with the command and, if you can, the data", fault)
		if os.Getenv("MERCER_DEBUG") == "1" {
			_, _ = stderr.Write(debug.Stack()) // nothing is left to tell it to
		}
		code = exitData
	}()
	if machine.AddressSpace() > 0 {
		debug.SetMemoryLimit(machine.Allowed(0))
	}
	run, err := p.parse(habitual(args), stdout, stderr)
	if err == nil && run != nil {
		if wrong := arguments.CheckEngine(); wrong != nil {
			return e.finish(usage("%s", wrong))
		}
		err = run.Run(e, run.Model)
	}
	return e.finish(err)
}

// formats are those that every program reads.
var formats = []string{"csv", "libsvm", "arff", "jsonl"}

// words are those of texts that depend on the formats.
func (p Program) words() map[string]string {
	if len(p.Formats) == 0 {
		return nil
	}
	names := slices.Clone(formats)
	for _, f := range p.Formats {
		names = append(names, string(f.Format()))
	}
	last := len(names) - 1
	return map[string]string{
		"formats": "," + strings.Join(names, ","),
		"source_format": fmt.Sprintf("Format of the file, %s or %s, where neither its ending nor its beginning tells.",
			strings.Join(names[:last], ", "), names[last]),
		"format_names": strings.Join(names, "|"),
	}
}

// vocabulary is what help texts read from the declarations, and the texts that are long.
func vocabulary() map[string]string {
	words := map[string]string{
		"methods":   strings.Join(method.IDs(nil), ", "),
		"fronts":    strings.Join(method.IDs(func(m method.Method) bool { return m.Supports(nil).Front }), ", "),
		"searches":  strings.Join(task.Searches, ", "),
		"decisions": strings.Join(method.Decisions(), ", "),

		"formats":      "," + strings.Join(formats, ","),
		"format_names": strings.Join(formats, "|"),
	}
	maps.Copy(words, helpTexts())
	return words
}

// grammar is that of the verb that the arguments begin with alone, otherwise the whole program: kong expands
// the texts of every flag that it is given, which takes longer than most verbs. Completion and the manual page tell of all verbs.
func grammar(args []string) any {
	whole := reflect.TypeFor[program]()
	for verb := range whole.Fields() {
		if len(args) > 0 && args[0] == strings.ToLower(verb.Name) && args[0] != "completion" && args[0] != "man" {
			return reflect.New(reflect.StructOf([]reflect.StructField{verb})).Interface()
		}
	}
	return reflect.New(whole).Interface()
}

// parse reads the arguments; run is nil after -h.
func (p Program) parse(args []string, stdout, stderr io.Writer) (run *kong.Context, err error) {
	if len(args) == 0 {
		return nil, usage("no verb; try mercer fit digits --labels-per-class 2, or see mercer -h")
	}
	words := vocabulary()
	maps.Copy(words, p.words())
	run, err = arguments.Parse(grammar(args), args, stdout, stderr, kong.Name("mercer"), kong.Description(about), arguments.Words(words),
		kong.ExplicitGroups([]kong.Group{
			{Key: "experiments", Title: "Experiments (hidden labels are used for the final metrics alone):"},
		}))
	var file *fs.PathError
	if errors.As(err, &file) {
		return nil, err // help that could not be written
	}
	if err != nil {
		return nil, usage("%s; %s%s", strings.TrimSuffix(err.Error(), "."), asSetting(err, args), hint(args))
	}
	return run, nil
}

// asSetting says how a setting is given, where one was taken for a flag, as --gamma 0.1.
func asSetting(err error, args []string) string {
	for i, a := range args {
		name, value, ok := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "--") || !strings.Contains(err.Error(), "unknown flag --"+name) || !method.Known(name) {
			continue
		}
		if !ok && i+1 < len(args) {
			value = args[i+1]
		}
		return fmt.Sprintf("settings are given as --set %s=%s; ", name, value)
	}
	return ""
}

// hint names the help page of the verb that the user meant.
func hint(args []string) string {
	for _, a := range args {
		switch a {
		case "fit", "predict", "evaluate", "label", "pareto", "cluster", "embed", "export", "convert", "shrink", "explain", "serve",
			"methods",
			"data", "reproduce", "version", "completion", "man":
			return "see mercer " + a + " -h"
		case "train", "learn":
			return "did you mean fit? See mercer -h"
		case "test", "score", "validate":
			return "did you mean evaluate? See mercer -h"
		}
	}
	return "see mercer -h"
}

// show prints a text for people, whose names and labels may come from anywhere.
func (e *env) show(text string) error {
	_, err := io.WriteString(e.stdout, brief.Shown(text))
	return err
}

// say writes one line for people.
func (e *env) say(format string, args ...any) {
	text := brief.Message(brief.Shown(oneLine(fmt.Sprintf(format, args...))))
	_, _ = fmt.Fprintf(e.stderr, "mercer: %s\n", text) // a lost message has nowhere else to go
}
