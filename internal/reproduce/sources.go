package reproduce

import (
	"fmt"
	"io"
	"strings"

	"github.com/mercer-ml/mercer/internal/cite"
	"github.com/mercer-ml/mercer/internal/method"
)

// A source is one of the five documents: how it is cited, and the tables and figures in it.
type source struct {
	name  string // as cited by Experiment.Source
	cited string // as cited by the declarations
	shown []shown
}

// shown is a table or figure of a source.
type shown struct {
	what  string // "table 4.1"
	about string
	by    string // the experiments that show it again, or why none does
}

// sources lists the documents in the order in which they appeared on the same subject.
func sources() []source {
	return []source{
		{"Odone & Rosasco 2014", cite.Rosasco, nil},
		{"Becker 2013", cite.Becker, describe("becker").shown},
		{"Klatzer 2014", cite.Klatzer, describe("klatzer").shown},
		{"Kokshenev 2010", cite.Kokshenev, describe("kokshenev").shown},
		{"Sindhwani 2007", cite.Sindhwani, describe("sindhwani").shown},
	}
}

// Sources writes, as Markdown, what of the five documents is where: the methods, kernels, scores, searches and losses that are
// declared to come from them, and all of their tables and figures with the experiments that show them again.
func Sources(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# What of the sources is where

    mercer reproduce --sources > docs/sources.md

Mercer implements five documents on learning in reproducing kernel Hilbert spaces. The first table of each lists what the program has of
it: ` + "`mercer methods ID`" + ` explains an entry. The second lists its tables, figures and algorithms:
` + "`mercer reproduce ID --data DIR`" + ` runs the experiment that shows one again.

The last column of a first table says where the source has the entry. A number alone is that of a section; the column is empty where
no single place defines it. "As corrected" says that a formula there is misprinted or wrong, and that the program computes the right one;
[notation.md](notation.md#where-the-sources-err) lists what matters. "A drawing" illustrates the text and has no data behind it.
`)
	for _, s := range sources() {
		fmt.Fprintf(&b, "\n## %s\n\n| kind | id | name | where in the source |\n|---|---|---|---|\n", s.cited)
		for _, e := range method.Entries() {
			if at, ok := s.cites(e.Source); ok {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s |\n", e.Kind, e.ID, e.Title, at)
			}
		}
		if len(s.shown) == 0 {
			b.WriteString("\nIt has no tables and figures; `mercer reproduce lecture-fit` runs its machines.\n")
			continue
		}
		b.WriteString("\n| part | what it shows | shown again by |\n|---|---|---|\n")
		for _, x := range s.shown {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", x.what, x.about, x.by)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cites returns where in the source a declaration has its part from.
func (s source) cites(declared string) (at string, ok bool) {
	var places []string
	for part := range strings.SplitSeq(declared, "; ") {
		if _, rest, found := strings.Cut(part, s.cited); found {
			ok = true
			if rest = strings.Trim(rest, " ,."); rest != "" {
				if strings.Count(rest, "(") > strings.Count(rest, ")") { // the bracket ends behind a semicolon
					rest += ")"
				}
				places = append(places, rest)
			}
		}
	}
	return strings.Join(places, "; "), ok
}
