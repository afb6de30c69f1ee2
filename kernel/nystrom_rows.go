package kernel

// Landmarks as rows of their own, for machines that bind a kernel to them alone (Products).
//
// Means     of all rows, or where there are more than meansRows a landmark, of so many drawn rows: Lloyd's
//           iteration then costs 2 m^2 d meansRows flops a step whatever n is, where on all rows it would cost
//           as much as the machine.

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
)

// meansRows is the number of rows a landmark of which means are made.
const meansRows = 50

// Suited is the recipe with means of the rows, which no kernel changes, or, where these are sparse or means would cost
// more than a machine, 20 n m d flops against 2 n m^2, with rows that a kernel finds apart.
func (l Landmarks) Suited(rows data.Rows) Landmarks {
	l.Choice = Means
	if rows.IsSparse() || 10*rows.Dim() > l.Of(rows.Len()) {
		l.Choice = PlusPlus
	}
	return l
}

// Take returns the landmarks of the rows: rows of them, or their means. The kernel, whose parameters must
// be set, decides where the choice asks it.
func (l Landmarks) Take(ctx context.Context, k Kernel, rows data.Rows) (data.Rows, error) {
	n := rows.Len()
	m := l.Of(n)
	if l.Count < 0 || n == 0 {
		return data.Rows{}, fmt.Errorf("kernel: %d landmarks of %d rows; give at least one of both", l.Count, n)
	}
	if l.Choice == Means && rows.Dense != nil && m < n {
		if n > meansRows*m {
			rows = rows.Select(rand.New(rand.NewPCG(l.Seed, 0x3ea5)).Perm(n)[:meansRows*m])
		}
		c, err := Centres(ctx, rows, m, l.Seed)
		return data.Rows{Dense: c}, err
	}
	g, err := k.Bind(ctx, rows, nil)
	if err != nil {
		return data.Rows{}, err
	}
	z, err := l.Choose(ctx, g, nil)
	if err != nil {
		return data.Rows{}, err
	}
	return rows.Select(z), nil
}
