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

// SquaredDistances stores na + norm_b - 2 s_b in s_b: inner products with a point whose squared norm is na become squared distances.
// It goes on up to the first that is less than share (na + norm_b), where the difference has too few digits left, and returns
// the place of that one, len(s) if there is none. The rounding is that of the formula as it stands.
func SquaredDistances(s, norm []float64, na, share float64) (done int) {
	norm = norm[:len(s)]
	if wide := len(s) &^ 7; AVX512 && wide > 0 {
		done = distancesAVX512(&s[0], &norm[0], wide, na, share)
	} else if whole := len(s) &^ 3; AVX2 && whole > 0 {
		done = distancesAVX2(&s[0], &norm[0], whole, na, share)
	}
	for ; done < len(s); done++ {
		sum := na + norm[done]
		d2 := sum - 2*s[done]
		if d2 < share*sum {
			break
		}
		s[done] = d2
	}
	return done
}
