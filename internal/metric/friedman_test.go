package metric

import (
	"math"
	"testing"
)

// The mean errors of Kokshenev 2010, tables 5.3 and 5.4, columns GS, Q_norm, Q_ref: the sets
// iris3, wine2, sonar, heart, liver, iono, vehicle12, vehicle34, credit, cancer, pima.
func TestFriedmanOfPublishedTables(t *testing.T) {
	rbf := [][]float64{{4.67, 4.73, 4.00}, {2.52, 3.19, 2.96}, {23.42, 14.60, 21.84}, {17.07, 18.41, 17.04}, {28.99, 35.48, 28.90},
		{5.25, 5.25, 6.38}, {25.10, 39.35, 24.92}, {1.53, 1.63, 1.49}, {13.63, 13.95, 13.63}, {3.62, 3.75, 3.58}, {23.40, 23.59, 23.35}}
	poly := [][]float64{{4.67, 4.40, 3.80}, {2.52, 3.93, 2.52}, {20.97, 21.09, 18.35}, {17.04, 23.89, 16.56}, {30.61, 31.86, 29.92},
		{8.29, 12.79, 7.84}, {27.14, 33.08, 26.88}, {1.61, 3.26, 1.39}, {13.66, 26.68, 13.66}, {3.11, 3.39, 3.36}, {23.05, 25.62, 23.02}}
	rbfIQR := [][]float64{{0.00, 0.00, 0.00}, {0.56, 0.59, 0.03}, {3.36, 1.93, 4.71}, {1.11, 1.11, 0.74}, {0.62, 2.34, 1.34},
		{0.87, 0.31, 1.40}, {2.08, 6.00, 1.15}, {0.24, 0.47, 0.48}, {0.01, 0.32, 0.01}, {0.57, 0.28, 0.43}, {0.78, 0.41, 0.78}}
	for name, c := range map[string]struct {
		scores   [][]float64
		ranks    []float64
		chi2, f  float64
		worse    bool // Q_norm differs from GS
		toBetter bool // and from Q_ref
	}{
		"rbf":  {rbf, []float64{1.909, 2.682, 1.409}, 9.045, 6.982, false, true},
		"poly": {poly, []float64{1.909, 2.909, 1.182}, 16.545, 30.333, true, true},
	} {
		got, err := Friedman(c.scores)
		if err != nil {
			t.Fatal(err)
		}
		for j, r := range c.ranks {
			if math.Abs(got.Ranks[j]-r) > 6e-4 {
				t.Errorf("%s: rank %d is %.4f, printed %.3f", name, j, got.Ranks[j], r)
			}
		}
		if math.Abs(got.Chi2-c.chi2) > 6e-4 || math.Abs(got.F-c.f) > 6e-4 || got.P > 0.05 {
			t.Errorf("%s: chi2 %.4f F %.4f p %.3g, printed %g and %g, significant", name, got.Chi2, got.F, got.P, c.chi2, c.f)
		}
		if got.Differ(0, 1) != c.worse || got.Differ(1, 2) != c.toBetter || got.Differ(0, 2) {
			t.Errorf("%s: differences beyond %.4f of %v", name, got.Difference, got.Ranks)
		}
		// Section 5.6.4 prints q = 2.343 and a difference of 0.99991, which is 0.9991.
		if math.Abs(got.Difference-0.9993) > 3e-4 {
			t.Errorf("%s: critical difference %.5f", name, got.Difference)
		}
	}
	got, err := Friedman(rbfIQR) // recomputed: the printed chi2 is that of another column
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.F-0.021) > 1e-3 || math.Abs(got.Chi2-0.045) > 1e-3 {
		t.Errorf("iqr: chi2 %.4f, F %.4f of ranks %.4f", got.Chi2, got.F, got.Ranks)
	}
}

// Tables of the studentised range with infinitely many degrees of freedom, 95 %.
func TestStudentisedRange(t *testing.T) {
	for k, want := range map[int]float64{2: 2.772, 3: 3.314, 4: 3.633, 5: 3.858, 10: 4.474} {
		if got := StudentisedRange(k, 0.95); math.Abs(got-want) > 6e-4 {
			t.Errorf("range of %d: %.4f, want %.3f", k, got, want)
		}
	}
}

func TestFriedmanLimits(t *testing.T) {
	same, err := Friedman([][]float64{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}})
	if err != nil || same.Chi2 != 0 || same.P != 1 {
		t.Errorf("ties: %+v, %v", same, err)
	}
	always, err := Friedman([][]float64{{1, 2, 3}, {4, 5, 6}, {0, 1, 9}})
	if err != nil || !math.IsInf(always.F, 1) || always.P != 0 || always.Ranks[0] != 1 {
		t.Errorf("one order: %+v, %v", always, err)
	}
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, math.NaN()}, {1, 2}}} {
		if _, err := Friedman(bad); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}
