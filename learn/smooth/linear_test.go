package smooth

import "testing"

// The linear algebra that Auto takes, at the borders of its sizes.
func TestChooseMethod(t *testing.T) {
	for _, c := range []struct {
		n, d   int
		sparse bool
		want   Method
	}{
		{10, 11, false, Gram}, {10, 10, false, Cholesky}, {4096, 5000, false, Gram}, {4097, 5000, false, CG}, {5000, 4096, false, Cholesky},
		{5000, 4097, false, CG}, {5000, 512, true, Cholesky}, {5000, 513, true, CG}, {4096, 4097, true, Gram}, {4096, 4096, true, CG},
	} {
		if got := Auto.choose(c.n, c.d, c.sparse); got != c.want {
			t.Errorf("%d rows of %d features, sparse %v: %v, want %v", c.n, c.d, c.sparse, got, c.want)
		}
		for _, m := range []Method{Gram, Cholesky, CG} {
			if got := m.choose(c.n, c.d, c.sparse); got != m {
				t.Errorf("asked for %v: %v", m, got)
			}
		}
	}
}
