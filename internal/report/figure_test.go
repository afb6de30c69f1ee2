package report

import (
	"errors"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/mercer-ml/mercer"
)

// TestTextsLieInside: every text of a figure lies within its canvas, however long the names of its
// axes are, and the plot keeps most of the room.
func TestTextsLieInside(t *testing.T) {
	for name, f := range map[string]*Figure{
		"front":  frontOf(9).plane(),
		"scores": frontOf(9).scores(),
		"progress": progress([]mercer.Evaluation{{N: 1, Score: 3}, {N: 2, Score: 2}},
			"a score with a name that is longer than an upright axis can hold"),
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
					t.Errorf(
						"%s: %q reaches from %.0f to %.0f of %.0f at height %.0f of %.0f",
						name,
						text.String,
						text.Point.X,
						right,
						w,
						text.Point.Y,
						h,
					)
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

// TestLegendRows: entries of a legend stand side by side, none beyond the margin unless it is alone in its row.
func TestLegendRows(t *testing.T) {
	style := legendText()
	for n := range 24 {
		f := &Figure{Plot: newPlot("", "", "")}
		for k := range 40 {
			f.Legend = append(f.Legend, Entry{Name: strings.Repeat("m", 1+(k*7+n)%24)})
		}
		for _, w := range []vg.Length{150, 300, 440} {
			rows, at := f.legendRows(w)
			if int(at[39].Y)+1 != rows || at[0] != (vg.Point{X: margin}) {
				t.Fatalf("%d rows, places %v", rows, at)
			}
			for k, p := range at {
				width := legendMark + style.Width(clip(f.Legend[k].Name)) + legendGap
				first := k == 0 || at[k-1].Y != p.Y
				if !first && (p.X+width > w-margin || p.X <= at[k-1].X) || first && p.X != margin {
					t.Errorf("width %g: entry %d of width %g stands at %g", w, k, width, p.X)
				}
				if before := k > 0 && first; before &&
					at[k-1].X+legendMark+style.Width(clip(f.Legend[k-1].Name))+legendGap+width <= w-margin {
					t.Errorf("width %g: entry %d would have had room in the row before", w, k)
				}
			}
		}
	}
}

// full is a disk without room.
type full struct{}

var errNoRoom = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errNoRoom }

// TestLostFigures: a page or a picture that could not be written is an error.
func TestLostFigures(t *testing.T) {
	f := frontOf(3).plane()
	if err := f.PNG(full{}); !errors.Is(err, errNoRoom) {
		t.Errorf("picture: %v", err)
	}
	if err := (&Page{Title: "t", Sections: frontOf(3).Sections()}).Render(full{}); !errors.Is(err, errNoRoom) {
		t.Errorf("page: %v", err)
	}
	f.Plot.X.Scale, f.Plot.X.Min, f.Plot.X.Max = plot.LogScale{}, -1, 1
	if _, err := f.SVG(); err == nil || !strings.HasPrefix(err.Error(), "report: figure front cannot be drawn: ") {
		t.Errorf("drawing: %v", err)
	}
}
