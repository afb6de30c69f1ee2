package cli

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/mercer-ml/mercer/internal/arguments"
	"github.com/mercer-ml/mercer/internal/test/kept"
)

// TestCommandsPage: docs/commands.md is what the grammar says; go test ./internal/cli -run CommandsPage -args -update writes it.
func TestCommandsPage(t *testing.T) {
	var p program
	k, err := kong.New(&p, arguments.Words(vocabulary()), kong.Writers(io.Discard, io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	kept.Text(t, "../../docs/commands.md", commandsPage(k.Model.Children))
}

// commandsPage lists the verbs with their examples and flags. A flag that several verbs have in the same words stands at the end, once.
func commandsPage(verbs []*kong.Node) string {
	of := map[string][]string{}
	var shared []string
	for _, v := range verbs {
		for _, f := range v.Flags {
			text := flagText(f)
			if of[text] = append(of[text], "`"+v.Name+"`"); len(of[text]) == 2 && f.Name != "help" {
				shared = append(shared, text)
			}
		}
	}
	var b strings.Builder
	b.WriteString("# Commands\n\n    go test ./internal/cli -run CommandsPage -args -update\n\n" +
		wrapped("", "This page is made of the grammar of the command line; `mercer VERB -h` prints the same. Flags that several verbs have "+
			"stand [at the end](#flags-of-several-verbs)."))
	for _, v := range verbs {
		fmt.Fprintf(&b, "\n## mercer %s\n\n%s", v.Name, wrapped("", marked(v.Help)))
		for _, paragraph := range strings.Split(strings.TrimSpace(v.Detail), "\n\n") {
			switch {
			case paragraph == "" || paragraph == "Examples:":
			case strings.HasPrefix(paragraph, "    "):
				b.WriteString("\n" + strings.TrimRight(paragraph, "\n") + "\n")
			default:
				b.WriteString("\n" + wrapped("", marked(paragraph)))
			}
		}
		b.WriteString("\n")
		for _, a := range v.Positional {
			b.WriteString(wrapped("* ", "`"+a.Summary()+"`: "+marked(a.Help)))
		}
		for _, f := range v.Flags {
			if text := flagText(f); len(of[text]) == 1 && f.Name != "help" {
				b.WriteString(wrapped("* ", text))
			}
		}
	}
	b.WriteString("\n## Flags of several verbs\n\n")
	for _, text := range shared {
		b.WriteString(wrapped("* ", text+" ("+strings.Join(of[text], ", ")+")"))
	}
	return b.String()
}

// flagText is a flag with its help.
func flagText(f *kong.Flag) string {
	term := "--" + f.Name
	if !f.IsBool() {
		term += "=" + f.FormatPlaceHolder()
	}
	if f.Short != 0 {
		term = "-" + string(f.Short) + ", " + term
	}
	return "`" + term + "`: " + marked(f.Help)
}

// marked keeps Markdown from reading signs of the texts.
func marked(text string) string {
	return strings.NewReplacer("<", `\<`, ">", `\>`, "*", `\*`, "_", `\_`, "[", `\[`).Replace(text)
}

// wrapped breaks a text into lines of at most 118 bytes, between words; a first word that begins a list stays where it is.
func wrapped(mark, text string) string {
	var b strings.Builder
	line, indent := mark, strings.Repeat(" ", len(mark))
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > 118:
			b.WriteString(line + "\n")
			line = indent + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}
