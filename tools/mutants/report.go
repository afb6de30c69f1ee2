package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// count is how many of a kind or a package were found.
type count struct{ found, drawn int }

// report prints the shares by kind and by package and every fault that was missed.
func report(w io.Writer, drawn []*fault) {
	byKind, byPack := map[string]count{}, map[string]count{}
	var total count
	long := 0
	for _, f := range drawn {
		if f.long {
			long++
		}
		for _, c := range []struct {
			table map[string]count
			key   string
		}{{byKind, f.kind.String()}, {byPack, packName(f)}} {
			n := c.table[c.key]
			n.add(f)
			c.table[c.key] = n
		}
		total.add(f)
	}
	fmt.Fprintf(
		w,
		"%d of %d found, %.0f %%; %d of them by tests in their whole length alone.\n\n## By kind\n\n",
		total.found,
		total.drawn,
		100*float64(total.found)/float64(max(total.drawn, 1)),
		long,
	)
	table(w, "kind", byKind)
	fmt.Fprintf(w, "\n## By package\n\n")
	table(w, "package", byPack)
	fmt.Fprintf(w, "\n## Not found\n\n")
	for _, f := range drawn {
		if f.by == "" {
			fmt.Fprintf(w, "* %s: %s: %s\n", f.place(), f.kind, f.what)
		}
	}
}

func (c *count) add(f *fault) {
	c.drawn++
	if f.by != "" {
		c.found++
	}
}

func table(w io.Writer, head string, counts map[string]count) {
	fmt.Fprintf(w, "| %s | found | drawn |\n|---|---|---|\n", head)
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "| %s | %d | %d |\n", key, counts[key].found, counts[key].drawn)
	}
}

// packName is the folder of a fault.
func packName(f *fault) string {
	for i := len(f.shown) - 1; i >= 0; i-- {
		if f.shown[i] == '/' {
			return f.shown[:i]
		}
	}
	return "."
}
