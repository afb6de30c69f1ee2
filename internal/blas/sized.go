package blas

import (
	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// sized does small work in pure Go and large work by OpenBLAS. A call of OpenBLAS with several threads ends when the last of them has
// had its turn: on a machine with eight other busy processes a fit of 100 rows took 29 s where pure Go took half a second (two cores).
// For small work pure Go is as fast on an idle machine too (`go test -bench . ./internal/blas`).
type sized struct{ small, large engine }

// smallWork is the number of multiplications up to which pure Go works: those of a product of matrices of 256 rows.
const smallWork = 256 * 256 * 256

// bySize makes the engine.
func bySize(large engine) engine { return &sized{small: pureGo, large: large} }

func (s *sized) of(work float64) engine {
	if work <= smallWork {
		return s.small
	}
	return s.large
}

func (s *sized) name() string { return s.large.name() }

func (s *sized) threads() int { return s.large.threads() }

func (s *sized) setThreads(n int) {
	s.small.setThreads(n)
	s.large.setThreads(n)
}

func (s *sized) gemm(alpha float64, a, b Op, beta float64, c blas64.General) {
	_, k := a.dims()
	s.of(product3(c.Rows, c.Cols, k)).gemm(alpha, a, b, beta, c)
}

func (s *sized) gemm32(alpha float32, a, b Op32, beta float32, c blas32.General) {
	_, k := a.dims()
	s.of(product3(c.Rows, c.Cols, k)).gemm32(alpha, a, b, beta, c)
}

func (s *sized) syrk(alpha float64, a Op, beta float64, c blas64.General) {
	_, k := a.dims()
	s.of(product3(c.Rows, c.Rows, k)).syrk(alpha, a, beta, c)
}

func (s *sized) trsm(side gblas.Side, t triangle, b blas64.General) {
	s.of(product3(t.Rows, b.Rows, b.Cols)).trsm(side, t, b)
}

func (s *sized) potrf(a blas64.General) int { return s.of(product3(a.Rows, a.Rows, a.Rows)).potrf(a) }

func (s *sized) potri(l blas64.General) { s.of(product3(l.Rows, l.Rows, l.Rows)).potri(l) }

func (s *sized) getrf(a blas64.General, piv []int) int {
	return s.of(product3(a.Rows, a.Rows, a.Cols)).getrf(a, piv)
}

func (s *sized) syev(a blas64.General, w []float64) bool {
	return s.of(product3(a.Rows, a.Rows, a.Rows)).syev(a, w)
}

func product3(a, b, c int) float64 { return float64(a) * float64(b) * float64(c) }
