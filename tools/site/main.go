// Command site makes a static site of the documents of this repository: README.md, CHANGELOG.md, docs/ and the like.
//
//	go -C tools/site run . -o DIR -version 0.1.0
//
// Pages are written to DIR/VERSION, and DIR/index.html leads to the newest version that is there. A folder of another version is
// not touched. The pages are plain HTML with one style sheet and one script, which searches an index that is made here, and ask
// no other host for anything; they work from a folder as from a server. A link that leads nowhere is an error, and then nothing
// is written. The same documents give the same files, bit for bit.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("site", flag.ContinueOnError)
	out := flags.String("o", "", "the folder of the site; relative to tools/site under go -C tools/site run")
	name := flags.String("version", "dev", "the version that the documents describe: dev, or a number such as 0.1.0")
	root := flags.String("root", "../..", "the folder of README.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return errors.New("usage: go -C tools/site run . -o DIR [-version 0.1.0] [-root FOLDER]")
	}
	if _, ok := parse(*name); !ok {
		return fmt.Errorf("-version %s: give dev, or a number such as 0.1.0 or 0.2.0-rc1", *name)
	}
	files, err := site(os.DirFS(*root), *name)
	if err != nil {
		return err
	}
	return publish(*out, *name, files)
}
