package smooth

import "testing"

// The linear algebra that auto takes, at the borders of its sizes.
func TestChooseMethod(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		sparse bool
		want   algebra
	}{
		{10, 11, false, byGram}, {10, 10, false, byCholesky}, {4096, 5000, false, byGram}, {4097, 5000, false, byCG},
		{5000, 4096, false, byCholesky},
		{5000, 4097, false, byCG}, {5000, 512, true, byCholesky}, {5000, 513, true, byCG},
		{4096, 4097, true, byGram}, {4096, 4096, true, byCG},
	} {
		if got := auto.choose(c.n, c.d, c.sparse); got != c.want {
			t.Errorf("%d rows of %d features, sparse %v: %v, want %v", c.n, c.d, c.sparse, got, c.want)
		}
		for _, m := range []algebra{byGram, byCholesky, byCG} {
			if got := m.choose(c.n, c.d, c.sparse); got != m {
				t.Errorf("asked for %v: %v", m, got)
			}
		}
	}
}
