package libsvm

import (
	"strings"
	"testing"
)

// TestCheckOfMadeModels: models that were not read but made are checked too, for what a file cannot say.
func TestCheckOfMadeModels(t *testing.T) {
	made := func(change func(*Model)) error {
		m := parse(t, "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 2\nnr_sv 1 1\nSV\n1 1:1\n-1 2:1\n")
		change(m)
		return m.Check()
	}
	if err := made(func(*Model) {}); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*Model){
		"1 coefficients for 2 support vectors":  func(m *Model) { m.Coef[0] = m.Coef[0][:1] },
		"3 coefficients for 2 support vectors":  func(m *Model) { m.Coef[0] = append(m.Coef[0], 1) },
		"2 rows of coefficients for 2 classes":  func(m *Model) { m.Coef = append(m.Coef, m.Coef[0]) },
		"the nr_sv add up to 1, total_sv is 2":  func(m *Model) { m.Counts[1] = 0 },
		"label 1 stands for two classes":        func(m *Model) { m.Labels[1] = 1 },
		"2 values of rho for 1 pairs":           func(m *Model) { m.Rho = append(m.Rho, 0) },
		"either serial numbers or support vect": func(m *Model) { m.Serial = []int{1, 2} },
	} {
		if err := made(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
