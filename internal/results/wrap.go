package results

import "strings"

// width is that of a line of text in a file of results: a screen's. Tables are not cut.
const width = 120

// wrapped is Markdown with its long lines of text cut between words; what follows in an item of a list is
// indented as the item is.
func wrapped(text string) string {
	lines := paragraphs(strings.Split(text, "\n"))
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || len(line) <= width || strings.HasPrefix(line, "    ") || strings.ContainsAny(line[:1], "|#!<`") {
			continue
		}
		indent := ""
		if strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "- ") {
			indent = "  "
		}
		var b strings.Builder
		at := 0
		for n, word := range strings.Fields(line) {
			switch {
			case n == 0:
			case at+1+len(word) > width:
				b.WriteString("\n" + indent)
				at = len(indent)
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		lines[i] = b.String()
	}
	return strings.Join(lines, "\n")
}

// paragraphs joins lines of plain text that follow each other, as commands whose own lines are shorter write them.
func paragraphs(lines []string) []string {
	plain := func(line string) bool {
		item := strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "- ")
		return line != "" && !item && !strings.ContainsAny(line[:1], " |#!<`0123456789")
	}
	var out []string
	fenced := false
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if i > 0 && !fenced && plain(line) && plain(lines[i-1]) {
			out[len(out)-1] += " " + line
			continue
		}
		out = append(out, line)
	}
	return out
}
