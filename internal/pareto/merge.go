package pareto

// Decomposition: the nondominated set of a union is that of the union of the
// nondominated sets (Kokshenev 2010, lemma 3.2.1, for finite sets; infinite ones need
// that every dominated element is dominated by a nondominated one of its own set).

// Member is a point of a merged front: which part it came from, and its place there.
type Member struct{ Part, Index int }

// Part is a set of points of two objectives.
type Part struct{ Risk, Complexity []float64 }

// Merge returns the front of the union of the parts, by increasing complexity; of
// equal points the one of the first part stays, unless ties are kept.
func Merge(parts []Part, o Options) []Member {
	var risk, complexity []float64
	var from []Member
	for p, part := range parts {
		for i := range part.Risk {
			from = append(from, Member{p, i})
		}
		risk = append(risk, part.Risk...)
		complexity = append(complexity, part.Complexity...)
	}
	keep := Front(risk, complexity, o)
	out := make([]Member, len(keep))
	for k, i := range keep {
		out[k] = from[i]
	}
	return out
}
