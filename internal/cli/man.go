package cli

import (
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// manCmd is mercer man.
type manCmd struct{}

// Help shows examples.
func (manCmd) Help() string {
	return `The page has the texts of -h of every verb.

Examples:

    mercer man | man -l -
    mercer man > /usr/local/share/man/man1/mercer.1`
}

// Run prints the page, in the language of groff and mandoc.
func (manCmd) Run(e *env, program *kong.Application) error {
	p := &manual{}
	p.macro("TH", "MERCER", "1", "", "mercer")
	p.macro("SH", "NAME")
	p.text("mercer - learns from tables of which few rows are labelled")
	p.macro("SH", "SYNOPSIS")
	for _, v := range program.Children {
		p.macro("br")
		p.text("mercer " + v.Summary())
	}
	p.macro("SH", "DESCRIPTION")
	p.paragraphs(about)
	for _, v := range program.Children {
		p.verb(v)
	}
	p.macro("SH", "EXIT STATUS")
	for _, s := range [][2]string{
		{"0", "The work is done."}, {"1", "The data or a file are at fault."}, {"2", "The flags are."},
		{"130", "After an interrupt, which keeps the best model so far."},
	} {
		p.entry(s[0], s[1])
	}
	_, err := io.WriteString(e.stdout, p.String())
	return err
}

// manual is the page while it is written.
type manual struct{ strings.Builder }

// macro writes a request with its arguments.
func (p *manual) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, a := range args {
		p.WriteString(` "` + strings.ReplaceAll(escaped(a), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// text writes lines that are filled.
func (p *manual) text(s string) {
	for line := range strings.Lines(s) {
		p.WriteString(escaped(strings.TrimSpace(line)) + "\n")
	}
}

// paragraphs writes text whose indented lines are kept as they are, as those of examples.
func (p *manual) paragraphs(s string) {
	for _, paragraph := range strings.Split(strings.TrimSpace(s), "\n\n") {
		p.macro("PP")
		if strings.HasPrefix(paragraph, "    ") {
			p.macro("nf")
			p.WriteString(escaped(strings.TrimRight(paragraph, "\n")) + "\n")
			p.macro("fi")
			continue
		}
		p.text(paragraph)
	}
}

// entry writes a term and what it means.
func (p *manual) entry(term, meaning string) {
	p.macro("TP")
	p.macro("B", term)
	p.text(meaning)
}

// verb writes the section of a verb.
func (p *manual) verb(v *kong.Node) {
	p.macro("SH", "mercer "+v.Name)
	p.text(v.Help)
	p.paragraphs(v.Detail)
	for _, a := range v.Positional {
		p.entry(a.Summary(), a.Help)
	}
	for _, f := range v.Flags {
		if f.Name == "help" {
			continue
		}
		term := "--" + f.Name
		if !f.IsBool() {
			term += "=" + f.FormatPlaceHolder()
		}
		if f.Short != 0 {
			term = "-" + string(f.Short) + ", " + term
		}
		p.entry(term, f.Help)
	}
}

// escaped is text in which groff sees no requests: backslashes, hyphens, and points or apostrophes at the beginning of
// lines.
func escaped(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
