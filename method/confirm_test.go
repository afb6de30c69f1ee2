package method

import (
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/param"
)

func TestTied(t *testing.T) {
	k := kernel.Sum{Terms: []kernel.Kernel{
		kernel.Scaled{Weight: 1, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 1}, Columns: []int{0}}},
		kernel.Scaled{Weight: 2, Base: kernel.Columns{Base: kernel.Gaussian{Sigma: 3}, Columns: []int{1, 2}}},
	}}
	space := append(k.Space(), param.Dim{Name: "C", Kind: param.Log, Lo: 0.01, Hi: 100, Default: 1})
	g := tied(space)
	if len(g) != 1 || len(g[0]) != 2 || space[g[0][0]].Default != 1 || space[g[0][1]].Default != 3 {
		t.Errorf("%v of %v", g, space.Names())
	}
	if g := tied(kernel.Gaussian{Sigma: 1}.Space()); len(g) != 0 {
		t.Errorf("one width: %v", g)
	}
}
