package reproduce

import (
	"context"
	"fmt"
)

// beckerF43 adds unlabelled rows to few labels at fixed hyper-parameters: the
// test error falls as u grows.
func beckerF43(d dataset, few, many int) protocol {
	return func(ctx context.Context, l *lab) error {
		g, err := l.load(ctx, d)
		if err != nil {
			return err
		}
		picture := Figure{Name: "unlabelled", Title: "Test error as unlabelled rows are added, " + d.name,
			X: Axis{Name: "unlabelled rows"}, Y: Axis{Name: testError}}
		for _, labelled := range []int{few, many} {
			all := g.rows.Len() - d.test - labelled
			curve := Curve{Name: fmt.Sprintf("%d labels", labelled)}
			for _, u := range []int{0, all / 2, all} {
				name := fmt.Sprintf("%s l=%d u=%d", d.name, labelled, u)
				if u == 0 {
					name += " (RLS)"
				}
				l.say("%s", name)
				for run := range l.runs {
					t := g.split(l.seed, run, labelled, u, d.test)
					e, err := t.errorAt(ctx, t.machine(), t.literature(d))
					if err != nil {
						return err
					}
					l.add(name, testError, e)
				}
				mean, _ := meanStd(l.cell(name, testError).values)
				curve.X, curve.Y = append(curve.X, float64(u)), append(curve.Y, mean)
			}
			picture.Curves = append(picture.Curves, curve)
			l.helped(curve)
		}
		l.draw(picture)
		return nil
	}
}

// helped notes whether the source's claim, that the test error falls as unlabelled rows are added,
// is borne out by the means of a curve that begins without any.
func (l *lab) helped(c Curve) {
	last := len(c.Y) - 1
	for k, e := range c.Y {
		if k > 0 && e > c.Y[k-1] {
			l.note(
				"with %s the claim that unlabelled rows help does not hold throughout: %.2f %% at u = %g, %.2f at %g; with all of them %.2f, "+
					"without any %.2f",
				c.Name,
				c.Y[k-1],
				c.X[k-1],
				e,
				c.X[k],
				c.Y[last],
				c.Y[0],
			)
			return
		}
	}
	l.note("with %s the test error falls as unlabelled rows are added, as the source claims: from %.2f to %.2f %%", c.Name, c.Y[0],
		c.Y[last])
}

const testError = "test error %"
