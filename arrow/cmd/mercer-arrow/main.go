// Command mercer-arrow is the program mercer that also reads Parquet, Arrow and Excel files, and writes predictions as the first two.
package main

import (
	"github.com/mercer-ml/mercer/arrow/sheets"
	"github.com/mercer-ml/mercer/arrow/tables"
	"github.com/mercer-ml/mercer/data/read"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/cli"
)

func main() {
	p := cli.Program{
		Formats: []read.Further{tables.Parquet{}, tables.Arrow{}, sheets.Excel{}},
		Writers: []apply.Writer{tables.Parquet{}, tables.Arrow{}},
	}
	p.Run()
}
