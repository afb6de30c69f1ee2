package learn

import "gonum.org/v1/gonum/mat"

// Coding says what the outputs of a machine mean. The zero value is a regression:
// one output in the units of the targets. Of C classes, in sorted order:
//
//	two            one output, positive for the second class
//	one-versus-rest  C outputs; the largest wins, ties to the first class
//	Pairs (one-versus-one)  C(C-1)/2 outputs, one for each pair of classes a < b in
//	               the order (0,1), (0,2), ..., (1,2), ..., positive for b; each
//	               votes for one of its two, the most votes win, ties to the first
//	               class (a zero goes to b, as with two classes)
type Coding struct {
	Classes int
	Pairs   bool
}

// Outputs is the number of outputs.
func (c Coding) Outputs() int {
	switch {
	case c.Classes <= 2:
		return 1
	case c.Pairs:
		return c.Classes * (c.Classes - 1) / 2
	}
	return c.Classes
}

// pairs says whether outputs are pairs of more than two classes.
func (c Coding) pairs() bool { return c.Pairs && c.Classes > 2 }

// EachPair calls f with the outputs of Pairs in order: number, first class,
// second class.
func (c Coding) EachPair(f func(output, a, b int)) {
	output := 0
	for a := range c.Classes {
		for b := a + 1; b < c.Classes; b++ {
			f(output, a, b)
			output++
		}
	}
}

// Code returns the targets of the given classes, a row each: -1 or +1 in every
// output, and with Pairs 0 where the row's class has no part.
func (c Coding) Code(class []int) *mat.Dense {
	y := mat.NewDense(max(len(class), 1), c.Outputs(), nil)
	for q, k := range class {
		row := y.RawRowView(q)
		if c.pairs() {
			c.EachPair(func(o, a, b int) {
				switch k {
				case a:
					row[o] = -1
				case b:
					row[o] = 1
				}
			})
			continue
		}
		for j := range row {
			row[j] = -1
		}
		switch {
		case c.Classes == 2 && k == 1:
			row[0] = 1
		case c.Classes > 2:
			row[k] = 1
		}
	}
	return y
}

// Scores returns what the classes are ranked by, one column each: the outputs
// themselves, or the votes of Pairs. With two classes it is the one output.
func (c Coding) Scores(out *mat.Dense) *mat.Dense {
	if !c.pairs() {
		return out
	}
	n, _ := out.Dims()
	votes := mat.NewDense(n, c.Classes, nil)
	for i := range n {
		from, to := out.RawRowView(i), votes.RawRowView(i)
		c.EachPair(func(o, a, b int) {
			if from[o] >= 0 {
				a = b
			}
			to[a]++
		})
	}
	return votes
}

// Decide returns the class of each row of outputs.
func (c Coding) Decide(out *mat.Dense) []int {
	scores := c.Scores(out)
	n, columns := scores.Dims()
	class := make([]int, n)
	for i := range class {
		row := scores.RawRowView(i)
		if columns == 1 {
			if row[0] >= 0 {
				class[i] = 1
			}
			continue
		}
		for j, v := range row {
			if v > row[class[i]] {
				class[i] = j
			}
		}
	}
	return class
}
