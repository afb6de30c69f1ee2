package results

import (
	"strings"
	"testing"
)

// TestWrapped: text is cut between words and keeps them all; tables, code and headings stay as they are.
func TestWrapped(t *testing.T) {
	words := strings.Repeat("twelve words ", 30)
	for _, same := range []string{"| " + words, "# " + words, "    " + words, "```\n" + words + "\n```", "short", ""} {
		if got := wrapped(same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	for _, start := range []string{"", "* ", "- "} {
		text := start + strings.TrimSpace(words)
		got := wrapped(text)
		if strings.Join(strings.Fields(got), " ") != text {
			t.Errorf("words of %q were lost: %q", text, got)
		}
		for i, line := range strings.Split(got, "\n") {
			if len(line) > width || i > 0 && start != "" != strings.HasPrefix(line, "  ") {
				t.Errorf("line %d is %q", i, line)
			}
		}
	}
}

// TestFullLines: a line of text has as many characters as it may, and no word more, wherever it stands.
func TestFullLines(t *testing.T) {
	full := strings.Repeat("ten chars ", width/10-1) + "ten charsX"
	for text, want := range map[string]string{
		full + " " + full + " end": full + "\n" + full + "\nend",
		full + "Y end":             strings.TrimSuffix(full, " charsX") + "\ncharsXY end",
		"* " + full[2:] + " end":   "* " + full[2:] + "\n  end",
	} {
		if got := wrapped(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// TestParagraphs: short lines of one paragraph become lines of full width; what is no text keeps its lines.
func TestParagraphs(t *testing.T) {
	for text, want := range map[string]string{
		"one\ntwo":                        "one two",
		"one\n\ntwo":                      "one\n\ntwo",
		"one\n| a |\n| b |\ntwo":          "one\n| a |\n| b |\ntwo",
		"* one\n  two\n* three":           "* one\n  two\n* three",
		"```\none\ntwo\n```\nthree\nfour": "```\none\ntwo\n```\nthree four",
	} {
		if got := wrapped(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
