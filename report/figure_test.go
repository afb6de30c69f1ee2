package report

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/mercer-ml/mercer"
)

// TestTextsLieInside: every text of a figure lies within its canvas, however long the names of its
// axes are, and the plot keeps most of the room.
func TestTextsLieInside(t *testing.T) {
	for name, f := range map[string]*Figure{
		"front":    frontOf(9).plane(),
		"scores":   frontOf(9).scores(),
		"progress": progress([]mercer.Evaluation{{N: 1, Score: 3}, {N: 2, Score: 2}}, "a score with a name that is longer than an upright axis can hold"),
	} {
		for _, long := range []string{"", "risk: mean squared error on the labelled rows", strings.Repeat("a very long name ", 12)} {
			if long != "" {
				f.Plot.Y.Label.Text, f.Plot.X.Label.Text, f.Plot.Title.Text = long, long, long
			}
			w, h := f.dims()
			var log recorder.Canvas
			c := draw.NewCanvas(&log, w, h)
			f.draw(c)
			for _, a := range log.Actions {
				text, ok := a.(*recorder.FillString)
				if !ok {
					continue
				}
				right := text.Point.X + labelWidth(text)
				if text.Point.X < 0 || right > w+0.5 || text.Point.Y < 0 || text.Point.Y > h {
					t.Errorf("%s: %q reaches from %.0f to %.0f of %.0f at height %.0f of %.0f", name, text.String, text.Point.X, right, w, text.Point.Y, h)
				}
			}
			inner := f.bare(w).DataCanvas(f.inside(c))
			if share := (inner.Max.Y - inner.Min.Y) / h; share < 0.55 {
				t.Errorf("%s: the plot has %.0f %% of the height", name, 100*share)
			}
		}
	}
}

func labelWidth(a *recorder.FillString) vg.Length {
	style := legendText()
	style.Font.Size = a.Size
	return style.Width(a.String)
}
