package firstlook

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/tools/lab/internal/process"
)

// TestCases: every file of the cases is read right, or refused where it must be.
func TestCases(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	t.Chdir("../../..")
	const table = "tools/lab/firstlook/testdata/expected.csv"
	err := process.Within(t.Context(), "", func(program, temporary string) error {
		l := look{program: program, folder: filepath.Dir(table), temporary: temporary, models: map[string]string{}}
		var page strings.Builder
		err := l.page(t.Context(), table, &page)
		for _, line := range regexp.MustCompile(`(?m)^.*\| (refused|misread) \|.*$`).FindAllString(page.String(), -1) {
			t.Error(line)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWords: flags are cut at blanks outside quotes.
func TestWords(t *testing.T) {
	if got := strings.Join(words("--label 'life expectancy ' --strict"), "|"); got != "--label|life expectancy |--strict" {
		t.Error(got)
	}
}
