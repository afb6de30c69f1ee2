package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/mercer-ml/mercer/internal/try/trypage"
	"github.com/mercer-ml/mercer/tools/lab/internal/measure"
)

// tryPage measures the page docs/try in Debian's Chromium: the bytes of the program for the browser, and the seconds from the press
// on Learn to the drawing, of two moons that the page draws, each time others.
func tryPage(f *measure.Flags) func() measure.Page {
	moons := f.Int("moons", 10, "drawings")
	return func() measure.Page {
		write := func(ctx context.Context, w io.Writer) error { return visitPage(ctx, w, *moons) }
		return measure.Page{Title: "Mercer in the browser", Write: write}
	}
}

func visitPage(ctx context.Context, w io.Writer, moons int) error {
	dir, err := os.MkdirTemp("", "mercer-try-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a folder that stays behind is no fault of the figures
	size, err := trypage.Build(ctx, ".", dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "The program for the browser has %.1f MB, packed by gzip -9 %.1f MB (asked: 15).\n\n", 1e-6*float64(size.Plain),
		1e-6*float64(size.Packed))
	fmt.Fprintf(w, "%d times two moons of 120 points, six of them with a colour, by Laplacian least squares. Seconds from the press "+
		"on Learn to the drawing of 9600 cells (asked: 1), and of them those of the fit. The first press is as soon as the page allows "+
		"it. The longest frame is the time between two drawings of the page while it learned.\n\n", moons)
	fmt.Fprintln(w, "| page | first | median | longest | fit, median | longest frame |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, width := range []int{360, 1280} {
		s, err := trypage.Visit(ctx, dir, width, 900, moons, false)
		if err != nil {
			return err
		}
		if s.Failed != "" {
			return fmt.Errorf("%d wide: %s", width, s.Failed)
		}
		var all, fits []float64
		for _, l := range s.Moons {
			all, fits = append(all, l.Seconds), append(fits, l.Answer.Learned)
		}
		first := all[0]
		slices.Sort(all)
		slices.Sort(fits)
		fmt.Fprintf(w, "| %d wide | %.2f | %.2f | %.2f | %.2f | %.2f |\n", width, first, all[len(all)/2], all[len(all)-1],
			fits[len(fits)/2], s.Longest)
	}
	return nil
}
