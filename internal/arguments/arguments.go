// Package arguments reads the arguments of the project's programs, so that they understand and explain them alike.
package arguments

import (
	"io"

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
	return k.Parse(args)
}
