package choose

import (
	"bytes"
	"encoding/gob"
	"math"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// TestPackedMachines: a machine that was packed, sent and unpacked is the machine; centres that are all rows do not travel, and those
// that are not do.
func TestPackedMachines(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, 4})}
	own := data.Rows{Dense: mat.NewDense(2, 1, []float64{0.5, 7})}
	k := kernel.Gaussian{Sigma: 2}
	m := &Machine{Kernel: k, Score: 0.25, Lambda: 3, Expansions: []kernel.Expansion{
		{Kernel: k, Centres: rows, Coef: mat.NewDense(3, 1, []float64{1, -2, 3})},
		{Kernel: kernel.Linear{}, Centres: own, Coef: mat.NewDense(2, 1, []float64{0.1, 0.2})},
	}}
	p, err := Pack(m, rows)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p.Whole, []bool{true, false}) || p.Machine.Expansions[0].Centres.Dense != nil {
		t.Errorf("all rows travel: %v", p.Whole)
	}
	if m.Expansions[0].Kernel == nil || m.Expansions[0].Centres.Dense == nil {
		t.Error("the machine that was packed is another one")
	}
	var b bytes.Buffer
	var back Packed
	if err := gob.NewEncoder(&b).Encode(p); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&b).Decode(&back); err != nil {
		t.Fatal(err)
	}
	got, err := back.Unpack(k, rows)
	if err != nil {
		t.Fatal(err)
	}
	if got.Expansions[0].Centres.Dense != rows.Dense || !reflect.DeepEqual(got.Kernel, m.Kernel) || got.Score != m.Score ||
		got.Lambda != m.Lambda {
		t.Errorf("unpacked: %+v", got)
	}
	for i := range m.Expansions {
		a, b := m.Expansions[i], got.Expansions[i]
		if !reflect.DeepEqual(a.Kernel, b.Kernel) || !mat.Equal(a.Centres.Dense, b.Centres.Dense) || !mat.Equal(a.Coef, b.Coef) {
			t.Errorf("expansion %d: %+v, was %+v", i, b, a)
		}
	}
	back.Kernels[1] = []byte(`{"kind":"none"}`)
	if _, err := back.Unpack(k, rows); err == nil {
		t.Error("a kernel that does not exist is unpacked")
	}
}

// TestKernelsThatDoNotTravel: a kernel that cannot be written is an error of packing, one that cannot be read of unpacking, the machine's
// own as those of its expansions.
func TestKernelsThatDoNotTravel(t *testing.T) {
	rows := data.Rows{Dense: mat.NewDense(3, 1, []float64{1, 2, 4})}
	on := func(k kernel.Kernel) *Machine {
		return &Machine{Kernel: k, Expansions: []kernel.Expansion{{Kernel: k, Centres: rows, Coef: mat.NewDense(3, 1, nil)}}}
	}
	if p, err := Pack(on(kernel.Gaussian{Sigma: math.NaN()}), rows); err == nil {
		t.Errorf("a width that is no number is packed: %s", p.Kernels)
	}
	k := kernel.Gaussian{Sigma: 2}
	p, err := Pack(on(k), rows)
	if err != nil {
		t.Fatal(err)
	}
	p.Kernel = []byte(`{"type":"none"}`)
	if m, err := p.Unpack(k, rows); err == nil {
		t.Errorf("a kernel that does not exist is unpacked: %+v", m.Kernel)
	}
}
