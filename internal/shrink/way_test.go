package shrink_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/shrink"
	"github.com/mercer-ml/mercer/internal/test/pathtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/model"
)

// TestSmallerModelsAreAsTheyWere: what is said of smaller models of several kinds and what they answer, with other numbers of candidates,
// rows and seeds.
func TestSmallerModelsAreAsTheyWere(t *testing.T) {
	var p pathtest.Path
	rows := plane(90)
	k, other := kernel.Gaussian{Sigma: 0.7}, kernel.Gaussian{Sigma: 2}
	number := whole(1, sum(k, rows, 1))
	number.Task, number.Classes = data.Regression, nil
	models := map[string]*model.Model{
		"three classes": whole(3, sum(k, rows, 3)), "numbers": number,
		"two kernels": whole(1, sum(k, rows, 1), sum(other, rows.Select([]int{1, 4, 9, 16, 25}), 1)),
	}
	outputs := func(m *model.Model) {
		out, err := m.Predict(t.Context(), rows.Select([]int{0, 30, 60, 89}))
		if err != nil {
			t.Fatal(err)
		}
		p.Add("  outputs", shrink.Centres(m), mat.DenseCopyOf(out).RawMatrix().Data)
	}
	for _, name := range []string{"three classes", "two kernels", "numbers"} {
		m := models[name]
		for _, o := range []shrink.Options{{}, {Seed: 3}, {Candidates: 7}, {Candidates: 7, Seed: 3}, {Rows: 40}, {Rows: 40, Seed: 3}} {
			small, change, err := shrink.Model(t.Context(), m, rows, 12, o)
			if err != nil {
				t.Fatal(err)
			}
			p.Add(fmt.Sprintf("%s, %+v", name, o))
			p.Object("  change", change, 5)
			outputs(small)
		}
		for _, size := range []int{0, 1, shrink.Centres(m) - 1, shrink.Centres(m)} {
			p.Add(fmt.Sprintf("%s, possible %d", name, size), fmt.Sprint(shrink.Possible(m, size)))
		}
		for _, o := range []shrink.Options{{}, {Seed: 3, Candidates: 9}, {Rows: 50, Seed: 4}} {
			d, err := shrink.NewDistillation(t.Context(), m, rows, []kernel.Kernel{k, other}, o)
			if err != nil {
				p.Add("  no distillation", err)
				continue
			}
			for _, size := range []int{3, 10} {
				small, err := d.Model(t.Context(), size)
				if err != nil {
					t.Fatal(err)
				}
				p.Add(fmt.Sprintf("%s, distilled, %+v", name, o), size)
				outputs(small)
			}
		}
		_, err := shrink.NewDistillation(t.Context(), m, rows, nil, shrink.Options{})
		p.Add("  without a kernel", fmt.Sprint(err))
	}
	p.Compare(t, "smaller")
}
