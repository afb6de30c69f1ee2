package blas

import (
	"sync"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// sized does small work in pure Go and large work by OpenBLAS. A call of OpenBLAS with several threads ends when the last of them has
// had its turn: on a machine with eight other busy processes a fit of 100 rows took 29 s where pure Go took half a second (two cores).
// For small work pure Go is as fast on an idle machine too (`go test -bench . ./internal/blas`). Eigenvalues, which OpenBLAS finds in a
// third of the time, are left to it, small ones on one thread.
type sized struct {
	small, large engine

	mu      sync.Mutex
	alone   int // calls that are to run on one thread
	several int // the threads of the others
}

const (
	// smallWork is the number of multiplications up to which pure Go works: those of a product of matrices of 256 rows.
	smallWork = 256 * 256 * 256
	// smallEigen is the number of rows up to which eigenvalues are found on one thread.
	smallEigen = 512
)

// bySize makes the engine.
func bySize(large engine) engine {
	return &sized{small: pureGo, large: large, several: large.threads()}
}

func (s *sized) of(work float64) engine {
	if work <= smallWork {
		return s.small
	}
	return s.large
}

func (s *sized) name() string { return s.large.name() }

func (s *sized) threads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.several
}

func (s *sized) setThreads(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.small.setThreads(n)
	s.several = max(n, 1)
	if s.alone == 0 {
		s.large.setThreads(n)
	}
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
	if a.Rows > smallEigen {
		return s.large.syev(a, w)
	}
	s.apart(1)
	defer s.apart(-1)
	return s.large.syev(a, w)
}

// apart counts the calls that are to run on one thread. OpenBLAS has one number of threads for all calls, which it reads as each begins:
// others that begin meanwhile have one thread as well.
func (s *sized) apart(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.alone
	s.alone += by
	switch {
	case s.several == 1:
	case before == 0:
		s.large.setThreads(1)
	case s.alone == 0:
		s.large.setThreads(s.several)
	}
}

func product3(a, b, c int) float64 { return float64(a) * float64(b) * float64(c) }
