package brief

import (
	"strings"

	"github.com/mercer-ml/mercer/internal/indices"
)

// Suggest asks whether one of the known names was meant: "; did you mean NAME?" of the one that is nearest to name, "" where none is
// near. Capitals, hyphens and underscores do not count; else a third of the letters may be wrong, missing, too many or exchanged with
// the next one (Damerau, Communications of the ACM 7, 1964), and a name may be the beginning of a known one.
func Suggest(name string, known []string) string {
	const most = 40 // letters; of a longer name nobody wants to know
	if name == "" || len(name) > most {
		return ""
	}
	plain, best, least := folded(name), "", 1+len(name)/3
	for _, k := range known {
		other := folded(k)
		d := edits(plain, other)
		if len(plain) >= 3 && strings.HasPrefix(other, plain) {
			d = min(d, 1)
		}
		if d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// folded is a name without what does not count.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_ ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// edits is the number of letters to change, add, leave out or exchange with the next one.
func edits(a, b string) int {
	var before, last []int
	row := indices.To(len(b) + 1)
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+1)
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
