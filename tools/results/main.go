// Results lists the pages of docs/results that were measured with other code than there is: each page says in its heading the hash of the
// package that it measures, with all that this imports. It can write them anew, by the commands in their headings.
//
//	go run ./tools/results
//	go run ./tools/results -anew 'reproduce-.*' -data ../shared/data
//
// It fails where such a page is left.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/internal/results"
)

// folder is where a command names the folder of the data.
var folder = regexp.MustCompile(`(-data) DIR\b`)

func main() {
	anew := flag.String("anew", "", "regular `expression` of the names, without .md, of outdated pages to write anew")
	data := flag.String("data", "../shared/data", "`folder` of the data, DIR in the headings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *anew, *data)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "results:", err)
		os.Exit(1)
	}
}

// run lists the outdated pages, once those that are asked for are written.
func run(ctx context.Context, anew, data string) error {
	wanted, err := regexp.Compile("^(?:" + anew + ")$")
	if err != nil {
		return err
	}
	root, err := results.Root()
	if err != nil {
		return err
	}
	if data, err = filepath.Abs(data); err != nil {
		return err
	}
	pages, err := results.Outdated(root)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if anew == "" || !wanted.MatchString(strings.TrimSuffix(page.Name, ".md")) {
			continue
		}
		start := time.Now()
		outcome := "written"
		if err := write(ctx, root, data, page); err != nil {
			outcome = err.Error()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Printf("%s: %s in %s\n", page.Name, outcome, time.Since(start).Round(time.Second))
	}
	if pages, err = results.Outdated(root); err != nil {
		return err
	}
	for _, page := range pages {
		fmt.Printf("%s: %s\n", page.Name, page.Why)
	}
	if len(pages) > 0 {
		return fmt.Errorf("%d pages", len(pages))
	}
	return nil
}

// write runs the command of a page, as a shell reads it. What it prints is shown where it fails.
func write(ctx context.Context, root, data string, page results.Page) error {
	command := page.Command
	if after, is := strings.CutPrefix(command, "mercer "); is { // whose headings do not say the folder of the page
		after = strings.Replace(after, "--markdown "+page.Name, "--markdown docs/results/"+page.Name, 1)
		command = "go run ./cmd/mercer " + after
	}
	c := exec.CommandContext(ctx, "sh", "-c", folder.ReplaceAllString(command, `$1 "$$DIR"`))
	c.Dir, c.Env = root, append(os.Environ(), "DIR="+data)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	text, err := c.CombinedOutput()
	if err != nil {
		return errors.Join(fmt.Errorf("%s: %w", command, err), errors.New(string(text)))
	}
	return nil
}
