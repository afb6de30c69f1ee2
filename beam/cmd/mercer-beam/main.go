// Command mercer-beam is mercer for files of many shards and any number of machines; see mercer-beam -h.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mercer-ml/mercer/beam/cli"
	"github.com/mercer-ml/mercer/beam/pipeline"
)

func main() {
	if err := pipeline.Worker(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mercer-beam:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second interrupt ends the program at once
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
