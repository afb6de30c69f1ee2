package columns

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// ditto finds marks that stand for the cell above: what they mean is not in their row.
func ditto(col *data.Column, s *seen, c int) error {
	for _, mark := range []string{`"`, "\u3003", "''"} {
		n := s.Words.having(mark)
		if n == 0 || n == s.Cells || col.Kind != "" || slices.Contains(col.Empty, mark) {
			continue
		}
		return &Fault{c, Place{}, fmt.Sprintf("column %q: %d cells are %s, as for what stands above", col.Name, n, mark),
			"write out what they stand for, or say --missing " + OfList(mark)}
	}
	return nil
}
