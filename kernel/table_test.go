package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The lists of kernels and of their parameters that people choose from.
func TestLists(t *testing.T) {
	var described []string
	for _, w := range kernel.Kinds() {
		described = append(described, w.ID)
	}
	const plain = "gaussian ard-gaussian linear polynomial laplacian l1-laplacian ard-l1-laplacian ard-rational anova metric-laplacian " +
		"sigmoid exp-chi2 add-chi2 "
	for _, c := range []struct {
		list []string
		want string
	}{
		{kernel.ByColumn(), "ard-gaussian ard-l1-laplacian ard-rational anova ard-linear"},
		{kernel.Settable(), "sigma degree scale offset alpha weight c"},
		{kernel.Names(), plain + "chi2-map ard-linear constant clusters components precomputed"},
		{described, plain + "constant chi2-map ard-linear clusters components sum product columns normalised precomputed"},
	} {
		if got := strings.Join(c.list, " "); got != c.want {
			t.Errorf("%s, expected %s", got, c.want)
		}
	}
	if got := kernel.NameOf(other{}); got != "kernel_test.other" {
		t.Errorf("a kernel of another package is called %s", got)
	}
}

// Kernels of one distance know no column by its number, nor does what is made of them, but by a choice of columns.
func TestNumbered(t *testing.T) {
	gaussian, ard := kernel.Gaussian{}, kernel.ARDGaussian{}
	for _, k := range []kernel.Kernel{gaussian, kernel.Linear{}, kernel.Scaled{Base: gaussian},
		kernel.Sum{Terms: []kernel.Kernel{gaussian, kernel.Normalised{Base: kernel.Linear{}}}}} {
		if kernel.Numbered(k) {
			t.Errorf("%+v knows columns by their numbers", k)
		}
	}
	numbered := []kernel.Kernel{ard, kernel.Columns{Base: gaussian, Columns: []int{0}}, kernel.Precomputed{K: mat.NewDense(1, 1, nil)},
		other{gaussian}, kernel.Sum{Terms: []kernel.Kernel{gaussian, ard}}}
	if i := slices.IndexFunc(numbered, func(k kernel.Kernel) bool { return !kernel.Numbered(k) }); i >= 0 {
		t.Errorf("%+v knows no column by its number", numbered[i])
	}
}
