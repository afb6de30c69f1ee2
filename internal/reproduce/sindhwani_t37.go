package reproduce

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/internal/learner/s3vm"
	"github.com/mercer-ml/mercer/learn"
)

// contenders37 are annealing and its fixed temperatures.
func contenders37() []contender {
	list := []contender{annealed36()}
	for _, f := range []struct {
		temperature float64
		printed     [4][4]float64
	}{
		{0.1, [4][4]float64{{8.5, 8.4, 6.6, 6.8}, {23.9, 23.3, 20.0, 21.0}, {12.6, 9.9, 5.7, 4.7}, {8.1, 8.2, 7.8, 8.0}}},
		{0.01, [4][4]float64{{8.9, 8.2, 7.6, 7.0}, {22.2, 23.3, 20.1, 21.3}, {17.1, 12.7, 7.1, 5.7}, {12.9, 12.0, 8.1, 8.5}}},
		{0.001, [4][4]float64{{9.0, 8.1, 7.9, 7.2}, {23.6, 24.4, 20.3, 21.5}, {18.6, 13.0, 9.1, 7.3}, {13.5, 12.5, 8.8, 8.8}}},
	} {
		list = append(list, transducer(fmt.Sprintf("T=%g", f.temperature),
			s3vm.Annealing{Loss: learn.SquaredHinge{}, Temperature: f.temperature}, f.printed))
	}
	return list
}

const annealingLower = "annealing has the lower objective, %"

// sindhwaniT37 compares annealing with fixed temperatures.
func sindhwaniT37(ctx context.Context, l *lab) error {
	list := contenders37()
	err := l.eachParted(ctx, list, func(s parted, all [][][]outcome) {
		for q, c := range list[1:] {
			name := s.name + " " + c.name
			for _, split := range all {
				lower := 0.0 // or equal, but for rounding
				for j, o := range split[1+q] {
					if split[0][j].objective <= o.objective*(1+1e-6) {
						lower += 100 / float64(len(split[0]))
					}
				}
				l.add(name, annealingLower, lower)
			}
			l.interim(name, annealingLower)
		}
	})
	return err
}
