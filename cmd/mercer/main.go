// Command mercer learns from few labels and many unlabelled rows; see mercer -h.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mercer-ml/mercer/cli"
)

func main() {
	// The first interrupt stops a fit at its best answer so far; the handler is
	// then gone, so that the second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
