package graph

// Components numbers the connected components over edges of positive weight, in
// the order of their first rows, and returns their count.
func (g *Graph) Components() (component []int, count int) {
	component = make([]int, g.N)
	for i := range component {
		component[i] = -1
	}
	var queue []int
	for i := range component {
		if component[i] >= 0 {
			continue
		}
		component[i] = count
		queue = append(queue[:0], i)
		for len(queue) > 0 {
			at := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			idx, w := g.W.Row(at)
			for p, j := range idx {
				if w[p] > 0 && component[j] < 0 {
					component[j] = count
					queue = append(queue, int(j))
				}
			}
		}
		count++
	}
	return component, count
}

// Choices counts, of a graph of nearest neighbours, the pairs of which any chose the other, those of which only one did, and the rows
// that chose the row that most chose; 0 for other kinds.
func (g *Graph) Choices() (pairs, oneSided, hub int) { return g.choices, g.oneSided, g.hub }
