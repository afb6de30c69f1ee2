// Package indices makes lists of the numbers of rows.
//
// Change here what several packages do with such lists.
package indices

// To lists the numbers from 0 to n-1.
func To(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Of are the values at the places listed.
func Of[T any](v []T, at []int) []T {
	list := make([]T, len(at))
	for q, i := range at {
		list[q] = v[i]
	}
	return list
}
