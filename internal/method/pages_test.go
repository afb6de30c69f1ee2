package method

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/test/kept"
	"github.com/mercer-ml/mercer/search/param"
)

// plainly keeps Markdown from reading signs of formulas.
var plainly = strings.NewReplacer("<", `\<`, ">", `\>`, "*", `\*`, "_", `\_`, "[", `\[`)

// TestPages: docs/methods.md and docs/settings.md are what the declarations say; go test ./internal/method -run Pages -args -update writes
// them.
func TestPages(t *testing.T) {
	kept.Text(t, "../../docs/methods.md", methodsPage())
	kept.Text(t, "../../docs/settings.md", settingsPage())
}

// methodsPage lists all entries, with their names in other programs.
func methodsPage() string {
	var b strings.Builder
	b.WriteString("# Methods, kernels, scores, searches, losses\n\n    go test ./internal/method -run Pages -args -update\n\n" +
		fold("", "This page is made of the declarations. `mercer methods ID` has the formula, the cost and the source of each, and its "+
			"settings, which [settings.md](settings.md) lists together. [How to choose](how-to-choose.md) compares methods."))
	flags := map[string]string{KindMethod: "Methods: `--method ID`", KindKernel: "Kernels: `--kernel ID`", KindScore: "Scores: `--tune ID`",
		KindSearch: "Searches: `--search ID`", KindLoss: "Losses"}
	kind := ""
	for _, e := range Entries() {
		if e.Kind != kind {
			kind = e.Kind
			fmt.Fprintf(&b, "\n## %s\n\n", flags[kind])
		}
		text := "`" + e.ID + "`"
		for _, also := range e.Also {
			text += ", also `" + also + "`"
		}
		text += ": " + plainly.Replace(e.Title) + "; " + plainly.Replace(e.About) + "."
		if e.LIBSVM != "" {
			text += " LIBSVM: " + plainly.Replace(e.LIBSVM) + "."
		}
		if e.SciKit != "" && e.SciKit != "none" {
			text += " scikit-learn: " + plainly.Replace(e.SciKit) + "."
		}
		b.WriteString(fold("* ", text))
	}
	return b.String()
}

// settingsPage lists all settings by name: what it means, and for which entries where a name means several things.
func settingsPage() string {
	of := map[param.Meaning][]string{}
	var meanings []param.Meaning
	for _, e := range Entries() {
		for _, p := range e.Parameters {
			if of[p] == nil {
				meanings = append(meanings, p)
			}
			if !slices.Contains(of[p], e.ID) {
				of[p] = append(of[p], e.ID)
			}
		}
	}
	slices.SortStableFunc(meanings, func(a, b param.Meaning) int {
		return cmp.Or(cmp.Compare(bare(a.Name), bare(b.Name)), cmp.Compare(len(of[b]), len(of[a])))
	})
	var b strings.Builder
	b.WriteString("# Settings\n\n    go test ./internal/method -run Pages -args -update\n\n" +
		fold("", "This page is made of the declarations. A setting is given by `--set NAME=VALUE`, or by its flag; what is not given is "+
			"tuned or has its default. Behind each meaning stand the methods, kernels and scores that have it ([methods.md](methods.md)); "+
			"\"most\" are more than eight.") + "\n")
	for _, p := range meanings {
		who := "most"
		if n := len(of[p]); n <= 8 {
			who = "`" + strings.Join(of[p], "`, `") + "`"
		}
		text := fmt.Sprintf("`%s` (%s): %s.", p.Name, who, plainly.Replace(p.About))
		if p.Range != "" {
			text += " Range: " + plainly.Replace(p.Range) + "."
		}
		if p.Default != "" {
			text += " Default: " + plainly.Replace(p.Default) + "."
		}
		b.WriteString(fold("* ", text))
	}
	return b.String()
}

func bare(name string) string { return strings.ToLower(strings.TrimLeft(name, "-")) }

// fold breaks a text into lines of at most 118 bytes, between words; a first word that begins a list stays where it is.
func fold(mark, text string) string {
	var b strings.Builder
	line, indent := mark, strings.Repeat(" ", len(mark))
	for i, word := range strings.Fields(text) {
		if i > 0 && len(line)+1+len(word) > 118 {
			b.WriteString(line + "\n")
			line = indent + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}
