// Command mercer-arrow is the program mercer that also reads Parquet and Arrow files, and writes predictions as such.
package main

import (
	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/cli"
)

func main() {
	p := cli.Program{Formats: []read.Further{tables.Parquet{}, tables.Arrow{}}, Writers: []apply.Writer{tables.Parquet{}, tables.Arrow{}}}
	p.Run()
}
