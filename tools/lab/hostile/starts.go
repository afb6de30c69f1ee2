package hostile

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/internal/cli"
)

// start is a model that changes are made to, and the rows it is asked about.
type start struct {
	model, data string
	command     string // that makes it, in the folder of the data
}

// starts have between them every part that a model file can have: machines one against one and one against the rest, curves of
// probabilities, decisions, intervals, words, categories and dates, missing cells, fronts, views, sparse rows and averages.
var starts = []start{
	{fitted, "iris.csv", "fit iris.csv --labels 20 --method rls"},
	{"pairs.mercer", "iris.csv", "fit iris.csv --labels 60 --method svm --tune kfold:3 --budget 4"},
	{"linear.mercer", "iris.csv", "fit iris.csv --method linear-svm --budget 4"},
	{"words.mercer", "mails.csv", "fit mails.csv --text body --method svm --budget 4"},
	{"table.mercer", "table.csv", "fit table.csv --method rls --decide balanced --budget 4"},
	{"interval.mercer", "sinc.csv", "fit sinc.csv --method rls --tune kfold:3 --budget 4"},
	{"mean.mercer", "sinc.csv", "fit sinc.csv --method nadaraya-watson"},
	{"front.mercer", "sinc.csv", "pareto sinc.csv"},
	{"views.mercer", "views.csv", "fit views.csv --method co-rls --tune none --view a=moon_x..moon_y --view b=line_x..line_y"},
	{"numbered.mercer", "iris.svm", "fit iris.svm --labels 30 --method lap-rls --budget 5"},
	{"average.mercer", "moons.csv", "fit moons.csv --labels 10 --effort low"},
}

// begin writes the data and the models that changes are made to.
func begin(dir string) error {
	for name, text := range map[string]string{"mails.csv": mails(), "table.csv": mixed()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	commands := []string{
		"data iris -o iris.csv", "convert iris.csv -o iris.svm", "data sinc:n=60 -o sinc.csv", "data two-moons:n=60 -o moons.csv",
		"data moons-lines:n=60 -o views.csv",
	}
	for _, s := range starts {
		commands = append(commands, s.command+" --quiet -o "+s.model)
	}
	for _, c := range commands {
		args := words(c)
		for i, a := range args {
			if strings.HasSuffix(a, ".csv") || strings.HasSuffix(a, ".svm") || strings.HasSuffix(a, ".mercer") {
				args[i] = filepath.Join(dir, a)
			}
		}
		var said strings.Builder
		if code := cli.Main(context.Background(), args, nil, io.Discard, &said); code != 0 {
			return fmt.Errorf("mercer %s: exit code %d: %s", c, code, said.String())
		}
	}
	return nil
}

// mails are documents of two classes.
func mails() string {
	return "body,label\n" + strings.Repeat("buy cheap pills now,spam\nmeeting at noon today,ham\ncheap offer buy now,spam\n"+
		"see you at the meeting,ham\nwin money now offer,spam\nthe report for the meeting,ham\n", 2)
}

// mixed are rows of words, dates and numbers, of which some are missing.
func mixed() string {
	var b strings.Builder
	b.WriteString("colour,day,size,mass,label\n")
	for i := range 40 {
		mass := fmt.Sprint(i * i % 11)
		if i%7 == 0 {
			mass = ""
		}
		fmt.Fprintf(&b, "%s,2024-%02d-%02d,%.2f,%s,%s\n", []string{"red", "green", "blue"}[i%3], i%12+1, i%28+1, float64(i*37%50)/10, mass,
			[]string{"yes", "no", "no"}[i%3])
	}
	return b.String()
}
