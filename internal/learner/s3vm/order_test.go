package s3vm

import (
	"container/heap"
	"testing"
)

// TestOrderOfNodes: of nodes with equal bounds the one that was made last comes first; by depth the bounds do not count.
func TestOrderOfNodes(t *testing.T) {
	bounds := []float64{2, 1, 1, 3, 1, 2}
	for deep, want := range map[bool][]int{false: {4, 2, 1, 5, 0, 3}, true: {5, 4, 3, 2, 1, 0}} {
		tr := &tree{open: queue{deep: deep}}
		for _, b := range bounds {
			tr.push(&node{bound: b})
		}
		for k, number := range want {
			if n := heap.Pop(&tr.open).(*node); n.number != number {
				t.Errorf("deep %v: node %d comes at place %d, want %d", deep, n.number, k, number)
			}
		}
	}
}
