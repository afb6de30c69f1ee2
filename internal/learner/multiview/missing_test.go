package multiview_test

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learner/multiview"
	"github.com/mercer-ml/mercer/internal/test/failtest"
	"github.com/mercer-ml/mercer/kernel"
)

// A view that no row has is refused, whatever form the rows have, and not before there is somebody to tell.
func TestViewOfNoRow(t *testing.T) {
	x, views := cloud(6, 2, 3)
	for _, rows := range []data.Rows{x, emptied(x)} {
		all := multiview.Stack(rows, views).Rows
		for name, own := range map[string][]int{"a": {6, 7, 8}, "b": {0, 1, 2}} {
			k := two(1)
			k.Kernels = []kernel.Kernel{kernel.Gaussian{}, kernel.Gaussian{}}
			part := all.Select(own)
			_, err := k.Adapt(part).Bind(t.Context(), part, nil)
			failtest.Refused(t, err, "multiview: no row has view "+name)
		}
	}
}
