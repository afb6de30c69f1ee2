// Package arguments reads the arguments of the project's programs, so that they understand and explain them alike.
package arguments

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// helpShown ends parsing after -h, where kong would end the process.
type helpShown struct{}

// Parse reads the arguments after a program's name by a grammar, a pointer to a struct with one field for each verb. The verb found is
// nil after -h. An argument may begin with a hyphen, as in --unlabelled-mark -1. Help goes to stdout.
func Parse(grammar any, args []string, stdout, stderr io.Writer, options ...kong.Option) (verb *kong.Context, err error) {
	options = append(options, kong.Writers(stdout, stderr), kong.Exit(func(int) { panic(helpShown{}) }),
		kong.WithHyphenPrefixedParameters(true), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	k, err := kong.New(grammar, options...)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case helpShown:
			verb, err = nil, nil
		default:
			panic(v)
		}
	}()
	if verb, err = k.Parse(args); err != nil {
		return nil, plain(err)
	}
	return verb, twice(verb.Path)
}

// twice refuses a flag of one value that is given again, as only the last value would count.
func twice(path []*kong.Path) error {
	given := map[*kong.Flag]bool{}
	for _, p := range path {
		f := p.Flag
		if f == nil || p.Resolved || f.IsBool() || f.IsCumulative() {
			continue
		}
		if given[f] {
			return fmt.Errorf("--%s is given twice; keep one", f.Name)
		}
		given[f] = true
	}
	return nil
}

// plain says what kong's errors say of numbers in words for people who do not write programs.
func plain(err error) error {
	text := strings.NewReplacer("expected a valid 64 bit int but got", "must be a whole number, not",
		"expected a valid 64 bit uint but got", "must be a whole number from 0, not",
		"expected a float but got", "must be a number, not", " (string)", "").Replace(err.Error())
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// Words puts texts in the place of their names, each written ${name}, in what a grammar says of its verbs and flags. kong's variables do
// the same, but every one of them is expanded anew for each flag, which takes longer than most verbs.
func Words(texts map[string]string) kong.Option {
	var pairs []string
	for name, text := range texts {
		pairs = append(pairs, "${"+name+"}", text)
	}
	words := strings.NewReplacer(pairs...)
	put := func(texts ...*string) {
		for _, text := range texts {
			*text = words.Replace(*text)
		}
	}
	return kong.PostBuild(func(k *kong.Kong) error {
		return kong.Visit(k.Model.Node, func(at kong.Visitable, next kong.Next) error {
			switch at := at.(type) {
			case *kong.Node:
				put(&at.Help)
			case *kong.Value:
				put(&at.Help, &at.Default, &at.Enum)
				if at.Flag != nil {
					put(&at.Flag.PlaceHolder)
				}
			}
			return next(nil)
		})
	})
}
