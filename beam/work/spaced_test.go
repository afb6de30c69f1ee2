package work

import "testing"

// Rows of shards of any sizes are those at equal distances within each, whatever the order in which shards are joined in.
func TestSpaced(t *testing.T) {
	sizes := []int{5, 30000, 1, 700, 9000, 64, 20000}
	add := func(k int) *Spaced {
		s := new(Spaced)
		for i := range sizes[k] {
			s.Add([]float64{float64(k), float64(i)})
		}
		return s
	}
	one, tree := new(Spaced), new(Spaced)
	for k := range sizes {
		one.Join(add(k))
	}
	for k := 0; k < len(sizes); k += 3 {
		group := new(Spaced)
		for q := k; q < min(k+3, len(sizes)); q++ {
			group.Join(add(q))
		}
		tree.Join(group)
	}
	var want [][2]int
	for k, n := range sizes {
		for i := 0; i < n; i += one.Stride {
			want = append(want, [2]int{k, i})
		}
	}
	if n := len(want); n > mostSpaced || n <= mostSpaced/2 || one.Seen != tree.Seen || one.Stride != tree.Stride {
		t.Errorf("%d rows at a distance of %d", n, one.Stride)
	}
	for _, got := range []*Spaced{one, tree} {
		if len(got.Rows) != len(want) {
			t.Fatalf("%d rows, want %d", len(got.Rows), len(want))
		}
		for i, row := range got.Rows {
			if want[i] != [2]int{int(row[0]), int(row[1])} {
				t.Fatalf("row %d is %v, want %v", i, row, want[i])
			}
		}
	}
}
