package neighbours

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/internal/indices"
	"github.com/mercer-ml/mercer/internal/splitmix"
)

const (
	// mostLevels bounds the depth of a tree.
	mostLevels = 40
	// leastSample are the drawn rows that a part must have to be cut: fewer say little of its median.
	leastSample = 16
)

// Tree sends a row left or right by its product with the direction of the level, until it is in a bucket.
type Tree struct {
	Directions [][]float64 // of normal numbers, one a level
	Nodes      []Node
	Leaves     int
}

// Node is a cut, or a bucket.
type Node struct {
	Cut         float64
	Left, Right int // nodes: below Cut, or not
	Leaf        int // number of the bucket, -1 of a cut
}

// direction is a vector of independent normal numbers.
func direction(d int, seed uint64, where ...uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, splitmix.Hash(where...)))
	v := make([]float64, d)
	for j := range v {
		v[j] = r.NormFloat64()
	}
	return v
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += v * b[j]
	}
	return sum
}

// grow cuts at the medians of the rows drawn until a part has, by their share of all n rows, a quarter less than a bucket takes. Some
// buckets will have more all the same; what is too much is cut again where they are searched.
func (p *Plan) grow(table int, drawn [][]float64, n int) Tree {
	var t Tree
	all := indices.To(len(drawn))
	value := make([]float64, len(drawn))
	var add func(part []int, level int) int
	add = func(part []int, level int) int {
		at := len(t.Nodes)
		t.Nodes = append(t.Nodes, Node{Leaf: -1})
		expected := float64(n) * float64(len(part)) / float64(len(drawn))
		enough := n <= p.Bucket || level > 0 && 1.25*expected <= float64(p.Bucket)
		left, right := []int(nil), []int(nil)
		cut := 0.0
		if !enough && level < mostLevels && len(part) >= leastSample {
			if level == len(t.Directions) {
				t.Directions = append(t.Directions, direction(len(drawn[0]), p.Seed, uint64(table), uint64(level))) //nolint:gosec // counts
			}
			for _, i := range part {
				value[i] = dot(t.Directions[level], drawn[i])
			}
			cut, left, right = halves(part, value)
		}
		if left == nil {
			t.Nodes[at].Leaf = t.Leaves
			t.Leaves++
			return at
		}
		l := add(left, level+1)
		r := add(right, level+1)
		t.Nodes[at] = Node{Cut: cut, Left: l, Right: r, Leaf: -1}
		return at
	}
	add(all, 0)
	return t
}

// halves cuts a part at the median of its values, or at the next larger value if all below are equal to it; nil if all values are equal.
func halves(part []int, value []float64) (cut float64, left, right []int) {
	sorted := make([]float64, len(part))
	for k, i := range part {
		sorted[k] = value[i]
	}
	slices.Sort(sorted)
	if cut = sorted[len(sorted)/2]; cut == sorted[0] {
		k := sort.Search(len(sorted), func(k int) bool { return sorted[k] > cut })
		if k == len(sorted) {
			return 0, nil, nil
		}
		cut = sorted[k]
	}
	for _, i := range part {
		if value[i] < cut {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	return cut, left, right
}

// bucket is the one of a row, which unit has been done to.
func (t *Tree) bucket(x []float64) int {
	at := 0
	for level := 0; t.Nodes[at].Leaf < 0; level++ {
		if dot(t.Directions[level], x) < t.Nodes[at].Cut {
			at = t.Nodes[at].Left
		} else {
			at = t.Nodes[at].Right
		}
	}
	return t.Nodes[at].Leaf
}

// pieces cuts the rows of a bucket in the middle, by random projections again, until no piece has more than most. Rows are in order
// in every piece; of equal projections the earlier rows go left.
func pieces(rows [][]float64, most int, seed uint64, where ...uint64) [][]int {
	all := indices.To(len(rows))
	var list [][]int
	value := make([]float64, len(rows))
	var add func(part []int, where []uint64)
	add = func(part []int, where []uint64) {
		if len(part) <= most {
			list = append(list, part)
			return
		}
		v := direction(len(rows[0]), seed, where...)
		for _, i := range part {
			value[i] = dot(v, rows[i])
		}
		slices.SortStableFunc(part, func(a, b int) int {
			switch {
			case value[a] < value[b]:
				return -1
			case value[a] > value[b]:
				return 1
			}
			return a - b
		})
		left, right := part[:len(part)/2], part[len(part)/2:]
		slices.Sort(left)
		slices.Sort(right)
		add(left, append(slices.Clone(where), 0))
		add(right, append(slices.Clone(where), 1))
	}
	add(all, where)
	return list
}
