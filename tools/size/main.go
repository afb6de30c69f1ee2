// Size measures the source code: public packages and the names that they export, internal types in their signatures, folders and
// the knots of their imports, lines, and functions with many parameters.
//
//	go run ./tools/size
//	go run ./tools/size -list leaks
//	go run ./tools/size -markdown docs/results/size.md
//
// Run it from the root of the module. With -list it prints, in the place of the table, what one row of it counts.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/results"
)

// measured is a row of the table: what it counts, and each thing that was counted.
type measured struct {
	name  string // for -list
	words string // for the table
	items []string
	count int // where it is not the number of items
}

func main() {
	var list, markdown string
	flag.StringVar(&list, "list", "", "print what the row of this `name` counts, a line each; an unknown name tells all names")
	flag.StringVar(&markdown, "markdown", "", "write the tables to this `file` too, with the command, the date and the machine")
	flag.Parse()
	err := results.Program(markdown, "The size of the source code", "tools/size", os.Args[1:], func(w io.Writer) error {
		return run(w, list)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
}

// run measures the module in the current folder and prints the table, or the items of one row.
func run(w io.Writer, list string) error {
	packages, err := listed(".", "-export", "-deps")
	if err != nil {
		return err
	}
	public, err := exported(packages)
	if err != nil {
		return err
	}
	code, err := read(".")
	if err != nil {
		return err
	}
	top, err := topFolders(".")
	if err != nil {
		return err
	}
	order, err := promised("docs/architecture.md")
	if err != nil {
		return err
	}
	rows := []measured{
		{"packages", "public packages of the root module", slices.Sorted(maps.Keys(public.names)), len(public.names)},
		{"names", "exported names in them", public.all(), 0},
		{"leaks", "internal types in public signatures", slices.Sorted(maps.Keys(public.leaks)), 0},
		{"folders", "folders at the top", top, 0},
		{"knot", "folders, two levels deep, in knots of imports", knotted(packages), 0},
		{"upward", "imports against the order of docs/architecture.md", upward(packages, order), 0},
		{"lines", "lines of Go without tests, all modules", perFolder(code.lines), sum(code.lines)},
		{"tests", "lines of tests, all modules", perFolder(code.tests), sum(code.tests)},
		{"functions", "functions outside tests", nil, code.functions},
		{"parameters", "with more than 6 parameters", code.many, 0},
		{"bools", "with a bool parameter", code.bools, 0},
		{"long", "with more than 60 lines", code.long, 0},
	}
	if list == "" {
		fmt.Fprintln(w, "| | count |\n|---|---|")
		for _, r := range rows {
			fmt.Fprintf(w, "| %s | %d |\n", r.words, cmp.Or(r.count, len(r.items)))
		}
		return nil
	}
	at := slices.IndexFunc(rows, func(r measured) bool { return r.name == list })
	if at < 0 {
		var names []string
		for _, r := range rows {
			names = append(names, r.name)
		}
		return fmt.Errorf("-list %s: the rows are %s", list, strings.Join(names, ", "))
	}
	for _, item := range rows[at].items {
		fmt.Fprintln(w, item)
	}
	return nil
}

// perFolder lists folders with their lines, the largest first.
func perFolder(lines map[string]int) []string {
	folders := slices.SortedFunc(maps.Keys(lines), func(a, b string) int {
		return cmp.Or(cmp.Compare(lines[b], lines[a]), strings.Compare(a, b))
	})
	for i, f := range folders {
		folders[i] = fmt.Sprintf("%7d %s", lines[f], f)
	}
	return folders
}

func sum(lines map[string]int) (total int) {
	for _, n := range lines {
		total += n
	}
	return total
}
