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
