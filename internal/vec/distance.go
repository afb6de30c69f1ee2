package vec

// SquaredDistance is |a - b|^2, summed in four lanes, a fixed order that is symmetric in a and b.
func SquaredDistance(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	c := 0
	for ; c+4 <= len(a); c += 4 {
		d0, d1, d2, d3 := a[c]-b[c], a[c+1]-b[c+1], a[c+2]-b[c+2], a[c+3]-b[c+3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; c < len(a); c++ {
		d := a[c] - b[c]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}
