// Command mercer-arrow is the program mercer that also reads Parquet and Arrow files, and writes predictions as such.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mercer-ml/mercer/apply"
	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/cli"
	"github.com/mercer-ml/mercer/data/read"
)

func main() {
	// The first interrupt stops a fit at its best answer so far; the handler is
	// then gone, so that the second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	p := cli.Program{Formats: []read.Further{tables.Parquet{}, tables.Arrow{}}, Writers: []apply.Writer{tables.Parquet{}, tables.Arrow{}}}
	os.Exit(p.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
